// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows a tensor copy moves, in all modes, and what an instruction may not ask of a map.
#include "runtime/emulator/async/TensorCopy.h"
#include <algorithm>

namespace heddle::emulator {

namespace {

bool isWidened(TensorType type) {
  return type == TensorType::kB4x16P64 || type == TensorType::kB6x16P32;
}

uint32_t unitBitsOf(const TensorMap &map) {
  return map.interleaveBytes ? map.interleaveBytes * 8u : tensorTypeBits(map.type);
}

std::string number(int64_t value) { return std::to_string(value); }

/// W, H and D among the dimensions: they follow the channels, or with interleaved layouts begin.
uint32_t firstSpatialOf(const TensorMap &map) { return map.interleaveBytes ? 0 : 1; }

/// More than any block has: such a box fits nowhere.
constexpr uint64_t kMaxBoxBytes = 256 * 1024;

uint64_t boxBytes(const TensorMap &map) {
  if (map.mode != TensorMode::kTiled)
    return 0; // 1024 pixels of 256 channels; what does not fit is outside of shared memory
  uint64_t bytes = uint64_t(map.box[0]) * unitBitsOf(map) / 8;
  for (uint32_t i = 1; i < map.rank; ++i)
    bytes *= (map.box[i] + map.steps[i] - 1u) / map.steps[i];
  return bytes;
}

std::string checkIm2colPlace(const TensorMap &map, const TensorPlace &place, bool isStore) {
  static const uint32_t kOffsetLimits[] = {1u << 16, 1u << 8, 1u << 5};
  bool isWide = place.access != TensorAccess::kIm2col;
  uint32_t spatial = isWide ? 1 : map.rank - 2u;
  for (uint32_t i = 0; i < spatial; ++i) {
    uint32_t dimension = firstSpatialOf(map) + i;
    int64_t at = place.coordinates[dimension], low = map.lower[i];
    int64_t high = static_cast<int64_t>(map.sizes[dimension]) - 1 + map.upper[i];
    if (isStore && (map.lower[i] < 0 || map.upper[i] > 0))
      return "a store in im2col mode needs a bounding box inside the tensor, its corners are " +
             number(map.lower[i]) + " and " + number(map.upper[i]);
    if (at > high || (at < low && !isWide))
      return "the coordinate " + number(at) + " of " + std::string(1, "WHD"[i]) +
             " is outside of the bounding box [" + number(low) + ", " + number(high) + "]";
    if (!isWide && place.offsets[i] >= kOffsetLimits[map.rank - 3])
      return "an im2col offset must be less than " + number(kOffsetLimits[map.rank - 3]) +
             " for rank " + number(map.rank) + ", got " + number(place.offsets[i]);
  }
  if (!isWide)
    return "";
  uint32_t haloLimit = place.access == TensorAccess::kIm2colW ? 512 : 32;
  if (place.offsets[0] >= haloLimit || place.offsets[1] >= 32)
    return "wHalo must be less than " + number(haloLimit) + " and wOffset less than 32, got " +
           number(place.offsets[0]) + " and " + number(place.offsets[1]);
  return "";
}

} // namespace

std::string whyNotCopied(const TensorMap &map, const TensorPlace &place, bool isStore) {
  if (!map.isMap())
    return "there is no tensor map at this address; make one with cuTensorMapEncode*";
  if (!map.isSealed())
    if (std::string error = whyUnsound(map); !error.empty())
      return "the tensor map is not sound: " + error;
  if (place.rank != map.rank)
    return "the instruction has " + number(place.rank) + " dimensions, the tensor map " +
           number(map.rank);
  static const TensorMode kModes[] = {TensorMode::kTiled, TensorMode::kTiled, TensorMode::kIm2col,
                                      TensorMode::kIm2colW, TensorMode::kIm2colW128};
  static const char *const kModeNames[] = {"tiled", "im2col", "im2col::w", "im2col::w::128"};
  TensorMode mode = kModes[static_cast<size_t>(place.access)];
  if (mode != map.mode)
    return std::string("the instruction is in ") + kModeNames[static_cast<size_t>(mode)] +
           " mode, the tensor map was made for " + kModeNames[static_cast<size_t>(map.mode)];
  if (uint64_t bytes = boxBytes(map); bytes > kMaxBoxBytes)
    return "the box has " + number(static_cast<int64_t>(bytes)) +
           " bytes, more than any shared memory";
  bool isFourRows = place.access == TensorAccess::kFourRows;
  if (isFourRows && (map.box[1] != 1 || map.interleaveBytes != 0))
    return "tile::gather4 and tile::scatter4 need boxDim[1] = 1 and no interleaving";
  // PTX ISA 9.0, 9.7.9.27.5.1.
  if (isWidened(map.type) && place.coordinates[0] % 128 != 0)
    return std::string("the first coordinate must be a multiple of 128 for ") +
           tensorTypeName(map.type) + ", got " + number(place.coordinates[0]);
  if (map.type == TensorType::kB4x16 && !map.interleaveBytes && place.coordinates[0] % 2 != 0)
    return "the first coordinate must be even for b4x16, got " + number(place.coordinates[0]);
  if (isStore) {
    if (map.type == TensorType::kB4x16P64)
      return "b4x16_p64 cannot be stored";
    if (map.atom == SwizzleAtom::k32BytesFlip8)
      return "a map with the 8-byte flip can be loaded from only";
    uint32_t count = isFourRows ? 5 : map.rank;
    for (uint32_t i = 0; i < count; ++i)
      if (place.coordinates[i] < 0)
        return "coordinates of a store must not be negative, got " + number(place.coordinates[i]);
  }
  return map.mode == TensorMode::kTiled ? "" : checkIm2colPlace(map, place, isStore);
}

TensorWalk::TensorWalk(const TensorMap &map, const TensorPlace &place)
    : map(map), access(place.access), unitBits(unitBitsOf(map)) {
  std::copy(std::begin(place.coordinates), std::end(place.coordinates), start);
  runUnits = map.box[0];
  if (map.mode == TensorMode::kTiled)
    startTile(place);
  else
    startIm2col(place);
  runBytes = runUnits * unitBits / 8;
  runSharedBytes = isWidened(map.type) ? runUnits : runBytes;
  pitch = std::max<uint32_t>(inner * runSharedBytes, map.swizzleBytes);
}

void TensorWalk::startTile(const TensorPlace &place) {
  if (access == TensorAccess::kFourRows) {
    rows = 4;
    for (uint32_t i = 0; i < 4; ++i)
      fourRows[i] = place.coordinates[1 + i];
    return;
  }
  rows = 1;
  for (uint32_t i = 0; i < map.rank; ++i) {
    uint32_t count = (map.box[i] + map.steps[i] - 1u) / map.steps[i];
    if (i > 0) {
      counts[i] = count;
      rows *= count;
    } else if (map.steps[0] > 1) { // slices of interleaved layouts, each on its own
      inner = counts[0] = count;
      runUnits = 1;
    }
  }
}

void TensorWalk::startIm2col(const TensorPlace &place) {
  bool isWide = access != TensorAccess::kIm2col;
  firstSpatial = firstSpatialOf(map);
  spatial = isWide ? 1 : map.rank - 2u;
  if (map.interleaveBytes)
    runUnits = 1; // a pixel is one slice
  for (uint32_t i = 0; i < spatial; ++i) {
    uint32_t dimension = firstSpatial + i;
    pixel[i] = start[dimension];
    low[i] = map.lower[i];
    high[i] = static_cast<int64_t>(map.sizes[dimension]) - 1 + map.upper[i];
    shift[i] = place.offsets[i];
  }
  image = start[map.rank - 1];
  rows = map.box[1];
  if (!isWide)
    return;
  shift[0] = place.offsets[1];
  halo = place.offsets[0];
  uint32_t every = access == TensorAccess::kIm2colW128 ? 32 : rows;
  rows += rows / every * halo;
  untilHalo = every;
}

uint32_t TensorWalk::sharedBytes() const {
  uint32_t bytes = (rows - 1) * pitch + inner * runSharedBytes;
  uint32_t span = std::max<uint32_t>(map.swizzleBytes, 1);
  return (bytes + span - 1) / span * span;
}

bool TensorWalk::isDense() const {
  uint32_t span = std::max<uint32_t>(map.swizzleBytes, 1);
  return pitch == inner * runSharedBytes && rows * pitch % span == 0;
}

/// The run begins at `at` of dimension 0.
void TensorWalk::setInner(int64_t at) {
  int64_t size = static_cast<int64_t>(map.sizes[0]);
  int64_t begin = std::clamp<int64_t>(-at, 0, runUnits);
  int64_t end = std::clamp<int64_t>(size - at, 0, runUnits);
  innerBegin = begin < end ? static_cast<uint32_t>(begin * unitBits / 8) : 0;
  innerEnd = begin < end ? static_cast<uint32_t>(end * unitBits / 8) : 0;
  innerOffset = (at + begin) * unitBits / 8;
}

/// `offset`: of the row from the tensor's start, along all dimensions but 0.
void TensorWalk::placeRow(TensorRow &row, uint64_t offset, bool isInside) const {
  row.shared = done * pitch + run * runSharedBytes;
  row.begin = isInside ? innerBegin : 0;
  row.end = isInside ? innerEnd : 0;
  row.global = row.end ? map.address + offset + static_cast<uint64_t>(innerOffset) : 0;
}

/// W, then H and D, then the next image, inside the bounding box.
void TensorWalk::advancePixel() {
  for (uint32_t i = 0; i < spatial; ++i) {
    pixel[i] += map.steps[firstSpatial + i];
    if (pixel[i] <= high[i])
      return;
    pixel[i] = low[i];
  }
  ++image;
}

bool TensorWalk::next(TensorRow &row) {
  if (done == rows)
    return false;
  return map.mode == TensorMode::kTiled ? nextTile(row) : nextPixel(row);
}

bool TensorWalk::nextTile(TensorRow &row) {
  auto isInside = [&](uint32_t dimension, int64_t coordinate) {
    return static_cast<uint64_t>(coordinate) < map.sizes[dimension];
  };
  if (inner > 1 || done == 0)
    setInner(start[0] + static_cast<int64_t>(run) * map.steps[0]);
  if (access == TensorAccess::kFourRows) {
    int64_t at = fourRows[done];
    placeRow(row, along(0, at), isInside(1, at));
    ++done;
    return true;
  }
  if (index[1] == 0 && run == 0) {
    outerOffset = 0;
    isOuterInside = true;
    for (uint32_t i = 2; i < map.rank; ++i) {
      int64_t at = start[i] + static_cast<int64_t>(index[i]) * map.steps[i];
      isOuterInside &= isInside(i, at);
      outerOffset += along(i - 1, at);
    }
  }
  int64_t at = map.rank > 1 ? start[1] + static_cast<int64_t>(index[1]) * map.steps[1] : 0;
  uint64_t offset = outerOffset + (map.rank > 1 ? along(0, at) : 0);
  placeRow(row, offset, isOuterInside && (map.rank == 1 || isInside(1, at)));
  if (++run < inner)
    return true;
  run = 0;
  ++done;
  for (uint32_t i = 1; i < map.rank; ++i) {
    if (++index[i] < counts[i])
      break;
    index[i] = 0;
  }
  return true;
}

bool TensorWalk::nextPixel(TensorRow &row) {
  uint64_t offset = 0;
  bool isInside = true;
  auto add = [&](uint32_t dimension, int64_t coordinate) {
    isInside &= static_cast<uint64_t>(coordinate) < map.sizes[dimension];
    offset += along(dimension - 1, coordinate);
  };
  // Halo pixels follow the last one along W, whatever the bounding box says.
  bool isHalo = untilHalo == 0 && halo > 0;
  int64_t ahead = isHalo ? static_cast<int64_t>(halo - haloLeft) * map.steps[firstSpatial] : 0;
  bool isSlice = firstSpatial == 0; // of an interleaved layout: W is dimension 0
  if (isSlice || done == 0)
    setInner(isSlice ? pixel[0] + shift[0] : start[0]);
  for (uint32_t i = 1; i + 1 < map.rank; ++i) {
    uint32_t k = i - firstSpatial;
    add(i, k < spatial ? pixel[k] + shift[k] + (k == 0 ? ahead : 0) : start[i]);
  }
  add(map.rank - 1u, image);
  placeRow(row, offset, isInside);
  ++done;
  if (halo == 0) {
    advancePixel();
  } else if (untilHalo > 0) {
    if (--untilHalo > 0)
      advancePixel();
    else
      haloLeft = halo - 1;
  } else if (haloLeft-- == 0) {
    untilHalo = access == TensorAccess::kIm2colW128 ? 32 : 1;
    advancePixel();
  }
  return true;
}

} // namespace heddle::emulator
