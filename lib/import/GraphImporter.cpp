// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of `main`: opsets, inputs, initializers and outputs. The nodes are in NodeImporter.cpp.
#include "lib/import/GraphImporter.h"

#include "dialects/graph/ops/ShapeRules.h"
#include "dialects/shape/SymbolicShape.h"

using namespace mlir;

namespace heddle::import {

// The newest opset of the default domain whose changes are known here.
static constexpr int64_t kNewestOpset = 28;

GraphImporter::GraphImporter(const onnx::ModelProto &model, ExternalData external, ModuleOp module,
                             const ImportOptions &options)
    : model(model), external(std::move(external)), module(module), options(options),
      builder(module.getContext()), operators(module.getContext()) {
  for (const onnx::FunctionProto &function : model.functions())
    functions[function.domain() + ":" + function.name()] = &function;
}

InFlightDiagnostic GraphImporter::error(Location loc) {
  hasFailed = true;
  return emitError(loc);
}

LogicalResult GraphImporter::run() {
  if (failed(importOpsets()))
    return failure();
  addInitializers(model.graph(), top);
  builder.setInsertionPointToEnd(module.getBody());
  if (failed(importInputs()))
    return failure();
  importNodes(model.graph().node(), top, "", 0);
  if (hasFailed || failed(importOutputs()))
    return failure();
  return success();
}

LogicalResult GraphImporter::importOpsets() {
  for (const auto &import : model.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx")
      opset = import.version();
  if (opset < 1)
    return error(module.getLoc()) << "model says opset " << opset << ", expected 1 or more";
  if (opset > kNewestOpset)
    return error(module.getLoc()) << "model uses opset " << opset << ", newest supported is "
                                  << kNewestOpset << "; re-export the model with opset "
                                  << kNewestOpset;
  return success();
}

void GraphImporter::addInitializers(const onnx::GraphProto &graph, Scope &scope) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    if (!scope.initializers.try_emplace(tensor.name(), &tensor).second)
      error(module.getLoc()) << "initializer '" << tensor.name() << "' is defined twice";
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    error(module.getLoc()) << "initializer '" << tensor.values().name()
                           << "' is sparse, which is unsupported; store it as a dense tensor";
}

static AffineExpr importDim(const onnx::TensorShapeProto::Dimension &dim, int64_t input,
                            int64_t axis, shape::Symbols &symbols, const ImportOptions &options,
                            MLIRContext *context) {
  if (dim.has_dim_value() && dim.dim_value() != -1)
    return shape::constant(dim.dim_value(), context);
  // Some exporters write -1 for a size that they do not know.
  auto given = options.dimSizes.find(dim.dim_param());
  if (given != options.dimSizes.end() && !dim.dim_param().empty())
    return shape::constant(given->second, context);
  return symbols.inputDim(dim.dim_param(), input, axis);
}

Type GraphImporter::importType(const onnx::ValueInfoProto &info, int64_t input) {
  Location loc = NameLoc::get(builder.getStringAttr(info.name()));
  if (!info.type().has_tensor_type()) {
    error(loc) << "input '" << info.name()
               << "' is no dense tensor; sequences, optionals and sparse tensors are unsupported";
    return {};
  }
  const auto &tensor = info.type().tensor_type();
  Type element = graph::getElementType(tensor.elem_type(), builder.getContext());
  if (!element) {
    error(loc) << "input '" << info.name() << "' has element type "
               << getTypeName(tensor.elem_type()) << ", which is unsupported";
    return {};
  }
  if (!tensor.has_shape()) {
    error(loc) << "input '" << info.name()
               << "' has no shape; its number of axes must be known, sizes may be symbolic";
    return {};
  }
  shape::Symbols symbols(module);
  SmallVector<AffineExpr> dims;
  for (auto [axis, dim] : llvm::enumerate(tensor.shape().dim())) {
    if (dim.dim_value() < -1) {
      error(loc) << "input '" << info.name() << "' has size " << dim.dim_value();
      return {};
    }
    dims.push_back(importDim(dim, input, axis, symbols, options, builder.getContext()));
  }
  return shape::getTensorType(dims, element);
}

/// Numbers separated by commas as a tensor; null, and a reason, where they do not fit the type.
static ElementsAttr parseNumbers(StringRef text, RankedTensorType type, std::string &problem) {
  SmallVector<StringRef> items;
  text.split(items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (!type.hasStaticShape() || int64_t(items.size()) != type.getNumElements()) {
    problem = "has " + std::to_string(items.size()) + " numbers, its shape does not";
    return {};
  }
  SmallVector<Attribute> values;
  for (StringRef item : items) {
    item = item.trim();
    int64_t integer = 0;
    double real = 0;
    if (auto element = dyn_cast<FloatType>(type.getElementType())) {
      if (item.getAsDouble(real))
        break;
      values.push_back(FloatAttr::get(element, real));
      continue;
    }
    if (item.getAsInteger(10, integer))
      break;
    unsigned bits = type.getElementTypeBitWidth();
    values.push_back(
        IntegerAttr::get(type.getElementType(), APInt(bits, uint64_t(integer), /*isSigned=*/false,
                                                      /*implicitTrunc=*/true)));
  }
  if (values.size() != items.size()) {
    problem = "has '" + items[values.size()].trim().str() + "', which is no number of its type";
    return {};
  }
  return DenseElementsAttr::get(type, values);
}

LogicalResult GraphImporter::fixInputValues() {
  for (BlockArgument argument : main.getArguments()) {
    auto name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name");
    auto given = options.inputValues.find(name.getValue());
    if (given == options.inputValues.end())
      continue;
    std::string problem;
    auto value = parseNumbers(given->second, cast<RankedTensorType>(argument.getType()), problem);
    if (!value)
      return error(argument.getLoc()) << "the value given for this input " << problem;
    main.setArgAttr(argument.getArgNumber(), "graph.value", value);
    top.values[name.getValue()] = graph::ConstantOp::create(builder, argument.getLoc(), value);
  }
  for (const auto &entry : options.inputValues)
    if (!llvm::any_of(model.graph().input(),
                      [&](const auto &input) { return input.name() == entry.getKey(); }))
      return error(module.getLoc())
             << "a value is given for input '" << entry.getKey() << "', which the model has not";
  return success();
}

LogicalResult GraphImporter::importInputs() {
  SmallVector<Type> types;
  SmallVector<StringRef> names;
  llvm::StringMap<bool> seen;
  for (const onnx::ValueInfoProto &input : model.graph().input()) {
    // Before IR version 4, constants had to be listed as inputs too.
    if (top.initializers.contains(input.name()))
      continue;
    if (input.name().empty() || !seen.try_emplace(input.name(), true).second)
      return error(module.getLoc()) << "input '" << input.name() << "' is defined twice or unnamed";
    Type type = importType(input, int64_t(types.size()));
    if (!type)
      continue;
    types.push_back(type);
    names.push_back(input.name());
  }
  if (hasFailed)
    return failure();
  main = func::FuncOp::create(builder, module.getLoc(), "main", builder.getFunctionType(types, {}));
  Block *body = main.addEntryBlock();
  for (auto [i, name] : llvm::enumerate(names)) {
    main.setArgAttr(i, "graph.name", builder.getStringAttr(name));
    body->getArgument(i).setLoc(NameLoc::get(builder.getStringAttr(name)));
    top.values[name] = body->getArgument(i);
  }
  builder.setInsertionPointToEnd(body);
  return fixInputValues();
}

LogicalResult GraphImporter::importOutputs() {
  SmallVector<Value> values;
  for (const onnx::ValueInfoProto &output : model.graph().output()) {
    Value value;
    if (output.name().empty() || lookup(output.name(), top, value) != Lookup::kFound) {
      error(module.getLoc()) << "output '" << output.name() << "' is made by no node";
      continue;
    }
    values.push_back(value);
  }
  if (values.empty() && !hasFailed)
    error(module.getLoc()) << "model has no outputs";
  if (hasFailed)
    return failure();
  func::ReturnOp::create(builder, module.getLoc(), values);
  main.setType(builder.getFunctionType(main.getArgumentTypes(), ValueRange(values).getTypes()));
  for (auto [i, output] : llvm::enumerate(model.graph().output()))
    main.setResultAttr(i, "graph.name", builder.getStringAttr(output.name()));
  return success();
}

} // namespace heddle::import
