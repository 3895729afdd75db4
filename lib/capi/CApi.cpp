// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's C API: strings in, a status out, nothing of C++ across the border. Programs come
// from libheddle-runtime.
#include "heddle-c/heddle.h"
#include "heddle/Compiler.h"

#include <cstdlib>
#include <filesystem>
#include <new>
#include <unistd.h>

struct heddle_compiler {
  heddle::CompileOptions options;
  std::string report;
};

namespace {

heddle_status fail(heddle_compiler *compiler, heddle_status status, const std::string &text) {
  compiler->report = "error: " + text + "\n";
  return status;
}

/// Keeps what the compiler said; a failure that no diagnostic tells is told here.
heddle_status finish(heddle_compiler *compiler, const heddle::Status &status,
                     const heddle::CompileReport &report) {
  compiler->report = report.diagnostics;
  if (!status.ok() && report.diagnostics.find("error: ") == std::string::npos)
    compiler->report += "error: " + status.text() + "\n";
  return static_cast<heddle_status>(static_cast<int>(status.code()));
}

bool splitPair(const std::string &value, std::string &name, std::string &rest) {
  size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0)
    return false;
  name = value.substr(0, equals);
  rest = value.substr(equals + 1);
  return true;
}

bool setDim(heddle::CompileOptions &options, const std::string &value) {
  std::string name, number;
  char *end = nullptr;
  if (!splitPair(value, name, number) || number.empty())
    return false;
  long long size = std::strtoll(number.c_str(), &end, 10);
  if (*end != '\0' || size < 0)
    return false;
  options.dimSizes[name] = size;
  return true;
}

bool setValue(heddle::CompileOptions &options, const std::string &value) {
  std::string name, contents;
  if (!splitPair(value, name, contents))
    return false;
  options.inputValues[name] = contents;
  return true;
}

bool setTargets(heddle::CompileOptions &options, const std::string &value) {
  options.targets.clear();
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = value.find(',', begin);
    options.targets.push_back(value.substr(begin, end - begin));
  }
  return true;
}

bool setOption(heddle::CompileOptions &options, const std::string &name, const std::string &value) {
  if (name == "target")
    return setTargets(options, value);
  if (name == "dim")
    return setDim(options, value);
  if (name == "value")
    return setValue(options, value);
  if (name == "precision")
    options.precision = value;
  else if (name == "remarks" && (value == "on" || value == "off"))
    options.remarks = value == "on";
  else
    return false;
  return true;
}

/// A folder for the artifact of a JIT; gone with the object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = std::filesystem::temp_directory_path(error) / "heddle-jit-XXXXXX";
    if (!error && ::mkdtemp(name.data()))
      path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      std::filesystem::remove_all(path, ignored);
  }
  std::string path; // "" if there is none
};

} // namespace

extern "C" {

heddle_status heddle_compiler_create(heddle_compiler **compiler) {
  if (!compiler)
    return HEDDLE_INVALID_ARGUMENT;
  *compiler = new (std::nothrow) heddle_compiler;
  return *compiler ? HEDDLE_OK : HEDDLE_OUT_OF_MEMORY;
}

void heddle_compiler_destroy(heddle_compiler *compiler) { delete compiler; }

heddle_status heddle_compiler_set(heddle_compiler *compiler, const char *name, const char *value) {
  if (!compiler || !name || !value)
    return HEDDLE_INVALID_ARGUMENT;
  compiler->report.clear();
  if (setOption(compiler->options, name, value))
    return HEDDLE_OK;
  return fail(compiler, HEDDLE_INVALID_ARGUMENT,
              "there is no option '" + std::string(name) + "' with the value '" + value +
                  "'; the options are target, precision, dim, value and remarks");
}

heddle_status heddle_compiler_run(heddle_compiler *compiler, const char *model_path,
                                  const char *output_path) {
  if (!compiler || !model_path || !output_path)
    return HEDDLE_INVALID_ARGUMENT;
  heddle::CompileReport report;
  heddle::Status status = heddle::compileFile(model_path, output_path, compiler->options, report);
  return finish(compiler, status, report);
}

heddle_status heddle_compiler_jit(heddle_compiler *compiler, const void *model, size_t size,
                                  const char *name, const char *device, heddle_program **program) {
  if (!compiler || !model || !name || !program)
    return HEDDLE_INVALID_ARGUMENT;
  TemporaryFolder folder;
  if (folder.path.empty())
    return fail(compiler, HEDDLE_IO, "no folder for temporary files can be made; set TMPDIR");
  std::string path = folder.path + "/program.heddle";
  heddle::CompileReport report;
  heddle::Status status = heddle::compileBytes({static_cast<const uint8_t *>(model), size}, name,
                                               path, compiler->options, report);
  if (heddle_status result = finish(compiler, status, report); result != HEDDLE_OK)
    return result;
  // The runtime maps the file, and a mapping outlives the file's name.
  heddle_status opened = heddle_program_open(path.c_str(), device, program);
  return opened == HEDDLE_OK ? opened : fail(compiler, opened, heddle_last_error());
}

const char *heddle_compiler_report(const heddle_compiler *compiler) {
  return compiler ? compiler->report.c_str() : "";
}
}
