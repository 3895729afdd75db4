// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of the first kernel's cluster is an attribute of the launch, that of the second one is
// compiled in.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  int n = 3000;
  Random random;
  std::vector<int> x(n), bins(64);
  for (int &value : x)
    ++bins[value = int(random.bits() % 64)];
  Array<int> in(x), out(64);
  void *params[] = {&in.address, &out.address, &n, nullptr};
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {4, 1, 1};
  CUlaunchConfig config = {};
  config.gridDimX = 4;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 64;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  require(cuOccupancyMaxActiveClusters(&clusters, program.function("histogram"), &config),
          "cuOccupancyMaxActiveClusters");
  program.expect(clusters > 0, "clusters that fit");
  require(cuLaunchKernelEx(&config, program.function("histogram"), params, nullptr), "histogram");
  require(cuCtxSynchronize(), "histogram");
  program.equal(out.read(), bins, "histogram");

  const int w = 4, h = 2; // blocks; rank in the cluster = x % 2 + 2 * (y % 2)
  std::vector<int> expected(w * h * 32);
  for (int by = 0; by < h; ++by)
    for (int bx = 0; bx < w; ++bx)
      for (int t = 0; t < 32; ++t) {
        int rank = bx % 2 + 2 * (by % 2), next = (rank + 1) % 4, before = (rank + 3) % 4;
        int nextBlock = (by / 2 * 2 + next / 2) * w + bx / 2 * 2 + next % 2;
        int own = (by * w + bx) * 32 + t;
        expected[own] = x[nextBlock * 32 + t] + 2 * x[own] + 10000 * before + 100000 * next;
      }
  Array<int> shifted(expected.size());
  program.launch("shift", {w, h}, 32, 0, in.address, shifted.address);
  program.equal(shifted.read(), expected, "shift");
  return program.result();
}
