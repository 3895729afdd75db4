// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all shape rules, filled by the operator families once.
#include "dialects/graph/ops/ShapeRules.h"

namespace heddle::graph {

const ShapeRules &getShapeRules() {
  static const ShapeRules table = [] {
    ShapeRules rules;
    addElementwiseRules(rules);
    addMovementRules(rules);
    addReductionRules(rules);
    addContractionRules(rules);
    addCompositeRules(rules);
    return rules;
  }();
  return table;
}

} // namespace heddle::graph
