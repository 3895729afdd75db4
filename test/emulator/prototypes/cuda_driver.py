# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The CUDA Driver API from Python, as far as the tests of kernels need it: any library that exports it, so the emulated
# device as well as a GPU's driver.
import ctypes

import numpy as np

ERROR_LOG, ERROR_LOG_BYTES = 5, 6  # CUjit_option
MAX_DYNAMIC_SHARED = 8  # CUfunction_attribute
FLOAT16, BFLOAT16, FLOAT32, UINT8 = 6, 9, 7, 0  # CUtensorMapDataType
SWIZZLE_128B = 3


class CudaError(Exception):
    pass


class Driver:
    def __init__(self, library: str):
        self.lib = ctypes.CDLL(library)
        self.report = getattr(self.lib, "heddle_emu_last_report", None)
        if self.report:
            self.report.restype = ctypes.c_char_p
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *args):
        code = getattr(self.lib, name)(*args)
        if code:
            why = self.report().decode() if self.report else ""
            raise CudaError(f"{name}: CUDA error {code}: {why}")

    def load(self, text: str) -> ctypes.c_void_p:
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(text.encode()))
        return module

    def function(self, module, name: str, shared: int = 0) -> ctypes.c_void_p:
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        if shared > 48 * 1024:
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
        return function

    def upload(self, array: np.ndarray) -> ctypes.c_uint64:
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2" if hasattr(self.lib, "cuMemAlloc_v2") else "cuMemAlloc", ctypes.byref(address),
                  ctypes.c_size_t(max(array.nbytes, 1)))
        self.copy("HtoD", address, array.ctypes.data_as(ctypes.c_void_p), array.nbytes)
        return address

    def download(self, address: ctypes.c_uint64, array: np.ndarray) -> np.ndarray:
        self.copy("DtoH", array.ctypes.data_as(ctypes.c_void_p), address, array.nbytes)
        return array

    def copy(self, way: str, to, source, size: int):
        name = f"cuMemcpy{way}_v2"
        self.call(name if hasattr(self.lib, name) else name[:-3], to, source, ctypes.c_size_t(size))

    def free(self, *addresses):
        for address in addresses:
            self.call("cuMemFree_v2" if hasattr(self.lib, "cuMemFree_v2") else "cuMemFree", address)

    def launch(self, function, grid, threads: int, shared: int, *args):
        """Arguments: ctypes values, or a TensorMap for a kernel parameter of 128 bytes."""
        pointers = (ctypes.c_void_p * (len(args) + 1))()
        for i, arg in enumerate(args):
            pointers[i] = ctypes.cast(ctypes.byref(arg), ctypes.c_void_p)
        self.call("cuLaunchKernel", function, *grid, threads, 1, 1, shared, None, pointers, None)
        self.call("cuCtxSynchronize")

    def tensor_map(self, element: int, address, dims, strides_bytes, box, swizzle: int = SWIZZLE_128B):
        """dims and box from the innermost; strides in bytes of all but the innermost."""
        rank = len(dims)
        room = (ctypes.c_uint8 * 256)()
        aligned = (ctypes.addressof(room) + 63) // 64 * 64
        u64, u32 = ctypes.c_uint64 * rank, ctypes.c_uint32 * rank
        self.call("cuTensorMapEncodeTiled", ctypes.c_void_p(aligned), element, rank, address, u64(*dims),
                  (ctypes.c_uint64 * max(rank - 1, 1))(*strides_bytes), u32(*box), u32(*[1] * rank), 0, swizzle, 0, 0)
        return TensorMap.from_buffer_copy(ctypes.string_at(aligned, 128))


class TensorMap(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint8 * 128)]
