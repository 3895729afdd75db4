// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small constant tensors of floats are computed when the model is compiled: scales of a Resize,
// limits of a Range and the like are often the end of a chain of casts and products. Each step
// rounds to its element type once, as the operator would.
#include "dialects/graph/ops/ShapeRules.h"

#include "mlir/IR/Builders.h"
#include <cmath>

using namespace mlir;

namespace heddle::graph {

using Numbers = SmallVector<double>;
using Formula = double (*)(ArrayRef<double>);

static const llvm::StringMap<Formula> &formulas() {
  using In = ArrayRef<double>;
  static const llvm::StringMap<Formula> table = {
      {"add", [](In x) { return x[0] + x[1]; }},
      {"sub", [](In x) { return x[0] - x[1]; }},
      {"mul", [](In x) { return x[0] * x[1]; }},
      {"div", [](In x) { return x[0] / x[1]; }},
      {"neg", [](In x) { return -x[0]; }},
      {"abs", [](In x) { return std::fabs(x[0]); }},
      {"floor", [](In x) { return std::floor(x[0]); }},
      {"ceil", [](In x) { return std::ceil(x[0]); }},
      {"round", [](In x) { return std::nearbyint(x[0]); }},
      {"sqrt", [](In x) { return std::sqrt(x[0]); }},
      {"reciprocal", [](In x) { return 1 / x[0]; }},
      {"identity", [](In x) { return x[0]; }},
      {"cast", [](In x) { return x[0]; }},
      {"cast_like", [](In x) { return x[0]; }},
  };
  return table;
}

/// Numbers as a constant of the type; null where one does not fit it.
static DenseElementsAttr makeConstant(RankedTensorType type, ArrayRef<double> numbers) {
  Builder builder(type.getContext());
  SmallVector<Attribute> values;
  for (double number : numbers) {
    if (auto element = dyn_cast<FloatType>(type.getElementType())) {
      values.push_back(builder.getFloatAttr(element, number));
      continue;
    }
    if (type.getElementType().isInteger(1)) {
      values.push_back(builder.getBoolAttr(number != 0));
      continue;
    }
    // ONNX leaves a cast of what does not fit undefined; that is left to the device.
    unsigned bits = type.getElementTypeBitWidth();
    bool isUnsigned = type.getElementType().isUnsignedInteger();
    double limit = std::ldexp(1.0, int(bits) - (isUnsigned ? 0 : 1));
    if (!(number > (isUnsigned ? -1 : -limit - 1) && number < limit))
      return {};
    values.push_back(builder.getIntegerAttr(
        type.getElementType(), APInt(bits, uint64_t(int64_t(number)), /*isSigned=*/false,
                                     /*implicitTrunc=*/true)));
  }
  return DenseElementsAttr::get(type, values);
}

/// Scalars and vectors of one size; other broadcasts do not decide shapes.
static std::optional<Numbers> foldFormula(Formula formula, ArrayRef<Numbers> operands,
                                          size_t count) {
  for (const Numbers &operand : operands)
    if (operand.size() != count && operand.size() != 1)
      return std::nullopt;
  Numbers result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(formula(llvm::map_to_vector(
        operands, [&](const Numbers &operand) { return operand[operand.size() == 1 ? 0 : i]; })));
  return result;
}

static std::optional<Numbers> foldGather(OpShape &op, const Numbers &data, const Numbers &at) {
  if (op.rank(0) != 1)
    return std::nullopt;
  Numbers result;
  for (double index : at) {
    int64_t position = int64_t(index) + (index < 0 ? int64_t(data.size()) : 0);
    if (position < 0 || position >= int64_t(data.size()))
      return std::nullopt;
    result.push_back(data[position]);
  }
  return result;
}

static std::optional<Numbers> foldSlice(const Numbers &data, const Numbers &start, int64_t rank,
                                        size_t count) {
  if (rank != 1 || start.size() != 1)
    return std::nullopt;
  int64_t size = data.size();
  int64_t begin = std::clamp<int64_t>(int64_t(start[0]) + (start[0] < 0 ? size : 0), 0, size);
  if (begin + count > data.size())
    return std::nullopt;
  return Numbers(data.begin() + begin, data.begin() + begin + count);
}

static std::optional<Numbers> foldNumbers(OpShape &op, StringRef name, ArrayRef<Numbers> in,
                                          size_t count) {
  auto formula = formulas().find(name);
  if (formula != formulas().end())
    return foldFormula(formula->second, name == "cast_like" ? in.take_front() : in, count);
  if (name == "reshape" || name == "squeeze" || name == "unsqueeze" || name == "flatten")
    return in[0];
  if (name == "gather")
    return foldGather(op, in[0], in[1]);
  // A fourth operand is axes, which a vector has one of; steps are left to the device.
  if (name == "slice" && in.size() < 5)
    return foldSlice(in[0], in[1], op.rank(0), count);
  if (name == "concat" && op.results[0].getRank() == 1) {
    Numbers result;
    for (const Numbers &part : in)
      result.append(part);
    return result;
  }
  return std::nullopt;
}

DenseElementsAttr foldNumbers(OpShape &op) {
  StringRef name = op.op->getName().stripDialect();
  // Integers of 64 bits do not all fit a double; HostValues.cpp folds integers exactly.
  if (op.results.size() != 1 || !op.results[0].hasStaticShape() ||
      op.results[0].getNumElements() > kMaxHostElems || op.op->getNumOperands() == 0)
    return {};
  // Floats of 8 bits and fewer saturate by rules of their own, and decide no shapes.
  Type element = op.results[0].getElementType();
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16)
    return {};
  SmallVector<Numbers> operands;
  bool hasFloat = isa<FloatType>(op.results[0].getElementType());
  for (Value value : op.op->getOperands()) {
    // The type alone matters of what a cast is like.
    if (name == "cast_like" && !operands.empty())
      break;
    auto numbers = op.numbersOf(value);
    if (!numbers || int64_t(numbers->size()) > kMaxHostElems)
      return {};
    hasFloat |= isa<FloatType>(cast<RankedTensorType>(value.getType()).getElementType());
    operands.push_back(std::move(*numbers));
  }
  if (!hasFloat)
    return {};
  auto result = foldNumbers(op, name, operands, op.results[0].getNumElements());
  if (!result || int64_t(result->size()) != op.results[0].getNumElements())
    return {};
  return makeConstant(op.results[0], *result);
}

} // namespace heddle::graph
