// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise reductions in memory. Clusters run on several threads, so elements are changed by
// the host's atomic instructions.
#include "runtime/emulator/async/Reduction.h"
#include <cmath>
#include <cstring>
#include <iterator>

namespace heddle::emulator {

namespace {

constexpr std::string_view kOpNames[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
constexpr std::string_view kTypeNames[] = {"u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"};
static_assert(std::size(kOpNames) == static_cast<size_t>(ReduceOp::kCount));
static_assert(std::size(kTypeNames) == static_cast<size_t>(ReduceType::kCount));

template <typename To, typename From> To bitsAs(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = half >> 10 & 0x1f, low = half & 0x3ff;
  if (exponent == 0x1f)
    return bitsAs<float>(sign | 0x7f800000 | low << 13);
  if (exponent == 0) {
    float value = static_cast<float>(low) * 0x1p-24f;
    return sign ? -value : value;
  }
  return bitsAs<float>(sign | (exponent + 112) << 23 | low << 13);
}

/// Rounds to the nearest, ties to even.
uint16_t floatToHalf(float value) {
  uint32_t bits = bitsAs<uint32_t>(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  if (rest > 0x7f800000)
    return 0x7fff;
  if (rest >= 0x477ff000) // rounds beyond 65504
    return static_cast<uint16_t>(sign | 0x7c00);
  if (rest < 0x38800000) { // subnormal: in units of 2^-24
    float units = std::nearbyint(std::fabs(value) * 0x1p24f);
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(units));
  }
  uint32_t rounded = rest + 0xfff + (rest >> 13 & 1);
  return static_cast<uint16_t>(sign | (rounded - (112u << 23)) >> 13);
}

float brainToFloat(uint16_t brain) { return bitsAs<float>(uint32_t(brain) << 16); }
uint16_t floatToBrain(float value) {
  uint32_t bits = bitsAs<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
uint32_t addFloat(uint32_t a, uint32_t b, bool flushes) {
  float x = bitsAs<float>(a), y = bitsAs<float>(b);
  float sum = flushes ? flushed(flushed(x) + flushed(y)) : x + y;
  return std::isnan(sum) ? 0x7fffffff : bitsAs<uint32_t>(sum);
}
uint64_t addDouble(uint64_t a, uint64_t b) {
  double sum = bitsAs<double>(a) + bitsAs<double>(b);
  return std::isnan(sum) ? 0x7fffffffffffffff : bitsAs<uint64_t>(sum);
}

/// The smaller or larger of two 16-bit floats by their bits: a NaN loses, -0 is less than +0.
uint16_t pickHalf(uint16_t a, uint16_t b, bool wantsMax, uint16_t infinity) {
  bool isNaNA = (a & 0x7fff) > infinity, isNaNB = (b & 0x7fff) > infinity;
  if (isNaNA || isNaNB)
    return isNaNA && isNaNB ? 0x7fff : isNaNA ? b : a;
  auto order = [](uint16_t bits) {
    int32_t magnitude = bits & 0x7fff;
    return bits & 0x8000 ? -magnitude - 1 : magnitude;
  };
  return (order(a) < order(b)) == wantsMax ? b : a;
}

/// Elements of 8 bytes change together where they can: an atomic change of eight bytes is one of
/// each element in them.
template <typename U, typename F>
void forEachElement(uint8_t *to, const uint8_t *from, uint32_t bytes, F combine) {
  constexpr uint32_t kTogether = 8 / sizeof(U);
  auto change = [](auto *place, auto next) {
    auto old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(place, &old, next(old), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
  };
  for (uint32_t i = 0; i < bytes;) {
    if (bytes - i >= 8 && reinterpret_cast<uintptr_t>(to + i) % 8 == 0) {
      U source[kTogether];
      std::memcpy(source, from + i, 8);
      change(reinterpret_cast<uint64_t *>(to + i), [&](uint64_t old) {
        U values[kTogether];
        std::memcpy(values, &old, 8);
        for (uint32_t k = 0; k < kTogether; ++k)
          values[k] = combine(values[k], source[k]);
        uint64_t next;
        std::memcpy(&next, values, 8);
        return next;
      });
      i += 8;
      continue;
    }
    U source;
    std::memcpy(&source, from + i, sizeof source);
    change(reinterpret_cast<U *>(to + i),
           [&](U old) { return static_cast<U>(combine(old, source)); });
    i += sizeof(U);
  }
}

template <typename T>
void reduceIntegers(ReduceOp op, uint8_t *to, const uint8_t *from, uint32_t n) {
  switch (op) {
  case ReduceOp::kAdd:
    using U = std::make_unsigned_t<T>;
    return forEachElement<U>(to, from, n, [](U a, U b) { return U(a + b); });
  case ReduceOp::kMin:
    return forEachElement<T>(to, from, n, [](T a, T b) { return b < a ? b : a; });
  case ReduceOp::kMax:
    return forEachElement<T>(to, from, n, [](T a, T b) { return b > a ? b : a; });
  case ReduceOp::kInc:
    return forEachElement<T>(to, from, n, [](T a, T b) { return T(a >= b ? 0 : a + 1); });
  case ReduceOp::kDec:
    return forEachElement<T>(to, from, n, [](T a, T b) { return T(a == 0 || a > b ? b : a - 1); });
  case ReduceOp::kAnd:
    return forEachElement<T>(to, from, n, [](T a, T b) { return T(a & b); });
  case ReduceOp::kOr:
    return forEachElement<T>(to, from, n, [](T a, T b) { return T(a | b); });
  case ReduceOp::kXor:
    return forEachElement<T>(to, from, n, [](T a, T b) { return T(a ^ b); });
  case ReduceOp::kCount:
    return;
  }
}

void reduceHalves(const Reduction &reduction, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  bool isBrain = reduction.type == ReduceType::kBF16;
  uint16_t infinity = isBrain ? 0x7f80 : 0x7c00;
  if (reduction.op != ReduceOp::kAdd)
    return forEachElement<uint16_t>(to, from, bytes, [&](uint16_t a, uint16_t b) {
      return pickHalf(a, b, reduction.op == ReduceOp::kMax, infinity);
    });
  // A sum in f32 that is rounded again is rounded right: 24 bits are more than twice 11, and 2.
  if (isBrain)
    forEachElement<uint16_t>(to, from, bytes, [](uint16_t a, uint16_t b) {
      return floatToBrain(brainToFloat(a) + brainToFloat(b));
    });
  else
    forEachElement<uint16_t>(to, from, bytes, [](uint16_t a, uint16_t b) {
      return floatToHalf(halfToFloat(a) + halfToFloat(b));
    });
}

} // namespace

bool findReduceOp(std::string_view name, ReduceOp &op) {
  for (size_t i = 0; i < std::size(kOpNames); ++i)
    if (kOpNames[i] == name)
      return op = static_cast<ReduceOp>(i), true;
  return false;
}

bool findReduceType(std::string_view name, ReduceType &type) {
  if (name == "b32" || name == "b64")
    return type = name == "b32" ? ReduceType::kU32 : ReduceType::kU64, true;
  for (size_t i = 0; i < std::size(kTypeNames); ++i)
    if (kTypeNames[i] == name)
      return type = static_cast<ReduceType>(i), true;
  return false;
}

uint32_t reduceTypeBytes(ReduceType type) {
  static const uint8_t kBytes[] = {4, 4, 8, 8, 2, 2, 4, 8};
  return kBytes[static_cast<size_t>(type)];
}

/// The tables of PTX ISA 9.0, cp.reduce.async.bulk and cp.reduce.async.bulk.tensor.
bool isReduction(ReduceTarget target, ReduceOp op, ReduceType type) {
  bool isShared = target == ReduceTarget::kShared, isTensor = target == ReduceTarget::kTensor;
  bool isHalf = type == ReduceType::kF16 || type == ReduceType::kBF16;
  bool isWord = type == ReduceType::kU32 || type == ReduceType::kS32;
  bool isWide = type == ReduceType::kU64 || type == ReduceType::kS64;
  switch (op) {
  case ReduceOp::kAdd:
    if (isWord || type == ReduceType::kU64)
      return true;
    return !isShared &&
           (isHalf || type == ReduceType::kF32 || (type == ReduceType::kF64 && !isTensor));
  case ReduceOp::kMin:
  case ReduceOp::kMax:
    return isWord || (!isShared && (isWide || isHalf));
  case ReduceOp::kInc:
  case ReduceOp::kDec:
    return type == ReduceType::kU32;
  case ReduceOp::kAnd:
  case ReduceOp::kOr:
  case ReduceOp::kXor:
    // Of integers only the width counts; floats in a tensor map have none of these.
    return isWord || (!isShared && isWide);
  case ReduceOp::kCount:
    break;
  }
  return false;
}

void reduceInto(const Reduction &reduction, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  switch (reduction.type) {
  case ReduceType::kU32:
    return reduceIntegers<uint32_t>(reduction.op, to, from, bytes);
  case ReduceType::kS32:
    return reduceIntegers<int32_t>(reduction.op, to, from, bytes);
  case ReduceType::kU64:
    return reduceIntegers<uint64_t>(reduction.op, to, from, bytes);
  case ReduceType::kS64:
    return reduceIntegers<int64_t>(reduction.op, to, from, bytes);
  case ReduceType::kF16:
  case ReduceType::kBF16:
    return reduceHalves(reduction, to, from, bytes);
  case ReduceType::kF32:
    return forEachElement<uint32_t>(
        to, from, bytes, [&](uint32_t a, uint32_t b) { return addFloat(a, b, reduction.flushes); });
  case ReduceType::kF64:
    return forEachElement<uint64_t>(to, from, bytes, addDouble);
  case ReduceType::kCount:
    return;
  }
}

} // namespace heddle::emulator
