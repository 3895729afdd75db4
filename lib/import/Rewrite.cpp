// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to a node's attributes and the making of nodes around it.
#include "lib/import/Rewrite.h"

namespace heddle::import {

using onnx::AttributeProto;
using onnx::NodeProto;

const AttributeProto *Rewrite::find(llvm::StringRef attribute) const {
  for (const AttributeProto &candidate : node.attribute())
    if (candidate.name() == attribute)
      return &candidate;
  return nullptr;
}

int64_t Rewrite::integer(llvm::StringRef attribute, int64_t otherwise) const {
  const AttributeProto *found = find(attribute);
  return found ? found->i() : otherwise;
}

float Rewrite::real(llvm::StringRef attribute, float otherwise) const {
  const AttributeProto *found = find(attribute);
  return found ? found->f() : otherwise;
}

std::string Rewrite::text(llvm::StringRef attribute, llvm::StringRef otherwise) const {
  const AttributeProto *found = find(attribute);
  return found ? found->s() : otherwise.str();
}

std::optional<std::vector<int64_t>> Rewrite::integers(llvm::StringRef attribute) const {
  const AttributeProto *found = find(attribute);
  if (!found)
    return std::nullopt;
  return std::vector<int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<std::vector<float>> Rewrite::reals(llvm::StringRef attribute) const {
  const AttributeProto *found = find(attribute);
  if (!found)
    return std::nullopt;
  return std::vector<float>(found->floats().begin(), found->floats().end());
}

void Rewrite::drop(llvm::StringRef attribute) {
  auto *attributes = node.mutable_attribute();
  for (int i = attributes->size(); i-- > 0;)
    if (attributes->Get(i).name() == attribute)
      attributes->DeleteSubrange(i, 1);
}

AttributeProto &Rewrite::replace(llvm::StringRef attribute, int type) {
  drop(attribute);
  AttributeProto &created = *node.add_attribute();
  created.set_name(attribute.str());
  created.set_type(onnx::AttributeProto_AttributeType(type));
  return created;
}

void Rewrite::set(llvm::StringRef attribute, int64_t value) {
  replace(attribute, AttributeProto::INT).set_i(value);
}

void Rewrite::set(llvm::StringRef attribute, float value) {
  replace(attribute, AttributeProto::FLOAT).set_f(value);
}

void Rewrite::set(llvm::StringRef attribute, llvm::StringRef value) {
  replace(attribute, AttributeProto::STRING).set_s(value.str());
}

void Rewrite::setInput(int index, const std::string &value) {
  while (node.input_size() <= index)
    node.add_input("");
  node.set_input(index, value);
}

// No exporter begins a value's name with a control character.
std::string Rewrite::freshName() { return "\x01" + std::to_string(names++); }

NodeProto &Rewrite::create(std::vector<NodeProto> &list, llvm::StringRef op,
                           const std::vector<std::string> &inputs, const std::string &output) {
  NodeProto &created = list.emplace_back();
  created.set_op_type(op.str());
  created.set_name(node.name());
  for (const std::string &input : inputs)
    created.add_input(input);
  created.add_output(output);
  return created;
}

std::string Rewrite::emit(llvm::StringRef op, const std::vector<std::string> &inputs) {
  return create(before, op, inputs, freshName()).output(0);
}

std::string Rewrite::emit(llvm::StringRef op, const std::vector<std::string> &inputs,
                          llvm::StringRef attribute, int64_t value) {
  NodeProto &created = create(before, op, inputs, freshName());
  AttributeProto &added = *created.add_attribute();
  added.set_name(attribute.str());
  added.set_type(AttributeProto::INT);
  added.set_i(value);
  return created.output(0);
}

std::string Rewrite::ints(llvm::ArrayRef<int64_t> vector) {
  NodeProto &created = create(before, "Constant", {}, freshName());
  AttributeProto &added = *created.add_attribute();
  added.set_name("value_ints");
  added.set_type(AttributeProto::INTS);
  for (int64_t value : vector)
    added.add_ints(value);
  return created.output(0);
}

std::string Rewrite::floats(llvm::ArrayRef<float> vector) {
  NodeProto &created = create(before, "Constant", {}, freshName());
  AttributeProto &added = *created.add_attribute();
  added.set_name("value_floats");
  added.set_type(AttributeProto::FLOATS);
  for (float value : vector)
    added.add_floats(value);
  return created.output(0);
}

std::string Rewrite::scalarLike(float value, const std::string &like) {
  NodeProto &created = create(before, "Constant", {}, freshName());
  AttributeProto &added = *created.add_attribute();
  added.set_name("value_float");
  added.set_type(AttributeProto::FLOAT);
  added.set_f(value);
  std::string constant = created.output(0);
  return emit("CastLike", {constant, like});
}

std::string Rewrite::renameResult() {
  std::string name = freshName();
  node.set_output(0, name);
  return name;
}

NodeProto &Rewrite::emitAfter(llvm::StringRef op, const std::vector<std::string> &inputs,
                              const std::string &output) {
  return create(after, op, inputs, output);
}

std::vector<NodeProto> Rewrite::take() {
  std::vector<NodeProto> nodes = std::move(before);
  nodes.push_back(std::move(node));
  std::move(after.begin(), after.end(), std::back_inserter(nodes));
  return nodes;
}

} // namespace heddle::import
