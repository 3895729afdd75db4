// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All places where a pattern occurs in a text, collected in order by ballots; and letters counted
// by a switch.
extern "C" __global__ void search(const char *text, int n, const char *pattern, int m, int *places,
                                  int *count) {
  int found = 0, lane = threadIdx.x; // one warp
  for (int base = 0; base < n; base += 32) {
    int i = base + lane;
    bool isHere = i + m <= n;
    for (int k = 0; isHere && k < m; ++k)
      isHere = text[i + k] == pattern[k];
    unsigned votes = __ballot_sync(~0u, isHere);
    if (isHere)
      places[found + __popc(votes & ((1u << lane) - 1))] = i;
    found += __popc(votes);
  }
  if (lane == 0)
    *count = found;
}

extern "C" __global__ void classify(const char *text, int n, int *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int kind;
  switch (text[i]) {
  case 'a':
  case 'e':
  case 'i':
  case 'o':
  case 'u':
    kind = 0;
    break;
  case ' ':
    kind = 1;
    break;
  case ',':
  case '.':
    kind = 2;
    break;
  default:
    kind = text[i] >= 'A' && text[i] <= 'Z' ? 3 : 4;
  }
  atomicAdd(&counts[kind], 1);
}
