// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// setp, set, slct and selp of every type, with and without a predicate to combine with, against
// comparisons of C++. PTX ISA 9.0, 9.7.6 "Comparison and Selection Instructions" and 9.7.7 "Half
// Precision Comparison Instructions".
#include "test/emulator/InstructionRig.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace heddle::test;

namespace {

using u64 = uint64_t;
using s128 = __int128;
using Holds = std::function<bool(u64, u64)>;

struct Operand {
  std::string name;
  Type type;
  bool isFloat;
  double (*value)(u64);
  s128 (*whole)(u64);
};

template <typename T> s128 wholeOf(u64 bits) { return s128(T(bits)); }
double floatOf(u64 bits) { return asFloat(bits); }

const std::vector<Operand> &integers() {
  static const std::vector<Operand> kAll = {{"b16", Type::kB16, false, nullptr, wholeOf<uint16_t>},
                                            {"b32", Type::kB32, false, nullptr, wholeOf<uint32_t>},
                                            {"b64", Type::kB64, false, nullptr, wholeOf<uint64_t>},
                                            {"u16", Type::kB16, false, nullptr, wholeOf<uint16_t>},
                                            {"u32", Type::kB32, false, nullptr, wholeOf<uint32_t>},
                                            {"u64", Type::kB64, false, nullptr, wholeOf<uint64_t>},
                                            {"s16", Type::kB16, false, nullptr, wholeOf<int16_t>},
                                            {"s32", Type::kB32, false, nullptr, wholeOf<int32_t>},
                                            {"s64", Type::kB64, false, nullptr, wholeOf<int64_t>}};
  return kAll;
}
const std::vector<Operand> &floats() {
  static const std::vector<Operand> kAll = {{"f32", Type::kF32, true, floatOf, nullptr},
                                            {"f64", Type::kF64, true, asDouble, nullptr},
                                            {"f16", Type::kF16, true, halfValue, nullptr},
                                            {"bf16", Type::kBF16, true, brainValue, nullptr}};
  return kAll;
}

struct Comparison {
  std::string name;
  Holds holds;
};

/// -1, 0, 1, or 2 where they are unordered, looked up in a string of those for which it holds.
std::vector<Comparison> comparisonsOf(const Operand &type) {
  auto order = [type](u64 a, u64 b) {
    if (!type.isFloat)
      return type.whole(a) < type.whole(b) ? '<' : type.whole(a) > type.whole(b) ? '>' : '=';
    double x = type.value(a), y = type.value(b);
    return std::isnan(x) || std::isnan(y) ? 'u' : x < y ? '<' : x > y ? '>' : '=';
  };
  std::vector<std::pair<std::string, std::string>> rows = {{"eq", "="}, {"ne", "<>"}};
  if (type.name[0] != 'b' || type.isFloat)
    rows.insert(rows.end(), {{"lt", "<"}, {"le", "<="}, {"gt", ">"}, {"ge", ">="}});
  if (type.name[0] == 'u')
    rows.insert(rows.end(), {{"lo", "<"}, {"ls", "<="}, {"hi", ">"}, {"hs", ">="}});
  if (type.isFloat)
    rows.insert(rows.end(), {{"equ", "=u"},
                             {"neu", "<>u"},
                             {"ltu", "<u"},
                             {"leu", "<=u"},
                             {"gtu", ">u"},
                             {"geu", ">=u"},
                             {"num", "<=>"},
                             {"nan", "u"}});
  std::vector<Comparison> result;
  for (const auto &[name, of] : rows)
    result.push_back(
        {name, [=, of = of](u64 a, u64 b) { return of.find(order(a, b)) != std::string::npos; }});
  return result;
}

struct Combination {
  const char *name;
  bool (*of)(bool, bool);
};
const Combination kCombinations[] = {{"and", [](bool t, bool c) { return t && c; }},
                                     {"or", [](bool t, bool c) { return t || c; }},
                                     {"xor", [](bool t, bool c) { return t != c; }}};

} // namespace

TEST(CompareTable, Setp) {
  std::vector<Case> cases;
  auto add = [&](const Operand &type, const Comparison &c) {
    cases.push_back({"setp." + c.name + "." + type.name,
                     Type::kPred,
                     {type.type, type.type},
                     [=](u64 a, u64 b, u64) { return u64(c.holds(a, b)); }});
    for (const Combination &with : kCombinations) {
      std::string name = "setp." + c.name + "." + with.name + "." + type.name;
      // The other predicate; f16 has one result alone.
      cases.push_back({name + " %dp, %a, %b, !%cp;",
                       Type::kPred,
                       {type.type, type.type, Type::kPred},
                       [=](u64 a, u64 b, u64 p) { return u64(with.of(c.holds(a, b), !p)); }});
      if (type.type == Type::kF16 || type.type == Type::kBF16)
        continue;
      cases.push_back({"{ .reg .pred x; " + name + " x|%dp, %a, %b, %cp; }",
                       Type::kPred,
                       {type.type, type.type, Type::kPred},
                       [=](u64 a, u64 b, u64 p) { return u64(with.of(!c.holds(a, b), p)); }});
    }
  };
  for (const auto &types : {integers(), floats()})
    for (const Operand &type : types)
      for (const Comparison &c : comparisonsOf(type))
        add(type, c);
  checkCases(cases);
}

// The first predicate is that of the low halves, the second one that of the high halves.
TEST(CompareTable, SetpOfPairs) {
  std::vector<Case> cases;
  for (const Operand &type : {floats()[2], floats()[3]})
    for (const Comparison &c : comparisonsOf(type)) {
      Type pair = type.type == Type::kF16 ? Type::kF16x2 : Type::kBF16x2;
      std::string name = "setp." + c.name;
      std::string take = " selp.b32 %d, 1, 0, p; @q or.b32 %d, %d, 2; }";
      auto two = [=](u64 a, u64 b, auto f) {
        return u64(f(c.holds(a & 0xffff, b & 0xffff))) | u64(f(c.holds(a >> 16, b >> 16))) << 1;
      };
      cases.push_back({"{ .reg .pred p, q; " + name + "." + type.name + "x2 p|q, %a, %b;" + take,
                       Type::kB32,
                       {pair, pair},
                       [=](u64 a, u64 b, u64) { return two(a, b, [](bool t) { return t; }); }});
      for (const Combination &with : kCombinations)
        cases.push_back({"{ .reg .pred p, q; " + name + "." + with.name + "." + type.name +
                             "x2 p|q, %a, %b, !%cp;" + take,
                         Type::kB32,
                         {pair, pair, Type::kPred},
                         [=](u64 a, u64 b, u64 p) {
                           return two(a, b, [=](bool t) { return with.of(t, !p); });
                         }});
    }
  checkCases(cases);
}

// All ones or 1.0 where it holds, else zeros.
TEST(CompareTable, Set) {
  std::vector<Case> cases;
  auto add = [&](const Operand &type, const std::string &to, Type result, u64 truth) {
    for (const Comparison &c : comparisonsOf(type)) {
      cases.push_back({"set." + c.name + "." + to + "." + type.name,
                       result,
                       {type.type, type.type},
                       [=](u64 a, u64 b, u64) { return c.holds(a, b) ? truth : 0; }});
      if (type.type == Type::kF16 || type.type == Type::kBF16)
        continue;
      for (const Combination &with : kCombinations)
        cases.push_back(
            {"set." + c.name + "." + with.name + "." + to + "." + type.name + " %d, %a, %b, !%cp;",
             result,
             {type.type, type.type, Type::kPred},
             [=](u64 a, u64 b, u64 p) { return with.of(c.holds(a, b), !p) ? truth : 0; }});
    }
  };
  for (const auto &types : {integers(), floats()})
    for (const Operand &type : types) {
      add(type, "u32", Type::kB32, 0xffffffff);
      add(type, "s32", Type::kB32, 0xffffffff);
      if (type.type != Type::kF16 && type.type != Type::kBF16) {
        add(type, "f32", Type::kB32, 0x3f800000);
        continue;
      }
      add(type, "u16", Type::kB16, 0xffff);
      add(type, "s16", Type::kB16, 0xffff);
      add(type, type.name, Type::kB16, type.type == Type::kF16 ? 0x3c00 : 0x3f80);
    }
  for (const Operand &type : {floats()[2], floats()[3]})
    for (const Comparison &c : comparisonsOf(type)) {
      bool isHalf = type.type == Type::kF16;
      Type pair = isHalf ? Type::kF16x2 : Type::kBF16x2;
      u64 truth = isHalf ? 0x3c00 : 0x3f80;
      std::string types = "." + type.name + "x2." + type.name + "x2";
      cases.push_back({"set." + c.name + types, Type::kB32, {pair, pair}, [=](u64 a, u64 b, u64) {
                         return (c.holds(a & 0xffff, b & 0xffff) ? truth : 0) |
                                (c.holds(a >> 16, b >> 16) ? truth << 16 : 0);
                       }});
    }
  checkCases(cases);
}

// .ftz: subnormal sources are zeros; so they are equal to zero.
TEST(CompareTable, Flushed) {
  auto single = [](u64 a) { return a & 0x7f800000 ? asFloat(a) : 0.0f; };
  auto half = [](u64 a) { return a & 0x7c00 ? halfValue(a) : 0.0; };
  auto both = [=](u64 a, u64 b, auto f) {
    return u64(f(half(a & 0xffff), half(b & 0xffff))) | u64(f(half(a >> 16), half(b >> 16))) << 1;
  };
  constexpr Type F = Type::kF32, H = Type::kF16, HH = Type::kF16x2;
  checkCases({
      {"setp.eq.ftz.f32",
       Type::kPred,
       {F, F},
       [=](u64 a, u64 b, u64) { return u64(single(a) == single(b)); }},
      {"set.gt.ftz.u32.f32",
       Type::kB32,
       {F, F},
       [=](u64 a, u64 b, u64) { return u64(single(a) > single(b) ? 0xffffffff : 0); }},
      {"setp.lt.ftz.f16",
       Type::kPred,
       {H, H},
       [=](u64 a, u64 b, u64) { return u64(half(a) < half(b)); }},
      {"set.eq.ftz.f16.f16",
       Type::kB16,
       {H, H},
       [=](u64 a, u64 b, u64) { return u64(half(a) == half(b) ? 0x3c00 : 0); }},
      {"{ .reg .pred p, q; setp.eq.ftz.f16x2 p|q, %a, %b; selp.b32 %d, 1, 0, p; "
       "@q or.b32 %d, %d, 2; }",
       Type::kB32,
       {HH, HH},
       [=](u64 a, u64 b, u64) { return both(a, b, [](double x, double y) { return x == y; }); }},
      // Here c is flushed alone: -1e-40 is as good as zero.
      {"slct.ftz.f32.f32",
       Type::kB32,
       {F, F, F},
       [=](u64 a, u64 b, u64 c) { return single(c) >= 0 ? a : b; }},
      {"slct.ftz.b64.f32",
       Type::kB64,
       {Type::kB64, Type::kB64, F},
       [=](u64 a, u64 b, u64 c) { return single(c) >= 0 ? a : b; }},
  });
}

TEST(CompareTable, Selections) {
  std::vector<Case> cases;
  const std::pair<const char *, Type> kTypes[] = {
      {"b16", Type::kB16}, {"b32", Type::kB32}, {"b64", Type::kB64}, {"u16", Type::kB16},
      {"u32", Type::kB32}, {"u64", Type::kB64}, {"s16", Type::kB16}, {"s32", Type::kB32},
      {"s64", Type::kB64}, {"f32", Type::kB32}, {"f64", Type::kB64}};
  for (const auto &[name, type] : kTypes) {
    std::string t = name;
    cases.push_back({"selp." + t + " %d, %a, %b, %cp;",
                     type,
                     {type, type, Type::kPred},
                     [](u64 a, u64 b, u64 p) { return p ? a : b; }});
    cases.push_back({"selp." + t + " %d, %a, %b, !%cp;",
                     type,
                     {type, type, Type::kPred},
                     [](u64 a, u64 b, u64 p) { return p ? b : a; }});
    cases.push_back({"slct." + t + ".s32", type, {type, type, Type::kB32}, [](u64 a, u64 b, u64 c) {
                       return int32_t(c) >= 0 ? a : b;
                     }});
    // -0.0 is as good as zero, a NaN chooses b.
    cases.push_back({"slct." + t + ".f32", type, {type, type, Type::kF32}, [](u64 a, u64 b, u64 c) {
                       return asFloat(c) >= 0 ? a : b;
                     }});
  }
  checkCases(cases);
}
