// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variant's kernels, loaded on a device.
#ifndef HEDDLE_RUNTIME_MODULE_H
#define HEDDLE_RUNTIME_MODULE_H

#include "runtime/ChooseCode.h"
#include "runtime/Device.h"

namespace heddle::runtime {

class Module {
public:
  Module() = default;
  /// Loads the code and finds every kernel of the variant; allows each the dynamic shared memory
  /// of its largest launch; compares the launches' arguments with the kernels' parameters where
  /// the driver tells them. A cubin that the driver refuses is replaced by the PTX, if there is
  /// one, and `description` says so.
  ///
  /// Errors:  kDevice with the driver's log; kCorrupt if a kernel or its parameters do not match.
  static Result<Module> load(std::shared_ptr<const Device> device, const CodeChoice &choice);
  ~Module();
  Module(Module &&other) noexcept;
  Module &operator=(Module &&other) noexcept;

  CUfunction function(uint32_t kernel) const { return functions[kernel]; }
  /// "cubin for sm_80", "PTX 8.0 for sm_80, compiled by the driver"
  const std::string &description() const { return text; }

private:
  Status findKernels(const artifact::Variant &variant);
  Status compareParameters(const artifact::Variant &variant) const;

  std::shared_ptr<const Device> device;
  CUmodule module = nullptr;
  std::vector<CUfunction> functions;
  std::string text;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_MODULE_H
