# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares what heddle-run wrote with what is expected: types and shapes exactly, integers and booleans exactly, floats
# within |got - expected| <= atol + rtol * |expected|, NaN equal to NaN. Types that NumPy lacks come as their bits.
import re
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np
import onnx
from onnx import numpy_helper

RTOL, ATOL = 1e-3, 1e-7


class DType(NamedTuple):
    name: str
    bits: int
    npy: str  # NumPy's descr, or that of the raw bits
    raw: bool


def read_dtypes() -> dict:
    """ONNX number -> element type, from the one table that the C++ code is made of."""
    table = Path(__file__).resolve().parents[2] / "include" / "heddle" / "DType.def"
    rows = re.findall(r'^HEDDLE_DTYPE\(\w+, "(\w+)", (\d+), (\d+), "([^"]+)", (true|false)\)', table.read_text(), re.M)
    return {int(number): DType(name, int(bits), npy, raw == "true") for name, bits, number, npy, raw in rows}


DTYPES = read_dtypes()


def bits_of(array: np.ndarray, width: int) -> np.ndarray:
    """An array of an exotic type as unsigned integers."""
    unsigned = array.view({1: np.uint8, 2: np.uint16}[array.itemsize])
    return unsigned & ((1 << width) - 1)


def first_difference(got: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> Optional[str]:
    if expected.dtype.kind not in "fc":
        wrong = got != expected
    else:
        with np.errstate(all="ignore"):
            a, b = got.astype(np.float64), expected.astype(np.float64)
            close = np.abs(a - b) <= atol + rtol * np.abs(b)
            wrong = ~(close | (a == b) | (np.isnan(a) & np.isnan(b)))
    count = int(np.count_nonzero(wrong))
    if not count:
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{count} of {expected.size} differ, first at {list(place)}: got {got[place]}, expected {expected[place]}"


def difference(npy: Path, printed_type: Optional[str], expected: onnx.TensorProto, rtol=RTOL, atol=ATOL) -> Optional[str]:
    """What is wrong with an output file, or None."""
    dtype = DTYPES.get(expected.data_type)
    if dtype is None:
        return f"expected output has ONNX type {expected.data_type}, which no output of ours can have"
    got = np.load(npy, allow_pickle=False)
    if printed_type is not None and printed_type != dtype.name:
        return f"type is {printed_type}, expected {dtype.name}"
    if got.dtype != np.dtype(dtype.npy):
        return f"file has type {got.dtype}, expected {np.dtype(dtype.npy)} for {dtype.name}"
    want = numpy_helper.to_array(expected)
    if got.shape != want.shape:
        return f"shape is {list(got.shape)}, expected {list(want.shape)}"
    if dtype.raw and want.dtype.itemsize <= 2:
        if np.array_equal(bits_of(got, dtype.bits), bits_of(want, dtype.bits)):
            return None
        if dtype.name.startswith(("u", "i")):
            return first_difference(bits_of(got, dtype.bits), bits_of(want, dtype.bits), 0, 0)
        got = got.view(want.dtype).astype(np.float32)
        want = want.astype(np.float32)
    return first_difference(got, want, rtol, atol)
