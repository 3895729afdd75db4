// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a variant's size expressions for given inputs. An expression that has no value (a
// division by zero, sizes that do not broadcast) is an error only where it is used, so the arm of a
// Select that is not taken may be wrong.
#ifndef HEDDLE_RUNTIME_EXPRESSIONS_H
#define HEDDLE_RUNTIME_EXPRESSIONS_H

#include "heddle/Artifact.h"
#include "runtime/Tensor.h"

namespace heddle::runtime {

/// The values of all expressions of a variant.
class Sizes {
public:
  /// Errors:  kInvalidArgument with the reason why the expression has no value.
  Result<int64_t> at(artifact::ExprId id) const;
  Result<Dims> at(const std::vector<artifact::ExprId> &ids) const;

private:
  friend class Evaluator;
  std::vector<int64_t> values;
  std::vector<uint32_t>
      failures; ///< per expression: index into `reasons` plus one, 0 if it is fine
  std::vector<std::string> reasons;
};

class Evaluator {
public:
  explicit Evaluator(const artifact::Variant &variant);

  /// Binds the symbols from the inputs and evaluates every expression once, in linear time. The
  /// inputs have the ranks and types that the variant states.
  Sizes evaluate(std::span<const TensorView> inputs) const;

  /// Elements of inputs that symbols read, as (input, element).
  const std::vector<std::pair<uint32_t, uint32_t>> &neededElements() const { return elements; }

private:
  const artifact::Variant &variant;
  /// Expressions in an order in which they can be evaluated between the symbols: sorted by the
  /// number of symbols that they need, then by index.
  std::vector<uint32_t> order;
  std::vector<uint32_t> neededSymbols;
  std::vector<std::pair<uint32_t, uint32_t>> elements;
};

/// Element `index` of an integer or bool tensor.
/// Errors:  kInvalidArgument if there is no such element, or it does not fit int64_t.
Result<int64_t> readInteger(const TensorView &tensor, uint64_t index);

/// "batch", "2 * batch + 1", "224": for messages; long ones are shortened.
std::string describe(const artifact::Variant &variant, artifact::ExprId id);
/// "[batch, 3, 224, 224]"
std::string describe(const artifact::Variant &variant, const std::vector<artifact::ExprId> &ids);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_EXPRESSIONS_H
