// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels around single instructions; edge values; comparison.
#include "test/emulator/InstructionRig.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

#ifndef HEDDLE_TEST_TARGET
#define HEDDLE_TEST_TARGET "sm_90a"
#define HEDDLE_TEST_GPU "h100"
#endif

namespace heddle::test {

namespace {

/// The tables run once for each handler set; a set that this processor has not is skipped.
class HandlerSet : public testing::Environment {
  void SetUp() override {
    const char *set = std::getenv("HEDDLE_EMU_ISA");
    if (!set)
      return;
#if defined(__x86_64__)
    std::string name = set;
    __builtin_cpu_init();
    bool hasV3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                 __builtin_cpu_supports("f16c");
    bool hasV4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if ((name == "v3" && !hasV3) || (name == "v4" && !(hasV3 && hasV4)))
      GTEST_SKIP() << "this processor has no x86-64-" << name;
#endif
  }
};
[[maybe_unused]] const testing::Environment *kHandlerSet =
    testing::AddGlobalTestEnvironment(new HandlerSet);

} // namespace

float asFloat(uint64_t bits) {
  uint32_t narrow = uint32_t(bits);
  float value;
  std::memcpy(&value, &narrow, 4);
  return value;
}
double asDouble(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, 8);
  return value;
}
uint64_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

namespace {

double decode(uint64_t bits, int exponentBits, int mantissaBits) {
  int exponent = int(bits >> mantissaBits) & ((1 << exponentBits) - 1);
  int mantissa = int(bits) & ((1 << mantissaBits) - 1);
  int bias = (1 << (exponentBits - 1)) - 1;
  double value;
  if (exponent == (1 << exponentBits) - 1)
    value = mantissa ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - bias - mantissaBits);
  else
    value = std::ldexp((1 << mantissaBits) + mantissa, exponent - bias - mantissaBits);
  return bits >> (exponentBits + mantissaBits) & 1 ? -value : value;
}

/// Scales so that the last place is one, and lets nearbyint round to even.
uint64_t encode(double value, int exponentBits, int mantissaBits) {
  uint64_t sign = std::signbit(value) ? 1ull << (exponentBits + mantissaBits) : 0;
  uint64_t infinity = ((1ull << exponentBits) - 1) << mantissaBits;
  if (std::isnan(value))
    return infinity | ((1ull << mantissaBits) - 1);
  value = std::fabs(value);
  int bias = (1 << (exponentBits - 1)) - 1;
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  int exponent = std::max(std::ilogb(value), 1 - bias);
  double places = std::nearbyint(std::ldexp(value, mantissaBits - exponent));
  // A mantissa that rounds up to 2 carries into the exponent by itself.
  uint64_t bits = (uint64_t(exponent + bias - 1) << mantissaBits) + uint64_t(places);
  return sign | std::min(bits, infinity);
}

} // namespace

double halfValue(uint64_t bits) { return decode(bits & 0xffff, 5, 10); }
double brainValue(uint64_t bits) { return decode(bits & 0xffff, 8, 7); }
uint64_t nearestHalf(double value) { return encode(value, 5, 10); }
uint64_t nearestBrain(double value) { return encode(value, 8, 7); }

namespace {

struct Device {
  CUdevice device = 0;
  CUcontext context = nullptr;

  Device() {
    setenv("HEDDLE_EMU_GPU", HEDDLE_TEST_GPU, 0);
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  }
};

void useDevice() { static Device device; }

/// Device memory that is freed with the scope.
struct Buffer {
  CUdeviceptr address = 0;
  size_t bytes;

  explicit Buffer(size_t bytes) : bytes(bytes) {
    useDevice();
    EXPECT_EQ(cuMemAlloc(&address, bytes ? bytes : 1), CUDA_SUCCESS);
  }
  ~Buffer() { cuMemFree(address); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
};

const char *kHeader = ".version 9.0\n.target " HEDDLE_TEST_TARGET "\n.address_size 64\n";

/// Loads a module with one kernel "k" and runs one block of it; the text of what went wrong.
std::string launch(const std::string &text, uint32_t blocks, uint32_t threads,
                   std::vector<void *> arguments) {
  char log[2048] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  CUmodule module;
  CUresult status = cuModuleLoadDataEx(&module, text.c_str(), 2, options, values);
  if (status != CUDA_SUCCESS)
    return "not loaded (" + std::to_string(status) + "): " + log + "\n" + text;
  CUfunction function;
  status = cuModuleGetFunction(&function, module, "k");
  if (status == CUDA_SUCCESS)
    status = cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments.data(),
                            nullptr);
  if (status == CUDA_SUCCESS)
    status = cuCtxSynchronize();
  cuModuleUnload(module);
  return status == CUDA_SUCCESS ? "" : "failed with " + std::to_string(status) + "\n" + text;
}

uint32_t bytesOf(Type type) {
  switch (type) {
  case Type::kPred:
  case Type::kB32:
  case Type::kF16x2:
  case Type::kBF16x2:
  case Type::kF32:
    return 4;
  case Type::kB16:
  case Type::kF16:
  case Type::kBF16:
    return 2;
  default:
    return 8;
  }
}

const std::vector<uint64_t> &edgesOf(Type type) {
  static const std::vector<uint64_t> kHalves = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400,
                                                0x3c00, 0xbc00, 0x3c01, 0x3555, 0x4248, 0xc500,
                                                0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01};
  static const std::vector<uint64_t> kBrains = {0,      0x8000, 1,      0x8001, 0x007f, 0x0080,
                                                0x3f80, 0xbf80, 0x3f81, 0x3eab, 0x4049, 0xc0a0,
                                                0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1};
  static const std::vector<uint64_t> kWords = {
      0,          1,          2,          3,          7,          16,        31,     32,
      33,         63,         64,         255,        256,        0x7fff,    0x8000, 0xffff,
      0x12345678, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  static const std::vector<uint64_t> kFloats = {
      0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000,
      0xbf800000, 0x3f800001, 0x3eaaaaab, 0x40490fdb, 0xc2f6e979, 0x4b000001, 0x4effffff,
      0x4f000000, 0xcf000000, 0x5f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
      0x7fc00000, 0xffc01234, 0x3f000000, 0x40200000, 0xbfc00000};
  static std::vector<uint64_t> shorts, longs, doubles, pairs, brainPairs, singles;
  if (shorts.empty()) {
    shorts = {0, 1, 2, 3, 7, 15, 16, 17, 31, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
    for (uint64_t word : kWords) {
      longs.push_back(word);
      longs.push_back(word << 32 | (word & 0xff));
    }
    longs.insert(longs.end(), {0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, ~0ull});
    for (uint64_t bits : kFloats)
      doubles.push_back(bitsOf(double(asFloat(bits))));
    doubles.insert(doubles.end(), {1, 0x8000000000000001, 0x000fffffffffffff, 0x7fefffffffffffff,
                                   0xffefffffffffffff, 0x43e0000000000000, 0x3fd5555555555555});
    for (size_t i = 0; i < kFloats.size(); ++i)
      singles.push_back(kFloats[i] << 32 | kFloats[(i * 7 + 3) % kFloats.size()]);
    for (size_t i = 0; i < kHalves.size(); ++i) {
      pairs.push_back(kHalves[i] << 16 | kHalves[(i * 5 + 3) % kHalves.size()]);
      brainPairs.push_back(kBrains[i] << 16 | kBrains[(i * 5 + 3) % kBrains.size()]);
    }
  }
  static const std::vector<uint64_t> kTruths = {0, 1};
  switch (type) {
  case Type::kPred:
    return kTruths;
  case Type::kB16:
    return shorts;
  case Type::kB32:
    return kWords;
  case Type::kB64:
    return longs;
  case Type::kF16:
    return kHalves;
  case Type::kBF16:
    return kBrains;
  case Type::kF16x2:
    return pairs;
  case Type::kBF16x2:
    return brainPairs;
  case Type::kF32:
    return kFloats;
  case Type::kF64:
    return doubles;
  case Type::kF32x2:
    return singles;
  }
  return kTruths;
}

uint64_t randomOf(Type type, std::mt19937_64 &random) {
  uint64_t raw = random();
  switch (type) {
  case Type::kPred:
    return raw & 1;
  case Type::kF32: // half of them near one, so that sums and products are ordinary
    return raw & (1ull << 40) ? uint32_t(raw)
                              : bitsOf(float(int32_t(raw)) / float(1 << (raw >> 32 & 31)));
  case Type::kF32x2:
    return randomOf(Type::kF32, random) << 32 | randomOf(Type::kF32, random);
  case Type::kF64:
    return raw & 1 ? raw : bitsOf(double(int64_t(raw)) / std::ldexp(1.0, int(raw >> 1 & 63)));
  default:
    break;
  }
  uint32_t bytes = bytesOf(type);
  return bytes == 8 ? raw : raw & ((1ull << (8 * bytes)) - 1);
}

std::string registerName(char which, Type type) {
  return std::string("%") + which + (type == Type::kPred ? "p" : "");
}

std::string kernelFor(const Case &test) {
  std::ostringstream out;
  out << kHeader << ".visible .entry k(.param .b64 in, .param .b64 out)\n{\n"
      << ".reg .b64 %i, %o, %x;\n.reg .b32 %t, %n, %q;\n.reg .pred %dp, %ap, %bp, %cp;\n";
  const char names[] = {'a', 'b', 'c'};
  auto declare = [&](char name, Type type) {
    out << ".reg .b" << 8 * bytesOf(type) << " %" << name << ";\n";
  };
  declare('d', test.result);
  for (size_t i = 0; i < test.operands.size(); ++i)
    declare(names[i], test.operands[i]);
  out << "ld.param.b64 %i, [in];\nld.param.b64 %o, [out];\nmov.u32 %t, %tid.x;\n"
      << "mov.u32 %n, %ntid.x;\nmov.u32 %q, %ctaid.x;\nmad.lo.s32 %t, %q, %n, %t;\n"
      << "mul.wide.u32 %x, %t, 8;\nadd.s64 %o, %o, %x;\nmul.wide.u32 %x, %t, 32;\n"
      << "add.s64 %i, %i, %x;\n";
  for (size_t i = 0; i < test.operands.size(); ++i) {
    out << "ld.global.b" << 8 * bytesOf(test.operands[i]) << " %" << names[i] << ", [%i+" << 8 * i
        << "];\n";
    if (test.operands[i] == Type::kPred)
      out << "setp.ne.b32 %" << names[i] << "p, %" << names[i] << ", 0;\n";
  }
  out << "mov.b" << 8 * bytesOf(test.result) << " %d, 0;\n";
  if (test.text.find('%') != std::string::npos) {
    out << test.text << "\n";
  } else {
    out << test.text << " " << registerName('d', test.result);
    for (size_t i = 0; i < test.operands.size(); ++i)
      out << ", " << registerName(names[i], test.operands[i]);
    out << ";\n";
  }
  if (test.result == Type::kPred)
    out << "selp.b32 %d, 1, 0, %dp;\n";
  out << "st.global.b" << 8 * bytesOf(test.result) << " [%o], %d;\nret;\n}\n";
  return out.str();
}

bool isEqual(Type type, uint64_t got, uint64_t expected, double relative, double absolute) {
  if (got == expected)
    return true;
  auto close = [&](double x, double y) {
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) && std::isnan(y);
    return std::fabs(x - y) <= relative * std::fabs(y) + absolute;
  };
  switch (type) {
  case Type::kF32:
    return ((relative > 0 || absolute > 0) || std::isnan(asFloat(got))) &&
           close(asFloat(got), asFloat(expected));
  case Type::kF64:
    return ((relative > 0 || absolute > 0) || std::isnan(asDouble(got))) &&
           close(asDouble(got), asDouble(expected));
  case Type::kF16:
    return ((relative > 0 || absolute > 0) || std::isnan(halfValue(got))) &&
           close(halfValue(got), halfValue(expected));
  case Type::kBF16:
    return ((relative > 0 || absolute > 0) || std::isnan(brainValue(got))) &&
           close(brainValue(got), brainValue(expected));
  case Type::kF16x2:
    return isEqual(Type::kF16, got & 0xffff, expected & 0xffff, relative, absolute) &&
           isEqual(Type::kF16, got >> 16, expected >> 16, relative, absolute);
  case Type::kBF16x2:
    return isEqual(Type::kBF16, got & 0xffff, expected & 0xffff, relative, absolute) &&
           isEqual(Type::kBF16, got >> 16, expected >> 16, relative, absolute);
  case Type::kF32x2:
    return isEqual(Type::kF32, got & 0xffffffff, expected & 0xffffffff, relative, absolute) &&
           isEqual(Type::kF32, got >> 32, expected >> 32, relative, absolute);
  default:
    return false;
  }
}

/// Operands of all lanes: pairs of edges, then random ones.
std::vector<uint64_t> operandsFor(const Case &test) {
  std::vector<uint64_t> rows; // four a lane
  std::mt19937_64 random(test.text.size() * 7919 + test.operands.size());
  static const std::vector<uint64_t> kNone = {0};
  auto edges = [&](size_t i) -> const std::vector<uint64_t> & {
    return i < test.operands.size() ? edgesOf(test.operands[i]) : kNone;
  };
  size_t third = 0;
  for (uint64_t a : edges(0))
    for (uint64_t b : edges(1)) {
      rows.insert(rows.end(), {a, b, edges(2)[third++ % edges(2).size()], 0});
      if (test.operands.size() > 2)
        rows.insert(rows.end(), {a, b, randomOf(test.operands[2], random), 0});
    }
  for (int i = 0; i < 512; ++i) {
    for (size_t k = 0; k < 4; ++k)
      rows.push_back(k < test.operands.size() ? randomOf(test.operands[k], random) : 0);
  }
  // Every number, where there are few.
  bool isShort = test.operands.size() == 1 && bytesOf(test.operands[0]) == 2;
  for (uint64_t a = 0; isShort && a < 65536; ++a)
    rows.insert(rows.end(), {a, 0, 0, 0});
  while (rows.size() / 4 % 128)
    rows.insert(rows.end(), {0, 0, 0, 0});
  return rows;
}

} // namespace

void checkCases(const std::vector<Case> &cases) {
  for (const Case &test : cases) {
    std::vector<uint64_t> rows = operandsFor(test);
    size_t lanes = rows.size() / 4;
    Buffer in(rows.size() * 8), out(lanes * 8);
    ASSERT_EQ(cuMemcpyHtoD(in.address, rows.data(), in.bytes), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD8(out.address, 0, out.bytes), CUDA_SUCCESS);
    std::string error =
        launch(kernelFor(test), uint32_t(lanes / 128), 128, {&in.address, &out.address});
    if (!error.empty()) {
      ADD_FAILURE() << test.text << ": " << error;
      continue;
    }
    std::vector<uint64_t> results(lanes);
    ASSERT_EQ(cuMemcpyDtoH(results.data(), out.address, out.bytes), CUDA_SUCCESS);
    int wrong = 0;
    for (size_t i = 0; i < lanes && wrong < 3; ++i) {
      const uint64_t *row = &rows[4 * i];
      uint64_t expected = test.model(row[0], row[1], row[2]);
      if (bytesOf(test.result) < 8)
        expected &= (1ull << (8 * bytesOf(test.result))) - 1;
      if (isEqual(test.result, results[i], expected, test.relative, test.absolute))
        continue;
      ++wrong;
      ADD_FAILURE() << test.text << std::hex << " of 0x" << row[0] << ", 0x" << row[1] << ", 0x"
                    << row[2] << " gives 0x" << results[i] << ", expected 0x" << expected;
    }
  }
}

std::vector<uint32_t> runBody(const std::string &body, const std::vector<uint32_t> &rows,
                              uint32_t words, uint32_t threads, std::string *error) {
  std::string text = std::string(kHeader) +
                     ".visible .entry k(.param .b64 in, .param .b64 out, .param .b32 step)\n{\n"
                     ".reg .b64 %in, %out, %x;\n.reg .b32 %lane, %step;\n"
                     "ld.param.b64 %in, [in];\nld.param.b64 %out, [out];\n"
                     "ld.param.b32 %step, [step];\nmov.u32 %lane, %tid.x;\n"
                     "mul.wide.u32 %x, %lane, %step;\nadd.s64 %in, %in, %x;\n"
                     "add.s64 %out, %out, %x;\n{\n" +
                     body + "\n}\nret;\n}\n";
  size_t bytes = size_t(words) * threads * 4;
  std::vector<uint32_t> results(size_t(words) * threads);
  std::vector<uint32_t> padded(rows);
  padded.resize(results.size());
  uint32_t step = words * 4;
  Buffer in(bytes), out(bytes);
  EXPECT_EQ(cuMemcpyHtoD(in.address, padded.data(), bytes), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8(out.address, 0, bytes), CUDA_SUCCESS);
  std::string problem = launch(text, 1, threads, {&in.address, &out.address, &step});
  if (error)
    *error = problem;
  else
    EXPECT_EQ(problem, "");
  if (!problem.empty())
    return results;
  EXPECT_EQ(cuMemcpyDtoH(results.data(), out.address, bytes), CUDA_SUCCESS);
  return results;
}

} // namespace heddle::test
