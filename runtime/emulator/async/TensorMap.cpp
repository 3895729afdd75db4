// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes, checks and changes tensor maps. The rules are those that cuda.h states at
// cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide.
#include "runtime/emulator/async/TensorMap.h"
#include <cstddef>
#include <cstring>

namespace heddle::emulator {

namespace {

struct TypeFacts {
  const char *name;
  uint32_t bits;
  bool isFloat;
};
constexpr TypeFacts kTypes[] = {
    {"u8", 8, false},
    {"u16", 16, false},
    {"u32", 32, false},
    {"s32", 32, false},
    {"u64", 64, false},
    {"s64", 64, false},
    {"f16", 16, true},
    {"f32", 32, true},
    {"f32.ftz", 32, true},
    {"f64", 64, true},
    {"bf16", 16, true},
    {"tf32", 32, true},
    {"tf32.ftz", 32, true},
    {"b4x16 (16U4_ALIGN8B)", 4, false},
    {"b4x16_p64 (16U4_ALIGN16B)", 4, false},
    {"b6x16_p32 (16U6_ALIGN16B)", 6, false},
};
static_assert(std::size(kTypes) == static_cast<size_t>(TensorType::kCount));

/// By CUtensorMapDataType.
constexpr TensorType kDriverTypes[] = {
    TensorType::kU8,      TensorType::kU16,   TensorType::kU32,      TensorType::kS32,
    TensorType::kU64,     TensorType::kS64,   TensorType::kF16,      TensorType::kF32,
    TensorType::kF64,     TensorType::kBF16,  TensorType::kF32Ftz,   TensorType::kTF32,
    TensorType::kTF32Ftz, TensorType::kB4x16, TensorType::kB4x16P64, TensorType::kB6x16P32,
};

/// By CUtensorMapSwizzle.
struct SwizzleFacts {
  uint8_t bytes;
  SwizzleAtom atom;
};
constexpr SwizzleFacts kSwizzles[] = {
    {0, SwizzleAtom::k16Bytes},   {32, SwizzleAtom::k16Bytes},  {64, SwizzleAtom::k16Bytes},
    {128, SwizzleAtom::k16Bytes}, {128, SwizzleAtom::k32Bytes}, {128, SwizzleAtom::k32BytesFlip8},
    {128, SwizzleAtom::k64Bytes},
};

constexpr uint64_t kMaxSize = 1ull << 32;
constexpr uint64_t kStrideEnd = 1ull << 40;

std::string number(uint64_t value) { return std::to_string(value); }
std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}
std::string at(const char *name, size_t index) {
  return std::string(name) + "[" + number(index) + "]";
}

/// Global address and strides.
uint32_t globalAlignment(const TensorMap &map) {
  bool wide = map.interleaveBytes == 32 || map.type == TensorType::kB4x16P64 ||
              map.type == TensorType::kB6x16P32;
  return wide ? 32 : 16;
}

std::string checkTensor(const TensorMap &map) {
  uint32_t alignment = globalAlignment(map);
  if (map.address == 0 || map.address % alignment != 0)
    return "globalAddress must be a multiple of " + number(alignment) + " and not null, got " +
           hex(map.address);
  for (uint32_t i = 0; i < map.rank; ++i)
    if (map.sizes[i] == 0 || map.sizes[i] > kMaxSize)
      return at("globalDim", i) + " must be in [1, 2^32], got " + number(map.sizes[i]);
  if ((map.type == TensorType::kB4x16P64 || map.type == TensorType::kB6x16P32) &&
      map.sizes[0] % 128 != 0)
    return std::string("globalDim[0] must be a multiple of 128 for ") + tensorTypeName(map.type) +
           ", got " + number(map.sizes[0]);
  if (map.type == TensorType::kB4x16 && map.sizes[0] % 2 != 0)
    return "globalDim[0] must be a multiple of 2 for 16U4_ALIGN8B, got " + number(map.sizes[0]);
  for (uint32_t i = 0; i + 1 < map.rank; ++i) {
    uint64_t stride = map.strides[i];
    if (stride % alignment != 0 || stride >= kStrideEnd)
      return at("globalStrides", i) + " must be a multiple of " + number(alignment) +
             " bytes and less than 2^40, got " + number(stride);
  }
  return "";
}

/// The box in shared memory: `inner` elements wide.
std::string checkLayout(const TensorMap &map, const char *innerName, uint32_t inner) {
  bool isWidened = map.type == TensorType::kB4x16P64 || map.type == TensorType::kB6x16P32;
  if (isWidened && inner != 128)
    return std::string(innerName) + " must be 128 for " + tensorTypeName(map.type) + ", got " +
           number(inner);
  if (map.type == TensorType::kB6x16P32 && map.interleaveBytes != 0)
    return "interleave must be CU_TENSOR_MAP_INTERLEAVE_NONE for 16U6_ALIGN16B";
  if (map.interleaveBytes == 32 && (map.swizzleBytes != 32 || map.atom != SwizzleAtom::k16Bytes))
    return "swizzle must be CU_TENSOR_MAP_SWIZZLE_32B with CU_TENSOR_MAP_INTERLEAVE_32B";
  if (map.atom != SwizzleAtom::k16Bytes && map.swizzleBytes != 128)
    return "a swizzle of 32-byte or 64-byte atoms must span 128 bytes";
  bool isKept = map.swizzleBytes == 0 ||
                (map.swizzleBytes == 128 &&
                 (map.atom == SwizzleAtom::k16Bytes || map.atom == SwizzleAtom::k32Bytes));
  if (map.type == TensorType::kB4x16P64 && !isKept)
    return "swizzle must be NONE, 128B or 128B_ATOM_32B for 16U4_ALIGN16B";
  if (map.type == TensorType::kB6x16P32 && !isKept && map.atom != SwizzleAtom::k64Bytes)
    return "swizzle must be NONE, 128B, 128B_ATOM_32B or 128B_ATOM_64B for 16U6_ALIGN16B";
  if (map.fillsNaN && !isFloat(map.type))
    return std::string("oobFill may be NAN_REQUEST_ZERO_FMA for floating-point types only, the "
                       "type is ") +
           tensorTypeName(map.type);
  if (map.interleaveBytes != 0)
    return "";
  // The widened types take a byte an element in shared memory.
  uint32_t bytes = isWidened ? inner : inner * tensorTypeBits(map.type) / 8;
  if (inner * tensorTypeBits(map.type) % 128 != 0)
    return std::string(innerName) +
           " times the element's size must be a multiple of 16 bytes, "
           "got " +
           number(inner) + " elements of " + number(tensorTypeBits(map.type)) + " bits";
  if (map.swizzleBytes != 0 && bytes > map.swizzleBytes)
    return std::string(innerName) + " times the element's size must be at most the swizzle's " +
           number(map.swizzleBytes) + " bytes, got " + number(bytes);
  return "";
}

std::string checkSteps(const TensorMap &map) {
  // The first one is ignored without interleaving, and has been set to 1.
  for (uint32_t i = 0; i < map.rank; ++i)
    if (map.steps[i] == 0 || map.steps[i] > 8)
      return at("elementStrides", i) + " must be in [1, 8], got " + number(map.steps[i]);
  return "";
}

std::string checkTiled(const TensorMap &map) {
  if (map.interleaveBytes != 0 && map.rank < 3)
    return "tensorRank must be at least 3 with interleaved layouts, got " + number(map.rank);
  for (uint32_t i = 0; i < map.rank; ++i)
    if (map.box[i] == 0 || map.box[i] > 256)
      return at("boxDim", i) + " must be in [1, 256], got " + number(map.box[i]);
  return checkLayout(map, "boxDim[0]", map.box[0]);
}

std::string checkIm2col(const TensorMap &map) {
  if (map.rank < 3)
    return "tensorRank must be 3, 4 or 5 in im2col mode, got " + number(map.rank);
  bool isWide = map.mode != TensorMode::kIm2col;
  uint32_t spatial = isWide ? 1 : map.rank - 2;
  for (uint32_t i = 0; i < spatial; ++i) {
    int64_t size = static_cast<int64_t>(map.sizes[(map.interleaveBytes ? 0 : 1) + i]);
    int64_t extent = size + map.upper[i] - map.lower[i];
    if (extent <= 0)
      return "the bounding box must not be empty: along " + std::string(1, "WHD"[i]) +
             " it ends at " + std::to_string(size - 1 + map.upper[i]) + " and begins at " +
             std::to_string(map.lower[i]);
  }
  if (map.box[0] == 0 || map.box[0] > 256)
    return "channelsPerPixel must be in [1, 256], got " + number(map.box[0]);
  if (map.mode != TensorMode::kIm2colW128 && (map.box[1] == 0 || map.box[1] > 1024))
    return "pixelsPerColumn must be in [1, 1024], got " + number(map.box[1]);
  if (map.mode == TensorMode::kIm2colW128 && map.box[1] != 128)
    return "im2col::w::128 has 128 pixels, the tensor map " + number(map.box[1]);
  if (isWide && map.interleaveBytes != 0)
    return "interleave must be CU_TENSOR_MAP_INTERLEAVE_NONE in im2col::w modes";
  if (isWide && (map.swizzleBytes < 64 || map.atom == SwizzleAtom::k32BytesFlip8 ||
                 map.atom == SwizzleAtom::k64Bytes))
    return "swizzle must be 64B, 128B or 128B_ATOM_32B in im2col::w modes";
  return checkLayout(map, "channelsPerPixel", map.box[0]);
}

/// What all encodings share: from the driver's words to ours, and their ranges.
std::string begin(TensorMap &map, const CUtensorMap *out, CUtensorMapDataType type, uint32_t rank,
                  void *address, const uint64_t *sizes, const uint64_t *strides,
                  const uint32_t *steps, CUtensorMapInterleave interleave,
                  CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                  CUtensorMapFloatOOBfill fill) {
  map = TensorMap{};
  if (!out || reinterpret_cast<uintptr_t>(out) % 64 != 0)
    return "tensorMap must be aligned to 64 bytes and not null, got " +
           hex(reinterpret_cast<uintptr_t>(out));
  if (static_cast<uint32_t>(type) >= std::size(kDriverTypes))
    return "tensorDataType is none of CUtensorMapDataType: " + number(type);
  if (rank == 0 || rank > TensorMap::kMaxRank)
    return "tensorRank must be in [1, 5], got " + number(rank);
  if (static_cast<uint32_t>(interleave) > CU_TENSOR_MAP_INTERLEAVE_32B)
    return "interleave is none of CUtensorMapInterleave: " + number(interleave);
  if (static_cast<uint32_t>(swizzle) >= std::size(kSwizzles))
    return "swizzle is none of CUtensorMapSwizzle: " + number(swizzle);
  if (static_cast<uint32_t>(promotion) > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
    return "l2Promotion is none of CUtensorMapL2promotion: " + number(promotion);
  if (static_cast<uint32_t>(fill) > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
    return "oobFill is none of CUtensorMapFloatOOBfill: " + number(fill);
  if (!sizes || !steps || (!strides && rank > 1))
    return std::string(!sizes   ? "globalDim"
                       : !steps ? "elementStrides"
                                : "globalStrides") +
           " must not be null";
  map.magic = TensorMap::kMagic;
  map.address = reinterpret_cast<uint64_t>(address);
  map.rank = static_cast<uint8_t>(rank);
  map.type = kDriverTypes[type];
  map.interleaveBytes = static_cast<uint8_t>(interleave * 16);
  map.swizzleBytes = kSwizzles[swizzle].bytes;
  map.atom = kSwizzles[swizzle].atom;
  map.l2Promotion = static_cast<uint8_t>(promotion);
  map.fillsNaN = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  for (uint32_t i = 0; i < TensorMap::kMaxRank; ++i) {
    map.sizes[i] = i < rank ? sizes[i] : 1;
    map.steps[i] = 1;
    map.box[i] = 1;
    if (i < rank && (i > 0 || map.interleaveBytes != 0)) {
      if (steps[i] == 0 || steps[i] > 8)
        return at("elementStrides", i) + " must be in [1, 8], got " + number(steps[i]);
      map.steps[i] = static_cast<uint8_t>(steps[i]);
    }
  }
  for (uint32_t i = 0; i + 1 < rank; ++i)
    map.strides[i] = strides[i];
  return "";
}

std::string finish(CUtensorMap *out, TensorMap &map) {
  std::string error = whyUnsound(map);
  map.seal = map.sealOf();
  if (error.empty())
    std::memcpy(static_cast<void *>(out), &map, sizeof map);
  return error;
}

bool fitsBox(uint32_t value) { return value <= 0xffff; }

} // namespace

uint32_t tensorTypeBits(TensorType type) { return kTypes[static_cast<size_t>(type)].bits; }
const char *tensorTypeName(TensorType type) { return kTypes[static_cast<size_t>(type)].name; }
bool isFloat(TensorType type) { return kTypes[static_cast<size_t>(type)].isFloat; }
bool isPacked(TensorType type) { return tensorTypeBits(type) < 8; }

uint32_t TensorMap::sealOf() const {
  static_assert(offsetof(TensorMap, seal) == 124);
  uint32_t words[31];
  std::memcpy(words, this, sizeof words);
  uint64_t sum = 0;
  for (uint32_t word : words)
    sum = (sum ^ word) * 0x9e3779b97f4a7c15 + (sum >> 29);
  return static_cast<uint32_t>(sum >> 32);
}

std::string whyUnsound(const TensorMap &map) {
  if (!map.isMap())
    return "these 128 bytes are no tensor map";
  if (map.rank == 0 || map.rank > TensorMap::kMaxRank || map.type >= TensorType::kCount ||
      map.mode > TensorMode::kIm2colW128 || map.atom > SwizzleAtom::k64Bytes ||
      map.interleaveBytes % 16 != 0 || map.interleaveBytes > 32 || map.swizzleBytes > 128 ||
      (map.swizzleBytes & (map.swizzleBytes - 1)) != 0 || map.swizzleBytes == 16)
    return "the tensor map is damaged";
  std::string error = checkTensor(map);
  if (error.empty())
    error = checkSteps(map);
  if (error.empty())
    error = map.mode == TensorMode::kTiled ? checkTiled(map) : checkIm2col(map);
  return error;
}

std::string encodeTiledMap(CUtensorMap *out, CUtensorMapDataType type, uint32_t rank, void *address,
                           const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
                           const uint32_t *steps, CUtensorMapInterleave interleave,
                           CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                           CUtensorMapFloatOOBfill fill) {
  TensorMap map;
  std::string error = begin(map, out, type, rank, address, sizes, strides, steps, interleave,
                            swizzle, promotion, fill);
  if (!error.empty())
    return error;
  if (!box)
    return "boxDim must not be null";
  for (uint32_t i = 0; i < rank; ++i) {
    if (!fitsBox(box[i]))
      return at("boxDim", i) + " must be in [1, 256], got " + number(box[i]);
    map.box[i] = static_cast<uint16_t>(box[i]);
  }
  return finish(out, map);
}

std::string encodeIm2colMap(CUtensorMap *out, CUtensorMapDataType type, uint32_t rank,
                            void *address, const uint64_t *sizes, const uint64_t *strides,
                            const int *lower, const int *upper, uint32_t channels, uint32_t pixels,
                            const uint32_t *steps, CUtensorMapInterleave interleave,
                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                            CUtensorMapFloatOOBfill fill) {
  TensorMap map;
  std::string error = begin(map, out, type, rank, address, sizes, strides, steps, interleave,
                            swizzle, promotion, fill);
  if (!error.empty())
    return error;
  if (rank < 3)
    return "tensorRank must be 3, 4 or 5 in im2col mode, got " + number(rank);
  if (!lower || !upper)
    return "pixelBoxLowerCorner and pixelBoxUpperCorner must not be null";
  map.mode = TensorMode::kIm2col;
  // The driver's arrays have D, H, W; ours follow the tensor's order.
  uint32_t spatial = rank - 2;
  int limit = rank == 3 ? 32768 : rank == 4 ? 128 : 16;
  for (uint32_t i = 0; i < spatial; ++i) {
    uint32_t from = spatial - 1 - i;
    for (const int *corner : {lower, upper})
      if (corner[from] < -limit || corner[from] >= limit)
        return at(corner == lower ? "pixelBoxLowerCorner" : "pixelBoxUpperCorner", from) +
               " must be in [-" + number(limit) + ", " + number(limit - 1) + "] for rank " +
               number(rank) + ", got " + std::to_string(corner[from]);
    map.lower[i] = static_cast<int16_t>(lower[from]);
    map.upper[i] = static_cast<int16_t>(upper[from]);
  }
  if (!fitsBox(channels) || !fitsBox(pixels))
    return "channelsPerPixel must be in [1, 256] and pixelsPerColumn in [1, 1024], got " +
           number(channels) + " and " + number(pixels);
  map.box[0] = static_cast<uint16_t>(channels);
  map.box[1] = static_cast<uint16_t>(pixels);
  return finish(out, map);
}

std::string encodeIm2colWideMap(CUtensorMap *out, CUtensorMapDataType type, uint32_t rank,
                                void *address, const uint64_t *sizes, const uint64_t *strides,
                                int lower, int upper, uint32_t channels, uint32_t pixels,
                                const uint32_t *steps, CUtensorMapInterleave interleave,
                                CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  TensorMap map;
  std::string error = begin(map, out, type, rank, address, sizes, strides, steps, interleave,
                            swizzle, promotion, fill);
  if (!error.empty())
    return error;
  if (static_cast<uint32_t>(mode) > CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128)
    return "mode is none of CUtensorMapIm2ColWideMode: " + number(mode);
  map.mode =
      mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W ? TensorMode::kIm2colW : TensorMode::kIm2colW128;
  for (int corner : {lower, upper})
    if (corner < -32768 || corner > 32767)
      return "pixelBoxLowerCornerWidth and pixelBoxUpperCornerWidth must be in [-32768, 32767], "
             "got " +
             std::to_string(corner);
  map.lower[0] = static_cast<int16_t>(lower);
  map.upper[0] = static_cast<int16_t>(upper);
  if (!fitsBox(channels) || !fitsBox(pixels))
    return "channelsPerPixel must be in [1, 256] and pixelsPerColumn in [1, 1024], got " +
           number(channels) + " and " + number(pixels);
  map.box[0] = static_cast<uint16_t>(channels);
  map.box[1] = map.mode == TensorMode::kIm2colW128 ? 128 : static_cast<uint16_t>(pixels);
  return finish(out, map);
}

std::string replaceMapAddress(CUtensorMap *out, void *address) {
  if (!out || reinterpret_cast<uintptr_t>(out) % 64 != 0)
    return "tensorMap must be aligned to 64 bytes and not null, got " +
           hex(reinterpret_cast<uintptr_t>(out));
  TensorMap map;
  std::memcpy(&map, out, sizeof map);
  if (!map.isMap())
    return "these 128 bytes are no tensor map; make one with cuTensorMapEncode*";
  map.address = reinterpret_cast<uint64_t>(address);
  return finish(out, map);
}

const char *tensorFieldName(TensorField field) {
  static const char *const kNames[] = {
      "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
      "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity",
      "fill_mode"};
  static_assert(std::size(kNames) == static_cast<size_t>(TensorField::kCount));
  return kNames[static_cast<size_t>(field)];
}

std::string replaceField(TensorMap &map, TensorField field, uint32_t ordinal, uint64_t value) {
  auto refuse = [&](const std::string &range) {
    return std::string(tensorFieldName(field)) + " must be " + range + ", got " + number(value);
  };
  if (!map.isMap())
    return "these 128 bytes are no tensor map";
  bool isStride = field == TensorField::kGlobalStride;
  bool isIndexed = field >= TensorField::kBoxDim && field <= TensorField::kElementStride;
  if (isIndexed && ordinal >= TensorMap::kMaxRank - (isStride ? 1 : 0))
    return std::string("the ordinal of ") + tensorFieldName(field) + " must be less than " +
           (isStride ? "4" : "5") + ", got " + number(ordinal);
  switch (field) {
  case TensorField::kGlobalAddress:
    map.address = value;
    break;
  case TensorField::kRank: // counts from 0
    if (value >= TensorMap::kMaxRank)
      return refuse("the rank minus 1, in [0, 4]");
    map.rank = static_cast<uint8_t>(value + 1);
    break;
  case TensorField::kBoxDim:
    if (value == 0 || value > 256)
      return refuse("in [1, 256]");
    map.box[ordinal] = static_cast<uint16_t>(value);
    break;
  case TensorField::kGlobalDim:
    // 32 bits: 0 stands for 2^32, which they cannot hold.
    map.sizes[ordinal] = value == 0 ? kMaxSize : value;
    break;
  case TensorField::kGlobalStride:
    if (value % 16 != 0 || value >= kStrideEnd)
      return refuse("a multiple of 16 bytes and less than 2^40");
    map.strides[ordinal] = value;
    break;
  case TensorField::kElementStride:
    if (value == 0 || value > 8)
      return refuse("in [1, 8]");
    if (ordinal > 0 || map.interleaveBytes != 0)
      map.steps[ordinal] = static_cast<uint8_t>(value);
    break;
  case TensorField::kElemtype:
    if (value >= static_cast<uint64_t>(TensorType::kCount))
      return refuse("in [0, 15]");
    map.type = static_cast<TensorType>(value);
    break;
  case TensorField::kInterleaveLayout:
    if (value > 2)
      return refuse("0, 1 or 2");
    map.interleaveBytes = static_cast<uint8_t>(16 * value);
    break;
  case TensorField::kSwizzleMode: // 4, 96 bytes, is of sm_103a alone and has no driver's word
    if (value > 3)
      return refuse("in [0, 3]");
    map.swizzleBytes = static_cast<uint8_t>(value == 0 ? 0 : 16 << value);
    break;
  case TensorField::kSwizzleAtomicity:
    if (value > 3)
      return refuse("in [0, 3]");
    map.atom = static_cast<SwizzleAtom>(value);
    break;
  case TensorField::kFillMode:
    if (value > 1)
      return refuse("0 or 1");
    map.fillsNaN = static_cast<uint8_t>(value);
    break;
  case TensorField::kCount:
    break;
  }
  return "";
}

} // namespace heddle::emulator
