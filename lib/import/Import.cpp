// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a model file and starts the import of its graph.
#include "lib/import/Import.h"

#include "dialects/graph/Graph.h"
#include "lib/import/GraphImporter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

using namespace mlir;

namespace heddle::import {

/// Protobuf prints to stderr what it finds wrong; we say it ourselves.
static bool parseModel(StringRef bytes, onnx::ModelProto &model) {
  google::protobuf::LogSilencer silence;
  google::protobuf::io::ArrayInputStream stream(bytes.data(), int(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(INT_MAX);
  return model.ParsePartialFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

static OwningOpRef<ModuleOp> importBytes(StringRef bytes, StringRef name, StringRef folder,
                                         MLIRContext &context, const ImportOptions &options) {
  context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  Location loc = FileLineColLoc::get(&context, name, 0, 0);
  if (bytes.size() > INT_MAX) {
    emitError(loc) << "model has " << bytes.size()
                   << " bytes, protobuf allows 2 GiB; save its tensors as external data";
    return nullptr;
  }
  onnx::ModelProto model;
  if (bytes.empty() || !parseModel(bytes, model) || !model.has_graph()) {
    emitError(loc) << "not an ONNX model: expected a protobuf with a graph; check that the file is "
                      "whole and not a text or a Git LFS pointer";
    return nullptr;
  }
  OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  GraphImporter importer(model, ExternalData{folder.str()}, *module, options);
  if (failed(importer.run()))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> importOnnxFile(StringRef path, MLIRContext &context,
                                     const ImportOptions &options) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    emitError(FileLineColLoc::get(&context, path, 0, 0))
        << "cannot read the model: " << file.getError().message();
    return nullptr;
  }
  StringRef folder = llvm::sys::path::parent_path(path);
  return importBytes((*file)->getBuffer(), path, folder.empty() ? "." : folder, context, options);
}

OwningOpRef<ModuleOp> importOnnx(StringRef bytes, StringRef folder, MLIRContext &context,
                                 const ImportOptions &options) {
  return importBytes(bytes, "model", folder, context, options);
}

} // namespace heddle::import
