// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libFuzzer target: no text may crash, hang or exhaust the loader. Built by HEDDLE_FUZZ=ON with
// clang and its sanitizers; docs/testing.md says how to run it.
#include "test/fuzz/FrontEnd.h"
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  heddle::test::load({reinterpret_cast<const char *>(data), size});
  return 0;
}
