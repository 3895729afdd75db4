// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is described in NumPy's documentation, numpy.lib.format: a magic, a version, the
// length of the header, the header as a Python dictionary, the elements.
#include "runtime/cli/Npy.h"
#include "runtime/cli/SubByte.h"
#include <algorithm>
#include <charconv>
#include <cstring>

namespace heddle::runtime::cli {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::string descr; ///< "<f4"
  bool fortranOrder = false;
  Dims dims;
};

/// Reads just the Python that NumPy writes: {'descr': '<f4', 'fortran_order': False, 'shape': (1,)}
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  Result<Header> parse() {
    Header header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return failure("a dictionary");
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':'))
        return failure("a key");
      if (key == "descr" && (hasDescr = string(header.descr))) {
      } else if (key == "fortran_order" && (hasOrder = boolean(header.fortranOrder))) {
      } else if (key == "shape" && (hasShape = tuple(header.dims))) {
      } else {
        return failure(key == "descr" ? "a plain element type" : "a value of \"" + key + "\"");
      }
      take(',');
    }
    if (!hasDescr || !hasOrder || !hasShape)
      return failure("descr, fortran_order and shape");
    return header;
  }

private:
  Status failure(const std::string &expected) const {
    return corrupt("its header lacks " + expected + " at position " + std::to_string(at));
  }
  void skipBlanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }
  bool take(char c) {
    skipBlanks();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool word(std::string_view expected) {
    skipBlanks();
    if (text.substr(at, expected.size()) != expected)
      return false;
    at += expected.size();
    return true;
  }
  bool string(std::string &result) {
    skipBlanks();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return false;
    size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos)
      return false;
    result = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return true;
  }
  bool boolean(bool &result) {
    result = word("True");
    return result || word("False");
  }
  bool tuple(Dims &dims) {
    dims.clear();
    if (!take('('))
      return false;
    while (!take(')')) {
      skipBlanks();
      int64_t dim = 0;
      auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), dim);
      if (error != std::errc() || dim < 0)
        return false;
      at = static_cast<size_t>(end - text.data());
      dims.push_back(dim);
      word("L"); // Python 2 wrote long numbers so
      if (!take(',') && (at >= text.size() || text[at] != ')'))
        return false;
    }
    return true;
  }

  std::string_view text;
  size_t at = 0;
};

/// The bytes an element of the file must have for `dtype`, or 0 if the type does not match.
size_t matchType(std::string_view descr, DType dtype) {
  if (descr.size() < 3)
    return 0;
  const DTypeFacts &row = facts(dtype);
  std::string_view kind = descr.substr(1); // without the byte order
  if (kind == row.npy.substr(1))
    return static_cast<size_t>(std::max(row.bits, 8u) / 8);
  // Either signedness does for small integers and booleans: the values are what counts. Extension
  // types (ml_dtypes) are written as void or as floats of one byte.
  bool oneByte = kind == "u1" || kind == "i1" || kind == "b1" || kind == "V1" || kind == "f1";
  if (oneByte &&
      (dtype == DType::kBool ? kind != "V1" && kind != "f1" : row.bits < 8 || row.rawInNpy) &&
      row.bits <= 8)
    return 1;
  bool twoBytes = kind == "u2" || kind == "i2" || kind == "V2";
  return twoBytes && row.rawInNpy && row.bits == 16 ? 2 : 0;
}

void swapBytes(std::vector<uint8_t> &bytes, size_t width) {
  for (size_t i = 0; i + width <= bytes.size(); i += width)
    std::reverse(bytes.begin() + static_cast<ptrdiff_t>(i),
                 bytes.begin() + static_cast<ptrdiff_t>(i + width));
}

/// From first index fastest to last index fastest.
std::vector<uint8_t> toRowMajor(const std::vector<uint8_t> &bytes, const Dims &dims, size_t width) {
  std::vector<uint8_t> result(bytes.size());
  std::vector<size_t> strides; // of the source, in elements
  size_t stride = 1;
  for (int64_t dim : dims) {
    strides.push_back(stride);
    stride *= static_cast<size_t>(dim);
  }
  Dims index(dims.size(), 0);
  size_t source = 0;
  for (size_t target = 0; target < bytes.size() / width; ++target) {
    std::memcpy(&result[target * width], &bytes[source * width], width);
    for (size_t d = dims.size(); d-- > 0;) {
      source += strides[d];
      if (++index[d] < dims[d])
        break;
      source -= strides[d] * static_cast<size_t>(dims[d]);
      index[d] = 0;
    }
  }
  return result;
}

} // namespace

Result<Tensor> parseNpy(std::span<const uint8_t> file, DType dtype) {
  auto byteAt = [&](size_t i) { return static_cast<size_t>(file[i]); };
  if (file.size() < 10 || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0)
    return corrupt("it is no .npy file");
  size_t version = byteAt(6);
  if (version < 1 || version > 3)
    return unsupported("it is of .npy version " + std::to_string(version) + "; known are 1 to 3");
  size_t headerBegin = version == 1 ? 10 : 12;
  if (file.size() < headerBegin)
    return corrupt("it is cut off");
  size_t headerBytes = byteAt(8) | byteAt(9) << 8;
  if (version > 1)
    headerBytes |= byteAt(10) << 16 | byteAt(11) << 24;
  if (headerBytes > file.size() - headerBegin)
    return corrupt("it is cut off in its header");
  HEDDLE_TRY_ASSIGN(
      Header header,
      HeaderParser({reinterpret_cast<const char *>(file.data()) + headerBegin, headerBytes})
          .parse());
  size_t width = matchType(header.descr, dtype);
  if (width == 0)
    return invalidArgument("its elements are \"" + header.descr + "\", expected \"" +
                           std::string(facts(dtype).npy) + "\" (" + std::string(name(dtype)) +
                           (facts(dtype).rawInNpy ? ", as bits" : "") + ")");
  HEDDLE_TRY_ASSIGN(int64_t count, elementCount(header.dims));
  std::span<const uint8_t> data = file.subspan(headerBegin + headerBytes);
  if (static_cast<uint64_t>(count) > data.size() / width ||
      static_cast<uint64_t>(count) * width != data.size())
    return corrupt("it has " + std::to_string(data.size()) + " bytes of elements, shape " +
                   formatDims(header.dims) + " needs " + std::to_string(count) + " times " +
                   std::to_string(width));

  Tensor tensor{dtype, header.dims, {data.begin(), data.end()}};
  if (header.descr[0] == '>' && width > 1)
    swapBytes(tensor.bytes, width);
  if (header.fortranOrder && tensor.dims.size() > 1)
    tensor.bytes = toRowMajor(tensor.bytes, tensor.dims, width);
  if (dtype == DType::kBool)
    for (uint8_t &byte : tensor.bytes)
      byte = byte != 0;
  if (bits(dtype) < 8)
    tensor.bytes = packSubByte(dtype, tensor.bytes);
  return tensor;
}

std::vector<uint8_t> formatNpy(const Tensor &tensor) {
  std::string shape;
  for (int64_t dim : tensor.dims)
    shape += std::to_string(dim) + (tensor.dims.size() == 1 ? "," : ", ");
  if (tensor.dims.size() > 1)
    shape.resize(shape.size() - 2);
  std::string header = "{'descr': '" + std::string(facts(tensor.dtype).npy) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Elements start at a multiple of 64; the header ends with a line break.
  constexpr size_t kPrefixBytes = 10;
  size_t total = (kPrefixBytes + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - kPrefixBytes - 1, ' ');
  header += '\n';

  std::string prefix(kMagic);
  prefix += {1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  prefix += header;
  std::vector<uint8_t> file(prefix.begin(), prefix.end());
  if (bits(tensor.dtype) < 8) {
    Result<int64_t> count = elementCount(tensor.dims);
    std::vector<uint8_t> wide =
        unpackSubByte(tensor.dtype, tensor.bytes, count.ok() ? static_cast<size_t>(*count) : 0);
    file.insert(file.end(), wide.begin(), wide.end());
  } else {
    file.insert(file.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  return file;
}

} // namespace heddle::runtime::cli
