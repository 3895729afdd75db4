# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The prototype kernels beside the checkout (../shared/prototypes), lowered by MLIR and LLVM, on the emulated device:
# each at ten shapes against a reference in float64. HEDDLE_EMU_ASYNC=lazy and the checks come from the environment.
import argparse
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tool"), str(Path(__file__).resolve().parent)]
import tools

tools.use_venv()
import cuda_driver
import numpy as np

PROTOTYPES = Path(__file__).resolve().parents[4] / "shared" / "prototypes"
int32, float32 = ctypes.c_int32, ctypes.c_float


def llvm_tool(name: str) -> str | None:
    return shutil.which(f"{name}-22") or shutil.which(name, path=f"/usr/lib/llvm-22/bin:{os.environ['PATH']}")


def lower(emitter: str, options: list, sm: str, feature: str, folder: Path, mends=()) -> str:
    """The PTX text of a prototype."""
    source = folder / "kernel.mlir"
    subprocess.run([sys.executable, PROTOTYPES / emitter, *options, "-o", source], check=True, stdout=subprocess.DEVNULL)
    steps = [["mlir-opt", source, "-convert-nvvm-to-llvm", "-convert-scf-to-cf", "-convert-cf-to-llvm",
              "-convert-arith-to-llvm", "-reconcile-unrealized-casts", "-canonicalize", "-cse", "-o", folder / "k.mlir"],
             ["mlir-translate", "-mlir-to-llvmir", folder / "k.mlir", "-o", folder / "k.ll"],
             ["opt", "-O3", "-mtriple=nvptx64-nvidia-cuda", f"-mcpu=sm_{sm}", folder / "k.ll", "-S", "-o", folder / "o.ll"],
             ["llc", "-O3", f"-mcpu=sm_{sm}", f"-mattr={feature}", folder / "o.ll", "-o", folder / "k.ptx"]]
    for tool, *rest in steps:
        subprocess.run([llvm_tool(tool), *map(str, rest)], check=True)
    text = (folder / "k.ptx").read_text()
    for pattern, replacement in mends:
        text, count = re.subn(pattern, replacement, text)
        assert count, f"nothing matches {pattern!r}"
    return text


def difference(got: np.ndarray, expected: np.ndarray, bound: np.ndarray) -> str:
    """Empty where |got - expected| <= bound everywhere; NaN is never right."""
    error = np.abs(got.astype(np.float64) - expected)
    bad = ~(error <= bound)
    if not bad.any():
        return ""
    at = np.unravel_index(np.argmax(np.where(np.isnan(error), np.inf, error - bound)), error.shape)
    return f"{bad.sum()} of {bad.size} elements differ, at {at} {got[at]} instead of {expected[at]}"


def product_bound(a: np.ndarray, b: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """K products of exact f16 inputs summed in f32, in any order and truncated at each step, then rounded to f16."""
    k = a.shape[1]
    return k * 2.0**-22 * (np.abs(a) @ np.abs(b)) + np.abs(expected) * 2.0**-10 + 2.0**-24


def gemm_sm80(driver, folder, random):
    """C = relu(A B + bias): multiples of 128 x 128 x 32, any leading dimensions. The prototype fills three stages before
    it looks at K, so K is at least 96: with less it reads behind A and B, which the emulated device reports."""
    text = lower("emit_sm80.py", [], "80", "+ptx80", folder)
    function = driver.function(driver.load(text), "gemm", 65536)
    shapes = [(128, 128, 96, 0), (128, 128, 96, 8), (128, 128, 128, 0), (256, 128, 128, 16), (128, 256, 160, 8), (256, 256, 192, 0),
              (384, 128, 352, 24), (128, 384, 224, 0), (256, 256, 256, 8), (128, 128, 512, 0)]
    for m, n, k, pad in shapes:
        a = random.uniform(-1, 1, (m, k + pad)).astype(np.float16)
        b = random.uniform(-1, 1, (k, n + pad)).astype(np.float16)
        bias = random.uniform(-1, 1, n).astype(np.float32)
        c = np.full((m, n + pad), np.nan, np.float16)
        da, db, dbias, dc = (driver.upload(x) for x in (a, b, bias, c))
        driver.launch(function, (n // 128, m // 128, 1), 128, 65536, da, db, dc, dbias, int32(k + pad), int32(n + pad),
                      int32(n + pad), int32(k // 32))
        got = driver.download(dc, c)[:, :n]
        driver.free(da, db, dbias, dc)
        a64, b64 = a[:, :k].astype(np.float64), b[:, :n].astype(np.float64)
        expected = np.maximum(a64 @ b64 + bias, 0)
        yield (m, n, k, pad), difference(got, expected, product_bound(a64, b64, expected))


def gemm_sm90(driver, folder, random, persistent=False):
    """D = relu(A B^T + bias), 128 x 256 tiles, K in steps of 64: TMA, wgmma, mbarriers, stmatrix and TMA store."""
    text = lower("emit_sm90.py", ["--persistent", "--bn=128"] if persistent else [], "90a", "+ptx86", folder)
    bn, ring = (128, 4 * 32768 + 128 * 128 * 2) if persistent else (256, 196608)
    function = driver.function(driver.load(text), "gemm", ring)
    shapes = [(128, 256, 64), (128, 256, 128), (256, 256, 64), (128, 512, 192), (256, 512, 256), (384, 256, 320),
              (100, 256, 64), (128, 200, 64), (130, 264, 72), (128, 256, 512)]
    for m, n, k in shapes:
        tiles_m, tiles_n = -(-m // 128), -(-n // bn)
        a = random.uniform(-1, 1, (m, k)).astype(np.float16)
        b = random.uniform(-1, 1, (n, k)).astype(np.float16)
        bias = np.zeros(tiles_n * bn, np.float32)
        bias[:n] = random.uniform(-1, 1, n)
        c = np.full((m, n), np.nan, np.float16)
        da, db, dbias, dc = (driver.upload(x) for x in (a, b, bias, c))
        half = cuda_driver.FLOAT16
        maps = [driver.tensor_map(half, da, (k, m), (2 * k,), (64, 128)), driver.tensor_map(half, db, (k, n), (2 * k,), (64, bn)),
                driver.tensor_map(half, dc, (n, m), (2 * n,), (64, 64))]
        blocks = min(2, tiles_m * tiles_n) if persistent else tiles_m * tiles_n
        driver.launch(function, (blocks, 1, 1), 384, ring, *maps, dbias, int32(-(-k // 64)), int32(tiles_n),
                      int32(tiles_m * tiles_n))
        got = driver.download(dc, c)
        driver.free(da, db, dbias, dc)
        a64, b64 = a.astype(np.float64), b.astype(np.float64).T
        expected = np.maximum(a64 @ b64 + bias[:n], 0)
        yield (m, n, k), difference(got, expected, product_bound(a64, b64, expected))


def attention_sm90(driver, folder, random):
    """O = softmax(Q K^T scale) V with heads of 128: query rows in blocks of 128, keys in blocks of 128. The prototype asks
    for 40 and twice 240 registers a thread, 66560 in all, of which a multiprocessor has 65536: on hardware it waits for ever.
    With 24 for the producer, as here, the three warpgroups have room."""
    fewer = (r"setmaxnreg\.dec\.sync\.aligned\.u32\s+40", "setmaxnreg.dec.sync.aligned.u32 24")
    text = lower("emit_fa90.py", [], "90a", "+ptx86", folder, [fewer])
    function = driver.function(driver.load(text), "fa", 163840)
    d = 128
    shapes = [(1, 128, 128), (1, 128, 256), (2, 128, 128), (1, 256, 128), (1, 256, 384), (3, 128, 384), (2, 256, 256), (1, 384, 512),
              (4, 128, 256), (1, 128, 1024)]
    for heads, queries, keys in shapes:
        q, k, v = (random.uniform(-1, 1, (heads, rows, d)).astype(np.float16) for rows in (queries, keys, keys))
        o = np.full((heads, queries, d), np.nan, np.float16)
        scale = 1 / np.sqrt(d)
        dq, dk, dv, do = (driver.upload(x) for x in (q, k, v, o))
        half = cuda_driver.FLOAT16
        maps = [driver.tensor_map(half, x, (d, rows, heads), (2 * d, 2 * d * rows), (64, 128, 1))
                for x, rows in ((dq, queries), (dk, keys), (dv, keys))]
        driver.launch(function, (queries // 128, heads, 1), 384, 163840, *maps, do, int32(keys // 128), int32(queries),
                      int32(keys), float32(scale * np.log2(np.e)))
        got = driver.download(do, o)
        driver.free(dq, dk, dv, do)
        scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * scale
        p = np.exp(scores - scores.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        expected = p @ v.astype(np.float64)
        # P is rounded to f16 relative to the row's maximum, the result to f16; sums and exponentials in f32.
        bound = 2.0**-10 * (p @ np.abs(v.astype(np.float64))) + np.abs(expected) * 2.0**-10 + 2.0**-16
        yield (heads, queries, keys), difference(got, expected, bound)


def gemm_sm100(driver, folder, random):
    """C = relu(A B^T), 128 x 256 tiles, K in steps of 64: TMA, tcgen05.mma into tensor memory, tcgen05.ld."""
    # LLVM moves copies of what tcgen05.ld loads in front of tcgen05.wait::ld, where it is not there yet.
    early_copies = r"(\ttcgen05\.ld\.[^;]*;\n)((?:\tmov\.b64[^;]*;\n)+)(\ttcgen05\.wait::ld[^;]*;\n)"
    text = lower("emit_sm100.py", [], "100a", "+ptx88", folder, [(early_copies, r"\1\3\2")])
    shared = 4 * (128 + 256) * 128
    function = driver.function(driver.load(text), "gemm", shared)
    shapes = [(128, 256, 64), (128, 256, 128), (256, 256, 64), (128, 512, 192), (256, 512, 256), (384, 256, 320), (128, 256, 72),
              (128, 768, 64), (512, 256, 128), (128, 256, 512)]
    for m, n, k in shapes:
        a = random.uniform(-1, 1, (m, k)).astype(np.float16)
        b = random.uniform(-1, 1, (n, k)).astype(np.float16)
        c = np.full((m, n), np.nan, np.float16)
        da, db, dc = (driver.upload(x) for x in (a, b, c))
        half = cuda_driver.FLOAT16
        maps = [driver.tensor_map(half, da, (k, m), (2 * k,), (64, 128)), driver.tensor_map(half, db, (k, n), (2 * k,), (64, 256))]
        driver.launch(function, (m // 128 * (n // 256), 1, 1), 256, shared, *maps, dc, int32(-(-k // 64)), int32(n // 256),
                      int32(n))
        got = driver.download(dc, c)
        driver.free(da, db, dc)
        a64, b64 = a.astype(np.float64), b.astype(np.float64).T
        expected = np.maximum(a64 @ b64, 0)
        yield (m, n, k), difference(got, expected, product_bound(a64, b64, expected))


KERNELS = {"gemm_sm80": (gemm_sm80, "a100"), "gemm_sm90": (gemm_sm90, "h100"),
           "gemm_sm90_persistent": (lambda *a: gemm_sm90(*a, persistent=True), "h100"),
           "attention_sm90": (attention_sm90, "h100"), "gemm_sm100": (gemm_sm100, "b200")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", help="libheddle-emu.so")
    parser.add_argument("kernel", choices=KERNELS)
    options = parser.parse_args()
    missing = [name for name in ("mlir-opt", "mlir-translate", "opt", "llc") if not llvm_tool(name)]
    if not PROTOTYPES.is_dir() or missing:
        print(f"skipped: {'no ' + ', '.join(missing) if missing else 'no ../shared/prototypes beside the checkout'}")
        return tools.SKIP
    test, gpu = KERNELS[options.kernel]
    os.environ["HEDDLE_EMU_GPU"] = gpu
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        driver = cuda_driver.Driver(options.library)
        for shape, why in test(driver, Path(folder), np.random.default_rng(7)):
            print(f"{options.kernel} {shape}: {why or 'right'}", flush=True)
            wrong += bool(why)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
