// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the body of `main` from a model's graph. Problems are diagnostics at the node that has
// them; the import goes on, so that one run reports all of them.
#ifndef HEDDLE_LIB_IMPORT_GRAPHIMPORTER_H
#define HEDDLE_LIB_IMPORT_GRAPHIMPORTER_H

#include "dialects/graph/Graph.h"
#include "lib/import/Import.h"
#include "lib/import/OperatorTable.h"
#include "lib/import/Tensors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>

namespace heddle::import {

class GraphImporter {
public:
  GraphImporter(const onnx::ModelProto &model, ExternalData external, mlir::ModuleOp module,
                const ImportOptions &options);

  mlir::LogicalResult run();

private:
  /// Names that a node can use. A name without a value belongs to a node that failed; what depends
  /// on it is not reported again.
  struct Scope {
    const Scope *parent = nullptr;
    llvm::StringMap<mlir::Value> values;
    llvm::StringMap<const onnx::TensorProto *> initializers;
  };
  enum class Lookup { kFound, kFailed, kUnknown };
  using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

  mlir::LogicalResult importOpsets();
  mlir::LogicalResult importInputs();
  mlir::LogicalResult fixInputValues();
  mlir::LogicalResult importOutputs();
  mlir::Type importType(const onnx::ValueInfoProto &info, int64_t input);
  void addInitializers(const onnx::GraphProto &graph, Scope &scope);

  void importNodes(const Nodes &nodes, Scope &scope, llvm::StringRef prefix, unsigned depth);
  void importNode(const onnx::NodeProto &node, Scope &scope, mlir::Location loc, unsigned depth);
  void importAdapted(const onnx::NodeProto &node, Scope &scope, mlir::Location loc);
  void importConstant(const onnx::NodeProto &node, Scope &scope, mlir::Location loc);
  void importOperator(const onnx::NodeProto &node, const Operator &entry, Scope &scope,
                      mlir::Location loc);
  void importIf(const onnx::NodeProto &node, Scope &scope, mlir::Location loc, unsigned depth);
  void importCall(const onnx::NodeProto &node, const onnx::FunctionProto &function, Scope &scope,
                  mlir::Location loc, unsigned depth);

  Lookup lookup(llvm::StringRef name, Scope &scope, mlir::Value &value);
  void define(llvm::StringRef name, mlir::Value value, Scope &scope, mlir::Location loc);
  void defineFailed(const onnx::NodeProto &node, Scope &scope);
  bool collectOperands(const onnx::NodeProto &node, const Operator &entry, Scope &scope,
                       mlir::OperationState &state);
  bool collectAttributes(const onnx::NodeProto &node, mlir::OperationState &state);
  mlir::Attribute importAttribute(const onnx::AttributeProto &attribute, std::string &problem);
  /// Reports a node and names its results as failed.
  void reject(const onnx::NodeProto &node, Scope &scope, mlir::Location loc,
              const llvm::Twine &reason);
  mlir::InFlightDiagnostic error(mlir::Location loc);

  const onnx::ModelProto &model;
  ExternalData external;
  mlir::ModuleOp module;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  OperatorTable operators;
  llvm::StringMap<const onnx::FunctionProto *> functions;
  mlir::func::FuncOp main;
  Scope top;
  int64_t opset = 1;
  unsigned rewriteNames = 0;
  bool hasFailed = false;
};

} // namespace heddle::import

#endif
