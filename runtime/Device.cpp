// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens devices: which driver, which GPU, and what the GPU says about itself.
#include "runtime/Device.h"
#include "heddle/Target.h"
#include <charconv>
#include <cstdlib>

namespace heddle::runtime {

namespace {

constexpr std::string_view kSpecForms = "auto, cuda, cuda:N, emu or emu:GPU";

Result<int> parseOrdinal(std::string_view spec, std::string_view digits) {
  int ordinal = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || ordinal < 0)
    return invalidArgument("device \"" + std::string(spec) + "\" is not known; expected " +
                           std::string(kSpecForms));
  return ordinal;
}

/// A GPU that runs code for one of the targets. An exact match serves best; else any that can
/// compile the target's PTX.
std::string gpuForTargets(const std::vector<std::string> &targets) {
  for (const std::string &name : targets)
    for (const Gpu &gpu : gpus())
      if (gpu.target == name)
        return std::string(gpu.name);
  for (const std::string &name : targets)
    if (Result<const Target *> target = findTarget(name); target.ok())
      for (const Gpu &gpu : gpus())
        if ((*target)->ptxRunsOn(gpu.major, gpu.minor))
          return std::string(gpu.name);
  return "";
}

} // namespace

Result<std::shared_ptr<const Device>> Device::open(std::string_view spec,
                                                   const std::vector<std::string> &targets) {
  std::string_view kind = spec.substr(0, spec.find(':'));
  std::string_view detail = kind.size() == spec.size() ? "" : spec.substr(kind.size() + 1);
  bool hasDetail = kind.size() != spec.size();
  if (kind == "cuda") {
    HEDDLE_TRY_ASSIGN(int ordinal, hasDetail ? parseOrdinal(spec, detail) : Result<int>(0));
    Result<std::shared_ptr<const Driver>> driver = Driver::openReal();
    if (!driver.ok())
      return Status(driver.status().code(),
                    driver.status().text() + "; use --device=emu for the emulated device");
    return openOn(std::move(*driver), ordinal, "cuda:" + std::to_string(ordinal));
  }
  if (kind == "emu") {
    std::string gpu;
    if (hasDetail) {
      HEDDLE_TRY_ASSIGN(const Gpu *row, findGpu(detail));
      gpu = row->name;
    } else if (const char *current = std::getenv(Driver::kEmulatedGpuVariable)) {
      gpu = current; // chosen by the user, or by an earlier program of this process
    } else {
      gpu = gpuForTargets(targets);
    }
    HEDDLE_TRY_ASSIGN(std::shared_ptr<const Driver> driver, Driver::openEmulated(gpu));
    return openOn(std::move(driver), 0, gpu.empty() ? "emu" : "emu:" + gpu);
  }
  if (spec != "auto" && !spec.empty())
    return invalidArgument("device \"" + std::string(spec) + "\" is not known; expected " +
                           std::string(kSpecForms));

  // The emulated device stands in only where there is no GPU: one that is there and fails is an
  // error that must be seen.
  Result<std::shared_ptr<const Driver>> real = Driver::openReal();
  int count = 0;
  if (real.ok() && (*real)->cuDeviceGetCount(&count) == CUDA_SUCCESS && count > 0)
    return openOn(std::move(*real), 0, "cuda:0");
  std::string reason = real.ok() ? "the driver finds no GPU" : real.status().text();
  Result<std::shared_ptr<const Device>> emulated = open("emu", targets);
  if (!emulated.ok())
    return Status(emulated.status().code(),
                  "no real GPU: " + reason + "; and " + emulated.status().text());
  std::const_pointer_cast<Device>(*emulated)->whyEmulated = reason;
  return emulated;
}

Result<std::shared_ptr<const Device>> Device::openOn(std::shared_ptr<const Driver> driver,
                                                     int ordinal, std::string spec) {
  int count = 0;
  if (CUresult code = driver->cuDeviceGetCount(&count); code != CUDA_SUCCESS)
    return driver->failure(code, "cuDeviceGetCount()");
  if (ordinal >= count)
    return notFound("device \"" + spec + "\" does not exist; the driver has " +
                    std::to_string(count) + (count == 1 ? " device" : " devices"));

  std::shared_ptr<Device> result(new Device());
  result->table = driver;
  result->chosenSpec = std::move(spec);
  std::string argument = "(" + std::to_string(ordinal) + ")";
  char name[256] = {};
  size_t bytes = 0;
  struct {
    CUresult code;
    const char *call;
  } calls[] = {
      {driver->cuDeviceGet(&result->device, ordinal), "cuDeviceGet"},
      {driver->cuDeviceGetName(name, sizeof name - 1, result->device), "cuDeviceGetName"},
      {driver->cuDeviceTotalMem(&bytes, result->device), "cuDeviceTotalMem"},
      {driver->cuDeviceGetAttribute(&result->computeMajor,
                                    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, result->device),
       "cuDeviceGetAttribute"},
      {driver->cuDeviceGetAttribute(&result->computeMinor,
                                    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, result->device),
       "cuDeviceGetAttribute"},
      {driver->cuDriverGetVersion(&result->version), "cuDriverGetVersion"},
      {driver->cuDevicePrimaryCtxRetain(&result->context, result->device),
       "cuDevicePrimaryCtxRetain"},
  };
  for (const auto &call : calls)
    if (call.code != CUDA_SUCCESS)
      return driver->failure(call.code, call.call + argument);
  result->deviceName = name;
  result->memoryBytes = static_cast<int64_t>(bytes);
  HEDDLE_TRY(result->makeCurrent());
  return std::shared_ptr<const Device>(std::move(result));
}

Device::~Device() {
  if (context)
    table->cuDevicePrimaryCtxRelease(device);
}

Status Device::makeCurrent() const {
  if (CUresult code = table->cuCtxSetCurrent(context); code != CUDA_SUCCESS)
    return table->failure(code, "cuCtxSetCurrent()");
  return Status::success();
}

Result<DeviceMemory> DeviceMemory::allocate(std::shared_ptr<const Device> device, int64_t bytes) {
  DeviceMemory memory;
  memory.bytes = bytes;
  if (bytes == 0)
    return memory;
  const Driver &driver = device->driver();
  CUresult code = driver.cuMemAlloc(&memory.base, static_cast<size_t>(bytes));
  if (code != CUDA_SUCCESS) {
    memory.base = 0;
    return driver.failure(code, "cuMemAlloc(" + std::to_string(bytes) + ")")
        .in("device \"" + device->spec() + "\" with " + std::to_string(device->totalBytes()) +
            " bytes");
  }
  memory.device = std::move(device);
  return memory;
}

DeviceMemory::~DeviceMemory() {
  if (device && base)
    device->driver().cuMemFree(base);
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept { *this = std::move(other); }

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
  std::swap(device, other.device);
  std::swap(base, other.base);
  std::swap(bytes, other.bytes);
  return *this;
}

} // namespace heddle::runtime
