// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Protocol Buffers wire format ("Encoding" in its documentation) for the fields of TensorProto
// (onnx.proto). Repeated numbers come packed or one by one; both are read.
#include "runtime/cli/TensorProto.h"
#include <algorithm>
#include <cstring>

namespace heddle::runtime::cli {

namespace {

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// onnx.proto, message TensorProto.
enum FieldNumber : uint64_t {
  kDims = 1,
  kDataType = 2,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kDataLocation = 14
};
constexpr uint64_t kExternal = 1;

class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes(bytes) {}

  bool done() const { return bytes.empty(); }

  bool varint(uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 70 && !bytes.empty(); shift += 7) {
      uint8_t byte = bytes.front();
      bytes = bytes.subspan(1);
      if (shift < 64)
        value |= uint64_t{byte & 127u} << shift;
      if (byte < 128)
        return true;
    }
    return false;
  }
  bool take(uint64_t count, std::span<const uint8_t> &result) {
    if (count > bytes.size())
      return false;
    result = bytes.first(count);
    bytes = bytes.subspan(count);
    return true;
  }

private:
  std::span<const uint8_t> bytes;
};

struct Fields {
  Dims dims;
  uint64_t dataType = 0, dataLocation = 0;
  bool hasRaw = false, hasStrings = false;
  std::span<const uint8_t> raw;
  std::vector<uint64_t> varints;        ///< int32_data, int64_data or uint64_data
  std::vector<uint8_t> floats, doubles; ///< their bytes
};

bool readNumbers(Reader &reader, unsigned wireType, std::vector<uint64_t> &values) {
  uint64_t value = 0;
  if (wireType == kVarint) {
    if (!reader.varint(value))
      return false;
    values.push_back(value);
    return true;
  }
  std::span<const uint8_t> packed;
  if (wireType != kBytes || !reader.varint(value) || !reader.take(value, packed))
    return false;
  for (Reader inner(packed); !inner.done(); values.push_back(value))
    if (!inner.varint(value))
      return false;
  return true;
}

/// Numbers of fixed width, alone or packed, as bytes.
bool readFixed(Reader &reader, unsigned wireType, unsigned width, std::vector<uint8_t> &values) {
  std::span<const uint8_t> bytes;
  uint64_t size = width;
  bool single = wireType == (width == 4 ? kFixed32 : kFixed64);
  if (!single && (wireType != kBytes || !reader.varint(size)))
    return false;
  if (!reader.take(size, bytes))
    return false;
  values.insert(values.end(), bytes.begin(), bytes.end());
  return true;
}

bool skip(Reader &reader, unsigned wireType) {
  uint64_t value = 0;
  std::span<const uint8_t> ignored;
  switch (wireType) {
  case kVarint:
    return reader.varint(value);
  case kFixed64:
    return reader.take(8, ignored);
  case kBytes:
    return reader.varint(value) && reader.take(value, ignored);
  case kFixed32:
    return reader.take(4, ignored);
  default:
    return false; // groups are not in onnx.proto
  }
}

bool readField(Reader &reader, uint64_t number, unsigned wireType, Fields &fields) {
  uint64_t size = 0;
  switch (number) {
  case kDims: {
    std::vector<uint64_t> dims;
    if (!readNumbers(reader, wireType, dims))
      return false;
    for (uint64_t dim : dims)
      fields.dims.push_back(static_cast<int64_t>(dim));
    return true;
  }
  case kDataType:
    return wireType == kVarint && reader.varint(fields.dataType);
  case kDataLocation:
    return wireType == kVarint && reader.varint(fields.dataLocation);
  case kFloatData:
    return readFixed(reader, wireType, 4, fields.floats);
  case kDoubleData:
    return readFixed(reader, wireType, 8, fields.doubles);
  case kInt32Data:
  case kInt64Data:
  case kUint64Data:
    return readNumbers(reader, wireType, fields.varints);
  case kRawData:
    fields.hasRaw = true;
    return wireType == kBytes && reader.varint(size) && reader.take(size, fields.raw);
  case kStringData:
    fields.hasStrings = true;
    return skip(reader, wireType);
  default:
    return skip(reader, wireType);
  }
}

/// The elements as tensor bytes. ONNX stores types of at most 32 bits in int32_data, their bits in
/// the low end; of types narrower than a byte a number holds one packed byte.
std::vector<uint8_t> elementBytes(const Fields &fields, DType dtype) {
  if (fields.hasRaw)
    return {fields.raw.begin(), fields.raw.end()};
  if (dtype == DType::kF32)
    return fields.floats;
  if (dtype == DType::kF64)
    return fields.doubles;
  size_t width = std::max(bits(dtype), 8u) / 8;
  std::vector<uint8_t> result(fields.varints.size() * width);
  for (size_t i = 0; i < fields.varints.size(); ++i)
    std::memcpy(&result[i * width], &fields.varints[i], width); // little endian
  return result;
}

} // namespace

Result<Tensor> parseTensorProto(std::span<const uint8_t> file) {
  Fields fields;
  for (Reader reader(file); !reader.done();) {
    uint64_t tag = 0;
    if (!reader.varint(tag) || tag >> 3 == 0 ||
        !readField(reader, tag >> 3, static_cast<unsigned>(tag & 7), fields))
      return corrupt("it is no ONNX tensor, or cut off");
  }
  if (fields.dataLocation == kExternal)
    return unsupported("its elements are in another file; store them in this one");
  std::optional<DType> dtype =
      fields.dataType <= 1000 ? dtypeFromOnnx(static_cast<int>(fields.dataType)) : std::nullopt;
  if (!dtype || fields.hasStrings)
    return unsupported("its ONNX element type " + std::to_string(fields.dataType) +
                       " is not known; strings and complex numbers are not supported");
  Tensor tensor{*dtype, fields.dims, elementBytes(fields, *dtype)};
  HEDDLE_TRY_ASSIGN(int64_t expected, tensorBytes(tensor.dtype, tensor.dims));
  if (static_cast<uint64_t>(expected) != tensor.bytes.size())
    return corrupt("it has " + std::to_string(tensor.bytes.size()) + " bytes of elements, " +
                   std::string(name(*dtype)) + " " + formatDims(tensor.dims) + " needs " +
                   std::to_string(expected));
  if (tensor.dtype == DType::kBool)
    for (uint8_t &byte : tensor.bytes)
      byte = byte != 0;
  return tensor;
}

} // namespace heddle::runtime::cli
