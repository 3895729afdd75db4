// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per change of the ONNX specification: operator, first opset with the newer form, and how
// the older form is said in it. Rows of one operator are applied from top to bottom.
#include "lib/import/Adapters.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

namespace heddle::import {

using Strings = std::vector<std::string>;

//===----------------------------------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------------------------------===//

/// `value` with axes of size 1 appended, so that its first axis meets axis `axis` of `like`. Ranks
/// are not known here; the sizes of the new shape are computed on the host.
static std::string alignAxes(Rewrite &r, const std::string &value, const std::string &like,
                             int64_t axis) {
  std::string rank = r.emit("Shape", {r.emit("Shape", {like})});
  std::string shape = r.emit("Shape", {value});
  std::string missing = r.emit("Sub", {rank, r.emit("Shape", {shape})});
  missing = r.emit("Max", {r.emit("Sub", {missing, r.ints({axis})}), r.ints({int64_t(0)})});
  // ConstantOfShape makes float zeros; the ones come from a comparison of integers instead.
  std::string ones = r.emit("Expand", {r.ints({int64_t(1)}), missing});
  std::string sizes = r.emit("Concat", {shape, ones}, "axis", 0);
  return r.emit("Reshape", {value, sizes});
}

/// Before opset 7, B broadcasts only on request and may be aligned by `axis`.
static void broadcastByAxis(Rewrite &r) {
  bool isAligned = r.integer("broadcast", 0) && r.has("axis");
  int64_t axis = r.integer("axis", 0);
  r.drop("broadcast");
  r.drop("axis");
  if (isAligned && axis >= 0)
    r.setInput(1, alignAxes(r, r.input(1), r.input(0), axis));
  else if (isAligned && axis != -1)
    r.problem = "broadcasting with a negative axis; re-export the model with opset 7 or newer";
}

/// Before opset 7, the slopes stand along the channel axis.
static void slopeByChannel(Rewrite &r) { r.setInput(1, alignAxes(r, r.input(1), r.input(0), 1)); }

static void clipBounds(Rewrite &r) {
  for (auto [index, name] : {std::pair(1, "min"), std::pair(2, "max")})
    if (r.has(name)) {
      r.setInput(index, r.scalarLike(r.real(name, 0), r.input(0)));
      r.drop(name);
    }
}

static void castByName(Rewrite &r) {
  std::string name = r.text("to", "");
  // The names of TensorProto.DataType.
  int64_t code = llvm::StringSwitch<int64_t>(name)
                     .Case("FLOAT", 1)
                     .Case("UINT8", 2)
                     .Case("INT8", 3)
                     .Case("UINT16", 4)
                     .Case("INT16", 5)
                     .Case("INT32", 6)
                     .Case("INT64", 7)
                     .Case("BOOL", 9)
                     .Case("FLOAT16", 10)
                     .Case("DOUBLE", 11)
                     .Case("UINT32", 12)
                     .Case("UINT64", 13)
                     .Default(0);
  if (!code)
    r.problem = "a cast to '" + name + "'";
  r.set("to", code);
}

/// The constants that opset 1 gave Selu differ from those of opset 6.
static void seluConstants(Rewrite &r) {
  r.set("alpha", r.real("alpha", 1.6732f));
  r.set("gamma", r.real("gamma", 1.0507f));
}

static void dropoutAtInference(Rewrite &r) {
  for (const char *name : {"ratio", "is_test", "seed"})
    r.drop(name);
}

//===----------------------------------------------------------------------------------------------===//
// Reductions and normalisations
//===----------------------------------------------------------------------------------------------===//

template <int kInput> static void axesToInput(Rewrite &r) {
  if (auto axes = r.integers("axes"))
    r.setInput(kInput, r.ints(*axes));
  r.drop("axes");
}

/// Before opset 13, axes from `axis` on are one row.
static void flattenAround(Rewrite &r) {
  int64_t axis = r.integer("axis", 1);
  r.set("axis", int64_t(-1));
  if (axis == -1)
    return;
  std::string data = r.input(0), result = r.node.output(0);
  r.setInput(0, r.emit("Flatten", {data}, "axis", axis));
  std::string shape = r.emit("Shape", {data});
  std::string flat = r.renameResult();
  r.emitAfter("Reshape", {flat, shape}, result);
}

static void batchNormalizationAtInference(Rewrite &r) {
  if (!r.integer("spatial", 1))
    r.problem = "parameters for each position (spatial = 0)";
  r.drop("spatial");
  r.drop("is_test");
  // Running statistics are outputs of training only; exporters name them without using them.
  while (r.node.output_size() > 1)
    r.node.mutable_output()->RemoveLast();
}

/// Opset 21 has a scale and a bias for each channel, opset 18 for each group.
static void groupParameters(Rewrite &r) {
  int64_t groups = std::max<int64_t>(r.integer("num_groups", 1), 1);
  std::string channels =
      r.emit("Gather", {r.emit("Shape", {r.input(0)}), r.ints({int64_t(1)})}, "axis", 0);
  std::string count = r.ints({groups});
  std::string sizes = r.emit("Concat", {count, r.emit("Div", {channels, count})}, "axis", 0);
  for (int index : {1, 2}) {
    std::string column = r.emit("Unsqueeze", {r.input(index), r.ints({int64_t(1)})});
    r.setInput(index, r.emit("Reshape", {r.emit("Expand", {column, sizes}), channels}));
  }
}

static void kToInput(Rewrite &r) {
  r.setInput(1, r.ints({r.integer("k", 1)}));
  r.drop("k");
}

static void wholeNorm(Rewrite &r) {
  float p = r.real("p", 2);
  if (p != float(int64_t(p)))
    r.problem = "a norm of order " + std::to_string(p) + ", which is not an integer";
  r.set("p", int64_t(p));
}

//===----------------------------------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------------------------------===//

static void reshapeToInput(Rewrite &r) {
  r.setInput(1, r.ints(r.integers("shape").value_or(std::vector<int64_t>())));
  r.drop("shape");
}

static void splitToInput(Rewrite &r) {
  if (auto sizes = r.integers("split"))
    r.setInput(1, r.ints(*sizes));
  r.drop("split");
}

static void countOutputs(Rewrite &r) {
  if (r.input(1).empty())
    r.set("num_outputs", int64_t(r.node.output_size()));
}

static void sliceToInputs(Rewrite &r) {
  int index = 1;
  for (const char *name : {"starts", "ends", "axes"}) {
    if (auto values = r.integers(name))
      r.setInput(index, r.ints(*values));
    r.drop(name);
    ++index;
  }
}

static void padToInputs(Rewrite &r) {
  const char *name = r.has("pads") ? "pads" : "paddings";
  r.setInput(1, r.ints(r.integers(name).value_or(std::vector<int64_t>())));
  if (r.has("value"))
    r.setInput(2, r.scalarLike(r.real("value", 0), r.input(0)));
  for (const char *attribute : {"pads", "paddings", "value"})
    r.drop(attribute);
}

static void concatAxis(Rewrite &r) { r.set("axis", r.integer("axis", 1)); }

static void tileOneAxis(Rewrite &r) {
  r.problem = "tiles along one axis (opset 1); re-export the model with opset 6 or newer";
}

static void renameScatter(Rewrite &r) { r.node.set_op_type("ScatterElements"); }

/// Upsample and the first Resize sample at floor(x / scale).
static void resizeAsymmetric(Rewrite &r) {
  r.node.set_op_type("Resize");
  std::string scales = r.input(1);
  if (auto values = r.reals("scales"))
    scales = r.floats(*values);
  else if (r.has("height_scale"))
    scales = r.floats({1.0f, 1.0f, r.real("height_scale", 1), r.real("width_scale", 1)});
  for (const char *name : {"scales", "height_scale", "width_scale"})
    r.drop(name);
  std::string mode = r.text("mode", "nearest");
  r.set("mode", llvm::StringRef(mode == "bilinear" ? "linear" : mode));
  r.set("coordinate_transformation_mode", llvm::StringRef("asymmetric"));
  r.set("nearest_mode", llvm::StringRef("floor"));
  r.setInput(1, "");
  r.setInput(2, scales);
}

//===----------------------------------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------------------------------===//

namespace {
struct Change {
  const char *op;
  int64_t since; ///< The first opset with the newer form.
  void (*apply)(Rewrite &);
};
} // namespace

static constexpr int64_t kAlways = INT64_MAX;

static const Change kChanges[] = {
    {"Add", 7, broadcastByAxis},
    {"Sub", 7, broadcastByAxis},
    {"Mul", 7, broadcastByAxis},
    {"Div", 7, broadcastByAxis},
    {"Pow", 7, broadcastByAxis},
    {"And", 7, broadcastByAxis},
    {"Or", 7, broadcastByAxis},
    {"Xor", 7, broadcastByAxis},
    {"Equal", 7, broadcastByAxis},
    {"Less", 7, broadcastByAxis},
    {"Greater", 7, broadcastByAxis},
    {"Gemm", 7, [](Rewrite &r) { r.drop("broadcast"); }},
    {"PRelu", 7, slopeByChannel},
    {"Clip", 11, clipBounds},
    {"Cast", 6, castByName},
    {"Selu", 6, seluConstants},
    {"Dropout", 12, dropoutAtInference},
    {"ReduceSum", 13, axesToInput<1>},
    {"ReduceMean", 18, axesToInput<1>},
    {"ReduceMax", 18, axesToInput<1>},
    {"ReduceMin", 18, axesToInput<1>},
    {"ReduceProd", 18, axesToInput<1>},
    {"ReduceL1", 18, axesToInput<1>},
    {"ReduceL2", 18, axesToInput<1>},
    {"ReduceLogSum", 18, axesToInput<1>},
    {"ReduceLogSumExp", 18, axesToInput<1>},
    {"ReduceSumSquare", 18, axesToInput<1>},
    {"Squeeze", 13, axesToInput<1>},
    {"Unsqueeze", 13, axesToInput<1>},
    {"Softmax", 13, flattenAround},
    {"LogSoftmax", 13, flattenAround},
    {"Hardmax", 13, flattenAround},
    {"BatchNormalization", 14, batchNormalizationAtInference},
    {"GroupNormalization", 21, groupParameters},
    {"TopK", 10, kToInput},
    {"LpPool", 2, wholeNorm},
    {"GlobalLpPool", 2, wholeNorm},
    {"Reshape", 5, reshapeToInput},
    {"Split", 13, splitToInput},
    {"Split", 18, countOutputs},
    {"Slice", 10, sliceToInputs},
    {"Pad", 11, padToInputs},
    {"Concat", 4, concatAxis},
    {"Tile", 6, tileOneAxis},
    {"Scatter", kAlways, renameScatter},
    {"Upsample", kAlways, resizeAsymmetric},
    {"Resize", 11, resizeAsymmetric},
};

void adapt(Rewrite &r) {
  // A hint to reuse a buffer, which opset 1 had on most operators.
  r.drop("consumed_inputs");
  std::string op = r.node.op_type();
  for (const Change &change : kChanges)
    if (op == change.op && r.opset < change.since && r.problem.empty())
      change.apply(r);
}

} // namespace heddle::import
