// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the disassembler as a child process on a temporary file.
#include "lib/compiler/Disassemble.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::compiler {

static std::string findDisassembler() {
  if (auto path = sys::Process::GetEnv("HEDDLE_NVDISASM"))
    return *path;
  for (StringRef name : {"nvdisasm", "cuobjdump"}) {
    if (auto path = sys::findProgramByName(name))
      return *path;
    if (auto path = sys::findProgramByName(name, {"/usr/local/cuda/bin"}))
      return *path;
  }
  return "";
}

/// A path for a temporary file, which is removed with the remover.
static Status makeTemporary(StringRef suffix, SmallString<128> &path, FileRemover &remover) {
  if (std::error_code error = sys::fs::createTemporaryFile("heddle", suffix, path))
    return ioError("cannot make a temporary file: " + error.message() + "; set TMPDIR");
  remover.setFile(path);
  return Status::success();
}

Result<std::string> disassemble(std::span<const uint8_t> cubin) {
  std::string tool = findDisassembler();
  if (tool.empty())
    return notFound("no disassembler found: neither nvdisasm nor cuobjdump is in $PATH or "
                    "/usr/local/cuda/bin; install a CUDA toolkit or the PyPI package "
                    "nvidia-cuda-nvdisasm, or set HEDDLE_NVDISASM to the program");
  SmallString<128> input, output;
  FileRemover removeInput, removeOutput;
  HEDDLE_TRY(makeTemporary("cubin", input, removeInput));
  HEDDLE_TRY(makeTemporary("sass", output, removeOutput));
  std::error_code error;
  raw_fd_ostream file(input, error);
  file.write(reinterpret_cast<const char *>(cubin.data()), cubin.size());
  file.close();
  if (error || file.has_error())
    return ioError("cannot write the temporary file '" + input.str().str() + "'");

  SmallVector<StringRef> arguments{tool};
  if (sys::path::filename(tool).contains("cuobjdump"))
    arguments.push_back("-sass");
  arguments.push_back(input);
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(output), StringRef(output)};
  std::string message;
  constexpr unsigned kTimeoutSeconds = 300;
  int exitStatus = sys::ExecuteAndWait(tool, arguments, std::nullopt, redirects, kTimeoutSeconds,
                                       /*MemoryLimit=*/0, &message);
  auto text = MemoryBuffer::getFile(output);
  if (exitStatus != 0 || !text)
    return ioError("'" + tool + "' failed with status " + std::to_string(exitStatus) +
                   (message.empty() ? "" : ": " + message) +
                   (text ? ": " + (*text)->getBuffer().rtrim().str() : ""));
  return (*text)->getBuffer().str();
}

} // namespace heddle::compiler
