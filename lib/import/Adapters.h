// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From any opset to the newest: attributes that became inputs, broadcasting that was spelt out,
// operators that were renamed.
#ifndef HEDDLE_LIB_IMPORT_ADAPTERS_H
#define HEDDLE_LIB_IMPORT_ADAPTERS_H

#include "lib/import/Rewrite.h"

namespace heddle::import {

/// Turns a node of the default domain into its operator's newest form. `rewrite.problem` says why
/// it cannot where it cannot.
void adapt(Rewrite &rewrite);

} // namespace heddle::import

#endif
