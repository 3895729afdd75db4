// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that nvcc cannot inline: recursion, tables of function pointers, virtual functions.
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recursion(int *out) {
  out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3);
}

/// Sorts in local memory, by recursion on both sides of a pivot.
__device__ __noinline__ void quickSort(int *x, int begin, int end) {
  if (end - begin < 2)
    return;
  int pivot = x[(begin + end) / 2], i = begin, j = end - 1;
  while (i <= j) {
    while (x[i] < pivot)
      ++i;
    while (x[j] > pivot)
      --j;
    if (i <= j) {
      int v = x[i];
      x[i++] = x[j];
      x[j--] = v;
    }
  }
  quickSort(x, begin, j + 1);
  quickSort(x, i, end);
}

extern "C" __global__ void sortOwn(int *x, int n) {
  int own[16];
  for (int i = 0; i < n; ++i)
    own[i] = x[threadIdx.x * n + i];
  quickSort(own, 0, n);
  for (int i = 0; i < n; ++i)
    x[threadIdx.x * n + i] = own[i];
}

using Binary = float (*)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float subtract(float a, float b) { return a - b; }
__device__ float multiply(float a, float b) { return a * b; }
__device__ float larger(float a, float b) { return a > b ? a : b; }
__device__ Binary table[4] = {add, subtract, multiply, larger};

extern "C" __global__ void pointers(const float *x, const int *which, float *out) {
  int i = threadIdx.x;
  out[i] = table[which[i]](x[i], 2.0f);
}

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Circle : Shape {
  float r;
  __device__ Circle(float r) : r(r) {}
  __device__ float area() const override { return 3.0f * r * r; }
};
struct Box : Shape {
  float w, h;
  __device__ Box(float w, float h) : w(w), h(h) {}
  __device__ float area() const override { return w * h; }
};

extern "C" __global__ void objects(float *out) {
  int i = threadIdx.x;
  Circle circle(i);
  Box box(i, i + 1);
  const Shape *shape = i % 2 ? static_cast<const Shape *>(&circle) : &box;
  out[i] = shape->area();
}
