// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the texts. Tiles are unrolled by loops here, as a compiler would unroll them.
#include "test/bench/KernelTexts.h"
#include <cstdarg>
#include <cstdio>

namespace heddle::bench {

namespace {

/// PTX that grows by lines.
class Text {
public:
  __attribute__((format(printf, 2, 3))) void line(const char *format, ...) {
    char buffer[512];
    va_list list;
    va_start(list, format);
    std::vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    text += buffer;
    text += '\n';
  }
  std::string text;
};

constexpr int kStage80 = (128 * 32 + 32 * 128) * 2, kTileB80 = 128 * 32 * 2, kStages80 = 4;

/// Copies of one stage: %stage is its address, %pa0.. and %pb0.. are the next global addresses.
void issueSm80(Text &t) {
  for (int i = 0; i < 4; ++i)
    t.line("add.u32 %%r0, %%stage, %%sa%d; cp.async.cg.shared.global [%%r0], [%%pa%d], 16;"
           " add.u64 %%pa%d, %%pa%d, 64;",
           i, i, i, i);
  for (int i = 0; i < 4; ++i)
    t.line("add.u32 %%r0, %%stage, %%sb%d; cp.async.cg.shared.global [%%r0], [%%pb%d], 16;"
           " add.u64 %%pb%d, %%pb%d, %%stepb;",
           i, i, i, i);
}

/// Where this thread's 16-byte chunks of A and B lie, in global memory and in a stage.
void addressesSm80(Text &t) {
  for (int i = 0; i < 4; ++i) {
    t.line("add.u32 %%r0, %%t, %d; shr.u32 %%r1, %%r0, 2; and.b32 %%r2, %%r0, 3;", 128 * i);
    t.line("add.u32 %%r3, %%row0, %%r1; mul.lo.u32 %%r3, %%r3, %%k; shl.b32 %%r4, %%r2, 3;"
           " add.u32 %%r3, %%r3, %%r4; mul.wide.u32 %%d0, %%r3, 2; add.u64 %%pa%d, %%d0, %%a;",
           i);
    t.line("shr.u32 %%r5, %%r1, 1; and.b32 %%r5, %%r5, 3; xor.b32 %%r5, %%r5, %%r2;"
           " shl.b32 %%r5, %%r5, 4; shl.b32 %%r6, %%r1, 6; add.u32 %%sa%d, %%r5, %%r6;",
           i);
    t.line("shr.u32 %%r1, %%r0, 4; and.b32 %%r2, %%r0, 15; mul.lo.u32 %%r3, %%r1, %%n;"
           " shl.b32 %%r4, %%r2, 3; add.u32 %%r3, %%r3, %%r4; add.u32 %%r3, %%r3, %%col0;"
           " mul.wide.u32 %%d0, %%r3, 2; add.u64 %%pb%d, %%d0, %%b;",
           i);
    t.line("and.b32 %%r5, %%r1, 7; xor.b32 %%r5, %%r5, %%r2; shl.b32 %%r5, %%r5, 4;"
           " shl.b32 %%r6, %%r1, 8; add.u32 %%r5, %%r5, %%r6; add.u32 %%sb%d, %%r5, %d;",
           i, kTileB80);
  }
}

/// Lane addresses of ldmatrix in a stage: %la of k-step s, %lb of column pair j.
void fragmentAddressesSm80(Text &t) {
  t.line("and.b32 %%r1, %%lane, 15; shr.u32 %%r2, %%lane, 4; shl.b32 %%r3, %%wm, 6;"
         " add.u32 %%r3, %%r3, %%r1; shr.u32 %%r4, %%r3, 1; and.b32 %%r4, %%r4, 3;"
         " shl.b32 %%r5, %%r3, 6;");
  for (int s = 0; s < 2; ++s)
    t.line("add.u32 %%r6, %%r2, %d; xor.b32 %%r6, %%r6, %%r4; shl.b32 %%r6, %%r6, 4;"
           " add.u32 %%la%d, %%r5, %%r6;",
           2 * s, s);
  t.line("and.b32 %%r4, %%r1, 7; shl.b32 %%r5, %%r1, 8; shl.b32 %%r7, %%wn, 3;"
         " add.u32 %%r7, %%r7, %%r2;");
  for (int j = 0; j < 4; ++j)
    t.line("add.u32 %%r6, %%r7, %d; xor.b32 %%r6, %%r6, %%r4; shl.b32 %%r6, %%r6, 4;"
           " add.u32 %%r6, %%r6, %%r5; add.u32 %%lb%d, %%r6, %d;",
           2 * j, j, kTileB80);
}

void multiplySm80(Text &t) {
  for (int s = 0; s < 2; ++s) {
    t.line("add.u32 %%r0, %%read, %%la%d;", s);
    for (int i = 0; i < 4; ++i)
      t.line("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%fa%d, %%fa%d, %%fa%d, %%fa%d},"
             " [%%r0+%d];",
             4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3, i * 16 * 64);
    for (int j = 0; j < 4; ++j)
      t.line("add.u32 %%r0, %%read, %%lb%d; ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
             " {%%fb%d, %%fb%d, %%fb%d, %%fb%d}, [%%r0+%d];",
             j, 4 * j, 4 * j + 1, 4 * j + 2, 4 * j + 3, s * 16 * 256);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 8; ++j) {
        int c = (i * 8 + j) * 4;
        t.line("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%c%d, %%c%d, %%c%d, %%c%d},"
               " {%%fa%d, %%fa%d, %%fa%d, %%fa%d}, {%%fb%d, %%fb%d}, {%%c%d, %%c%d, %%c%d, %%c%d};",
               c, c + 1, c + 2, c + 3, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3, 2 * j, 2 * j + 1, c,
               c + 1, c + 2, c + 3);
      }
  }
}

} // namespace

std::string elementwiseText() {
  return R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n, .param .u32 passes)
{
.reg .pred %p; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %d<8>;
ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; ld.param.f32 %f0, [a]; ld.param.u32 %r4, [n];
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;
mov.u32 %r2, %nctaid.x; mul.lo.u32 %r3, %r1, %r2; mul.wide.u32 %d2, %r0, 4; add.u64 %d0, %d0, %d2;
add.u64 %d1, %d1, %d2; mul.wide.u32 %d3, %r3, 4; setp.ge.u32 %p, %r0, %r4; @%p bra DONE;
ld.param.u32 %r5, [passes]; mov.b32 %r6, %r0; mov.b64 %d4, %d0; mov.b64 %d5, %d1;
PASS: mov.b32 %r0, %r6; mov.b64 %d0, %d4; mov.b64 %d1, %d5;
LOOP:
ld.global.f32 %f1, [%d0];
ld.global.f32 %f2, [%d1];
fma.rn.f32 %f2, %f0, %f1, %f2;
max.f32 %f2, %f2, 0f00000000;
st.global.f32 [%d1], %f2;
add.u64 %d0, %d0, %d3;
add.u64 %d1, %d1, %d3;
add.u32 %r0, %r0, %r3;
setp.lt.u32 %p, %r0, %r4;
@%p bra LOOP;
sub.u32 %r5, %r5, 1; setp.ne.u32 %p, %r5, 0; @%p bra PASS;
DONE:
ret;
}
)";
}

std::string gemmSm80Text() {
  Text t;
  t.line(".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 128 .b8 ring[];");
  t.line(".visible .entry gemm(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn,"
         " .param .u32 pk) .maxntid 128\n{");
  t.line(
      ".reg .pred %%p<2>; .reg .b32 %%r<9>, %%t, %%lane, %%warp, %%wm, %%wn, %%row0, %%col0, %%n,"
      " %%k, %%base, %%stage, %%read, %%write, %%left, %%sa<4>, %%sb<4>, %%la<2>, %%lb<4>,"
      " %%fa<16>, %%fb<16>; .reg .f32 %%c<128>; .reg .b64 %%a, %%b, %%d<3>, %%out, %%stepb,"
      " %%pa<4>, %%pb<4>;");
  t.line("ld.param.u64 %%a, [pa]; ld.param.u64 %%b, [pb]; ld.param.u64 %%out, [pc];"
         " ld.param.u32 %%n, [pn]; ld.param.u32 %%k, [pk]; mov.u32 %%t, %%tid.x;");
  t.line("and.b32 %%lane, %%t, 31; shr.u32 %%warp, %%t, 5; shr.u32 %%wm, %%warp, 1;"
         " and.b32 %%wn, %%warp, 1; mov.u32 %%r0, %%ctaid.x; shl.b32 %%col0, %%r0, 7;"
         " mov.u32 %%r0, %%ctaid.y; shl.b32 %%row0, %%r0, 7; mov.u32 %%base, ring;"
         " mul.wide.u32 %%stepb, %%n, 64; shr.u32 %%left, %%k, 5;");
  addressesSm80(t);
  fragmentAddressesSm80(t);
  for (int c = 0; c < 128; ++c)
    t.line("mov.f32 %%c%d, 0f00000000;", c);
  for (int s = 0; s + 1 < kStages80; ++s) {
    t.line("add.u32 %%stage, %%base, %d;", s * kStage80);
    issueSm80(t);
    t.line("cp.async.commit_group;");
  }
  t.line("mov.u32 %%read, %%base; add.u32 %%write, %%base, %d; mov.u32 %%r8, %d;",
         (kStages80 - 1) * kStage80, kStages80 - 1);
  t.line("LOOP:\ncp.async.wait_group %d; bar.sync 0;", kStages80 - 2);
  t.line("setp.ge.u32 %%p0, %%r8, %%left; @%%p0 bra FULL; mov.u32 %%stage, %%write;");
  issueSm80(t);
  t.line("FULL: cp.async.commit_group; add.u32 %%r8, %%r8, 1;");
  multiplySm80(t);
  for (const char *place : {"read", "write"})
    t.line("add.u32 %%%s, %%%s, %d; add.u32 %%r0, %%base, %d; setp.eq.u32 %%p1, %%%s, %%r0;"
           " selp.b32 %%%s, %%base, %%%s, %%p1;",
           place, place, kStage80, kStages80 * kStage80, place, place, place);
  t.line("sub.u32 %%r0, %%r8, %d; setp.lt.u32 %%p0, %%r0, %%left; @%%p0 bra LOOP;", kStages80 - 1);
  t.line("shr.u32 %%r0, %%lane, 2; and.b32 %%r1, %%lane, 3; shl.b32 %%r2, %%wm, 6;"
         " add.u32 %%r2, %%r2, %%row0; add.u32 %%r2, %%r2, %%r0; shl.b32 %%r3, %%wn, 6;"
         " add.u32 %%r3, %%r3, %%col0; shl.b32 %%r1, %%r1, 1; add.u32 %%r3, %%r3, %%r1;");
  for (int i = 0; i < 4; ++i)
    for (int h = 0; h < 2; ++h) {
      t.line("add.u32 %%r4, %%r2, %d; mad.lo.u32 %%r4, %%r4, %%n, %%r3; mul.wide.u32 %%d0, %%r4, 4;"
             " add.u64 %%d0, %%d0, %%out;",
             16 * i + 8 * h);
      for (int j = 0; j < 8; ++j)
        t.line("st.global.v2.f32 [%%d0+%d], {%%c%d, %%c%d};", 32 * j, (i * 8 + j) * 4 + 2 * h,
               (i * 8 + j) * 4 + 2 * h + 1);
    }
  t.line("ret;\n}");
  return t.text;
}

std::string gemmSm90Text() {
  constexpr int kTileA = 64 * 64 * 2, kStage = (64 + 256) * 64 * 2;
  Text t;
  std::string sums;
  for (int c = 0; c < 128; ++c)
    sums += (c ? ", %c" : "%c") + std::to_string(c);
  t.line(".version 8.6\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 ring[];");
  t.line(".visible .entry gemm(.param .align 64 .b8 ma[128], .param .align 64 .b8 mb[128],"
         " .param .u64 pc, .param .u32 pn, .param .u32 pk) .maxntid 128\n{");
  t.line(
      ".reg .pred %%p<4>; .reg .b32 %%r<12>, %%t, %%n, %%k, %%row0, %%col0, %%base, %%steps, %%i,"
      " %%s, %%phase; .reg .f32 %%c<128>; .reg .b64 %%d<6>, %%out, %%ma, %%mb, %%da, %%db;"
      " .shared .align 8 .b64 full[2];");
  t.line("ld.param.u64 %%out, [pc]; ld.param.u32 %%n, [pn]; ld.param.u32 %%k, [pk];"
         " mov.u32 %%t, %%tid.x; mov.b64 %%d0, ma; cvta.param.u64 %%ma, %%d0; mov.b64 %%d0, mb;"
         " cvta.param.u64 %%mb, %%d0; mov.u32 %%r0, %%ctaid.x; shl.b32 %%col0, %%r0, 8;"
         " mov.u32 %%r0, %%ctaid.y; shl.b32 %%row0, %%r0, 6; shr.u32 %%steps, %%k, 6;"
         " mov.u32 %%base, ring; add.u32 %%base, %%base, 1023; and.b32 %%base, %%base, 0xfffffc00;"
         " mov.u32 %%r11, full; setp.ne.u32 %%p0, %%t, 0;");
  auto issue = [&](const char *step, const char *stage) { // by thread 0
    t.line("shl.b32 %%r1, %s, 3; add.u32 %%r1, %%r1, %%r11; mad.lo.u32 %%r2, %s, %d, %%base;"
           " shl.b32 %%r3, %s, 6; add.u32 %%r4, %%r2, %d;",
           stage, stage, kStage, step, kTileA);
    t.line("mbarrier.arrive.expect_tx.shared.b64 _, [%%r1], %d;", kStage);
    t.line("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%%r2],"
           " [%%ma, {%%r3, %%row0}], [%%r1];");
    t.line("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%%r4],"
           " [%%mb, {%%r3, %%col0}], [%%r1];");
  };
  t.line("@%%p0 bra READY; mbarrier.init.shared.b64 [%%r11], 1; mbarrier.init.shared.b64"
         " [%%r11+8], 1; fence.mbarrier_init.release.cluster; mov.u32 %%r9, 0;");
  issue("%r9", "%r9");
  t.line("setp.lt.u32 %%p1, %%steps, 2; @%%p1 bra READY; mov.u32 %%r9, 1;");
  issue("%r9", "%r9");
  t.line("READY: bar.sync 0; mov.u32 %%i, 0; mov.u32 %%s, 0; mov.u32 %%phase, 0;"
         " setp.ne.u32 %%p2, %%i, %%i;");
  t.line("LOOP:\nshl.b32 %%r5, %%s, 3; add.u32 %%r5, %%r5, %%r11;");
  t.line("WAIT: mbarrier.try_wait.parity.shared.b64 %%p1, [%%r5], %%phase; @!%%p1 bra WAIT;");
  t.line("mad.lo.u32 %%r6, %%s, %d, %%base; add.u32 %%r7, %%r6, %d;", kStage, kTileA);
  // PTX ISA, matrix descriptor: 128-byte swizzle, groups of 8 rows 1024 bytes apart.
  const char *const kHigh = "4611686293305294848"; // 1 << 62 | 64 << 32
  t.line("shr.u32 %%r6, %%r6, 4; cvt.u64.u32 %%da, %%r6; or.b64 %%da, %%da, %s;"
         " shr.u32 %%r7, %%r7, 4; cvt.u64.u32 %%db, %%r7; or.b64 %%db, %%db, %s;",
         kHigh, kHigh);
  t.line("wgmma.fence.sync.aligned;");
  for (int kk = 0; kk < 4; ++kk) {
    t.line("add.u64 %%d1, %%da, %d; add.u64 %%d2, %%db, %d;", 2 * kk, 2 * kk);
    t.text += "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" + sums +
              "}, %d1, %d2, %p2, 1, 1, 0, 0;\n";
    if (kk == 0)
      t.line("setp.eq.u32 %%p2, %%i, %%i;");
  }
  t.line("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; bar.sync 0;");
  t.line("add.u32 %%r9, %%i, 2; setp.ge.u32 %%p1, %%r9, %%steps; or.pred %%p1, %%p1, %%p0;"
         " @%%p1 bra NEXT;");
  issue("%r9", "%s");
  t.line("NEXT: add.u32 %%i, %%i, 1; xor.b32 %%s, %%s, 1; shr.u32 %%r0, %%i, 1;"
         " and.b32 %%phase, %%r0, 1; setp.lt.u32 %%p1, %%i, %%steps; @%%p1 bra LOOP;");
  t.line(
      "shr.u32 %%r0, %%t, 5; shl.b32 %%r0, %%r0, 4; and.b32 %%r1, %%t, 31; shr.u32 %%r2, %%r1, 2;"
      " add.u32 %%r0, %%r0, %%r2; add.u32 %%r0, %%r0, %%row0; and.b32 %%r1, %%r1, 3;"
      " shl.b32 %%r1, %%r1, 1; add.u32 %%r1, %%r1, %%col0;");
  for (int h = 0; h < 2; ++h) {
    t.line("add.u32 %%r2, %%r0, %d; mad.lo.u32 %%r2, %%r2, %%n, %%r1; mul.wide.u32 %%d0, %%r2, 4;"
           " add.u64 %%d0, %%d0, %%out;",
           8 * h);
    for (int j = 0; j < 32; ++j)
      t.line("st.global.v2.f32 [%%d0+%d], {%%c%d, %%c%d};", 32 * j, 4 * j + 2 * h,
             4 * j + 2 * h + 1);
  }
  t.line("ret;\n}");
  return t.text;
}

std::string longText(int instructions) {
  Text t;
  t.line(".version 8.0\n.target sm_80\n.address_size 64");
  t.line(".visible .entry k(.param .u64 x, .param .u32 n)\n{\n.reg .pred %%p<3>; .reg .b32 %%r<40>;"
         " .reg .f32 %%f<40>; .reg .b64 %%d<40>;");
  t.line("ld.param.u64 %%d0, [x]; ld.param.u32 %%r0, [n]; mov.u32 %%r1, %%tid.x;");
  for (int i = 0; i < instructions / 10; ++i) {
    int a = 2 + i % 30, b = 2 + (i + 7) % 30;
    t.line("setp.ge.u32 %%p1, %%r1, %%r0;\n@%%p1 bra L%d;", i);
    t.line("mul.wide.u32 %%d%d, %%r1, 4;\nadd.s64 %%d%d, %%d0, %%d%d;", a, b, a);
    t.line("ld.global.b32 %%f%d, [%%d%d+%d];", a, b, 4 * i);
    t.line("fma.rn.f32 %%f%d, %%f%d, 0f40000000, 0f3F800000;", a, a);
    t.line("max.f32 %%f%d, %%f%d, 0f00000000;", a, a);
    t.line("st.global.b32 [%%d%d+%d], %%f%d;", b, 4 * i, a);
    t.line("L%d:\nadd.s32 %%r%d, %%r1, %d;\nxor.b32 %%r1, %%r1, %%r%d;", i, a, i, a);
  }
  t.line("ret;\n}");
  return t.text;
}

} // namespace heddle::bench
