// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model as plain data, and its file. The compiler fills ArtifactData and writes it; the
// runtime maps a file and reads the same structs. lib/artifact/Artifact.fbs is the file's schema
// and describes every field; the structs here mirror it.
#ifndef HEDDLE_ARTIFACT_H
#define HEDDLE_ARTIFACT_H

#include "heddle/DType.h"
#include "heddle/Status.h"
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle::artifact {

/// Raised whenever an older reader would misunderstand a file.
inline constexpr uint32_t kFormatVersion = 1;

using Bytes = std::span<const uint8_t>;
using ExprId = uint32_t;   ///< index into Variant::exprs
using BufferId = uint32_t; ///< index into Variant::buffers

// clang-format off
enum class ExprKind : uint8_t {
  kConstant, ///< value
  kSymbol,   ///< symbols[a]
  kAdd, kMul,
  kFloorDiv, kCeilDiv, kMod, ///< b > 0, else an error; a remainder is in [0, b)
  kMin, kMax,
  kBroadcast, ///< a if a == b or b == 1, b if a == 1, else an error
  kEqual, kLess, ///< 1 or 0
  kSelect ///< b if a != 0, else c
};
// clang-format on
/// A node of the expression pool; operands have smaller indices than the node.
struct Expr {
  ExprKind kind = ExprKind::kConstant;
  uint32_t a = 0, b = 0, c = 0;
  int64_t value = 0;
};

enum class SymbolKind : uint8_t { kInputDim, kInputElement, kDerived };
struct Symbol {
  std::string name; ///< "batch": for messages
  SymbolKind kind = SymbolKind::kInputDim;
  uint32_t input = 0; ///< kInputDim, kInputElement
  uint32_t index = 0; ///< the dimension, or the element of a bool or integer input
  ExprId expr = 0;    ///< kDerived
};

/// One input or output of the model.
struct Value {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<ExprId> dims;
  BufferId buffer = 0; ///< of its own: no two values share one
};

enum class BufferKind : uint8_t { kInput, kOutput, kWeight, kTemporary };
struct Buffer {
  BufferKind kind = BufferKind::kTemporary;
  ExprId size = 0;              ///< bytes; for a weight the constant weight.size()
  uint32_t first = 0, last = 0; ///< kTemporary: live in steps [first, last)
  Bytes weight{};               ///< kWeight
};

enum class ArgKind : uint8_t { kPointer, kInt32, kInt64 };
struct Arg {
  ArgKind kind = ArgKind::kPointer;
  BufferId buffer = 0; ///< kPointer
  ExprId expr = 0;     ///< kInt32, kInt64
};

struct Launch {
  uint32_t kernel = 0;
  std::array<ExprId, 3> grid{}; ///< a zero in any skips the launch
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t sharedBytes = 0; ///< dynamic
  std::vector<Arg> args{};
};
struct Copy {
  BufferId dst = 0, src = 0;
  ExprId size = 0; ///< bytes
};
struct Store {
  BufferId dst = 0;          ///< is given host numbers, as
  DType dtype = DType::kI64; ///< an integer of 8 bits or more, f32, f64 or bool
  std::vector<ExprId> values;
};
struct Check {
  ExprId condition = 0; ///< shapes for which it is zero are refused
  std::string message;
  std::vector<ExprId> values; ///< shown after the message
};
using Step = std::variant<Launch, Copy, Store, Check>;

struct Kernel {
  std::string name; ///< entry in the PTX
  std::string op;   ///< what it computes, for people
  uint32_t registers = 0, staticSharedBytes = 0;
};

/// The whole program for one target.
struct Variant {
  std::string target;      ///< "sm_90a"
  std::string_view ptx;    ///< may be empty if there is a cubin
  uint32_t ptxVersion = 0; ///< 80 = 8.0
  Bytes cubin;             ///< may be empty
  std::vector<Expr> exprs;
  std::vector<Symbol> symbols;
  std::vector<Value> inputs, outputs;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<Step> steps;
};

/// The views (ptx, cubin, weights) must outlive the data. `own` keeps bytes alive with it; payloads
/// that are equal are stored once in the file, so variants may repeat their weights.
struct ArtifactData {
  std::string producer, options; ///< "heddle 0.1.0"; the options that made it, one line
  std::string model;             ///< file name and SHA-256 of the source
  std::vector<Variant> variants;

  Bytes own(std::vector<uint8_t> bytes) { return owned.emplace_back(std::move(bytes)); }
  std::string_view own(std::string text) { return ownedText.emplace_back(std::move(text)); }

private:
  // Deques keep their elements where they are.
  std::deque<std::vector<uint8_t>> owned;
  std::deque<std::string> ownedText;
};

/// Checks every index, order, lifetime, enum and name, so that whoever executes the data need not.
/// Errors:  kCorrupt with the place: `variant "sm_80": step 3: ...`.
Status verify(const ArtifactData &data);

/// Writes the file through a temporary one beside it, so that `path` is never half written. The
/// same data give the same bytes.
/// Errors:  kCorrupt as `verify` says; kIo with the system's reason.
Status write(const ArtifactData &data, const std::string &path);

} // namespace heddle::artifact

#endif // HEDDLE_ARTIFACT_H
