// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lanes of a warp tell each other: votes, matches, shuffles of all kinds, reductions.
extern "C" __global__ void votes(const int *x, unsigned *out) {
  int v = x[threadIdx.x];
  unsigned full = 0xffffffffu;
  unsigned *row = out + threadIdx.x * 8;
  row[0] = __ballot_sync(full, v & 1);
  row[1] = __any_sync(full, v == 7) | __all_sync(full, v >= 0) << 1;
  row[2] = __match_any_sync(full, v);
  int isSame;
  row[3] = __match_all_sync(full, v & 64, &isSame) ^ isSame;
  row[4] = __reduce_add_sync(full, v);
  row[5] = __reduce_min_sync(full, v) << 16 | __reduce_max_sync(full, v);
  row[6] = __reduce_xor_sync(full, unsigned(v) * 0x9e3779b9u);
  row[7] = 0;
  if (v & 1)
    row[7] = __ballot_sync(__activemask(), v & 2);
}

extern "C" __global__ void shuffles(const double *x, double *out) {
  int lane = threadIdx.x;
  double v = x[lane];
  unsigned full = 0xffffffffu;
  out[lane] = __shfl_sync(full, v, lane * 5 + 3);
  out[32 + lane] = __shfl_up_sync(full, v, 3, 8);
  out[64 + lane] = __shfl_down_sync(full, v, 2, 16);
  out[96 + lane] = __shfl_xor_sync(full, v, 21);
}

extern "C" __global__ void bits(const unsigned *x, unsigned *out) {
  unsigned i = threadIdx.x, v = x[i], u = x[i ^ 1];
  unsigned *row = out + i * 8;
  row[0] = __popc(v) | __clz(v) << 8 | __ffs(v) << 16;
  row[1] = __brev(v);
  row[2] = __byte_perm(v, u, 0x3715);
  row[3] = __funnelshift_l(v, u, i);
  row[4] = __umulhi(v, u);
  row[5] = __vadd4(v, u);
  row[6] = __dp4a(int(v), int(u), 100);
  row[7] = __sad(int(v), int(u), 5u);
}
