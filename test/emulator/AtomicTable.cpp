// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atom and red of every operation and type: the old value, and what memory holds afterwards. Each
// thread has a place of its own; how threads meet at one place is EngineTest's. PTX ISA 9.0,
// 9.7.13.16 and 9.7.13.17.
#include "test/emulator/FormatModel.h"
#include "test/emulator/InstructionRig.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace heddle::test;

namespace {

using u64 = uint64_t;
constexpr Type H = Type::kB16, W = Type::kB32, D = Type::kB64;

struct Row {
  std::string name; ///< "add.u32"
  Type type;
  std::function<u64(u64, u64)> f;
};

u64 bitsFor(Type type) {
  return type == D || type == Type::kF64                          ? 64
         : type == H || type == Type::kF16 || type == Type::kBF16 ? 16
                                                                  : 32;
}

/// %a goes to the thread's place, in global or shared memory; then the old or the new value is %d.
void addRow(std::vector<Case> &cases, const Row &row, const std::string &modifiers = "") {
  u64 bits = bitsFor(row.type);
  std::string b = ".b" + std::to_string(bits);
  // By shared address, by generic address, by global address; with and without its result.
  const std::pair<std::string, std::string> kPlaces[] = {
      {".shared", "{ .shared .align 8 .b8 places[1024]; .reg .b32 x, t; mov.u32 x, places; "
                  "mov.u32 t, %tid.x; mad.lo.s32 x, t, 8, x; "},
      {".global", "{ .reg .b64 x; mov.b64 x, %o; "},
      {"", "{ .shared .align 8 .b8 places[1024]; .reg .b64 x; .reg .b32 t; mov.b64 x, places; "
           "cvta.shared.u64 x, x; mov.u32 t, %tid.x; mad.wide.u32 x, t, 8, x; "}};
  for (const auto &[space, start] : kPlaces) {
    std::string set = start + "st" + space + b + " [x], %a; ", op = space + "." + row.name;
    std::string get = "ld" + space + b + " %d, [x]; }";
    cases.push_back({set + "atom" + modifiers + op + " %d, [x], %b; }",
                     row.type,
                     {row.type, row.type},
                     [](u64 a, u64, u64) { return a; }});
    // Some versions of ptxas do not take "_" with bf16.
    std::string sink = row.name.find("bf16") == std::string::npos ? " _" : " %d";
    auto changed = [=](u64 a, u64 b, u64) { return row.f(a, b); };
    cases.push_back({set + "atom" + modifiers + op + sink + ", [x], %b; " + get,
                     row.type,
                     {row.type, row.type},
                     changed});
    if (row.name.starts_with("exch"))
      continue;
    cases.push_back({set + "red" + modifiers + op + " [x], %b; " + get,
                     row.type,
                     {row.type, row.type},
                     changed});
  }
}

template <typename T> std::vector<Row> wholeRows(const std::string &type, Type of) {
  return {{"min." + type, of, [](u64 a, u64 b) { return u64(std::min(T(a), T(b))); }},
          {"max." + type, of, [](u64 a, u64 b) { return u64(std::max(T(a), T(b))); }}};
}

} // namespace

TEST(AtomicTable, Integers) {
  std::vector<Case> cases;
  std::vector<Row> rows = {
      {"add.u32", W, [](u64 a, u64 b) { return a + b; }},
      {"add.s32", W, [](u64 a, u64 b) { return a + b; }},
      {"add.u64", D, [](u64 a, u64 b) { return a + b; }},
      // Counts up to b and starts again; counts down from b.
      {"inc.u32", W, [](u64 a, u64 b) { return a >= b ? 0 : a + 1; }},
      {"dec.u32", W, [](u64 a, u64 b) { return a == 0 || a > b ? b : a - 1; }}};
  for (auto [bits, type] : {std::pair{".b32", W}, {".b64", D}}) {
    rows.push_back({std::string("exch") + bits, type, [](u64, u64 b) { return b; }});
    rows.push_back({std::string("and") + bits, type, [](u64 a, u64 b) { return a & b; }});
    rows.push_back({std::string("or") + bits, type, [](u64 a, u64 b) { return a | b; }});
    rows.push_back({std::string("xor") + bits, type, [](u64 a, u64 b) { return a ^ b; }});
  }
  for (const auto &more : {wholeRows<uint32_t>("u32", W), wholeRows<int32_t>("s32", W),
                           wholeRows<uint64_t>("u64", D), wholeRows<int64_t>("s64", D)})
    rows.insert(rows.end(), more.begin(), more.end());
  for (const Row &row : rows)
    addRow(cases, row);
  checkCases(cases);
}

// Whether f32 in global memory flushes subnormals is left to the implementation: here it does not.
TEST(AtomicTable, Floats) {
  std::vector<Case> cases;
  addRow(cases,
         {"add.f32", Type::kF32, [](u64 a, u64 b) { return bitsOf(asFloat(a) + asFloat(b)); }});
  addRow(cases,
         {"add.f64", Type::kF64, [](u64 a, u64 b) { return bitsOf(asDouble(a) + asDouble(b)); }});
  for (auto [name, format, one, two] : {std::tuple{"f16", kHalfFormat, Type::kF16, Type::kF16x2},
                                        {"bf16", kBrainFormat, Type::kBF16, Type::kBF16x2}}) {
    auto sum = [f = format](u64 a, u64 b) {
      return roundTo(f, valueOf(f, a & 0xffff) + valueOf(f, b & 0xffff), Direction::kNearest);
    };
    addRow(cases, {std::string("add.noftz.") + name, one, sum});
    addRow(cases, {std::string("add.noftz.") + name + "x2", two,
                   [=](u64 a, u64 b) { return sum(a, b) | sum(a >> 16, b >> 16) << 16; }});
  }
  checkCases(cases);
}

// .cas stores where memory holds the second operand.
TEST(AtomicTable, CompareAndSwap) {
  std::vector<Case> cases;
  for (auto [bits, type] : {std::pair{".b16", H}, {".b32", W}, {".b64", D}})
    for (const char *space : {".global", ""}) {
      std::string b = bits, set = "st.global" + b + " [%o], %a; ";
      std::string op = std::string("atom") + space + ".cas" + b;
      cases.push_back(
          {set + op + " %d, [%o], %b, %c;", type, {type, type, type}, [](u64 a, u64, u64) {
             return a;
           }});
      cases.push_back({set + op + " _, [%o], %b, %c; ld.global" + b + " %d, [%o];",
                       type,
                       {type, type, type},
                       [](u64 a, u64 b, u64 c) { return a == b ? c : a; }});
      cases.push_back({set + op + " _, [%o], %a, %c; ld.global" + b + " %d, [%o];",
                       type,
                       {type, type, type},
                       [](u64, u64, u64 c) { return c; }});
    }
  checkCases(cases);
}

TEST(AtomicTable, OrdersAndScopes) {
  std::vector<Case> cases;
  for (const char *order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"})
    for (const char *scope : {"", ".cta", ".cluster", ".gpu", ".sys"})
      cases.push_back({std::string("st.global.b32 [%o], %a; atom") + order + scope +
                           ".global.add.u32 %d, [%o], %b; ld.global.b32 %d, [%o];",
                       W,
                       {W, W},
                       [](u64 a, u64 b, u64) { return a + b; }});
  checkCases(cases);
}

// Words 0 and 1 are one number, 2 and 3 the upper half; 128 bits move as one.
TEST(AtomicTable, SixteenBytes) {
  std::vector<uint32_t> rows;
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 8; ++i)
      rows.push_back(lane * 256 + i);
  std::string loads = ".reg .b128 a, b, old; .reg .b64 x<4>; ld.global.v2.b64 {x0, x1}, [%in]; "
                      "ld.global.v2.b64 {x2, x3}, [%in+16]; mov.b128 a, {x0, x1}; "
                      "mov.b128 b, {x2, x3}; st.global.b128 [%out], a; ";
  std::string stores = " mov.b128 {x0, x1}, old; st.global.v2.b64 [%out+16], {x0, x1};";
  auto check = [&](const std::string &op, bool isChanged) {
    std::vector<uint32_t> out = runBody(loads + op + stores, rows, 8, 32);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(out[lane * 8 + i], rows[lane * 8 + i + (isChanged ? 4 : 0)]) << op;
        EXPECT_EQ(out[lane * 8 + 4 + i], rows[lane * 8 + i]) << op;
      }
  };
  check("atom.global.exch.b128 old, [%out], b;", true);
  check("atom.global.cas.b128 old, [%out], a, b;", true);
  check("atom.global.cas.b128 old, [%out], b, b;", false);
}

// Each element for itself; the old values come back.
TEST(AtomicTable, Vectors) {
  std::vector<uint32_t> rows;
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 8; ++i)
      rows.push_back(uint32_t(bitsOf(float(lane + i) / 4)));
  std::string body = ".reg .b32 a<4>, b<4>; ld.global.v4.b32 {a0, a1, a2, a3}, [%in]; "
                     "ld.global.v4.b32 {b0, b1, b2, b3}, [%in+16]; "
                     "st.global.v4.b32 [%out], {a0, a1, a2, a3}; "
                     "atom.global.v4.f32.add {a0, a1, a2, a3}, [%out], {b0, b1, b2, b3}; "
                     "st.global.v4.b32 [%out+16], {a0, a1, a2, a3};";
  std::vector<uint32_t> out = runBody(body, rows, 8, 32);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(asFloat(out[lane * 8 + i]), float(lane + i) / 4 + float(lane + i + 4) / 4);
      EXPECT_EQ(asFloat(out[lane * 8 + 4 + i]), float(lane + i) / 4);
    }
  // 16-bit elements: halves 0 to 7 of a row, and 8 to 15.
  for (const char *op : {"add", "min", "max"})
    for (bool isBrain : {false, true}) {
      const Format &f = isBrain ? kBrainFormat : kHalfFormat;
      std::vector<uint32_t> halves;
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t i = 0; i < 8; ++i) {
          uint64_t low = roundTo(f, (int(lane) - int(3 * i)) / 8.0L, Direction::kNearest);
          uint64_t high = roundTo(f, (int(i) - 5.0L) * int(lane), Direction::kNearest);
          halves.push_back(uint32_t(high << 16 | low));
        }
      std::string type = isBrain ? ".bf16" : ".f16";
      std::string registers = "{h0, h1, h2, h3, h4, h5, h6, h7}";
      std::string text = ".reg .b32 a<4>; .reg .b16 h<8>; ld.global.v4.b32 {a0, a1, a2, a3}, [%in];"
                         " st.global.v4.b32 [%out], {a0, a1, a2, a3}; "
                         "ld.global.v4.b32 {a0, a1, a2, a3}, [%in+16]; mov.b32 {h0, h1}, a0; "
                         "mov.b32 {h2, h3}, a1; mov.b32 {h4, h5}, a2; mov.b32 {h6, h7}, a3; "
                         "red.global.v8" +
                         type + "." + op + ".noftz [%out], " + registers + ";";
      std::vector<uint32_t> result = runBody(text, halves, 8, 32);
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t i = 0; i < 4; ++i)
          for (uint32_t shift : {0, 16}) {
            long double x = valueOf(f, halves[lane * 8 + i] >> shift & 0xffff);
            long double y = valueOf(f, halves[lane * 8 + i + 4] >> shift & 0xffff);
            bool isLess = x < y || (x == y && std::signbit(x)); // -0 is below +0
            long double z = op[0] == 'a' ? x + y : (op[1] == 'i') == isLess ? x : y;
            EXPECT_EQ(result[lane * 8 + i] >> shift & 0xffff, roundTo(f, z, Direction::kNearest))
                << op << type << " lane " << lane << " word " << i;
          }
    }
}
