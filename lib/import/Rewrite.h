// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node of the model file while it is turned into the newest form of its operator: the node
// itself, to be changed in place, and nodes to put before and after it. Works on protobuf alone, so
// that an adapter reads like the change log of the ONNX specification.
#ifndef HEDDLE_LIB_IMPORT_REWRITE_H
#define HEDDLE_LIB_IMPORT_REWRITE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <onnx/onnx_pb.h>
#include <optional>
#include <string>
#include <vector>

namespace heddle::import {

class Rewrite {
public:
  /// `names` counts the values that rewrites of this model have made, so that names stay unique.
  Rewrite(const onnx::NodeProto &node, int64_t opset, unsigned &names)
      : node(node), opset(opset), names(names) {}

  onnx::NodeProto node;
  const int64_t opset;
  /// Says why the node cannot be rewritten; empty if it can.
  std::string problem;

  bool has(llvm::StringRef attribute) const { return find(attribute); }
  int64_t integer(llvm::StringRef attribute, int64_t otherwise) const;
  float real(llvm::StringRef attribute, float otherwise) const;
  std::string text(llvm::StringRef attribute, llvm::StringRef otherwise) const;
  std::optional<std::vector<int64_t>> integers(llvm::StringRef attribute) const;
  std::optional<std::vector<float>> reals(llvm::StringRef attribute) const;
  void drop(llvm::StringRef attribute);
  void set(llvm::StringRef attribute, int64_t value);
  void set(llvm::StringRef attribute, float value);
  void set(llvm::StringRef attribute, llvm::StringRef value);

  std::string input(int index) const { return index < node.input_size() ? node.input(index) : ""; }
  void setInput(int index, const std::string &value);

  /// Nodes before this one; each returns the name of its result.
  std::string emit(llvm::StringRef op, const std::vector<std::string> &inputs);
  std::string emit(llvm::StringRef op, const std::vector<std::string> &inputs,
                   llvm::StringRef attribute, int64_t value);
  std::string ints(llvm::ArrayRef<int64_t> vector);
  std::string floats(llvm::ArrayRef<float> vector);
  /// A rank-0 float constant in the element type of the value `like`.
  std::string scalarLike(float value, const std::string &like);

  /// Gives the node's first result a new name and returns it; a node after this one is to make the
  /// old one.
  std::string renameResult();
  onnx::NodeProto &emitAfter(llvm::StringRef op, const std::vector<std::string> &inputs,
                             const std::string &output);

  /// The nodes in order.
  std::vector<onnx::NodeProto> take();

private:
  const onnx::AttributeProto *find(llvm::StringRef attribute) const;
  onnx::AttributeProto &replace(llvm::StringRef attribute, int type);
  onnx::NodeProto &create(std::vector<onnx::NodeProto> &list, llvm::StringRef op,
                          const std::vector<std::string> &inputs, const std::string &output);
  std::string freshName();

  unsigned &names;
  std::vector<onnx::NodeProto> before, after;
};

} // namespace heddle::import

#endif
