// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filling, comparing and printing, one element at a time.
#include "runtime/cli/Elements.h"
#include "runtime/cli/FloatFormat.h"
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstring>
#include <unistd.h>

namespace heddle::runtime::cli {

uint64_t elementBits(const Tensor &tensor, size_t index) {
  unsigned width = bits(tensor.dtype);
  if (width < 8) {
    unsigned perByte = 8 / width;
    return tensor.bytes[index / perByte] >> (index % perByte * width) & ((1u << width) - 1);
  }
  uint64_t result = 0;
  std::memcpy(&result, &tensor.bytes[index * (width / 8)], width / 8);
  return result;
}

static int64_t signedValue(DType dtype, uint64_t raw) {
  unsigned shift = 64 - bits(dtype);
  return static_cast<int64_t>(raw << shift) >> shift;
}

double elementValue(const Tensor &tensor, size_t index) {
  uint64_t raw = elementBits(tensor, index);
  if (isFloat(tensor.dtype))
    return decodeFloat(tensor.dtype, raw);
  if (tensor.dtype != DType::kBool && isSigned(tensor.dtype))
    return static_cast<double>(signedValue(tensor.dtype, raw));
  return static_cast<double>(raw);
}

std::string formatElement(const Tensor &tensor, size_t index) {
  uint64_t raw = elementBits(tensor, index);
  if (tensor.dtype == DType::kBool)
    return raw ? "true" : "false";
  if (!isFloat(tensor.dtype))
    return isSigned(tensor.dtype) ? std::to_string(signedValue(tensor.dtype, raw))
                                  : std::to_string(raw);
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", decodeFloat(tensor.dtype, raw));
  return text;
}

std::string preview(const Tensor &tensor, size_t limit) {
  Result<int64_t> count = elementCount(tensor.dims);
  size_t total = count.ok() ? static_cast<size_t>(*count) : 0;
  std::string text;
  for (size_t i = 0; i < std::min(total, limit); ++i)
    text += (i ? " " : "") + formatElement(tensor, i);
  return total > limit ? text + " ..." : text;
}

/// SplitMix64: a published generator of four lines whose numbers do not depend on the library.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static uint64_t randomBits(DType dtype, uint64_t &state) {
  uint64_t random = nextRandom(state);
  if (dtype == DType::kBool)
    return random >> 63;
  if (dtype == DType::kF8E8M0) // powers of two without sign: 2^-8 to 2^-1
    return 119 + random % 8;
  if (isFloat(dtype)) {
    // 24 bits: the same value in f32 and f64, rounded only in narrower types. Rounding must not
    // reach 1, so the value is cut to what an f16 or bf16 keeps below it.
    double value = std::ldexp(static_cast<double>(random >> 40), -23) - 1.0;
    uint64_t code = encodeFloat(dtype, value);
    return decodeFloat(dtype, code) < 1.0 ? code : encodeFloat(dtype, 0.0);
  }
  unsigned valueBits = bits(dtype) - (isSigned(dtype) ? 1 : 0);
  uint64_t choices = valueBits >= 4 ? 10 : uint64_t{1} << valueBits;
  return random % choices;
}

Result<Tensor> randomTensor(DType dtype, const Dims &dims, uint64_t seed) {
  HEDDLE_TRY_ASSIGN(int64_t count, elementCount(dims));
  HEDDLE_TRY_ASSIGN(int64_t bytes, tensorBytes(dtype, dims));
  int64_t memory = static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  if (bytes > memory)
    return outOfMemory("shape " + formatDims(dims) + " needs " + std::to_string(bytes) +
                       " bytes, this machine has " + std::to_string(memory));
  Tensor tensor{dtype, dims, std::vector<uint8_t>(static_cast<size_t>(bytes))};
  uint64_t state = seed;
  unsigned width = bits(dtype);
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    uint64_t value = randomBits(dtype, state);
    if (width >= 8) {
      std::memcpy(&tensor.bytes[i * (width / 8)], &value, width / 8);
      continue;
    }
    unsigned perByte = 8 / width;
    uint8_t &byte = tensor.bytes[i / perByte];
    byte = static_cast<uint8_t>(byte | value << (i % perByte * width));
  }
  return tensor;
}

static std::string formatIndex(size_t flat, const Dims &dims) {
  Dims index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = static_cast<int64_t>(flat) % dims[d];
    flat /= static_cast<size_t>(dims[d]);
  }
  return formatDims(index);
}

static std::string formatNumber(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

Result<std::string> compareTensors(const Tensor &got, const Tensor &expected,
                                   const Tolerance &tolerance) {
  auto differ = [](const std::string &text) { return Status(StatusCode::kFailedCheck, text); };
  if (got.dtype != expected.dtype)
    return differ("is " + std::string(name(got.dtype)) + ", expected " +
                  std::string(name(expected.dtype)));
  if (got.dims != expected.dims)
    return differ("has shape " + formatDims(got.dims) + ", expected " + formatDims(expected.dims));
  HEDDLE_TRY_ASSIGN(int64_t count, elementCount(got.dims));
  bool exact = !isFloat(got.dtype);
  double largest = 0, worstExcess = -1;
  int64_t wrong = 0;
  size_t worst = 0;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    if (elementBits(got, i) == elementBits(expected, i))
      continue;
    double a = elementValue(got, i), b = elementValue(expected, i);
    if (!exact && ((std::isnan(a) && std::isnan(b)) || a == b))
      continue;
    double difference = std::fabs(a - b);
    if (std::isnan(difference))
      difference = HUGE_VAL;
    largest = std::max(largest, difference);
    double excess = difference - (tolerance.absolute + tolerance.relative * std::fabs(b));
    bool within = !exact && excess <= 0 && std::isfinite(b);
    if (within)
      continue;
    ++wrong;
    if (std::isnan(excess) || !std::isfinite(b))
      excess = HUGE_VAL;
    if (excess > worstExcess) {
      worstExcess = excess;
      worst = i;
    }
  }
  if (wrong == 0)
    return "max |difference| " + formatNumber(largest);
  return differ("differs in " + std::to_string(wrong) + " of " + std::to_string(count) +
                " elements, most at " + formatIndex(worst, got.dims) + ": got " +
                formatElement(got, worst) + ", expected " + formatElement(expected, worst) +
                "; max |difference| " + formatNumber(largest) +
                (exact ? ""
                       : ", allowed " + formatNumber(tolerance.absolute) + " + " +
                             formatNumber(tolerance.relative) + " * |expected|"));
}

} // namespace heddle::runtime::cli
