// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model in protobuf's text format, its import as MLIR text, and the errors of its import.
#ifndef HEDDLE_TEST_IMPORT_MODELTEXT_H
#define HEDDLE_TEST_IMPORT_MODELTEXT_H

#include "lib/import/Import.h"
#include <string>
#include <vector>

namespace heddle::import {

struct Imported {
  /// The module, without locations; empty after an error.
  std::string text;
  /// "where: what" of each error.
  std::vector<std::string> errors;
};

/// Imports a graph (the text of a GraphProto) as a model of this opset of the default domain.
/// `extra` is text of the ModelProto.
Imported importText(const std::string &graph, int64_t opset, const ImportOptions &options = {},
                    const std::string &extra = "");
Imported importBytes(const std::string &bytes, const std::string &folder = "",
                     const ImportOptions &options = {});
std::string serialize(const std::string &graph, int64_t opset, const std::string &extra = "");

/// The text of a float input with these sizes; a size may be a name in quotes.
std::string input(const std::string &name, const std::vector<std::string> &dims,
                  int elementType = 1);
std::string output(const std::string &name);

} // namespace heddle::import

#endif
