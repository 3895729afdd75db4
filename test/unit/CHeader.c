/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C API's header is C: this file is compiled as such. */
#include "heddle-c/runtime.h"

const char *heddleVersionFromC(void) { return heddle_runtime_version(); }
