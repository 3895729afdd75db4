// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a module of PTX text: reads it, places its variables, lowers its kernels.
#include "runtime/emulator/driver/code/Modules.h"
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/lower/Lower.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include "runtime/emulator/numerics/Numerics.h"
#include "runtime/emulator/ptx/Parser.h"
#include "runtime/emulator/ptx/Verify.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

namespace heddle::emulator {

LoadedModule::~LoadedModule() {
  for (const auto &[name, global] : globals)
    DeviceMemory::get().free(global.address);
}

namespace {

/// Memory and contents of .global and .const variables.
bool placeGlobals(const ptx::Module &text, LoadedModule &module, GlobalAddresses &addresses,
                  std::string &error) {
  int owner = module.context->device.ordinal;
  auto isGlobal = [](const ptx::Variable &v) {
    return v.space == ptx::Space::kGlobal || v.space == ptx::Space::kConst;
  };
  for (const ptx::Variable &variable : text.variables) {
    if (!isGlobal(variable) || addresses.count(variable.name))
      continue;
    if (variable.isExternal || variable.bytes == 0) {
      error = "line " + std::to_string(variable.line) + ": variable \"" + variable.name +
              "\" is not defined in this module";
      return false;
    }
    uint64_t address = DeviceMemory::get().allocate(variable.bytes, variable.name, owner);
    if (address == 0) {
      error = "out of memory for variable \"" + variable.name + "\"";
      return false;
    }
    addresses[variable.name] = address;
    module.globals[variable.name] = {address, variable.bytes};
    auto *to = reinterpret_cast<uint8_t *>(address);
    std::memset(to, 0, variable.bytes);
    if (!variable.init.empty())
      std::memcpy(to, variable.init.data(),
                  std::min<uint64_t>(variable.init.size(), variable.bytes));
  }
  for (const ptx::Variable &variable : text.variables) {
    for (const ptx::Variable::Reference &reference : variable.references) {
      auto target = addresses.find(reference.symbol);
      uint64_t address = target == addresses.end() ? 0 : target->second;
      bool isKnown = address != 0 || functionAddress(text, reference.symbol, address);
      if (!isGlobal(variable) || !isKnown || reference.offset + reference.bytes > variable.bytes) {
        error = "line " + std::to_string(variable.line) + ": \"" + reference.symbol +
                "\" cannot be used as an initialiser";
        return false;
      }
      uint64_t value = address + static_cast<uint64_t>(reference.addend);
      value = (value & reference.mask) >> std::countr_zero(reference.mask | 1ull << 63);
      std::memcpy(reinterpret_cast<uint8_t *>(addresses[variable.name]) + reference.offset, &value,
                  std::min(reference.bytes, 8u));
    }
  }
  return true;
}

/// "sm_90a" runs on that GPU only, "sm_80" on it and on later ones.
bool runsHere(const std::string &target, const Gpu &gpu, std::string &error) {
  int number = 0;
  char suffix = '\0';
  if (std::sscanf(target.c_str(), "sm_%d%c", &number, &suffix) < 1) {
    error = ".target \"" + target + "\" is not known; expected sm_NN";
    return false;
  }
  int here = gpu.major * 10 + gpu.minor;
  bool fits = suffix == 'a'   ? number == here
              : suffix == 'f' ? number <= here && number / 10 == here / 10
                              : number <= here;
  if (!fits)
    error = ".target " + target + " does not run on the emulated " + std::string(gpu.display) +
            " (sm_" + std::to_string(here) + "); choose another GPU with HEDDLE_EMU_GPU";
  return fits;
}

CUresult load(LoadedModule &module, const std::string &text, std::string &error) {
  ptx::Module parsed;
  if (!ptx::parse(text.c_str(), parsed, error))
    return CUDA_ERROR_INVALID_PTX;
  if (parsed.target.empty() && parsed.functions.empty()) {
    error = "the text has no .target";
    return CUDA_ERROR_INVALID_PTX;
  }
  if (!runsHere(parsed.target, *module.context->device.gpu, error))
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (!ptx::verify(parsed, error))
    return CUDA_ERROR_INVALID_PTX;
  GlobalAddresses addresses;
  if (!placeGlobals(parsed, module, addresses, error))
    return CUDA_ERROR_INVALID_PTX;
  // Kernels are lowered for one GPU at a time.
  static std::mutex oneGpu;
  std::lock_guard lock(oneGpu);
  const Gpu &gpu = *module.context->device.gpu;
  setCapability(gpu.major * 10 + gpu.minor);
  for (const auto &entry : parsed.functions) {
    if (!entry->isEntry || !entry->hasBody)
      continue;
    auto function = std::make_unique<Function>();
    if (!lowerKernel(parsed, *entry, addresses, function->kernel, error))
      return CUDA_ERROR_INVALID_PTX;
    function->module = &module;
    function->ptxVersion = parsed.version;
    function->maxRegisters = entry->maxRegisters;
    function->minBlocksPerSm = entry->minBlocksPerSm;
    function->needsCluster = entry->isExplicitCluster;
    module.order.push_back(entry->name);
    module.functions[entry->name] = std::move(function);
  }
  return CUDA_SUCCESS;
}

/// Functions by handle.
struct LiveFunctions {
  std::mutex mutex;
  std::unordered_map<const void *, Function *> functions;
  static LiveFunctions &get() {
    static LiveFunctions *live = new LiveFunctions();
    return *live;
  }
};

} // namespace

LoadedModule *loadText(Context &context, const std::string &text, CUresult &code,
                       std::string &error) {
  auto module = std::make_unique<LoadedModule>();
  module->context = &context;
  code = load(*module, text, error);
  if (code != CUDA_SUCCESS)
    return nullptr;
  {
    LiveFunctions &live = LiveFunctions::get();
    std::lock_guard lock(live.mutex);
    for (const auto &[name, function] : module->functions)
      live.functions[function.get()] = function.get();
  }
  return Handles<LoadedModule>::get().add(std::move(module));
}

void unloadModule(LoadedModule *handle) {
  std::unique_ptr<LoadedModule> module = Handles<LoadedModule>::get().take(handle);
  if (!module)
    return;
  if (module->library)
    module->library->modules.erase(module->context);
  LiveFunctions &live = LiveFunctions::get();
  std::lock_guard lock(live.mutex);
  for (const auto &[name, function] : module->functions)
    live.functions.erase(function.get());
}

void releaseModules(Context &context) {
  for (LoadedModule *module : Handles<LoadedModule>::get().all())
    if (module->context == &context)
      unloadModule(module);
}

LoadedModule *moduleOf(Context &context, Library &library, CUresult &code, std::string &error) {
  code = CUDA_SUCCESS;
  if (auto found = library.modules.find(&context); found != library.modules.end())
    return found->second;
  LoadedModule *module = loadText(context, library.text, code, error);
  if (!module)
    return nullptr;
  module->library = &library;
  library.modules[&context] = module;
  Call call("cuKernelSetAttribute", Call::kNothing);
  for (const auto &[name, kernel] : library.kernels) {
    auto function = module->functions.find(name);
    auto wanted = kernel->attributes.find(context.device.ordinal);
    if (function != module->functions.end() && wanted != kernel->attributes.end())
      for (const auto &[attribute, value] : wanted->second)
        setAttribute(call, *function->second, attribute, value);
  }
  return module;
}

Function *functionOf(Context *context, CUfunction handle) {
  {
    LiveFunctions &live = LiveFunctions::get();
    std::lock_guard lock(live.mutex);
    auto found = live.functions.find(handle);
    if (found != live.functions.end())
      return found->second;
  }
  LibraryKernel *kernel = findLibraryKernel(reinterpret_cast<CUkernel>(handle));
  if (!kernel || !context)
    return nullptr;
  CUresult code;
  std::string error;
  LoadedModule *module = moduleOf(*context, *kernel->library, code, error);
  if (!module)
    return nullptr;
  auto found = module->functions.find(kernel->name);
  return found == module->functions.end() ? nullptr : found->second.get();
}

} // namespace heddle::emulator
