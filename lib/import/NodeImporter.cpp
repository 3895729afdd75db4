// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of a graph: each is brought to its operator's newest form, checked against the
// dialect's op and built. Local functions and branches that are known are inlined.
#include "lib/import/Adapters.h"
#include "lib/import/GraphImporter.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace heddle::import {

// Deeper calls are recursion, or as good as that.
static constexpr unsigned kMaxDepth = 64;

static bool isDefaultDomain(StringRef domain) { return domain.empty() || domain == "ai.onnx"; }

void GraphImporter::reject(const onnx::NodeProto &node, Scope &scope, Location loc,
                           const Twine &reason) {
  auto diagnostic = error(loc);
  diagnostic << "operator " << node.op_type();
  if (!isDefaultDomain(node.domain()))
    diagnostic << " of domain " << node.domain();
  diagnostic << " (opset " << opset << "): " << reason;
  defineFailed(node, scope);
}

GraphImporter::Lookup GraphImporter::lookup(StringRef name, Scope &scope, Value &value) {
  for (const Scope *at = &scope; at; at = at->parent) {
    auto found = at->values.find(name);
    if (found != at->values.end()) {
      value = found->second;
      return value ? Lookup::kFound : Lookup::kFailed;
    }
    auto tensor = at->initializers.find(name);
    if (tensor == at->initializers.end())
      continue;
    Location loc = NameLoc::get(builder.getStringAttr(name));
    std::string problem;
    ElementsAttr contents = readTensor(*tensor->second, external, builder.getContext(), problem);
    if (!contents)
      error(loc) << "initializer '" << name << "': " << problem;
    else
      value = graph::ConstantOp::create(builder, loc, contents);
    // In the scope of its first use; a later one in another scope makes it again, and CSE merges
    // them.
    scope.values[name] = value;
    return value ? Lookup::kFound : Lookup::kFailed;
  }
  return Lookup::kUnknown;
}

void GraphImporter::define(StringRef name, Value value, Scope &scope, Location loc) {
  if (name.empty())
    return;
  if (scope.initializers.contains(name) || !scope.values.try_emplace(name, value).second)
    error(loc) << "value '" << name << "' is defined twice";
}

void GraphImporter::defineFailed(const onnx::NodeProto &node, Scope &scope) {
  for (const std::string &name : node.output())
    if (!name.empty())
      scope.values.try_emplace(name, Value());
}

void GraphImporter::importNodes(const Nodes &nodes, Scope &scope, StringRef prefix,
                                unsigned depth) {
  for (auto [i, node] : llvm::enumerate(nodes)) {
    std::string name = node.name().empty() ? node.op_type() + "#" + std::to_string(i) : node.name();
    Location loc = NameLoc::get(builder.getStringAttr(prefix + name));
    importNode(node, scope, loc, depth);
  }
}

void GraphImporter::importNode(const onnx::NodeProto &node, Scope &scope, Location loc,
                               unsigned depth) {
  auto function = functions.find(node.domain() + ":" + node.op_type());
  if (function != functions.end())
    return importCall(node, *function->second, scope, loc, depth);
  if (!isDefaultDomain(node.domain()))
    return reject(
        node, scope, loc,
        "unsupported: only operators of ai.onnx and functions of the model are supported");
  if (node.op_type() == "If")
    return importIf(node, scope, loc, depth);
  Rewrite rewrite(node, opset, rewriteNames);
  adapt(rewrite);
  if (!rewrite.problem.empty())
    return reject(node, scope, loc, "unsupported: " + rewrite.problem);
  for (const onnx::NodeProto &adapted : rewrite.take())
    importAdapted(adapted, scope, loc);
}

void GraphImporter::importAdapted(const onnx::NodeProto &node, Scope &scope, Location loc) {
  if (node.op_type() == "Constant")
    return importConstant(node, scope, loc);
  const Operator *entry = operators.find(node.op_type());
  if (!entry)
    return reject(node, scope, loc, "unsupported: no kernel or expansion computes this operator");
  // Adapted nodes may use newer operators than the model's opset has; those of the model may not.
  importOperator(node, *entry, scope, loc);
}

//===----------------------------------------------------------------------------------------------===//
// Constants and attributes
//===----------------------------------------------------------------------------------------------===//

void GraphImporter::importConstant(const onnx::NodeProto &node, Scope &scope, Location loc) {
  if (node.attribute_size() != 1 || node.output_size() != 1)
    return reject(node, scope, loc, "a constant has one attribute and one output");
  const onnx::AttributeProto &attribute = node.attribute(0);
  StringRef name = attribute.name();
  std::string problem;
  ElementsAttr value;
  auto vector = [&](int64_t size, Type element) { return RankedTensorType::get({size}, element); };
  Type i64 = builder.getI64Type(), f32 = builder.getF32Type();
  if (name == "value")
    value = readTensor(attribute.t(), external, builder.getContext(), problem);
  else if (name == "value_int")
    value = DenseElementsAttr::get(RankedTensorType::get({}, i64), ArrayRef(attribute.i()));
  else if (name == "value_float")
    value = DenseElementsAttr::get(RankedTensorType::get({}, f32), ArrayRef(attribute.f()));
  else if (name == "value_ints")
    value = DenseElementsAttr::get(vector(attribute.ints_size(), i64),
                                   ArrayRef(attribute.ints().data(), attribute.ints_size()));
  else if (name == "value_floats")
    value = DenseElementsAttr::get(vector(attribute.floats_size(), f32),
                                   ArrayRef(attribute.floats().data(), attribute.floats_size()));
  else
    problem = "attribute '" + name.str() + "' is unsupported; only dense tensors of numbers are";
  if (!value)
    return reject(node, scope, loc, problem);
  define(node.output(0), graph::ConstantOp::create(builder, loc, value), scope, loc);
}

Attribute GraphImporter::importAttribute(const onnx::AttributeProto &attribute,
                                         std::string &problem) {
  switch (attribute.type()) {
  case onnx::AttributeProto::FLOAT:
    return builder.getF32FloatAttr(attribute.f());
  case onnx::AttributeProto::INT:
    return builder.getI64IntegerAttr(attribute.i());
  case onnx::AttributeProto::STRING:
    return builder.getStringAttr(attribute.s());
  case onnx::AttributeProto::TENSOR:
    return readTensor(attribute.t(), external, builder.getContext(), problem);
  case onnx::AttributeProto::INTS:
    return builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(attribute.ints().begin(), attribute.ints().end()));
  case onnx::AttributeProto::FLOATS:
    return builder.getDenseF32ArrayAttr(
        SmallVector<float>(attribute.floats().begin(), attribute.floats().end()));
  case onnx::AttributeProto::STRINGS:
    return builder.getStrArrayAttr(llvm::map_to_vector(
        attribute.strings(), [](const std::string &text) { return StringRef(text); }));
  default:
    problem = "its type is unsupported";
    return {};
  }
}

bool GraphImporter::collectAttributes(const onnx::NodeProto &node, OperationState &state) {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    std::string problem;
    Attribute value = importAttribute(attribute, problem);
    if (!value) {
      error(state.location) << "operator " << node.op_type() << ": attribute '" << attribute.name()
                            << "': " << problem;
      return false;
    }
    if (state.attributes.get(attribute.name())) {
      error(state.location) << "operator " << node.op_type() << ": attribute '" << attribute.name()
                            << "' is given twice";
      return false;
    }
    state.addAttribute(attribute.name(), value);
  }
  return true;
}

//===----------------------------------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------------------------------===//

bool GraphImporter::collectOperands(const onnx::NodeProto &node, const Operator &entry,
                                    Scope &scope, OperationState &state) {
  SmallVector<int32_t> segments;
  int given = node.input_size();
  while (given > 0 && node.input(given - 1).empty())
    --given;
  bool isUsable = true;
  for (int i = 0; i < given; ++i) {
    const std::string &name = node.input(i);
    segments.push_back(name.empty() ? 0 : 1);
    if (name.empty()) {
      if (entry.groups)
        continue;
      error(state.location) << "operator " << node.op_type() << ": input " << i << " is missing";
      isUsable = false;
      continue;
    }
    Value value;
    Lookup found = lookup(name, scope, value);
    if (found == Lookup::kUnknown)
      error(state.location) << "operator " << node.op_type() << ": input '" << name
                            << "' is made by no node before this one";
    isUsable &= found == Lookup::kFound;
    state.addOperands(value);
  }
  if (!isUsable || !entry.groups)
    return isUsable;
  if (segments.size() > entry.groups) {
    error(state.location) << "operator " << node.op_type() << ": has " << segments.size()
                          << " inputs, at most " << entry.groups << " are allowed";
    return false;
  }
  segments.resize(entry.groups, 0);
  state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
  return true;
}

void GraphImporter::importOperator(const onnx::NodeProto &node, const Operator &entry, Scope &scope,
                                   Location loc) {
  OperationState state(loc, entry.name);
  if (!collectOperands(node, entry, scope, state) || !collectAttributes(node, state))
    return defineFailed(node, scope);
  if (entry.fixedResults && unsigned(node.output_size()) > entry.fixedResults)
    return reject(node, scope, loc,
                  "has " + Twine(node.output_size()) + " outputs, at most " +
                      Twine(entry.fixedResults) + " are supported");
  unsigned results = std::max(entry.fixedResults, unsigned(node.output_size()));
  state.addTypes(SmallVector<Type>(results, builder.getNoneType()));
  Operation *op = builder.create(state);
  for (NamedAttribute attribute : state.attributes) {
    // An op drops an attribute of another type than its own without a word.
    std::optional<Attribute> kept = op->getInherentAttr(attribute.getName());
    if (!kept || *kept == attribute.getValue())
      continue;
    op->erase();
    return reject(node, scope, loc,
                  "attribute '" + attribute.getName().strref() + "' has a wrong type");
  }
  if (failed(verify(op))) {
    hasFailed = true;
    op->erase();
    return defineFailed(node, scope);
  }
  for (auto [i, name] : llvm::enumerate(node.output()))
    define(name, op->getResult(i), scope, loc);
}

//===----------------------------------------------------------------------------------------------===//
// What is inlined
//===----------------------------------------------------------------------------------------------===//

void GraphImporter::importIf(const onnx::NodeProto &node, Scope &scope, Location loc,
                             unsigned depth) {
  Value condition;
  DenseElementsAttr known;
  if (node.input_size() != 1 || lookup(node.input(0), scope, condition) == Lookup::kUnknown)
    return reject(node, scope, loc, "its condition is made by no node before this one");
  if (!condition)
    return defineFailed(node, scope);
  if (!matchPattern(condition, m_Constant(&known)) || !known.getElementType().isInteger(1) ||
      known.getNumElements() != 1)
    return reject(node, scope, loc,
                  "unsupported: its condition is computed; only a constant one is supported");
  StringRef wanted = *known.getValues<bool>().begin() ? "then_branch" : "else_branch";
  const onnx::GraphProto *branch = nullptr;
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == wanted && attribute.has_g())
      branch = &attribute.g();
  if (!branch || branch->output_size() != node.output_size() || depth >= kMaxDepth)
    return reject(node, scope, loc,
                  "its " + wanted + " is missing, too deep, or has " +
                      Twine(branch ? branch->output_size() : 0) + " outputs where the node has " +
                      Twine(node.output_size()));
  Scope inner;
  inner.parent = &scope;
  addInitializers(*branch, inner);
  importNodes(branch->node(), inner, (cast<NameLoc>(loc).getName().strref() + "/").str(),
              depth + 1);
  for (auto [output, name] : llvm::zip_equal(branch->output(), node.output())) {
    Value value;
    if (lookup(output.name(), inner, value) == Lookup::kUnknown)
      error(loc) << "output '" << output.name() << "' of its " << wanted << " is made by no node";
    if (value)
      define(name, value, scope, loc);
    else if (!name.empty())
      scope.values.try_emplace(name, value);
  }
}

/// Attributes that refer to the call's get its values; those that the call leaves out are dropped.
static onnx::NodeProto bindAttributes(const onnx::NodeProto &node, const onnx::NodeProto &call) {
  onnx::NodeProto bound = node;
  bound.clear_attribute();
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *bound.add_attribute() = attribute;
      continue;
    }
    for (const onnx::AttributeProto &given : call.attribute())
      if (given.name() == attribute.ref_attr_name()) {
        *bound.add_attribute() = given;
        bound.mutable_attribute()->rbegin()->set_name(attribute.name());
      }
  }
  return bound;
}

void GraphImporter::importCall(const onnx::NodeProto &node, const onnx::FunctionProto &function,
                               Scope &scope, Location loc, unsigned depth) {
  if (depth >= kMaxDepth)
    return reject(node, scope, loc, "the model's functions call each other without an end");
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size())
    return reject(node, scope, loc, "has more inputs or outputs than the function");
  // A function sees nothing of the model but its inputs.
  Scope inner;
  for (auto [name, input] : llvm::zip(node.input(), function.input())) {
    Value value;
    if (name.empty())
      continue;
    if (lookup(name, scope, value) == Lookup::kUnknown)
      return reject(node, scope, loc,
                    "input '" + Twine(name) + "' is made by no node before this one");
    inner.values[input] = value;
  }
  int64_t callerOpset = opset;
  for (const auto &import : function.opset_import())
    if (isDefaultDomain(import.domain()))
      opset = import.version();
  Nodes body;
  for (const onnx::NodeProto &inlined : function.node()) {
    onnx::NodeProto &bound = *body.Add();
    bound = bindAttributes(inlined, node);
    // An optional input that the call leaves out is absent in the body too.
    for (std::string &name : *bound.mutable_input())
      if (llvm::is_contained(function.input(), name) && !inner.values.contains(name))
        name.clear();
  }
  importNodes(body, inner, (cast<NameLoc>(loc).getName().strref() + "/").str(), depth + 1);
  opset = callerOpset;
  for (auto [name, output] : llvm::zip(node.output(), function.output())) {
    Value value;
    if (lookup(output, inner, value) == Lookup::kUnknown)
      error(loc) << "output '" << output << "' of function " << function.name()
                 << " is made by no node";
    if (value)
      define(name, value, scope, loc);
    else if (!name.empty())
      scope.values.try_emplace(name, value);
  }
}

} // namespace heddle::import
