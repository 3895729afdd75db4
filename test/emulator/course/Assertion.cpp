// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A failed assertion is a sticky error of the launch.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  std::vector<int> x(32);
  for (int i = 0; i < 32; ++i)
    x[i] = i;
  Array<int> in(x);
  program.launch("check", 1, 32, 0, in.address, 32);
  int limit = 31;
  void *params[] = {&in.address, &limit, nullptr};
  CUresult code =
      cuLaunchKernel(program.function("check"), 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr);
  if (code == CUDA_SUCCESS)
    code = cuCtxSynchronize();
  program.expect(code == CUDA_ERROR_ASSERT, "a failed assertion is CUDA_ERROR_ASSERT", code);
  program.expect(cuCtxSynchronize() == CUDA_ERROR_ASSERT, "and stays");
  return program.result();
}
