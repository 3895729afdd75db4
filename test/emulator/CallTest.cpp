// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: of functions with arrays and results, through addresses, of themselves, and of what the
// host offers to device code: printf, assert, malloc and free. PTX ISA 9.0, 9.7.12.5; CUDA C++
// Programming Guide, "Formatted Output".
#include "runtime/emulator/host/PrintFormat.h"
#include "test/emulator/EmulatedDevice.h"
#include <cstdio>
#include <gtest/gtest.h>

using namespace heddle::emulator;
using namespace heddle::emulator::test;

namespace {

const char *const kHead = R"(.version 8.0
.target sm_80
.address_size 64
)";
/// A kernel "k" with %out, the thread's word, and %t, its index.
std::string kernel(const std::string &body) {
  return R"(
.visible .entry k(.param .b64 out)
{
.reg .pred %p<8>;
.reg .b32 %t, %r<16>;
.reg .b64 %out, %d<16>;
.reg .f64 %f<4>;
.local .align 8 .b8 stack[64];
mov.u32 %t, %tid.x;
ld.param.b64 %out, [out];
mad.wide.u32 %out, %t, 4, %out;
)" + body +
         "\nret;\n}\n";
}

std::string report; // of the last fault

/// Runs 32 threads; the words they wrote.
std::vector<uint32_t> run(const std::string &text, CUresult expected = CUDA_SUCCESS) {
  Module module(kHead + text);
  EXPECT_EQ(module.code, CUDA_SUCCESS) << module.error;
  Buffer<uint32_t> out(32);
  CUresult result = module.launch("k", 1, 32, 0, out.address());
  if (result == CUDA_SUCCESS)
    result = cuCtxSynchronize();
  EXPECT_EQ(result, expected) << heddle_emu_last_report();
  if (result == CUDA_SUCCESS)
    return out.read();
  report = heddle_emu_last_report();
  cuDevicePrimaryCtxReset(0); // a fault ends the context
  return {};
}

const char *const kFunctions = R"(
.func (.param .b32 result) twice(.param .b32 a, .param .b32 b)
{
.reg .b32 %r<4>;
ld.param.b32 %r1, [a];
ld.param.b32 %r2, [b];
mad.lo.s32 %r3, %r1, 2, %r2;
st.param.b32 [result], %r3;
ret;
}
.func (.param .b32 result) minus(.param .b32 a, .param .b32 b)
{
.reg .b32 %r<4>;
ld.param.b32 %r1, [a];
ld.param.b32 %r2, [b];
sub.s32 %r3, %r1, %r2;
st.param.b32 [result], %r3;
ret;
}
.global .align 8 .u64 table[2] = {twice, minus};
)";
const char *const kCall = R"(
{
.param .b32 a; .param .b32 b; .param .b32 result;
st.param.b32 [a], %t;
st.param.b32 [b], 7;
prototype: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
call (result), %d1, (a, b), prototype;
ld.param.b32 %r1, [result];
}
st.global.b32 [%out], %r1;
)";

} // namespace

// Even threads call one function, odd ones the other, and all go on together.
TEST(CallTest, ThroughATableOfFunctions) {
  std::vector<uint32_t> out = run(kFunctions + kernel(R"(
and.b32 %r0, %t, 1;
mov.b64 %d0, table;
mad.wide.u32 %d0, %r0, 8, %d0;
ld.global.b64 %d1, [%d0];
)" + std::string(kCall)));
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t & 1 ? t - 7 : 2 * t + 7) << t;
}

TEST(CallTest, ThroughTargetsThatAreListed) {
  std::vector<uint32_t> out = run(kFunctions + kernel(R"(
mov.b64 %d1, twice;
setp.gt.u32 %p1, %t, 9;
@%p1 mov.b64 %d1, minus;
{
.param .b32 a; .param .b32 b; .param .b32 result;
st.param.b32 [a], %t;
st.param.b32 [b], 7;
targets: .calltargets twice, minus;
call (result), %d1, (a, b), targets;
ld.param.b32 %r1, [result];
}
st.global.b32 [%out], %r1;
)"));
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t > 9 ? t - 7 : 2 * t + 7) << t;
}

TEST(CallTest, ThroughAnAddressOfNothing) {
  run(kFunctions + kernel("mov.b64 %d1, 4096;\n" + std::string(kCall)),
      CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_NE(report.find("call through address 0x1000"), std::string::npos) << report;
}

TEST(CallTest, ArraysAndStructures) {
  std::vector<uint32_t> out = run(R"(
.func (.param .align 8 .b8 result[16]) sums(.param .align 8 .b8 a[16])
{
.reg .b32 %r<8>;
.reg .b64 %d<2>;
ld.param.v2.b32 {%r1, %r2}, [a];
ld.param.b64 %d1, [a+8];
add.s32 %r3, %r1, %r2;
st.param.b32 [result+4], %r3;
st.param.b64 [result+8], %d1;
ret;
}
)" + kernel(R"(
mov.b64 %d2, 0x500000006;
{
.param .align 8 .b8 a[16];
.param .align 8 .b8 result[16];
st.param.b32 [a], %t;
st.param.b32 [a+4], 100;
st.param.b64 [a+8], %d2;
call.uni (result), sums, (a);
ld.param.b32 %r1, [result+4];
ld.param.b32 %r2, [result+12];
}
mad.lo.s32 %r1, %r2, 1000, %r1;
st.global.b32 [%out], %r1;
)"));
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], 5000 + t + 100) << t;
}

static std::string factorialOf(const char *argument) {
  return std::string(R"(
.func (.param .b32 result) factorial(.param .b32 n)
{
.reg .b32 %r<4>;
.reg .pred %p;
ld.param.b32 %r1, [n];
mov.b32 %r2, 1;
setp.le.s32 %p, %r1, 1;
@%p bra $done;
sub.s32 %r3, %r1, 1;
{
.param .b32 a; .param .b32 b;
st.param.b32 [a], %r3;
call.uni (b), factorial, (a);
ld.param.b32 %r2, [b];
}
mul.lo.s32 %r2, %r2, %r1;
$done:
st.param.b32 [result], %r2;
ret;
}
)") + kernel(std::string("{ .param .b32 a; .param .b32 b; ") + argument +
             " st.param.b32 [a], %r1; call.uni (b), factorial, (a); ld.param.b32 %r1, [b]; }\n"
             "st.global.b32 [%out], %r1;");
}

// Each thread as deep as its number asks.
TEST(CallTest, Recursion) {
  std::vector<uint32_t> out = run(factorialOf("rem.u32 %r1, %t, 13;"));
  for (uint32_t t = 0; t < 32; ++t) {
    uint32_t expected = 1;
    for (uint32_t i = 2; i <= t % 13; ++i)
      expected *= i;
    EXPECT_EQ(out[t], expected) << t;
  }
}

TEST(CallTest, RecursionThatIsTooDeep) {
  run(factorialOf("mov.b32 %r1, 1000;"), CUDA_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_NE(report.find("called itself more than"), std::string::npos) << report;
}

// A function that calls itself twice is followed less deep.
TEST(CallTest, RecursionInTwoPlaces) {
  std::vector<uint32_t> out = run(R"(
.func (.param .b32 result) fibonacci(.param .b32 n)
{
.reg .b32 %r<6>;
.reg .pred %p;
ld.param.b32 %r1, [n];
mov.b32 %r2, %r1;
setp.le.s32 %p, %r1, 1;
@%p bra $done;
sub.s32 %r3, %r1, 1;
{
.param .b32 a; .param .b32 b;
st.param.b32 [a], %r3;
call.uni (b), fibonacci, (a);
ld.param.b32 %r2, [b];
}
sub.s32 %r3, %r1, 2;
{
.param .b32 a; .param .b32 b;
st.param.b32 [a], %r3;
call.uni (b), fibonacci, (a);
ld.param.b32 %r4, [b];
}
add.s32 %r2, %r2, %r4;
$done:
st.param.b32 [result], %r2;
ret;
}
)" + kernel(R"(
rem.u32 %r1, %t, 9;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), fibonacci, (a); ld.param.b32 %r1, [b]; }
st.global.b32 [%out], %r1;
)"));
  const uint32_t expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], expected[t % 9]) << t;
}

// What the C library's printf makes of the same format and values.
TEST(CallTest, Print) {
  testing::internal::CaptureStdout();
  std::vector<uint32_t> out = run(R"(
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[] = {37, 100, 32, 37, 54, 46, 50, 102, 124, 37, 45, 53, 115, 124, 37, 99, 32, 37, 108, 108, 120, 32, 37, 37, 10, 0};
.global .align 1 .b8 word[] = {97, 98, 0};
)" + kernel(R"(
mov.b64 %d0, stack;
st.local.b32 [%d0], %t;
mov.f64 %f0, 0d400921FB54442D18;
st.local.f64 [%d0+8], %f0;
mov.b64 %d1, word;
cvta.global.u64 %d1, %d1;
st.local.b64 [%d0+16], %d1;
st.local.b32 [%d0+24], 33;
mov.b64 %d2, 0x123456789a;
st.local.b64 [%d0+32], %d2;
cvta.local.u64 %d3, %d0;
mov.b64 %d4, format;
cvta.global.u64 %d4, %d4;
setp.lt.u32 %p1, %t, 2;
mov.b32 %r1, 99;
@!%p1 bra $end;
{
.param .b64 a; .param .b64 b; .param .b32 r;
st.param.b64 [a], %d4;
st.param.b64 [b], %d3;
call.uni (r), vprintf, (a, b);
ld.param.b32 %r1, [r];
}
$end:
st.global.b32 [%out], %r1;
)"));
  std::fflush(stdout);
  std::string text = testing::internal::GetCapturedStdout(), expected;
  for (int t : {0, 1}) {
    char line[100];
    std::snprintf(line, sizeof line, "%d %6.2f|%-5s|%c %llx %%\n", t, 3.14159265358979, "ab", '!',
                  0x123456789aull);
    expected += line;
  }
  EXPECT_EQ(text, expected);
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t < 2 ? 5u : 99u) << t; // the number of arguments
}

// Widths as arguments, lengths, what is no conversion, a missing text.
TEST(CallTest, Formats) {
  struct Arguments {
    std::vector<unsigned char> bytes;
    void add(const void *from, size_t size) {
      bytes.resize((bytes.size() + size - 1) / size * size);
      bytes.insert(bytes.end(), static_cast<const unsigned char *>(from),
                   static_cast<const unsigned char *>(from) + size);
    }
  };
  auto format = [](const char *text, const Arguments &arguments) {
    size_t at = 0;
    std::string result;
    int count = 0;
    auto read = [&](void *to, size_t size) {
      at = (at + size - 1) / size * size;
      if (at + size > arguments.bytes.size())
        return false;
      std::memcpy(to, &arguments.bytes[at], size);
      at += size;
      return true;
    };
    bool isDone =
        formatPrint(text, read, [](uint64_t, std::string &) { return false; }, result, count);
    return isDone ? result + "#" + std::to_string(count) : "unreadable";
  };
  Arguments numbers;
  int32_t width = 7, value = -42;
  int64_t wide = -5;
  double real = 1e10;
  numbers.add(&width, 4);
  numbers.add(&value, 4);
  numbers.add(&wide, 8);
  numbers.add(&real, 8);
  EXPECT_EQ(format("%*d|%+ld|%.3e", numbers), "    -42|-5|1.000e+10#3");
  EXPECT_EQ(format("%d %u", numbers), "7 4294967254#2");
  EXPECT_EQ(format("100%", numbers), "100%#0");
  EXPECT_EQ(format("%y%n", numbers), "%y%n#0");
  EXPECT_EQ(format("%s", numbers), "unreadable");
  EXPECT_EQ(format("%d%d%d%d%d%d%d", numbers), "unreadable");
}

TEST(CallTest, Assertion) {
  testing::internal::CaptureStderr();
  run(R"(
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 what[] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 file[] = {97, 46, 99, 117, 0};
.global .align 1 .b8 name[] = {102, 40, 41, 0};
)" + kernel(R"(
setp.ne.u32 %p1, %t, 5;
@%p1 bra $end;
mov.b64 %d0, what; mov.b64 %d1, file; mov.b64 %d2, name;
cvta.global.u64 %d0, %d0; cvta.global.u64 %d1, %d1; cvta.global.u64 %d2, %d2;
mov.b64 %d3, 1;
{
.param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
st.param.b64 [a], %d0; st.param.b64 [b], %d1; st.param.b32 [c], 77;
st.param.b64 [d], %d2; st.param.b64 [e], %d3;
call.uni __assertfail, (a, b, c, d, e);
}
$end:
)"),
      CUDA_ERROR_ASSERT);
  std::string expected = "a.cu:77: f(): block: [0,0,0], thread: [5,0,0] Assertion `x > 0` failed.";
  EXPECT_EQ(testing::internal::GetCapturedStderr(), expected + "\n");
  EXPECT_NE(report.find(expected), std::string::npos);
}

// Each thread's memory is its own; a second free is found.
TEST(CallTest, Heap) {
  std::string functions = R"(
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
)";
  std::string allocate = R"(
mov.b64 %d0, 64;
{ .param .b64 n; .param .b64 r; st.param.b64 [n], %d0; call.uni (r), malloc, (n); ld.param.b64 %d1, [r]; }
)";
  std::string release = "{ .param .b64 n; st.param.b64 [n], %d1; call.uni free, (n); }\n";
  std::vector<uint32_t> out = run(functions + kernel(allocate + R"(
st.b32 [%d1+60], %t;
bar.warp.sync 0xffffffff;
ld.b32 %r1, [%d1+60];
st.global.b32 [%out], %r1;
)" + release));
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t);
  run(functions + kernel(allocate + release + release), CUDA_ERROR_ILLEGAL_ADDRESS);
}
