// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of the copies and reductions through tensor maps, and of the instructions that change
// tensor maps (PTX ISA 9.0, 9.7.9.27.5 and 9.7.9.28).
#include "runtime/emulator/async/BulkIssue.h"
#include "runtime/emulator/async/TensorCopy.h"
#include "runtime/emulator/exec/Handlers.h"
#include "runtime/emulator/memory/DeviceMemory.h"

namespace heddle::emulator {

namespace {

constexpr uint32_t kBoxAlign = 128, kMapAlign = 64, kMapBytes = sizeof(TensorMap);

/// Host memory of the map that an address names; null: a fault, which was reported.
uint8_t *mapMemory(const Issuer &issuer, uint64_t address, MapSpace space) {
  if (space == MapSpace::kShared ||
      (space == MapSpace::kGeneric && address - kSharedWindow < kWindowBytes)) {
    uint64_t at = space == MapSpace::kShared ? address : address - kSharedWindow;
    return sharedAt(*issuer.warp, *issuer.op, issuer.lane, at, kMapBytes, kMapAlign).at;
  }
  if (space == MapSpace::kParam)
    address += kParamWindow;
  if (address % kMapAlign != 0) {
    issuer.fault(Fault::kAlignment, "a tensor map must be aligned to 64 bytes");
    return nullptr;
  }
  if (address - kParamWindow < kWindowBytes && space != MapSpace::kGlobal) {
    const LaunchState &launch = *issuer.warp->block->launch;
    uint64_t offset = address - kParamWindow;
    if (offset + kMapBytes > launch.kernel->paramBytes) {
      issuer.fault(Fault::kAddress, "the tensor map reaches behind the kernel's parameters");
      return nullptr;
    }
    return const_cast<uint8_t *>(launch.params) + offset;
  }
  if (!issuer.checkGlobal(address, kMapBytes, kMapAlign))
    return nullptr;
  return reinterpret_cast<uint8_t *>(address);
}

/// The map of a copy: a copy of its own, as the tensor map may change before the work is done.
bool readMap(const Issuer &issuer, const BulkAddress &operand, TensorMap &map) {
  uint64_t address = issuer.address(operand);
  if (address - kSharedWindow < kWindowBytes || address - kLocalWindow < kWindowBytes)
    return issuer.fault(Fault::kInvalid,
                        "a tensor map must be in .param, .const or .global memory");
  const uint8_t *memory = mapMemory(issuer, address, MapSpace::kGeneric);
  if (!memory)
    return false;
  std::memcpy(static_cast<void *>(&map), memory, kMapBytes);
  return true;
}

bool readPlace(const Issuer &issuer, const BulkOperands &operands, const TensorMap &map,
               bool isStore, TensorPlace &place) {
  place.access = static_cast<TensorAccess>(operands.access);
  place.rank = static_cast<uint8_t>(operands.rank);
  for (uint32_t i = 0; i < 5; ++i)
    if (operands.coordinates[i] != kNoOperand)
      place.coordinates[i] = static_cast<int32_t>(issuer.word(operands.coordinates[i]));
  for (uint32_t i = 0; i < 3; ++i)
    if (operands.offsets[i] != kNoOperand)
      place.offsets[i] = issuer.half(operands.offsets[i]);
  std::string why = whyNotCopied(map, place, isStore);
  return why.empty() || issuer.fault(Fault::kInvalid, why);
}

/// The tensor's allocation: rows must lie in it.
struct TensorBounds {
  AllocationHint hint;
  bool found = false;

  explicit TensorBounds(const TensorMap &map) : found(findAllocation(map.address, hint)) {}
  bool check(const Issuer &issuer, const TensorMap &map, const TensorRow &row) const {
    uint32_t bytes = row.end - row.begin;
    if (bytes == 0 || (found && row.global >= hint.begin && row.global + bytes <= hint.end))
      return true;
    char text[160];
    std::snprintf(text, sizeof text,
                  "the tensor map's tensor at 0x%llx reaches out of its allocation: %u bytes at "
                  "0x%llx, ",
                  static_cast<unsigned long long>(map.address), bytes,
                  static_cast<unsigned long long>(row.global));
    return issuer.fault(Fault::kAddress, text + DeviceMemory::get().describe(row.global));
  }
};

uint32_t boxAddress(const SharedPlace &place) { return place.offset + kSharedBase; }

/// Tells the checks of the shared memory of a box, at one of its places.
bool noteBox(const Issuer &issuer, AsyncRecord record, const TensorMap &map,
             const TensorPlace &place, Use use, const SharedPlace &box) {
  TensorWalk walk(map, place);
  auto note = [&](uint32_t offset, uint32_t bytes) {
    return noteAsyncShared(*issuer.warp, *issuer.op, record, use, issuer.lane, *box.owner, offset,
                           bytes);
  };
  if (walk.isDense())
    return note(box.offset, walk.sharedBytes());
  TensorRow row;
  uint32_t unit = map.swizzleBytes ? 16 : walk.sharedRowBytes();
  while (walk.next(row))
    for (uint32_t i = 0; i < walk.sharedRowBytes(); i += unit) {
      uint32_t at =
          swizzled(map, boxAddress(box) + row.shared + i) & ~(map.swizzleBytes ? 15u : 0u);
      if (!note(at - kSharedBase, unit))
        return false;
    }
  return true;
}

bool noteTensor(const Issuer &issuer, AsyncRecord record, const TensorMap &map,
                const TensorPlace &place, Use use) {
  TensorWalk walk(map, place);
  TensorBounds bounds(map);
  TensorRow row;
  while (walk.next(row)) {
    if (!bounds.check(issuer, map, row))
      return false;
    if (row.end > row.begin && !noteAsyncGlobal(*issuer.warp, *issuer.op, record, use, issuer.lane,
                                                row.global, row.end - row.begin))
      return false;
  }
  return true;
}

struct TensorLoadWork {
  Issuer issuer;
  TensorMap map;
  TensorPlace place;
  BulkTargets targets;

  bool run() {
    TensorWalk walk(map, place);
    TensorBounds bounds(map);
    TensorRow row;
    while (walk.next(row)) {
      if (!bounds.check(issuer, map, row))
        return false;
      issuer.count(row.global, row.end - row.begin);
      for (uint32_t i = 0; i < targets.count; ++i) {
        const SharedPlace &to = targets.at[i].to;
        loadRow(map, row, walk.rowBytes(), to.at, boxAddress(to));
      }
    }
    return targets.complete(issuer, walk.completedBytes());
  }
  void poison() {
    TensorWalk walk(map, place);
    TensorRow row;
    while (walk.next(row))
      for (uint32_t i = 0; i < targets.count; ++i) {
        const SharedPlace &to = targets.at[i].to;
        poisonRow(map, row, walk.rowBytes(), to.at, boxAddress(to));
      }
  }
};

void tensorLoad(Warp &warp, const Op &op) {
  eachIssuer(warp, op, [](const Issuer &issuer, const BulkOperands &operands) {
    TensorLoadWork work{issuer, {}, {}, {}};
    if (!readMap(issuer, operands.from, work.map) ||
        !readPlace(issuer, operands, work.map, false, work.place))
      return false;
    uint32_t bytes = TensorWalk(work.map, work.place).sharedBytes();
    if (!work.targets.find(issuer, operands, bytes, kBoxAlign))
      return false;
    Warp &warp = *issuer.warp;
    if (warp.block->check) {
      AsyncRecord record = noteAsyncIssue(warp, *issuer.op, AsyncKind::kBulkLoad, issuer.laneBit());
      if (!noteTensor(issuer, record, work.map, work.place, Use::kRead))
        return false;
      for (uint32_t i = 0; i < work.targets.count; ++i)
        if (!noteBox(issuer, record, work.map, work.place, Use::kWrite, work.targets.at[i].to))
          return false;
      work.targets.note(record);
    }
    if (asyncIsLazy())
      work.poison();
    return submitBulk(issuer, AsyncKind::kBulkLoad, work);
  });
}

struct TensorStoreWork {
  Issuer issuer;
  TensorMap map;
  TensorPlace place;
  SharedPlace from;
  Reduction reduction;
  bool reduces;

  bool run() {
    TensorWalk walk(map, place);
    TensorBounds bounds(map);
    TensorRow row;
    while (walk.next(row)) {
      if (!bounds.check(issuer, map, row))
        return false;
      issuer.count(row.global, row.end - row.begin);
      if (reduces)
        reduceRow(map, reduction, row, walk.rowBytes(), from.at, boxAddress(from));
      else
        storeRow(map, row, walk.rowBytes(), from.at, boxAddress(from));
    }
    return true;
  }
};

template <bool kReduces> void tensorStore(Warp &warp, const Op &op) {
  eachIssuer(warp, op, [](const Issuer &issuer, const BulkOperands &operands) {
    TensorStoreWork work{issuer, {}, {}, {}, {}, kReduces};
    if (!readMap(issuer, operands.to, work.map) ||
        !readPlace(issuer, operands, work.map, true, work.place))
      return false;
    if (kReduces &&
        !tensorReduction(work.map, static_cast<ReduceOp>(operands.reduceOp), work.reduction))
      return issuer.fault(Fault::kInvalid, std::string("elements of type ") +
                                               tensorTypeName(work.map.type) +
                                               " have no such reduction through a tensor map");
    uint32_t bytes = TensorWalk(work.map, work.place).sharedBytes();
    work.from = issuer.ownShared(operands.from, bytes, kBoxAlign);
    if (!work.from.owner)
      return false;
    Warp &warp = *issuer.warp;
    if (warp.block->check) {
      AsyncRecord record =
          noteAsyncIssue(warp, *issuer.op, AsyncKind::kBulkStore, issuer.laneBit());
      if (!noteBox(issuer, record, work.map, work.place, Use::kRead, work.from) ||
          !noteTensor(issuer, record, work.map, work.place, kReduces ? Use::kAtomic : Use::kWrite))
        return false;
    }
    return submitBulk(issuer, AsyncKind::kBulkStore, work);
  });
}

void tensorPrefetch(Warp &warp, const Op &op) {
  eachIssuer(warp, op, [](const Issuer &issuer, const BulkOperands &operands) {
    TensorMap map;
    TensorPlace place;
    if (!readMap(issuer, operands.from, map) || !readPlace(issuer, operands, map, false, place))
      return false;
    TensorWalk walk(map, place);
    TensorBounds bounds(map);
    TensorRow row;
    while (walk.next(row))
      if (!bounds.check(issuer, map, row))
        return false;
    return true;
  });
}

void mapPrefetch(Warp &warp, const Op &op) {
  eachIssuer(warp, op, [](const Issuer &issuer, const BulkOperands &operands) {
    const uint8_t *memory =
        mapMemory(issuer, issuer.address(operands.from), static_cast<MapSpace>(operands.space));
    if (!memory)
      return false;
    TensorMap map;
    std::memcpy(static_cast<void *>(&map), memory, kMapBytes);
    return map.isMap() || issuer.fault(Fault::kInvalid, "there is no tensor map at this address");
  });
}

void mapReplace(Warp &warp, const Op &op) {
  eachIssuer(warp, op, [](const Issuer &issuer, const BulkOperands &operands) {
    uint8_t *memory =
        mapMemory(issuer, issuer.address(operands.to), static_cast<MapSpace>(operands.space));
    if (!memory)
      return false;
    if (memory >= issuer.warp->block->launch->params &&
        memory <
            issuer.warp->block->launch->params + issuer.warp->block->launch->kernel->paramBytes)
      return issuer.fault(Fault::kInvalid, "a tensor map among the parameters cannot be changed; "
                                           "copy it to global or shared memory first");
    uint64_t value = 0;
    std::memcpy(&value, issuer.warp->registers + operands.value + issuer.lane * operands.valueBytes,
                operands.valueBytes);
    TensorMap map;
    std::memcpy(static_cast<void *>(&map), memory, kMapBytes);
    std::string why =
        replaceField(map, static_cast<TensorField>(operands.field), operands.ordinal, value);
    if (!why.empty())
      return issuer.fault(Fault::kInvalid, why);
    std::memcpy(memory, static_cast<void *>(&map), kMapBytes);
    return true;
  });
}

/// tensormap.cp_fenceproxy: the warp copies a map from shared to global memory together.
void mapCopy(Warp &warp, const Op &op) {
  bool isFirst = true;
  uint64_t to = 0, from = 0;
  eachIssuer(warp, op, [&](const Issuer &issuer, const BulkOperands &operands) {
    uint64_t there = issuer.address(operands.to), here = issuer.address(operands.from);
    if (!isFirst)
      return (there == to && here == from) ||
             issuer.fault(Fault::kInvalid, "all lanes must name the same two addresses");
    isFirst = false;
    to = there, from = here;
    SharedPlace source = issuer.ownShared(operands.from, kMapBytes, kMapBytes);
    if (!source.owner || !issuer.checkGlobal(to, kMapBytes, kMapBytes))
      return false;
    if (issuer.warp->block->check) {
      uint64_t at[kLaneCount] = {};
      for (uint32_t i = 0; i < kMapBytes; i += 16) {
        at[issuer.lane] = reinterpret_cast<uint64_t>(source.at) + i;
        if (!noteAccess(*issuer.warp, *issuer.op, Use::kRead, issuer.laneBit(), 16, at))
          return false;
        at[issuer.lane] = to + i;
        if (!noteAccess(*issuer.warp, *issuer.op, Use::kWrite, issuer.laneBit(), 16, at))
          return false;
      }
    }
    std::memcpy(reinterpret_cast<void *>(to), source.at, kMapBytes);
    return true;
  });
}

constexpr OpClass kC = OpClass::kMove;

const Instruction kRows[] = {
    {"tensor.load", tensorLoad, nullptr, kC},
    {"tensor.store", tensorStore<false>, nullptr, kC},
    {"tensor.store.reduce", tensorStore<true>, nullptr, kC},
    {"tensor.prefetch", tensorPrefetch, nullptr, kC},
    {"tensormap.prefetch", mapPrefetch, nullptr, kC},
    {"tensormap.replace", mapReplace, nullptr, kC},
    {"tensormap.cp_fenceproxy", mapCopy, nullptr, kC},
};

} // namespace

void addTensorCopyHandlers(HandlerTable &table) {
  table.add(kRows, sizeof kRows / sizeof kRows[0]);
}

} // namespace heddle::emulator
