/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C API of libheddle-runtime: load a compiled model (.heddle), run it on a GPU or on the
 * emulated device. It needs no compiler and no CUDA at link time.
 *
 * Rules for all functions:
 *   - they return a heddle_status; on failure heddle_last_error() has the text, and outputs are
 *     not touched;
 *   - NULL for a required pointer is HEDDLE_INVALID_ARGUMENT; NULL for a destroy is ignored;
 *   - strings that are returned live as long as the object that they come from;
 *   - different objects may be used on different threads; one object on one thread at a time. */
#ifndef HEDDLE_C_RUNTIME_H
#define HEDDLE_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef HEDDLE_API
#define HEDDLE_API __attribute__((visibility("default")))
#endif

typedef enum heddle_status {
  HEDDLE_OK = 0,
  HEDDLE_INVALID_ARGUMENT = 1, /* the caller passed something that cannot be used */
  HEDDLE_NOT_FOUND = 2,        /* a file, device, name or library does not exist */
  HEDDLE_IO = 3,               /* reading or writing a file failed */
  HEDDLE_CORRUPT = 4,          /* a file's contents break its format */
  HEDDLE_UNSUPPORTED = 5,      /* valid, but this version, device or build cannot do it */
  HEDDLE_OUT_OF_MEMORY = 6,    /* the host or the device has too little memory */
  HEDDLE_DEVICE = 7,           /* a CUDA driver call failed */
  HEDDLE_FAILED_CHECK = 8      /* a condition that the model states about its inputs fails */
} heddle_status;

/* Element types; the values are those of include/heddle/DType.def and never change. */
typedef int heddle_dtype;

typedef struct heddle_program heddle_program;
typedef struct heddle_tensor heddle_tensor;

/* The text of the last failure on this thread, "" if there was none. Valid until the next call on
 * this thread. */
HEDDLE_API const char *heddle_last_error(void);
/* "0.1.0" */
HEDDLE_API const char *heddle_runtime_version(void);

/* "f32" for a type, NULL for a value that is none; and the reverse, -1 if there is no such name. */
HEDDLE_API const char *heddle_dtype_name(heddle_dtype dtype);
HEDDLE_API heddle_dtype heddle_dtype_from_name(const char *name);

/* Opens a .heddle file on a device and uploads its weights.
 *   device: "auto" or NULL (the first GPU, else the emulated device), "cuda:N", "emu", "emu:h200"
 * The program belongs to the caller, who destroys it. */
HEDDLE_API heddle_status heddle_program_open(const char *path, const char *device,
                                             heddle_program **program);
/* The same from bytes in memory, which are copied. */
HEDDLE_API heddle_status heddle_program_load(const void *bytes, size_t size, const char *device,
                                             heddle_program **program);
HEDDLE_API void heddle_program_destroy(heddle_program *program);

/* "cuda:0", "emu:h200" */
HEDDLE_API const char *heddle_program_device(const heddle_program *program);
/* What the device runs: "cubin for sm_80", "PTX 8.0 for sm_80, compiled by the driver" */
HEDDLE_API const char *heddle_program_code(const heddle_program *program);

/* The signature. An index that is out of range gives NULL or -1. */
HEDDLE_API size_t heddle_program_input_count(const heddle_program *program);
HEDDLE_API size_t heddle_program_output_count(const heddle_program *program);
HEDDLE_API const char *heddle_program_input_name(const heddle_program *program, size_t index);
HEDDLE_API const char *heddle_program_output_name(const heddle_program *program, size_t index);
HEDDLE_API heddle_dtype heddle_program_input_dtype(const heddle_program *program, size_t index);
HEDDLE_API heddle_dtype heddle_program_output_dtype(const heddle_program *program, size_t index);
HEDDLE_API int heddle_program_input_rank(const heddle_program *program, size_t index);
HEDDLE_API int heddle_program_output_rank(const heddle_program *program, size_t index);
/* The size of a dimension, -1 if it depends on the inputs. */
HEDDLE_API int64_t heddle_program_input_dim(const heddle_program *program, size_t index, int dim);
HEDDLE_API int64_t heddle_program_output_dim(const heddle_program *program, size_t index, int dim);

/* Runs the program and waits for it.
 *   inputs:  one tensor an input, in the order of the signature; they stay the caller's
 *   outputs: filled with one new tensor an output; they become the caller's */
HEDDLE_API heddle_status heddle_program_run(heddle_program *program,
                                            const heddle_tensor *const *inputs, size_t input_count,
                                            heddle_tensor **outputs, size_t output_count);
/* Kernels that the last run launched; bytes of its arena. */
HEDDLE_API int64_t heddle_program_launch_count(const heddle_program *program);
HEDDLE_API int64_t heddle_program_arena_bytes(const heddle_program *program);
/* The emulated device's counters as JSON, "" for a real GPU; HEDDLE_EMU_COUNTERS=1 turns them on.
 * Valid until the next call for this program. */
HEDDLE_API const char *heddle_program_counters(heddle_program *program);

/* A tensor in host memory, row major; elements narrower than a byte are packed, low bits first.
 *   data: copied; NULL for zeros */
HEDDLE_API heddle_status heddle_tensor_create(heddle_dtype dtype, const int64_t *dims, int rank,
                                              const void *data, heddle_tensor **tensor);
HEDDLE_API void heddle_tensor_destroy(heddle_tensor *tensor);
HEDDLE_API heddle_dtype heddle_tensor_dtype(const heddle_tensor *tensor);
HEDDLE_API int heddle_tensor_rank(const heddle_tensor *tensor);
/* `rank` numbers */
HEDDLE_API const int64_t *heddle_tensor_dims(const heddle_tensor *tensor);
HEDDLE_API void *heddle_tensor_data(heddle_tensor *tensor);
HEDDLE_API size_t heddle_tensor_bytes(const heddle_tensor *tensor);

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_C_RUNTIME_H */
