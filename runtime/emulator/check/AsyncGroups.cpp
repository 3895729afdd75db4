// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of asynchronous work; see the header.
#include "runtime/emulator/check/AsyncGroups.h"
#include <algorithm>

namespace heddle::emulator {

void AsyncGroups::start() {
  pieces.clear();
  streams.clear();
  kinds.clear();
  newest = 0;
}

AsyncGroups::Stream *AsyncGroups::findStream(AsyncKind kind, uint32_t warpAgent) {
  auto found = streams.find({warpAgent, kind});
  return found == streams.end() ? nullptr : &found->second;
}

void AsyncGroups::addStream(Stream &stream, uint32_t warpAgent, AsyncKind kind) {
  stream.agent = orders.addAgent();
  kinds[stream.agent] = {warpAgent, kind};
}

uint32_t AsyncGroups::issue(AsyncKind kind, uint32_t warpAgent, Warp &warp, const Op &op,
                            uint32_t lanes) {
  ++newest;
  if (pieces.size() < kRemembered)
    pieces.emplace_back();
  AsyncPiece &piece = pieces[(newest - 1) % kRemembered];
  piece.kind = kind;
  piece.warp = &warp;
  piece.op = &op;
  piece.agentOfWarp = warpAgent;
  piece.lanes = lanes;
  piece.isAsyncProxy = kind != AsyncKind::kCopy; // cp.async is in the generic one
  piece.signals.clear();
  if (kind == AsyncKind::kBulkLoad)
    return newest;
  auto [place, isNew] = streams.try_emplace({warpAgent, kind});
  Stream &stream = place->second;
  if (isNew)
    addStream(stream, warpAgent, kind);
  piece.agent = stream.agent;
  piece.time = ++stream.issued;
  stream.lastRecord = newest;
  return newest;
}

const AsyncPiece *AsyncGroups::find(uint32_t record) const {
  if (record == 0 || record > newest || newest - record >= kRemembered)
    return nullptr;
  return &pieces[(record - 1) % kRemembered];
}

void AsyncGroups::signal(uint32_t record, uint32_t rank, Completion completion) {
  if (const AsyncPiece *piece = find(record))
    const_cast<AsyncPiece *>(piece)->signals.push_back({rank, completion});
}

Completion AsyncGroups::completionOf(uint32_t record, uint32_t rank) const {
  const AsyncPiece *piece = find(record);
  if (!piece)
    return {0, Completion::kLongAgo};
  Completion result;
  for (const AsyncPiece::Signal &signal : piece->signals)
    if (result.phase == 0 || signal.rank == rank)
      result = signal.completion;
  return result;
}

uint32_t AsyncGroups::issuerOf(uint32_t record) const {
  const AsyncPiece *piece = find(record);
  return piece ? piece->agentOfWarp : 0;
}

uint32_t AsyncGroups::issuerOfAgent(uint32_t agent, uint32_t otherwise) const {
  auto found = kinds.find(agent);
  return found == kinds.end() ? otherwise : found->second.first;
}

void AsyncGroups::commit(AsyncKind kind, uint32_t warpAgent, uint32_t lanes) {
  auto [place, isNew] = streams.try_emplace({warpAgent, kind});
  Stream &stream = place->second;
  if (isNew)
    addStream(stream, warpAgent, kind);
  stream.committed = stream.issued;
  if (stream.commits.size() == kCommits)
    stream.commits.erase(stream.commits.begin(), stream.commits.begin() + kCommits / 2);
  stream.commits.push_back({lanes, stream.issued});
}

void AsyncGroups::wait(AsyncKind kind, uint32_t warpAgent, uint32_t waiter, uint32_t lanes,
                       uint32_t pending) {
  Stream *stream = findStream(kind, warpAgent);
  if (!stream || lanes == 0)
    return;
  // Groups are a thread's; lanes count theirs alone until they agree.
  uint32_t done = 0, open = lanes;
  uint32_t left[32];
  std::fill_n(left, 32, pending);
  for (size_t i = stream->commits.size(); i-- > 0 && open;) {
    const Commit &commit = stream->commits[i];
    for (uint32_t rest = commit.lanes & open; rest; rest &= rest - 1) {
      uint32_t lane = static_cast<uint32_t>(__builtin_ctz(rest));
      if (left[lane]-- == 0) {
        done = std::max(done, commit.time);
        open &= ~(1u << lane);
      }
    }
    if (done == commit.time)
      break; // older groups tell nothing new
  }
  if (done)
    orders.learn(waiter, stream->agent, done);
}

Completion AsyncGroups::issuedSoFar(AsyncKind kind, uint32_t warpAgent) const {
  auto found = streams.find({warpAgent, kind});
  if (found == streams.end())
    return {};
  return {found->second.agent, found->second.issued};
}

const AsyncPiece *AsyncGroups::findForgotten(const char *&what) const {
  for (const auto &[key, stream] : streams) {
    if (stream.issued == 0 || orders.isKnown(stream.agent, stream.issued))
      continue;
    const AsyncPiece *piece = find(stream.lastRecord);
    if (!piece)
      continue;
    bool isTensor = key.second == AsyncKind::kTensor;
    what = isTensor                              ? "tcgen05.commit, or a wait for its mbarrier,"
           : key.second == AsyncKind::kTmemLoad  ? "tcgen05.wait::ld"
           : key.second == AsyncKind::kTmemStore ? "tcgen05.wait::st"
           : stream.committed != stream.issued   ? "commit_group"
                                                 : "wait_group";
    return piece;
  }
  uint32_t first = newest > kRemembered ? newest - kRemembered + 1 : 1;
  for (uint32_t record = first; record <= newest; ++record) {
    const AsyncPiece *piece = find(record);
    if (piece->kind != AsyncKind::kBulkLoad)
      continue;
    for (const AsyncPiece::Signal &signal : piece->signals)
      if (!orders.isKnown(signal.completion.agent, signal.completion.phase)) {
        what = "wait for its mbarrier";
        return piece;
      }
  }
  return nullptr;
}

} // namespace heddle::emulator
