// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies are exact.
#include "test/emulator/course/Program.h"
using namespace course;

template <int kRank>
static CUtensorMap mapOf(CUdeviceptr address, CUtensorMapDataType type,
                         const cuuint64_t (&sizes)[kRank], const cuuint32_t (&box)[kRank]) {
  alignas(64) CUtensorMap map;
  cuuint64_t strides[kRank];
  cuuint32_t steps[kRank];
  cuuint64_t bytes = 4;
  for (int d = 0; d < kRank; ++d) {
    strides[d] = bytes *= sizes[d];
    steps[d] = 1;
  }
  require(cuTensorMapEncodeTiled(&map, type, kRank, reinterpret_cast<void *>(address), sizes,
                                 strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "cuTensorMapEncodeTiled");
  return map;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int w = 100, h = 30;
  std::vector<int> x(w * h), expected(w * h);
  for (int i = 0; i < w * h; ++i) {
    x[i] = i * 7 % 89;
    expected[i] = x[i] + 1000 * (i / w) + i % w;
  }
  Array<int> plane(x);
  program.launch("increment", {4, 4}, 32, 0,
                 mapOf<2>(plane.address, CU_TENSOR_MAP_DATA_TYPE_INT32, {w, h}, {32, 8}));
  program.equal(plane.read(), expected, "increment");

  const int a = 20, b = 6, c = 5;
  Random random;
  std::vector<float> volume = random.reals(a * b * c, -1, 1), boxes(256);
  Array<float> in(volume), out(256);
  for (int corner = 0; corner < 2; ++corner) {
    int x0 = corner ? 12 : -4, y0 = corner ? 4 : -1, z0 = corner ? 3 : -2;
    for (int i = 0; i < 256; ++i) {
      int p = x0 + i % 16, q = y0 + i / 16 % 4, r = z0 + i / 64;
      bool inside = p >= 0 && p < a && q >= 0 && q < b && r >= 0 && r < c;
      boxes[i] = inside ? volume[(r * b + q) * a + p] : 0;
    }
    program.launch("corner", 1, 64, 0,
                   mapOf<3>(in.address, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, {a, b, c}, {16, 4, 4}),
                   out.address, x0, y0, z0);
    program.equal(out.read(), boxes, "corner");
  }
  return program.result();
}
