// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program gives as code: PTX text, or a container of it. Machine code is refused.
#include "runtime/emulator/driver/code/Modules.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>

namespace heddle::emulator {

namespace {

constexpr uint32_t kWrapperMagic = 0x466243b1; // what nvcc's registration code points to
constexpr uint32_t kFatbinMagic = 0xba55ed50;
constexpr uint16_t kPtxKind = 1;
constexpr uint64_t kCompressed = 0x2000 | 0x8000; // LZ4, Zstandard

struct Wrapper {
  uint32_t magic, version;
  const void *data;
};

struct FatbinHeader {
  uint32_t magic;
  uint16_t version, headerBytes;
  uint64_t bytes; ///< behind the header
};

struct EntryHeader {
  uint16_t kind, version;
  uint32_t headerBytes;
  uint64_t bytes; ///< behind the header
  uint32_t compressedBytes, reserved;
  uint16_t minor, major;
  uint32_t architecture, nameOffset, nameBytes;
  uint64_t flags;
};

template <typename T> T readAt(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// The PTX of the highest architecture that the GPU runs, as far as it is not compressed; where
/// there is none of those, any, so that the reader can say what it is for.
bool textOfFatbin(const uint8_t *at, size_t bytes, const Gpu &gpu, std::string &text,
                  std::string &error) {
  auto header = readAt<FatbinHeader>(at);
  if (header.headerBytes > bytes || header.bytes > bytes - header.headerBytes) {
    error = "the fatbin is cut off";
    return false;
  }
  const uint8_t *entry = at + header.headerBytes, *end = entry + header.bytes;
  bool isCompressed = false;
  int best = -1;
  while (end - entry >= static_cast<ptrdiff_t>(sizeof(EntryHeader))) {
    auto row = readAt<EntryHeader>(entry);
    uint64_t left = static_cast<uint64_t>(end - entry);
    if (row.headerBytes < sizeof(EntryHeader) || row.headerBytes > left ||
        row.bytes > left - row.headerBytes)
      break;
    bool runs = row.architecture <= static_cast<uint32_t>(gpu.major * 10 + gpu.minor);
    int rank = runs ? static_cast<int>(row.architecture) : 0;
    if (row.kind == kPtxKind && (row.flags & kCompressed)) {
      isCompressed = true;
    } else if (row.kind == kPtxKind && rank > best) {
      auto *begin = reinterpret_cast<const char *>(entry + row.headerBytes);
      text.assign(begin, std::find(begin, begin + row.bytes, '\0'));
      best = rank;
    }
    entry += row.headerBytes + row.bytes;
  }
  if (best >= 0)
    return true;
  error = isCompressed
              ? "the PTX text in the fatbin is compressed, which the emulated device does "
                "not read; build it with nvcc --no-compress or -ptx"
              : "the fatbin holds no PTX text, only machine code, which the emulated device "
                "does not run; build it with code=compute_NN, or with nvcc -ptx";
  return false;
}

/// The wrapper is for programs whose memory it points into, not for files.
bool textOfWrapper(const uint8_t *at, const Gpu &gpu, std::string &text, std::string &error) {
  const void *data = readAt<Wrapper>(at).data;
  if (data && readAt<uint32_t>(static_cast<const uint8_t *>(data)) == kFatbinMagic)
    return textOfFatbin(static_cast<const uint8_t *>(data), SIZE_MAX, gpu, text, error);
  error = "the fatbin's wrapper points to no fatbin";
  return false;
}

} // namespace

bool textOf(const void *image, const Gpu &gpu, std::string &text, std::string &error, size_t size) {
  const auto *bytes = static_cast<const uint8_t *>(image);
  if (bytes[0] == 0x7f && bytes[1] == 'E') {
    error = "the emulated device executes PTX text, but this is a cubin; compile with nvcc -ptx";
    return false;
  }
  // Text does not begin with these bytes, and has at least four unless it is nearly empty.
  bool isText = true;
  for (int i = 0; i < 4 && isText && bytes[i]; ++i)
    isText = bytes[i] < 0x80 && (bytes[i] >= 32 || std::isspace(bytes[i]));
  if (isText) {
    text = static_cast<const char *>(image);
    return true;
  }
  uint32_t magic = bytes[0] && bytes[1] && bytes[2] ? readAt<uint32_t>(bytes) : 0;
  if (magic == kWrapperMagic && size == SIZE_MAX)
    return textOfWrapper(bytes, gpu, text, error);
  if (magic == kFatbinMagic)
    return textOfFatbin(bytes, size, gpu, text, error);
  error = "the emulated device executes PTX text, but this is neither text nor a fatbin";
  return false;
}

bool readImage(const char *path, std::string &bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return false;
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  if (file.bad())
    return false;
  bytes.append(16, '\0'); // text ends with a zero, and headers are read whole
  return true;
}

void writeLog(const std::string &log, unsigned count, CUjit_option *options, void **values) {
  char *buffer = nullptr;
  size_t bytes = 0, *sizeSlot = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
      buffer = static_cast<char *>(values[i]);
    } else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      bytes = reinterpret_cast<size_t>(values[i]);
      sizeSlot = reinterpret_cast<size_t *>(&values[i]);
    }
  }
  size_t length = buffer && bytes ? std::min(log.size(), bytes - 1) : 0;
  if (buffer && bytes) {
    std::memcpy(buffer, log.data(), length);
    buffer[length] = '\0';
  }
  if (sizeSlot)
    *sizeSlot = length; // how much of it was used
}

} // namespace heddle::emulator
