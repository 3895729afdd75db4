// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates over functors and lambdas, and shared memory whose size the launch gives.
struct Square {
  __device__ float operator()(float x) const { return x * x; }
};
struct Clamp {
  float low, high;
  __device__ float operator()(float x) const { return fminf(fmaxf(x, low), high); }
};
template <typename First, typename Second> struct Chain {
  First first;
  Second second;
  __device__ auto operator()(float x) const { return second(first(x)); }
};

template <typename T, typename Function>
__global__ void transform(const T *x, T *y, int n, Function f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = f(x[i]);
}
template __global__ void transform(const float *, float *, int, Chain<Square, Clamp>);

template <int kTaps, typename Weight> __device__ float filter(const float *s, Weight weight) {
  if constexpr (kTaps == 0)
    return 0;
  else
    return filter<kTaps - 1>(s, weight) + weight(kTaps - 1) * s[kTaps - 1];
}

/// Two arrays of different types in the dynamic shared memory: floats, and then bytes that say
/// which to keep.
extern "C" __global__ void windows(const float *x, float *y, float slope) {
  extern __shared__ float s[];
  unsigned char *keep = reinterpret_cast<unsigned char *>(s + blockDim.x + 4);
  int t = threadIdx.x, base = blockIdx.x * blockDim.x;
  for (int i = t; i < blockDim.x + 4; i += blockDim.x)
    s[i] = x[base + i];
  keep[t] = x[base + t] > 0;
  __syncthreads();
  float sum = filter<5>(s + t, [slope](int tap) { return 1 + slope * tap; });
  y[base + t] = keep[blockDim.x - 1 - t] ? sum : -1;
}

struct Settings {
  char tag;
  double scale;
  short offsets[3];
  int3 extent;
};
extern "C" __global__ void settings(Settings s, double *out) {
  out[threadIdx.x] = s.scale * s.offsets[threadIdx.x % 3] + s.tag + s.extent.x + s.extent.y * 10 +
                     s.extent.z * 100;
}
