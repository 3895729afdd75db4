// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An estimate of pi from a counter-based generator (Philox 4x32, 10 rounds), as every thread needs
// numbers of its own.
__device__ uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    unsigned high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
    unsigned high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

extern "C" __global__ void numbers(uint4 *out, uint4 counter, uint2 key) {
  *out = philox(counter, key);
}

extern "C" __global__ void pi(unsigned long long *inside, int rounds) {
  unsigned own = 0, thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < rounds; ++i) {
    uint4 r = philox(make_uint4(thread, i, 0, 0), make_uint2(2026, 12));
    unsigned long long x = r.x >> 8, y = r.y >> 8, u = r.z >> 8, v = r.w >> 8;
    own += (x * x + y * y >> 48 == 0) + (u * u + v * v >> 48 == 0);
  }
  own = __reduce_add_sync(~0u, own);
  if (threadIdx.x % 32 == 0)
    atomicAdd(inside, static_cast<unsigned long long>(own));
}
