// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded code: modules, which belong to a context, and libraries, which become a module in each
// context that uses them.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_CODE_MODULES_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_CODE_MODULES_H

#include "runtime/emulator/driver/Context.h"
#include "runtime/emulator/exec/Kernel.h"

namespace heddle::emulator {

struct Library;

/// A kernel, and what the directives of its text say to the driver.
struct Function {
  Kernel kernel;
  struct LoadedModule *module = nullptr;
  uint32_t ptxVersion = 0, maxRegisters = 0, minBlocksPerSm = 0;
  bool needsCluster = false; ///< .explicitcluster without a size
  // Set by the program.
  int carveout = -1, schedulingPolicy = 0;
  bool allowsLargeClusters = false;
  uint32_t wantedCluster[3] = {0, 0, 0};
};

struct LoadedModule {
  Context *context = nullptr;
  Library *library = nullptr;     ///< that it was made of
  std::vector<std::string> order; ///< of the functions in the text
  std::map<std::string, std::unique_ptr<Function>> functions;
  struct Global {
    uint64_t address;
    uint64_t bytes;
  };
  std::map<std::string, Global> globals;

  LoadedModule() = default;
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;
  ~LoadedModule(); ///< frees the globals
};

/// A kernel of a library: the handle that is good in every context.
struct LibraryKernel {
  Library *library = nullptr;
  std::string name;
  /// Attributes that were set, for a device each, before the context had the module.
  std::map<int, std::map<CUfunction_attribute, int>> attributes;
};

struct Library {
  std::string text;
  std::map<std::string, std::unique_ptr<LibraryKernel>> kernels;
  std::vector<std::string> order;
  std::map<Context *, LoadedModule *> modules;
};

/// The PTX text in an image of so many bytes (SIZE_MAX: nobody knows): text, or a fatbin that holds
/// some uncompressed. False: `error` says why there is none.
bool textOf(const void *image, const Gpu &gpu, std::string &text, std::string &error, size_t bytes);
/// Reads a file whole; false: it cannot be read.
bool readImage(const char *path, std::string &bytes);
/// What the module's error log is given.
void writeLog(const std::string &log, unsigned count, CUjit_option *options, void **values);

/// The module in the context; null: `code` and `error` say why.
LoadedModule *loadText(Context &context, const std::string &text, CUresult &code,
                       std::string &error);
/// The library's module in the context, loaded where it is not yet.
LoadedModule *moduleOf(Context &context, Library &library, CUresult &code, std::string &error);
/// Null: it is none.
LibraryKernel *findLibraryKernel(CUkernel handle);
/// The function behind a CUfunction, or behind a CUkernel in the context; null: it is neither.
Function *functionOf(Context *context, CUfunction handle);
CUresult setAttribute(const Call &call, Function &function, CUfunction_attribute attribute,
                      int value);
CUresult getAttribute(const Call &call, const Function &function, CUfunction_attribute attribute,
                      int *value);
/// Unloads what the context has loaded.
void releaseModules(Context &context);
void unloadModule(LoadedModule *module);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_CODE_MODULES_H
