// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a driver library and fills the table. Libraries stay open until the process ends: drivers
// have threads and exit handlers of their own.
#include "runtime/Driver.h"
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <vector>

namespace heddle::runtime {

static constexpr const char *kEmulatorLibrary = "libheddle-emu.so";

static std::string lastLoaderError() {
  const char *text = ::dlerror();
  return text ? text : "unknown reason";
}

Result<std::shared_ptr<const Driver>> Driver::load(const std::string &path, bool isEmulated) {
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return notFound(lastLoaderError());
  auto driver = std::make_shared<Driver>();
  driver->isEmulated = isEmulated;
  driver->path = path;

  std::string missing;
  auto find = [&](auto &pointer, const char *name, bool required) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(::dlsym(library, name));
    if (!pointer && required)
      missing += std::string(missing.empty() ? "" : ", ") + name;
  };
  // Two steps, so that the macro of cuda.h is expanded before the name becomes text.
#define HEDDLE_TEXT_INNER(name) #name
#define HEDDLE_TEXT(name) HEDDLE_TEXT_INNER(name)
#define HEDDLE_DRIVER_CALL(call) find(driver->call, HEDDLE_TEXT(call), true);
#define HEDDLE_DRIVER_OPTIONAL(call) find(driver->call, HEDDLE_TEXT(call), false);
#include "runtime/Driver.def"
#undef HEDDLE_TEXT
#undef HEDDLE_TEXT_INNER
  if (!missing.empty())
    return unsupported("\"" + path + "\" is no driver for this runtime: it lacks " + missing);
  if (isEmulated) {
    find(driver->lastReport, "heddle_emu_last_report", false);
    find(driver->countersJson, "heddle_emu_counters_json", false);
    find(driver->resetCounters, "heddle_emu_reset_counters", false);
  }
  if (CUresult code = driver->cuInit(0); code != CUDA_SUCCESS)
    return driver->failure(code, "cuInit(0)");
  return std::shared_ptr<const Driver>(std::move(driver));
}

Result<std::shared_ptr<const Driver>> Driver::openReal() {
  Result<std::shared_ptr<const Driver>> driver = load("libcuda.so.1", false);
  if (!driver.ok() && driver.status().code() == StatusCode::kNotFound)
    return notFound("no NVIDIA driver is installed (" + driver.status().text() + ")");
  return driver;
}

/// The folder of the program or library that this code is in.
static std::filesystem::path ownFolder() {
  Dl_info self;
  if (::dladdr(reinterpret_cast<const void *>(&ownFolder), &self) == 0 || !self.dli_fname)
    return {};
  std::error_code error;
  std::filesystem::path path = std::filesystem::canonical(self.dli_fname, error);
  // A program that is not position independent is named as it was called.
  if (error)
    path = std::filesystem::read_symlink("/proc/self/exe", error);
  return path.parent_path();
}

Result<std::shared_ptr<const Driver>> Driver::openEmulated(const std::string &gpu) {
  std::vector<std::string> candidates;
  if (const char *chosen = std::getenv("HEDDLE_EMU_LIB"); chosen && *chosen) {
    candidates.push_back(chosen);
  } else {
    std::filesystem::path folder = ownFolder();
    std::error_code ignored;
    for (std::filesystem::path place : {folder, folder.parent_path() / "lib"})
      if (std::filesystem::exists(place / kEmulatorLibrary, ignored))
        candidates.push_back((place / kEmulatorLibrary).string());
    candidates.push_back(kEmulatorLibrary);
  }

  std::string reasons;
  for (const std::string &candidate : candidates) {
    void *already = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    const char *current = std::getenv(kEmulatedGpuVariable);
    if (already && !gpu.empty() && current && gpu != current)
      return unsupported("this process already emulates \"" + std::string(current) +
                         "\" and cannot emulate \"" + gpu + "\" as well; use two processes");
    // The library reads it when it is initialised.
    if (!already && !gpu.empty())
      ::setenv(kEmulatedGpuVariable, gpu.c_str(), /*overwrite=*/1);
    Result<std::shared_ptr<const Driver>> driver = load(candidate, true);
    if (driver.ok() || driver.status().code() != StatusCode::kNotFound)
      return driver;
    reasons += (reasons.empty() ? "" : "; ") + driver.status().text();
  }
  return notFound("the emulated device's library cannot be opened (" + reasons +
                  "); build it (target heddle-emu), or set HEDDLE_EMU_LIB to its file");
}

Status Driver::failure(CUresult code, const std::string &call) const {
  const char *name = nullptr;
  const char *text = nullptr;
  cuGetErrorName(code, &name);
  cuGetErrorString(code, &text);
  std::string message = call + ": " + (name ? name : "unknown error") + " (" +
                        std::to_string(static_cast<int>(code)) + "): " + (text ? text : "no text");
  const char *report = lastReport ? lastReport() : nullptr;
  if (report && *report)
    message += std::string("\n") + report;
  return {code == CUDA_ERROR_OUT_OF_MEMORY ? StatusCode::kOutOfMemory : StatusCode::kDevice,
          message};
}

std::string Driver::emulatedCounters() const {
  const char *json = countersJson ? countersJson() : nullptr;
  return json ? json : "";
}

void Driver::resetEmulatedCounters() const {
  if (resetCounters)
    resetCounters();
}

} // namespace heddle::runtime
