// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and texts of errors. The names are cuda.h's; codes without a text of their own say their
// name in words.
#include "runtime/emulator/driver/Driver.h"
#include <cctype>
#include <map>

namespace {

struct ErrorRow {
  std::string name, text;
};

/// What the emulated device itself returns, in its own words.
const std::map<int, const char *> &ownTexts() {
  static const std::map<int, const char *> texts = {
      {CUDA_SUCCESS, "no error"},
      {CUDA_ERROR_INVALID_VALUE, "invalid argument"},
      {CUDA_ERROR_OUT_OF_MEMORY, "out of memory"},
      {CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called, or failed"},
      {CUDA_ERROR_NO_DEVICE, "no such device"},
      {CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"},
      {CUDA_ERROR_INVALID_CONTEXT, "invalid context, or none is current"},
      {CUDA_ERROR_INVALID_IMAGE, "the code is no PTX text"},
      {CUDA_ERROR_INVALID_PTX, "the PTX text was refused"},
      {CUDA_ERROR_NO_BINARY_FOR_GPU, "the code is for another GPU"},
      {CUDA_ERROR_INVALID_HANDLE, "invalid handle"},
      {CUDA_ERROR_NOT_FOUND, "name not found"},
      {CUDA_ERROR_NOT_SUPPORTED, "not supported by the emulated device"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "a kernel accessed memory that it must not"},
      {CUDA_ERROR_MISALIGNED_ADDRESS, "a kernel accessed a misaligned address"},
      {CUDA_ERROR_ILLEGAL_INSTRUCTION, "a kernel used an instruction wrongly"},
      {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "the launch needs too much of the device"},
      {CUDA_ERROR_LAUNCH_TIMEOUT, "the launch took too long"},
      {CUDA_ERROR_LAUNCH_FAILED, "the launch failed"},
      {CUDA_ERROR_ASSERT, "a kernel stopped with a trap"},
  };
  return texts;
}

const std::map<int, ErrorRow> &errors() {
  static const std::map<int, ErrorRow> *rows = [] {
    auto *made = new std::map<int, ErrorRow>();
    const std::pair<int, const char *> names[] = {
#define HEDDLE_ERROR(name) {name, #name},
#include "DriverErrors.inc"
#undef HEDDLE_ERROR
    };
    for (const auto &[code, name] : names) {
      auto own = ownTexts().find(code);
      std::string text = own != ownTexts().end() ? own->second : std::string(name).substr(11);
      if (own == ownTexts().end())
        for (char &c : text)
          c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      made->emplace(code, ErrorRow{name, text});
    }
    return made;
  }();
  return *rows;
}

} // namespace

HEDDLE_EMU_API CUresult cuGetErrorName(CUresult code, const char **name) {
  auto found = errors().find(code);
  bool isKnown = found != errors().end();
  if (name)
    *name = isKnown ? found->second.name.c_str() : nullptr;
  return isKnown && name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuGetErrorString(CUresult code, const char **text) {
  auto found = errors().find(code);
  bool isKnown = found != errors().end();
  if (text)
    *text = isKnown ? found->second.text.c_str() : nullptr;
  return isKnown && text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
