// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the descriptors of tcgen05 and says what is wrong with them.
#include "runtime/emulator/tmem/Descriptors.h"

namespace heddle::emulator {

namespace {

uint32_t field(uint64_t bits, uint32_t first, uint32_t count) {
  return static_cast<uint32_t>(bits >> first & ((uint64_t(1) << count) - 1));
}

/// Types by their code, for each kind.
bool typeOf(MmaKind kind, uint32_t code, MmaType &type) {
  static constexpr MmaType kSmall[] = {MmaType::kE4M3, MmaType::kE5M2, MmaType::kF32,
                                       MmaType::kE2M3, MmaType::kE3M2, MmaType::kE2M1};
  switch (kind) {
  case MmaKind::kF16:
    type = code == 0 ? MmaType::kF16 : MmaType::kBf16;
    return code <= 1;
  case MmaKind::kTf32:
    type = MmaType::kTf32;
    return code == 2;
  case MmaKind::kI8:
    type = code == 0 ? MmaType::kU8 : MmaType::kS8;
    return code <= 1;
  case MmaKind::kF8F6F4:
  case MmaKind::kMxF8F6F4:
    if (code > 5 || code == 2)
      return false;
    type = kSmall[code];
    return true;
  default:
    type = MmaType::kE2M1;
    return code == 1;
  }
}

uint32_t depthOf(MmaKind kind) {
  switch (kind) {
  case MmaKind::kF16:
    return 16;
  case MmaKind::kTf32:
    return 8;
  case MmaKind::kMxF4:
  case MmaKind::kMxF4NvF4:
    return 64;
  default:
    return 32;
  }
}

std::string number(uint32_t value) { return std::to_string(value); }

/// PTX ISA 9.0, 9.7.16.2.1, table of kinds and shapes.
std::string checkSize(const MmaForm &form, const MmaShape &shape) {
  bool isScaled = form.scaleVector != 0;
  uint32_t m = shape.m, n = shape.n;
  std::string got = ", the instruction descriptor says M = " + number(m) + ", N = " + number(n);
  if (form.isWeights) {
    if ((m == 32 || m == 64 || m == 128) && (n == 64 || n == 128 || n == 256))
      return "";
    return ".ws takes M of 32, 64 or 128 and N of 64, 128 or 256" + got;
  }
  if (form.blockGroup == 1) {
    if (m != 128 && (m != 64 || isScaled))
      return std::string("with .cta_group::1 M is ") + (isScaled ? "128" : "64 or 128") + got;
  } else if (m != 128 && m != 256) {
    return "with .cta_group::2 M is 128 or 256" + got;
  }
  // Where half of the columns lie in another block, or above others, twice as many are a step.
  uint32_t step = form.blockGroup == 2 || (m == 128 && !isScaled) ? 16 : 8;
  if (form.kind == MmaKind::kI8)
    step = form.blockGroup == 2 ? 32 : m == 128 || n > 32 ? 16 : 8;
  if (shape.isTurnedB && bitsOf(shape.b) == 8)
    step = form.blockGroup == 2 ? 32 : 16;
  if (n < step || n > 256 || n % step != 0)
    return "N is a multiple of " + number(step) + " up to 256" + got;
  return "";
}

std::string decodePlain(uint32_t descriptor, const MmaForm &form, MmaShape &shape) {
  uint32_t sums = field(descriptor, 4, 2);
  bool isInteger = form.kind == MmaKind::kI8;
  shape.d = sums == 0 ? MmaType::kF16 : sums == 1 ? MmaType::kF32 : MmaType::kS32;
  bool mayBeHalf = form.kind == MmaKind::kF16 || form.kind == MmaKind::kF8F6F4;
  if (isInteger ? sums != 2 : sums > 1 || (sums == 0 && !mayBeHalf))
    return "bits 4-5 (type of D) are " + number(sums) + "; " +
           (isInteger   ? "2 (s32)"
            : mayBeHalf ? "0 (f16) or 1 (f32)"
                        : "1 (f32)") +
           " is allowed";
  if (shape.d == MmaType::kF16 && (shape.a == MmaType::kBf16 || shape.b == MmaType::kBf16))
    return "D in f16 takes A and B in f16";
  shape.saturates = field(descriptor, 3, 1);
  if (shape.saturates && !isInteger)
    return "bit 3 (saturate) is for .kind::i8";
  if (field(descriptor, 6, 1) || field(descriptor, 23, 1) || field(descriptor, 29, 1))
    return "bits 6, 23 and 29 must be 0";
  if (field(descriptor, 30, 2) && !form.isWeights)
    return "bits 30-31 (largest shift) are for .ws";
  shape.m = field(descriptor, 24, 5) << 4;
  return "";
}

std::string decodeScaled(uint32_t descriptor, const MmaForm &form, MmaShape &shape) {
  shape.d = MmaType::kF32;
  shape.scaleIdB = field(descriptor, 4, 2);
  shape.scaleIdA = field(descriptor, 29, 2);
  shape.scaleIsUe8m0 = field(descriptor, 23, 1);
  shape.m = field(descriptor, 27, 2) << 7;
  if (field(descriptor, 3, 1) || field(descriptor, 6, 1) || field(descriptor, 24, 3))
    return "bits 3, 6 and 24-26 must be 0";
  if (field(descriptor, 31, 1))
    return form.kind == MmaKind::kMxF8F6F4 ? "bit 31 must be 0"
                                           : "bit 31: K = 96 is not supported, K = 64 is";
  if (!shape.scaleIsUe8m0 && (form.kind != MmaKind::kMxF4NvF4 || form.scaleVector != 4))
    return "bit 23 is 0: scale factors in ue4m3 are for .kind::mxf4nvf4 with .scale_vec::4X";
  uint32_t step = form.scaleVector;
  if (shape.scaleIdA % step || shape.scaleIdB % step)
    return "the scale factor IDs " + number(shape.scaleIdA) + " and " + number(shape.scaleIdB) +
           " must be " + (step == 2 ? "0 or 2" : "0") + " with .scale_vec::" + number(step) + "X";
  return "";
}

} // namespace

uint32_t bitsOf(MmaType type) {
  switch (type) {
  case MmaType::kF16:
  case MmaType::kBf16:
    return 16;
  case MmaType::kTf32:
  case MmaType::kF32:
  case MmaType::kS32:
    return 32;
  case MmaType::kE2M3:
  case MmaType::kE3M2:
    return 6;
  case MmaType::kE2M1:
    return 4;
  default:
    return 8;
  }
}

std::string decodeShape(uint32_t descriptor, const MmaForm &form, MmaShape &shape) {
  shape = MmaShape();
  if (field(descriptor, 2, 1))
    return "bit 2: a sparse matrix A is not supported";
  if (!typeOf(form.kind, field(descriptor, 7, 3), shape.a))
    return "bits 7-9 (type of A) are " + number(field(descriptor, 7, 3)) +
           ", which this kind does not have";
  if (!typeOf(form.kind, field(descriptor, 10, 3), shape.b))
    return "bits 10-12 (type of B) are " + number(field(descriptor, 10, 3)) +
           ", which this kind does not have";
  shape.k = depthOf(form.kind);
  shape.n = field(descriptor, 17, 6) << 3;
  shape.isNegative = field(descriptor, 13, 1) != field(descriptor, 14, 1);
  shape.isTurnedA = field(descriptor, 15, 1);
  shape.isTurnedB = field(descriptor, 16, 1);
  if (form.kind == MmaKind::kI8 && field(descriptor, 13, 2))
    return "bits 13-14: .kind::i8 does not negate";
  if ((shape.isTurnedA && bitsOf(shape.a) < 8) || (shape.isTurnedB && bitsOf(shape.b) < 8))
    return "bits 15-16: matrices with elements of 4 or 6 bits are K-major only";
  std::string why = form.scaleVector ? decodeScaled(descriptor, form, shape)
                                     : decodePlain(descriptor, form, shape);
  return why.empty() ? checkSize(form, shape) : why;
}

std::string SharedMatrix::decode(uint64_t descriptor, bool turned, uint32_t elementBits) {
  start = field(descriptor, 0, 14) << 4;
  leading = field(descriptor, 16, 14) << 4;
  stride = field(descriptor, 32, 14) << 4;
  base = field(descriptor, 49, 3);
  isTurned = turned;
  uint32_t version = field(descriptor, 46, 3), layout = field(descriptor, 61, 3);
  if (version != 1)
    return "bits 46-48 are " + number(version) + " and must be 1" +
           (version == 0 ? " (it may be a descriptor of wgmma)" : "");
  if (field(descriptor, 52, 1))
    return "bit 52: an absolute address of the leading dimension is not supported";
  if (field(descriptor, 53, 8))
    return "bits 53-60 must be 0";
  hasWideAtoms = layout == 1;
  switch (layout) {
  case 0:
    width = 1;
    break;
  case 1:
  case 2:
    width = 8;
    break;
  case 4:
    width = 4;
    break;
  case 6:
    width = 2;
    break;
  default:
    return "bits 61-63 (swizzling) are " + number(layout) + "; 0, 1, 2, 4 and 6 are allowed";
  }
  // Table 52: valid combinations of type size, major-ness and swizzling.
  if (hasWideAtoms && (!isTurned || elementBits != 32))
    return "bits 61-63: swizzling of 128 bytes with atoms of 32 bytes is for MN-major matrices "
           "with elements of 32 bits";
  if (!hasWideAtoms && isTurned && elementBits == 32)
    return "bits 61-63: MN-major matrices with elements of 32 bits take swizzling of 128 bytes "
           "with atoms of 32 bytes";
  return "";
}

uint32_t SharedMatrix::address(uint32_t i, uint32_t j) const {
  uint32_t at = start;
  if (!isTurned) {
    at += i % 8 * 16 * width + i / 8 * stride + j * (width == 1 ? leading : 16);
  } else if (hasWideAtoms) {
    at += j % 8 * 16 + j / 8 * leading + i % 4 * 128 + i / 4 * stride;
    return at ^ (((at >> 7) - base) & 3) << 5;
  } else if (width == 1) {
    at += j * stride + i % 8 * 16 + i / 8 * leading;
  } else {
    at += j % width * 16 + j / width * leading + i % 8 * 16 * width + i / 8 * stride;
  }
  return at ^ (((at >> 7) - base) & (width - 1)) << 4;
}

std::string decodeColumnMask(uint64_t descriptor, uint32_t m, uint32_t n, ColumnMask &mask) {
  mask = ColumnMask();
  mask.shift = field(descriptor, 56, 6);
  uint32_t largest = m == 32 ? 16 : 32;
  if (mask.shift > largest)
    return "the column shift is " + number(mask.shift) + ", at most " + number(largest) +
           " is allowed with M = " + number(m);
  if (field(descriptor, 36, 3) || field(descriptor, 62, 2))
    return "bits 36-38 and 62-63 must be 0";
  if (!field(descriptor, 39, 1))
    return "";
  // In the ISA's examples runs of ones are one longer than the skip span, runs of zeros than the
  // use span.
  uint32_t ones = field(descriptor, 40, 8) + 1, zeros = field(descriptor, 48, 8) + 1;
  uint32_t parts = 128 / m, size = n / parts;
  for (uint32_t part = 0; part < parts; ++part) {
    bool startsWithOnes = field(descriptor, 32 + part, 1);
    for (uint32_t i = 0; i < size; ++i) {
      uint32_t at = (i + field(descriptor, 8 * part, 8)) % (ones + zeros);
      bool isOne = startsWithOnes ? at < ones : at >= zeros;
      uint32_t column = part * size + i;
      mask.bits[column / 64] |= uint64_t(isOne) << (column % 64);
    }
  }
  return "";
}

} // namespace heddle::emulator
