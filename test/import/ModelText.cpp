// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses protobuf text and catches the import's diagnostics.
#include "test/import/ModelText.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

namespace heddle::import {

static std::string describe(mlir::Location loc) {
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(loc))
    return name.getName().str();
  return "model";
}

Imported importBytes(const std::string &bytes, const std::string &folder,
                     const ImportOptions &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Imported result;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    result.errors.push_back(describe(diagnostic.getLocation()) + ": " + diagnostic.str());
    return mlir::success();
  });
  auto module = importOnnx(bytes, folder, context, options);
  if (!module)
    return result;
  llvm::raw_string_ostream stream(result.text);
  module->print(stream);
  return result;
}

std::string serialize(const std::string &graph, int64_t opset, const std::string &extra) {
  onnx::ModelProto model;
  std::string text = "ir_version: 8 opset_import { version: " + std::to_string(opset) + " } " +
                     extra + " graph { name: 'g' " + graph + " }";
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model)) << text;
  return model.SerializeAsString();
}

Imported importText(const std::string &graph, int64_t opset, const ImportOptions &options,
                    const std::string &extra) {
  return importBytes(serialize(graph, opset, extra), "", options);
}

std::string input(const std::string &name, const std::vector<std::string> &dims, int elementType) {
  std::string text = "input { name: '" + name +
                     "' type { tensor_type { elem_type: " + std::to_string(elementType) +
                     " shape {";
  for (const std::string &dim : dims)
    text +=
        dim.front() == '\'' ? " dim { dim_param: " + dim + " }" : " dim { dim_value: " + dim + " }";
  return text + " } } } } ";
}

std::string output(const std::string &name) {
  return "output { name: '" + name + "' type { tensor_type { elem_type: 1 } } } ";
}

} // namespace heddle::import
