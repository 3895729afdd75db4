// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of every type, vector and modifier: the bytes that arrive. PTX ISA 9.0, 9.7.9.8
// to 9.7.9.14 (ld, ldu, st), 9.7.9.19 and 9.7.9.20 (isspacep, cvta), 6.4.1 (narrow types in wider
// registers).
#include "test/emulator/InstructionRig.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace heddle::test;

namespace {

/// 16 words a thread, no byte of which is like its neighbours.
std::vector<uint32_t> pattern() {
  std::vector<uint32_t> rows(16 * 64);
  for (uint32_t i = 0; i < rows.size(); ++i)
    rows[i] = i * 0x9e3779b1u ^ 0x80c07f01u;
  return rows;
}

std::string list(const std::string &name, uint32_t count) {
  if (count == 1)
    return name + "0";
  std::string result = "{";
  for (uint32_t i = 0; i < count; ++i)
    result += (i ? ", " : "") + name + std::to_string(i);
  return result + "}";
}

struct Width {
  const char *type;
  uint32_t bytes;
};
const Width kTypes[] = {{"b8", 1},  {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2},
                        {"s16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4},
                        {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}};

std::string registers(uint32_t bytes, const char *name, uint32_t count) {
  return std::string(".reg .b") + std::to_string(std::max(bytes * 8, 16u)) + " " + name + "<" +
         std::to_string(count) + ">; ";
}

/// `body` moves `bytes` bytes from the thread's row of the input to that of the output.
void expectCopied(const std::string &body, uint32_t bytes) {
  std::vector<uint32_t> rows = pattern(), out = runBody(body, rows, 16, 64);
  for (uint32_t thread = 0; thread < 64; ++thread) {
    unsigned char expected[64] = {};
    std::memcpy(expected, &rows[thread * 16], bytes);
    ASSERT_EQ(std::memcmp(&out[thread * 16], expected, 64), 0) << body << "\nthread " << thread;
  }
}

} // namespace

TEST(MemoryTable, TypesAndVectors) {
  for (const Width &t : kTypes)
    for (uint32_t count : {1, 2, 4}) {
      if (t.bytes * count > 16)
        continue;
      std::string v = count > 1 ? ".v" + std::to_string(count) : "", type = v + "." + t.type;
      std::string move = registers(t.bytes, "v", count);
      std::string global = move + "ld.global" + type + " " + list("v", count) +
                           ", [%in]; st.global" + type + " [%out], " + list("v", count) + ";";
      expectCopied(global, t.bytes * count);
      // Through shared and local memory, by their own and by generic addresses.
      for (const std::string space : {"shared", "local"}) {
        std::string place = "." + space + " .align 16 .b8 place[1024]; .reg .b64 p; .reg .b32 o; ";
        place += space == "shared" ? "mov.b64 p, place; mul.lo.s32 o, %lane, 16; "
                                     "mad.wide.u32 p, %lane, 16, p; "
                                   : "mov.b64 p, place; ";
        std::string in = "ld.global" + type + " " + list("v", count) + ", [%in]; ";
        std::string back = "st.global" + type + " [%out], " + list("v", count) + ";";
        std::string own = "st." + space + type + " [p], " + list("v", count) + "; ld." + space +
                          type + " " + list("v", count) + ", [p]; ";
        std::string generic = "cvta." + space + ".u64 p, p; st" + type + " [p], " +
                              list("v", count) + "; ld" + type + " " + list("v", count) + ", [p]; ";
        expectCopied(place + move + in + own + back, t.bytes * count);
        expectCopied(place + move + in + generic + back, t.bytes * count);
      }
    }
}

// A narrow type fills a wider register: with zeros, or with the sign where it is signed.
TEST(MemoryTable, NarrowTypesExtend) {
  std::vector<uint32_t> rows = pattern();
  for (const Width &t : kTypes)
    for (uint32_t bits : {16, 32, 64}) {
      if (t.bytes * 8 > bits || t.type[0] == 'f')
        continue;
      std::string b = ".b" + std::to_string(bits), type = t.type;
      std::vector<uint32_t> out =
          runBody(".reg " + b + " v; ld.global." + type + " v, [%in+" +
                      std::to_string(8 - t.bytes) + "]; st.global" + b + " [%out], v;",
                  rows, 16, 64);
      for (uint32_t thread = 0; thread < 64; ++thread) {
        const char *from = reinterpret_cast<const char *>(&rows[thread * 16]) + 8 - t.bytes;
        uint64_t value = 0, got = 0;
        std::memcpy(&value, from, t.bytes);
        if (type[0] == 's' && t.bytes < 8 && value >> (8 * t.bytes - 1) & 1)
          value |= ~0ull << (8 * t.bytes);
        std::memcpy(&got, &out[thread * 16], bits / 8);
        uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
        ASSERT_EQ(got, value & mask) << type << " in " << b << ", thread " << thread;
      }
    }
}

TEST(MemoryTable, Modifiers) {
  const char *loads[] = {
      "ld.global.ca",
      "ld.global.cg",
      "ld.global.cs",
      "ld.global.cv",
      "ld.global.lu",
      "ld.global.nc",
      "ld.global.ca.nc",
      "ld.volatile.global",
      "ld.volatile",
      "ld.weak.global",
      "ld.relaxed.cta.global",
      "ld.relaxed.cluster.global",
      "ld.relaxed.gpu.global",
      "ld.relaxed.sys",
      "ld.acquire.gpu.global",
      "ld.acquire.cta",
      "ld.mmio.relaxed.sys.global",
      "ldu.global",
      "ld.global.L1::evict_first",
      "ld.global.L1::evict_last.L2::128B",
      "ld.global.L1::no_allocate.L2::256B",
      "ld.global.nc.L1::no_allocate.L2::64B",
  };
  for (const char *load : loads)
    expectCopied(std::string(".reg .b32 v; ") + load + ".b32 v, [%in]; st.global.b32 [%out], v;",
                 4);
  const char *stores[] = {"st.global.wb",
                          "st.global.cg",
                          "st.global.cs",
                          "st.global.wt",
                          "st.volatile.global",
                          "st.weak.global",
                          "st.relaxed.cta.global",
                          "st.relaxed.cluster.global",
                          "st.release.gpu.global",
                          "st.release.sys",
                          "st.mmio.relaxed.sys",
                          "st.global.L1::evict_last",
                          "st.global.L1::no_allocate"};
  for (const char *store : stores)
    expectCopied(std::string(".reg .b32 v; ld.global.b32 v, [%in]; ") + store + ".b32 [%out], v;",
                 4);
  // Policies of the caches change no value.
  const char *policies[] = {"createpolicy.fractional.L2::evict_last.b64 c;",
                            "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 c, 0.5;",
                            "createpolicy.range.global.L2::evict_last.b64 c, [%in], 64, 128;",
                            "mov.b64 c, 0x12f0000000000000; createpolicy.cvt.L2.b64 c, c;"};
  for (std::string policy : policies) {
    size_t at = policy.rfind(" c;");
    if (policy.starts_with("createpolicy.fractional.L2::evict_last.b64 c;"))
      policy.replace(at, 3, " c;");
    expectCopied(".reg .b64 c; .reg .b32 v<4>; " + policy +
                     " ld.global.L2::cache_hint.v4.b32 {v0, v1, v2, v3}, [%in], c; "
                     "st.global.L2::cache_hint.v4.b32 [%out], {v0, v1, v2, v3}, c;",
                 16);
  }
}

TEST(MemoryTable, Hints) {
  expectCopied(
      ".reg .b32 v; prefetch.global.L1 [%in]; prefetch.global.L2 [%in]; prefetch.L2 [%in]; "
      "prefetch.global.L2::evict_last [%in]; prefetchu.L1 [%in]; nanosleep.u32 1; "
      "applypriority.global.L2::evict_normal [%in], 128; pmevent 3; "
      "ld.global.b32 v, [%in]; st.global.b32 [%out], v;",
      4);
}

TEST(MemoryTable, SixteenBytes) {
  expectCopied(".reg .b128 v; ld.global.b128 v, [%in]; st.global.b128 [%out], v;", 16);
  expectCopied(".reg .b128 v, w; ld.global.b128 v, [%in]; mov.b128 w, v; "
               "st.relaxed.gpu.global.b128 [%out], w;",
               16);
  expectCopied(".reg .b128 v; .reg .b64 x, y; ld.global.b128 v, [%in]; mov.b128 {x, y}, v; "
               "mov.b128 v, {x, y}; st.global.b128 [%out], v;",
               16);
}

// isspacep: which space a generic address lies in. Bits of the answer: global, shared, shared::cta,
// shared::cluster, local, param.
TEST(MemoryTable, SpacesOfAddresses) {
  std::string asks = ".reg .pred p; .reg .b32 b, s; mov.b32 b, 0; ";
  uint32_t bit = 1;
  for (const char *space :
       {"global", "shared", "shared::cta", "shared::cluster", "local", "param"}) {
    asks += std::string("isspacep.") + space + " p, x; selp.b32 s, " + std::to_string(bit) +
            ", 0, p; or.b32 b, b, s; ";
    bit *= 2;
  }
  asks += "st.global.b32 [%out], b;";
  auto answer = [&](const std::string &start) { return runBody(start + asks, {}, 16, 64)[0]; };
  EXPECT_EQ(answer(".reg .b64 x; mov.b64 x, %in; "), 1u);
  EXPECT_EQ(answer(".shared .b8 place[16]; .reg .b64 x; mov.b64 x, place; cvta.shared.u64 x, x; "),
            2u | 4u | 8u);
  EXPECT_EQ(answer(".local .b8 place[16]; .reg .b64 x; mov.b64 x, place; cvta.local.u64 x, x; "),
            16u);
  EXPECT_EQ(answer(".reg .b64 x; mov.b64 x, in; cvta.param.u64 x, x; ") & ~1u, 32u);
}

// PTX ISA 9.0, 10: what every thread can say about itself and the launch.
TEST(MemoryTable, SpecialRegisters) {
  auto read = [](const std::string &name, const std::string &type = ".u32") {
    std::string body =
        ".reg " + type + " v; mov" + type + " v, " + name + "; st.global" + type + " [%out], v;";
    return runBody(body, {}, 4, 64);
  };
  auto each = [&](const std::string &name, std::function<uint32_t(uint32_t)> f) {
    std::vector<uint32_t> out = read(name);
    for (uint32_t t = 0; t < 64; ++t)
      ASSERT_EQ(out[4 * t], f(t)) << name << " of thread " << t;
  };
  auto always = [&](const std::string &name, uint32_t value) {
    each(name, [=](uint32_t) { return value; });
  };
  each("%tid.x", [](uint32_t t) { return t; });
  each("%laneid", [](uint32_t t) { return t % 32; });
  each("%warpid", [](uint32_t t) { return t / 32; });
  each("%lanemask_eq", [](uint32_t t) { return 1u << t % 32; });
  each("%lanemask_lt", [](uint32_t t) { return (1u << t % 32) - 1; });
  each("%lanemask_le", [](uint32_t t) { return (2u << t % 32) - 1; });
  each("%lanemask_gt", [](uint32_t t) { return ~((2u << t % 32) - 1); });
  each("%lanemask_ge", [](uint32_t t) { return ~((1u << t % 32) - 1); });
  for (const char *name : {"%tid.y", "%tid.z", "%tid.w", "%ctaid.x", "%ctaid.y", "%ctaid.z",
                           "%clusterid.x", "%cluster_ctaid.x", "%cluster_ctarank",
                           "%dynamic_smem_size", "%reserved_smem_offset_begin"})
    always(name, 0);
  for (const char *name : {"%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
                           "%nclusterid.x", "%cluster_nctaid.x", "%cluster_nctarank"})
    always(name, 1);
  always("%ntid.x", 64);
  always("WARP_SZ", 32);
  // Times do not go back.
  std::vector<uint32_t> out =
      runBody(".reg .b64 a, b; mov.u64 a, %clock64; mov.u64 b, %clock64; sub.u64 b, b, a; "
              "st.global.u64 [%out], b; mov.u64 a, %globaltimer; mov.u64 b, %globaltimer; "
              "sub.u64 b, b, a; st.global.u64 [%out+8], b;",
              {}, 4, 64);
  for (uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(out[4 * t + 1], 0u);
    EXPECT_EQ(out[4 * t + 3], 0u);
  }
  for (const char *name : {"%clock", "%clock_hi", "%globaltimer_lo", "%globaltimer_hi", "%smid",
                           "%nsmid", "%nwarpid", "%total_smem_size", "%aggr_smem_size"})
    read(name);
  read("%gridid", ".u64");
  read("%current_graph_exec", ".u64");
}
