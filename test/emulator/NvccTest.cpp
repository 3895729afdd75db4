// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs NvccKernels.cu, compiled by nvcc when the test runs, against the host's double arithmetic.
#include "test/emulator/EmulatedDevice.h"
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <unistd.h>

namespace heddle::emulator::test {
namespace {

constexpr uint32_t kSeed = 20261201;

/// The PTX text; empty if nvcc is not there or cannot compile.
const std::string &kernels() {
  static const std::string text = [] {
    std::string compiler = HEDDLE_NVCC;
    if (compiler.empty() || !std::filesystem::exists(compiler))
      return std::string();
    std::filesystem::path output = std::filesystem::temp_directory_path() /
                                   ("heddle-nvcc-" + std::to_string(::getpid()) + ".ptx");
    std::string command = "\"" + compiler + "\" -ptx -arch=sm_80 -o \"" + output.string() +
                          "\" \"" HEDDLE_SOURCE_FOLDER
                          "/test/emulator/NvccKernels.cu\" >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0)
      return std::string();
    std::ifstream file(output);
    std::stringstream content;
    content << file.rdbuf();
    std::filesystem::remove(output);
    return content.str();
  }();
  return text;
}

class EmulatorNvcc : public ::testing::Test {
protected:
  void SetUp() override {
    if (kernels().empty()) {
      GTEST_SKIP() << "nvcc is not installed or cannot compile here";
    }
    module = std::make_unique<Module>(kernels());
    ASSERT_EQ(module->code, CUDA_SUCCESS) << module->error;
  }
  std::unique_ptr<Module> module;
  std::mt19937 random{kSeed};
};

std::vector<float> numbers(std::mt19937 &random, size_t count, float low, float high) {
  std::vector<float> result(count);
  for (float &value : result)
    value = low + (high - low) * static_cast<float>(random() >> 8) * 0x1p-24f;
  return result;
}

TEST_F(EmulatorNvcc, Softmax) {
  constexpr int kColumns = 777, kRows = 37;
  std::vector<float> x = numbers(random, kColumns * kRows, -20, 20);
  Buffer<float> in(x), out(x.size());
  int columns = kColumns;
  ASSERT_EQ(module->launch("softmax", kRows, 128, 0, in.address(), out.address(), columns),
            CUDA_SUCCESS)
      << heddle_emu_last_report();
  const std::vector<float> &y = out.read();
  for (int r = 0; r < kRows; ++r) {
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < kColumns; ++i)
      largest = std::max<double>(largest, x[r * kColumns + i]);
    for (int i = 0; i < kColumns; ++i)
      sum += std::exp(x[r * kColumns + i] - largest);
    for (int i = 0; i < kColumns; ++i) {
      double expected = std::exp(x[r * kColumns + i] - largest) / sum;
      // The difference, up to 40, is rounded by 2^-19 at most; expf and the sum add a few 2^-24.
      ASSERT_NEAR(y[r * kColumns + i], expected, 3e-6 * expected + 1e-37) << r << " " << i;
    }
  }
}

TEST_F(EmulatorNvcc, MatrixProduct) {
  constexpr int kN = 128;
  std::vector<float> a = numbers(random, kN * kN, -1, 1), b = numbers(random, kN * kN, -1, 1);
  Buffer<float> da(a), db(b), dc(a.size());
  int n = kN;
  ASSERT_EQ(module->launch("matrixProduct", kN / 64 * (kN / 64), 256, 0, da.address(), db.address(),
                           dc.address(), n),
            CUDA_SUCCESS)
      << heddle_emu_last_report();
  const std::vector<float> &c = dc.read();
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kN; ++j) {
      double sum = 0;
      for (int k = 0; k < kN; ++k)
        sum += double(a[i * kN + k]) * b[k * kN + j];
      // 128 roundings of sums below 128.
      ASSERT_NEAR(c[i * kN + j], sum, 128 * 0x1p-24 * 20) << i << " " << j;
    }
}

// nvcuda::wmma, and arithmetic on the elements of a fragment. Small integers, so sums are exact.
TEST_F(EmulatorNvcc, Fragments) {
  constexpr int kN = 48;
  std::vector<uint16_t> a(kN * kN), b(kN * kN);
  // 0 to 7 as f16.
  const uint16_t kHalves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
  std::vector<int> valuesA(a.size()), valuesB(b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    valuesA[i] = static_cast<int>(random() % 8);
    valuesB[i] = static_cast<int>(random() % 8);
    a[i] = kHalves[valuesA[i]];
    b[i] = kHalves[valuesB[i]];
  }
  Buffer<uint16_t> da(a), db(b);
  Buffer<float> dc(a.size());
  int n = kN;
  ASSERT_EQ(module->launch("fragments", kN / 16 * (kN / 16), 32, 0, da.address(), db.address(),
                           dc.address(), n),
            CUDA_SUCCESS)
      << heddle_emu_last_report();
  const std::vector<float> &c = dc.read();
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kN; ++j) {
      int sum = 0;
      for (int k = 0; k < kN; ++k)
        sum += valuesA[i * kN + k] * valuesB[j * kN + k];
      ASSERT_EQ(c[i * kN + j], 2.0f * static_cast<float>(sum)) << i << " " << j;
    }
}

TEST_F(EmulatorNvcc, Histogram) {
  std::vector<int> x(30000), expected(64);
  for (int &value : x) {
    value = static_cast<int>(random() % 1000);
    ++expected[value & 63];
  }
  Buffer<int> in(x), out(64);
  int n = static_cast<int>(x.size());
  ASSERT_EQ(module->launch("histogram", 20, 256, 0, in.address(), out.address(), n), CUDA_SUCCESS)
      << heddle_emu_last_report();
  EXPECT_EQ(out.read(), expected);
}

int divergenceOf(int x) {
  int stack[16], depth = 0, s = 0;
  for (int v = x; v; v /= 10)
    stack[depth++ & 15] = v % 10;
  for (int i = 0; i < depth; ++i)
    s = s * 3 + stack[i & 15];
  for (int v = x; v != 1 && s <= 100000; v = v & 1 ? 3 * v + 1 : v >> 1)
    s += 3;
  switch (x % 7) {
  case 0:
    return s + 10;
  case 1:
    return s * 2;
  case 2:
    return (s - 3) ^ 5;
  case 3:
    return s ^ 5;
  case 4:
    return s * s;
  case 5:
    return -s;
  default:
    return s;
  }
}

TEST_F(EmulatorNvcc, Divergence) {
  std::vector<int> x(5000);
  for (int &value : x)
    value = 1 + static_cast<int>(random() % 5000);
  Buffer<int> in(x), out(x.size());
  int n = static_cast<int>(x.size());
  ASSERT_EQ(module->launch("divergence", 40, 128, 0, in.address(), out.address(), n), CUDA_SUCCESS)
      << heddle_emu_last_report();
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(out.read()[i], divergenceOf(x[i])) << x[i];
}

TEST_F(EmulatorNvcc, Halves) {
  std::vector<float> x(256);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i) * 0.125f - 16; // exact in f16 and bf16, and so are their squares
  Buffer<float> in(x), out(x.size());
  int n = static_cast<int>(x.size());
  ASSERT_EQ(module->launch("halves", 2, 128, 0, in.address(), out.address(), n), CUDA_SUCCESS)
      << heddle_emu_last_report();
  for (size_t i = 0; i < x.size(); ++i) {
    double square = double(x[i]) * x[i];
    // One rounding to 11 bits and one to 8 of numbers up to 257.
    ASSERT_NEAR(out.read()[i], square + 1 + 5 + square, 257 * (0x1p-11 + 0x1p-8)) << x[i];
  }
}

TEST_F(EmulatorNvcc, Mathematics) {
  struct Case {
    const char *name;
    double (*function)(double);
    double ulps; ///< what the CUDA programming guide allows, and what this device adds to it: 0.5
  };
  const Case cases[] = {
      {"sine", [](double x) { return std::sin(x); }, 2.5},
      {"cosine", [](double x) { return std::cos(x); }, 2.5},
      {"tangent", [](double x) { return std::tan(x); }, 4.5},
      {"exponential", [](double x) { return std::exp(x); }, 2.5},
      {"logarithm", [](double x) { return std::log(std::fabs(x)); }, 1.5},
      {"tanhyp", [](double x) { return std::tanh(x); }, 2.5},
      {"errorFunction", [](double x) { return std::erf(x); }, 2.5},
      {"power", [](double x) { return std::pow(std::fabs(x), double(1.7f)); }, 4.5},
      {"reciprocalRoot", [](double x) { return 1 / std::sqrt(std::fabs(x)); }, 2.5},
      {"cubeRoot", [](double x) { return std::cbrt(x); }, 1.5},
      {"remainderOf", [](double x) { return std::fmod(x, double(1.7f)); }, 0.5},
      {"wideSine", [](double x) { return std::sin(x); }, 0.6},
      {"wideExponential", [](double x) { return std::exp(x / 100); }, 0.6},
      {"longDivision", [](double x) { return double((long long)x / 7 % 5); }, 0},
      {"quotient", [](double x) { return x / double(3.7f); }, 0.5},
      {"nearestInteger", [](double x) { return std::nearbyint(x); }, 0},
  };
  std::vector<float> x = numbers(random, 20000, -80, 80);
  const float special[] = {0.0f, -0.0f, 1e-40f, 3e5f, -1e6f, INFINITY, -INFINITY, NAN};
  std::copy(std::begin(special), std::end(special), x.begin());
  Buffer<float> in(x), out(x.size());
  int n = static_cast<int>(x.size());
  for (const Case &test : cases) {
    ASSERT_EQ(module->launch(test.name, 157, 128, 0, in.address(), out.address(), n), CUDA_SUCCESS)
        << heddle_emu_last_report();
    const std::vector<float> &y = out.read();
    for (size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i]) && std::string(test.name) == "longDivision")
        continue; // C++ leaves it open
      double expected = test.function(x[i]);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(y[i])) << test.name << " " << x[i];
        continue;
      }
      float near = static_cast<float>(expected);
      if (near == y[i])
        continue;
      double ulp = std::ldexp(1.0, std::max(std::ilogb(expected), -126) - 23);
      ASSERT_LE(std::fabs(y[i] - expected) / ulp, test.ulps + 1e-6) << test.name << " of " << x[i];
    }
  }
}

} // namespace
} // namespace heddle::emulator::test
