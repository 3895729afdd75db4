// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls through a table of function pointers and through virtual functions.
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
