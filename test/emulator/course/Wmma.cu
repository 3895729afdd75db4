// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with the wmma interface in all types; a warp computes 16 by 16 (bf16 8 by 32, tf32 16 by
// 16 by 8).
#include <mma.h>
using namespace nvcuda;

template <int M, int N, int K, typename Fragment, typename Memory, typename Sum, typename LayoutB>
__device__ void product(const Memory *a, const Memory *b, Sum *c, int k, int ldb, Sum start) {
  wmma::fragment<wmma::matrix_a, M, N, K, Fragment, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, Fragment, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> fc;
  constexpr bool isRow = std::is_same<LayoutB, wmma::row_major>::value;
  wmma::fill_fragment(fc, start);
  for (int i = 0; i < k; i += K) {
    wmma::load_matrix_sync(fa, a + i, k);
    wmma::load_matrix_sync(fb, isRow ? b + i * ldb : b + i, ldb);
    if constexpr (std::is_same<Fragment, wmma::precision::tf32>::value) {
      for (int e = 0; e < fa.num_elements; ++e)
        fa.x[e] = wmma::__float_to_tf32(fa.x[e]);
      for (int e = 0; e < fb.num_elements; ++e)
        fb.x[e] = wmma::__float_to_tf32(fb.x[e]);
    }
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int e = 0; e < fc.num_elements; ++e)
    fc.x[e] = fc.x[e] + fc.x[e];
  wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
}

extern "C" __global__ void half16(const half *a, const half *b, float *c, int k) {
  product<16, 16, 16, half, half, float, wmma::row_major>(a, b, c, k, 16, 1.0f);
}
extern "C" __global__ void halfSums(const half *a, const half *b, half *c, int k) {
  product<32, 8, 16, half, half, half, wmma::col_major>(a, b, c, k, k, half(1.0f));
}
extern "C" __global__ void brain(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int k) {
  product<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, wmma::row_major>(a, b, c, k, 32, 1.0f);
}
extern "C" __global__ void tf32(const float *a, const float *b, float *c, int k) {
  product<16, 16, 8, wmma::precision::tf32, float, float, wmma::col_major>(a, b, c, k, k, 1.0f);
}
extern "C" __global__ void bytes(const signed char *a, const signed char *b, int *c, int k) {
  product<16, 16, 16, signed char, signed char, int, wmma::col_major>(a, b, c, k, k, 1);
}
extern "C" __global__ void doubles(const double *a, const double *b, double *c, int k) {
  product<8, 8, 4, double, double, double, wmma::row_major>(a, b, c, k, 8, 1.0);
}
