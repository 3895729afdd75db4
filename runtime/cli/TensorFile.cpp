// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files in and out; the formats are next door.
#include "runtime/cli/TensorFile.h"
#include "runtime/cli/Npy.h"
#include "runtime/cli/TensorProto.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace heddle::runtime::cli {

namespace {

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Result<std::vector<uint8_t>> readWholeFile(const std::string &path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return Status(errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIo,
                  "cannot read \"" + path + "\": " + std::strerror(errno));
  std::vector<uint8_t> bytes;
  uint8_t chunk[65536];
  while (size_t got = std::fread(chunk, 1, sizeof chunk, file.get()))
    bytes.insert(bytes.end(), chunk, chunk + got);
  if (std::ferror(file.get()))
    return ioError("cannot read \"" + path + "\": " + std::strerror(errno));
  return bytes;
}

} // namespace

Result<Tensor> readTensorFile(const std::string &path, DType dtype) {
  HEDDLE_TRY_ASSIGN(std::vector<uint8_t> bytes, readWholeFile(path));
  std::string where = "cannot use \"" + path + "\"";
  bool isNpy = bytes.size() >= 6 && std::memcmp(bytes.data(), "\x93NUMPY", 6) == 0;
  if (isNpy || path.ends_with(".npy")) {
    Result<Tensor> tensor = parseNpy(bytes, dtype);
    if (!tensor.ok())
      return tensor.takeStatus().in(where);
    return tensor;
  }
  Result<Tensor> tensor = parseTensorProto(bytes);
  if (!tensor.ok())
    return tensor.takeStatus().in(where + " (neither .npy nor a readable ONNX .pb)");
  if (tensor->dtype != dtype)
    return invalidArgument(where + ": its elements are " + std::string(name(tensor->dtype)) +
                           ", expected " + std::string(name(dtype)));
  return tensor;
}

Status writeNpyFile(const std::string &path, const Tensor &tensor) {
  std::vector<uint8_t> bytes = formatNpy(tensor);
  File file(std::fopen(path.c_str(), "wb"));
  bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                 std::fflush(file.get()) == 0;
  if (!written)
    return ioError("cannot write \"" + path + "\": " + std::strerror(errno));
  return Status::success();
}

std::string fileNameFor(std::string_view valueName) {
  constexpr size_t kMaxNameBytes = 200; // file systems take 255
  std::string result(valueName.substr(0, kMaxNameBytes));
  for (char &c : result)
    if (static_cast<unsigned char>(c) < 32 || c == 127 || std::strchr("/\\:*?\"<>|", c) != nullptr)
      c = '_';
  return result;
}

} // namespace heddle::runtime::cli
