// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and products of 256-bit integers with carries in inline assembly, and a matrix of doubles to
// a power.
extern "C" __global__ void add(const unsigned *a, const unsigned *b, unsigned *out) {
  const unsigned *x = a + threadIdx.x * 8, *y = b + threadIdx.x * 8;
  unsigned *z = out + threadIdx.x * 9;
  asm volatile("{\n\t"
               "add.cc.u32 %0, %9, %17;\n\t"
               "addc.cc.u32 %1, %10, %18;\n\t"
               "addc.cc.u32 %2, %11, %19;\n\t"
               "addc.cc.u32 %3, %12, %20;\n\t"
               "addc.cc.u32 %4, %13, %21;\n\t"
               "addc.cc.u32 %5, %14, %22;\n\t"
               "addc.cc.u32 %6, %15, %23;\n\t"
               "addc.cc.u32 %7, %16, %24;\n\t"
               "addc.u32 %8, 0, 0;\n\t"
               "}"
               : "=r"(z[0]), "=r"(z[1]), "=r"(z[2]), "=r"(z[3]), "=r"(z[4]), "=r"(z[5]), "=r"(z[6]),
                 "=r"(z[7]), "=r"(z[8])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]),
                 "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]),
                 "r"(y[6]), "r"(y[7]));
}

extern "C" __global__ void multiply(const unsigned *a, const unsigned *b, unsigned *out) {
  const unsigned *x = a + threadIdx.x * 8, *y = b + threadIdx.x * 8;
  unsigned z[16] = {};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    unsigned carry = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j)
      asm volatile("{\n\t.reg .u32 high;\n\t"
                   "mad.lo.cc.u32 %0, %2, %3, %0;\n\t"
                   "madc.hi.u32 high, %2, %3, 0;\n\t"
                   "add.cc.u32 %0, %0, %1;\n\t"
                   "addc.u32 %1, high, 0;\n\t}"
                   : "+r"(z[i + j]), "+r"(carry)
                   : "r"(x[i]), "r"(y[j]));
    z[i + 8] = carry;
  }
  for (int i = 0; i < 16; ++i)
    out[threadIdx.x * 16 + i] = z[i];
}

extern "C" __global__ void power(const double *matrix, double *out, int exponent) {
  __shared__ double base[8][8], result[8][8];
  int i = threadIdx.y, j = threadIdx.x;
  base[i][j] = matrix[i * 8 + j];
  result[i][j] = i == j;
  __syncthreads();
  for (; exponent; exponent /= 2) {
    double square = 0, product = 0;
    for (int k = 0; k < 8; ++k) {
      square += base[i][k] * base[k][j];
      product += result[i][k] * base[k][j];
    }
    __syncthreads();
    base[i][j] = square;
    if (exponent & 1)
      result[i][j] = product;
    __syncthreads();
  }
  out[i * 8 + j] = result[i][j];
}
