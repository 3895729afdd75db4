// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds ptxas, runs it on a temporary folder and brings back what it made.
#include "lib/ptxas/Ptxas.h"
#include "lib/ptxas/Process.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace heddle::ptxas {

namespace {

bool isExecutable(const std::string &path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

class TemporaryFolder {
public:
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      std::filesystem::remove_all(path, ignored);
  }

  Status create() {
    std::error_code error;
    std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    if (error)
      return ioError("no folder for temporary files: " + error.message() + "; set TMPDIR");
    std::string name = (parent / "heddle-ptxas-XXXXXX").string();
    if (!::mkdtemp(name.data()))
      return ioError("cannot make a folder in \"" + parent.string() +
                     "\": " + std::strerror(errno));
    path = name;
    return Status::success();
  }

  std::string file(const char *name) const { return path + "/" + name; }

private:
  std::string path;
};

Status writeText(const std::string &path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file)
    return ioError("cannot write \"" + path + "\"; is the disk full?");
  return Status::success();
}

Result<std::vector<uint8_t>> readBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || bytes.empty())
    return ioError("ptxas ended well but left no cubin");
  return bytes;
}

} // namespace

Result<std::string> findPtxas() {
  if (const char *chosen = std::getenv("HEDDLE_PTXAS"); chosen && *chosen) {
    if (isExecutable(chosen))
      return std::string(chosen);
    return notFound(std::string("HEDDLE_PTXAS is \"") + chosen +
                    "\", which is no program that can be run");
  }
  std::vector<std::string> candidates;
#ifdef HEDDLE_PTXAS_PATH
  candidates.push_back(HEDDLE_PTXAS_PATH);
#endif
  std::string searchPath = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (size_t begin = 0; begin < searchPath.size();) {
    size_t end = std::min(searchPath.find(':', begin), searchPath.size());
    if (end > begin)
      candidates.push_back(searchPath.substr(begin, end - begin) + "/ptxas");
    begin = end + 1;
  }
  candidates.push_back("/usr/local/cuda/bin/ptxas");
  for (const std::string &candidate : candidates)
    if (isExecutable(candidate))
      return candidate;
  return notFound("ptxas was not found in $PATH or /usr/local/cuda/bin; install the CUDA Toolkit, "
                  "or \"pip install nvidia-cuda-nvcc\" and set HEDDLE_PTXAS to its bin/ptxas");
}

Result<Assembly> assemble(std::string_view ptx, std::string_view target, const Options &options) {
  HEDDLE_TRY_ASSIGN(std::string program, findPtxas());
  TemporaryFolder folder;
  HEDDLE_TRY(folder.create());
  HEDDLE_TRY(writeText(folder.file("in.ptx"), ptx));

  std::vector<std::string> arguments = {program,
                                        "-v",
                                        "-O" + std::to_string(options.optimization),
                                        "-arch=" + std::string(target),
                                        folder.file("in.ptx"),
                                        "-o",
                                        folder.file("out.cubin")};
  arguments.insert(arguments.end(), options.extraArguments.begin(), options.extraArguments.end());
  HEDDLE_TRY_ASSIGN(ProcessResult process, runProcess(arguments, options.timeoutSeconds));
  if (process.exitCode != 0) {
    // The text names our temporary file, which nobody can look at afterwards.
    std::string log = process.output;
    std::string name = folder.file("in.ptx");
    for (size_t at = log.find(name); at != std::string::npos; at = log.find(name, at))
      log.replace(at, name.size(), "PTX");
    return invalidArgument("ptxas refuses the PTX for " + std::string(target) + " (exit status " +
                           std::to_string(process.exitCode) + "):\n" + log);
  }
  Assembly assembly;
  HEDDLE_TRY_ASSIGN(assembly.cubin, readBytes(folder.file("out.cubin")));
  assembly.log = std::move(process.output);
  parseLog(assembly);
  return assembly;
}

} // namespace heddle::ptxas
