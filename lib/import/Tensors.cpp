// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorProto to ElementsAttr: raw bytes, typed fields, files beside the model, and the element
// types that share a byte. Everything is checked against the tensor's shape before it is read.
#include "lib/import/Tensors.h"

#include "dialects/graph/ops/ShapeRules.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace heddle::import {

using onnx::TensorProto;

std::string getTypeName(int64_t code) {
  static constexpr llvm::StringLiteral kNames[] = {
      "undefined",      "float",    "uint8",        "int8",           "uint16",
      "int16",          "int32",    "int64",        "string",         "bool",
      "float16",        "double",   "uint32",       "uint64",         "complex64",
      "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
      "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1",     "float8e8m0",
      "uint2",          "int2"};
  if (code < 0 || code >= int64_t(std::size(kNames)))
    return "type " + std::to_string(code);
  return kNames[code].str();
}

/// Sizes, or nothing if one is negative or their product does not fit.
static std::optional<SmallVector<int64_t>> readShape(const TensorProto &tensor, int64_t &count) {
  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  count = 1;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(count, size, count))
      return std::nullopt;
  // Bits must be countable as well.
  constexpr int64_t kMaxElems = INT64_MAX / 64;
  return count <= kMaxElems ? std::optional(shape) : std::nullopt;
}

static std::optional<int64_t> readNumber(const TensorProto &tensor, StringRef key,
                                         int64_t otherwise) {
  for (const auto &entry : tensor.external_data())
    if (entry.key() == key) {
      int64_t value;
      if (StringRef(entry.value()).getAsInteger(10, value) || value < 0)
        return std::nullopt;
      return value;
    }
  return otherwise;
}

/// The part of a file beside the model that holds the tensor.
static std::unique_ptr<llvm::MemoryBuffer>
openExternal(const TensorProto &tensor, const ExternalData &external, std::string &problem) {
  std::string location;
  for (const auto &entry : tensor.external_data())
    if (entry.key() == "location")
      location = entry.value();
  if (location.empty() || external.folder.empty()) {
    problem = location.empty()
                  ? "its data is external without a location"
                  : "its data is in '" + location + "', which a model without a file cannot find";
    return nullptr;
  }
  auto begin = llvm::sys::path::begin(location), end = llvm::sys::path::end(location);
  if (llvm::sys::path::is_absolute(location) || std::find(begin, end, "..") != end) {
    problem = "its data is in '" + location + "', outside of the model's folder";
    return nullptr;
  }
  SmallString<256> path(external.folder), realFile, realFolder;
  llvm::sys::path::append(path, location);
  if (llvm::sys::fs::real_path(path, realFile) ||
      llvm::sys::fs::real_path(external.folder, realFolder)) {
    problem = "its data file '" + location + "' does not exist beside the model";
    return nullptr;
  }
  // A link must not lead out of the folder either.
  if (llvm::sys::path::root_path(realFolder) != realFolder)
    realFolder += llvm::sys::path::get_separator();
  if (!realFile.starts_with(realFolder)) {
    problem = "its data file '" + location + "' leads outside of the model's folder";
    return nullptr;
  }
  uint64_t fileBytes = 0;
  auto offset = readNumber(tensor, "offset", 0);
  if (llvm::sys::fs::file_size(realFile, fileBytes) || !offset || uint64_t(*offset) > fileBytes) {
    problem = "the offset of its data is outside of '" + location + "'";
    return nullptr;
  }
  auto length = readNumber(tensor, "length", int64_t(fileBytes - *offset));
  if (!length || uint64_t(*length) > fileBytes - uint64_t(*offset)) {
    problem = "the length of its data is outside of '" + location + "'";
    return nullptr;
  }
  auto file = llvm::MemoryBuffer::getFileSlice(realFile, *length, *offset);
  if (!file) {
    problem = "its data file '" + location + "' cannot be read: " + file.getError().message();
    return nullptr;
  }
  return std::move(*file);
}

/// One byte an element where the file packs several into one, lowest bits first.
static SmallVector<char> unpack(StringRef bytes, unsigned bits, int64_t count) {
  unsigned perByte = 8 / bits;
  SmallVector<char> result(count);
  for (int64_t i = 0; i < count; ++i) {
    unsigned value = (uint8_t(bytes[i / perByte]) >> (i % perByte * bits)) & ((1u << bits) - 1);
    // MLIR keeps the value's bits and leaves the rest of the byte zero.
    result[i] = char(value);
  }
  return result;
}

static ElementsAttr fromBytes(RankedTensorType type, StringRef bytes, std::string &problem) {
  int64_t count = type.getNumElements();
  Type element = type.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isBool = element.isInteger(1);
  uint64_t expected = isBool ? count : llvm::divideCeil(uint64_t(count) * bits, 8);
  if (bytes.size() != expected) {
    problem = "its data has " + std::to_string(bytes.size()) + " bytes, its shape and type need " +
              std::to_string(expected);
    return {};
  }
  if (isBool) {
    auto values = llvm::map_to_vector(bytes, [](char byte) { return byte != 0; });
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  if (bits < 8) {
    auto unpacked = unpack(bytes, bits, count);
    return DenseElementsAttr::getFromRawBuffer(type, unpacked);
  }
  return DenseElementsAttr::getFromRawBuffer(type, ArrayRef(bytes.data(), bytes.size()));
}

/// Typed fields hold numbers that are wider than the element, or its bits.
template <class Field> static std::string narrow(const Field &field, unsigned bytes) {
  std::string result;
  result.reserve(size_t(field.size()) * bytes);
  for (auto value : field)
    result.append(reinterpret_cast<const char *>(&value), bytes);
  return result;
}

/// The contents of the field that ONNX prescribes for the element type.
static std::optional<std::string> readTypedField(const TensorProto &tensor) {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return narrow(tensor.float_data(), 4);
  case TensorProto::DOUBLE:
    return narrow(tensor.double_data(), 8);
  case TensorProto::INT64:
    return narrow(tensor.int64_data(), 8);
  case TensorProto::UINT64:
    return narrow(tensor.uint64_data(), 8);
  case TensorProto::UINT32:
    return narrow(tensor.uint64_data(), 4);
  case TensorProto::INT32:
    return narrow(tensor.int32_data(), 4);
  case TensorProto::INT16:
  case TensorProto::UINT16:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return narrow(tensor.int32_data(), 2);
  case TensorProto::STRING:
  case TensorProto::COMPLEX64:
  case TensorProto::COMPLEX128:
    return std::nullopt;
  default:
    // Bool, 8 bits, and bytes that hold several narrower elements.
    return narrow(tensor.int32_data(), 1);
  }
}

ElementsAttr readTensor(const TensorProto &tensor, const ExternalData &external,
                        MLIRContext *context, std::string &problem) {
  Type element = graph::getElementType(tensor.data_type(), context);
  if (!element) {
    problem = "its element type " + getTypeName(tensor.data_type()) + " is unsupported";
    return {};
  }
  int64_t count = 0;
  auto shape = readShape(tensor, count);
  if (!shape) {
    problem = "its sizes are negative or too large";
    return {};
  }
  if (tensor.has_segment()) {
    problem = "it is stored in segments, which is unsupported";
    return {};
  }
  auto type = RankedTensorType::get(*shape, element);
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    auto file = openExternal(tensor, external, problem);
    if (!file)
      return {};
    return fromBytes(type, file->getBuffer(), problem);
  }
  if (tensor.has_raw_data())
    return fromBytes(type, tensor.raw_data(), problem);
  auto bytes = readTypedField(tensor);
  if (!bytes) {
    problem = "its element type " + getTypeName(tensor.data_type()) + " is unsupported";
    return {};
  }
  return fromBytes(type, *bytes, problem);
}

} // namespace heddle::import
