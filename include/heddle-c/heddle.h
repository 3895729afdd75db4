/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C API of libheddle: compile a model, to a file or straight to a program that runs (JIT).
 * Programs are those of heddle-c/runtime.h, whose rules hold here too. */
#ifndef HEDDLE_C_HEDDLE_H
#define HEDDLE_C_HEDDLE_H

#include "heddle-c/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options, and the report of the last compile. */
typedef struct heddle_compiler heddle_compiler;

/* A compiler for sm_80 in exact f32. It belongs to the caller, who destroys it. */
HEDDLE_API heddle_status heddle_compiler_create(heddle_compiler **compiler);
HEDDLE_API void heddle_compiler_destroy(heddle_compiler *compiler);

/* Sets an option, by the name of heddle-compile's flag without its dashes:
 *   "target"     "sm_80,sm_90a"
 *   "precision"  "f32", "tf32", "f16", "bf16"
 *   "dim"        "batch=8": fixes a named dimension; once for each
 *   "value"      "axes=0,1": contents of an input that are known now; once for each
 *   "remarks"    "on", "off"
 * A name or a form that does not exist is HEDDLE_INVALID_ARGUMENT; a value is judged by the
 * compile. */
HEDDLE_API heddle_status heddle_compiler_set(heddle_compiler *compiler, const char *name,
                                             const char *value);

/* Compiles the ONNX model at `model_path` to the file `output_path`, whole or not at all. */
HEDDLE_API heddle_status heddle_compiler_run(heddle_compiler *compiler, const char *model_path,
                                             const char *output_path);

/* Compiles an ONNX model in memory and opens it on a device, as heddle_program_open does.
 *   name: stands for its path in messages
 * The program belongs to the caller and does not need the compiler any more. */
HEDDLE_API heddle_status heddle_compiler_jit(heddle_compiler *compiler, const void *model,
                                             size_t size, const char *name, const char *device,
                                             heddle_program **program);

/* Why the last call for this compiler failed, an error for each node that is at fault, and the
 * remarks of the last compile; "" if there is nothing to say. Valid until the next call for it. */
HEDDLE_API const char *heddle_compiler_report(const heddle_compiler *compiler);

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_C_HEDDLE_H */
