# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Products at the edges of the schedules' tiles, in every precision, against NumPy in f64 on operands rounded as the
# precision says. Each also runs under the emulated device's checks for races and reads of unwritten memory, since tiles
# pass through shared memory.
import argparse
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tool")]
import tools

tools.use_venv()
import numpy as np
from onnx import TensorProto, helper


def drop_bits(bits: np.ndarray, count: int, half: np.ndarray) -> np.ndarray:
    """f32 numbers without their last `count` bits, after adding `half`."""
    return ((bits + half) >> np.uint32(count) << np.uint32(count)).view(np.float32)


def to_bf16(x: np.ndarray) -> np.ndarray:
    bits = x.view(np.uint32)
    return drop_bits(bits, 16, np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1)))  # ties to even


def to_tf32(x: np.ndarray) -> np.ndarray:
    return drop_bits(x.view(np.uint32), 13, np.uint32(0x1000))  # PTX ISA, cvt.rna.tf32: ties away from zero


ROUND = {"f32": lambda x: x, "f16": lambda x: x.astype(np.float16), "bf16": to_bf16, "tf32": to_tf32}

# (a, b): one less, as many and one more than the tiles' 64 x 128 and k steps of 8, 16 and 32; prime, long and empty.
SHAPES = [
    ([1, 1], [1, 1]), ([1, 33], [33, 130]), ([63, 31], [31, 127]), ([64, 32], [32, 128]), ([65, 33], [33, 129]),
    ([130, 7], [7, 1]), ([17, 257], [257, 19]), ([3, 0], [0, 4]), ([0, 5], [5, 4]), ([2, 1, 67, 40], [3, 40, 9]),
]
FREE_ROWS = (0, 1, 64, 129)


def compile_product(a: list, b: list, y: list, precision: str, folder: Path) -> str:
    value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    graph = helper.make_graph([helper.make_node("MatMul", ["a", "b"], ["y"])], "product", [value("a", a), value("b", b)],
                              [value("y", y)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    done = tools.run([tools.tool("heddle-compile"), folder / "model.onnx", "-o", folder / "model.heddle",
                      f"--precision={precision}"])
    return "" if done.status == 0 else f"compile: {done.describe()}"


def run_product(a_dims: list, b_dims: list, rounding: str, folder: Path, generator) -> str:
    a, b = (generator.uniform(-1, 1, dims).astype(np.float32) for dims in (a_dims, b_dims))
    command = [tools.tool("heddle-run"), folder / "model.heddle", "--device=emu", f"--output-dir={folder / 'out'}"]
    for name, array in (("a", a), ("b", b)):
        np.save(folder / f"{name}.npy", array)
        command += ["--input", f"{name}={folder / name}.npy"]
    ran = tools.run(command, environment={"HEDDLE_EMU_CHECK": "all"})
    if ran.status != 0:
        return f"run: {ran.describe()}"
    got = np.load(tools.read_report(ran.out).files[0])
    left, right = (ROUND[rounding](x).astype(np.float64) for x in (a, b))
    expected = left @ right
    if got.shape != expected.shape:
        return f"shape {list(got.shape)}, expected {list(expected.shape)}"
    # K sums in f32, each off by at most 2^-23 of the magnitudes summed (a Tensor Core may truncate), and one rounding.
    bound = (a_dims[-1] + 1) * 2.0**-23 * (np.abs(left) @ np.abs(right))
    excess = np.abs(got - expected) - bound
    # Written so that a NaN is a fault too.
    return "" if np.all(excess <= 0) else f"{np.sum(~(excess <= 0))} of {got.size} elements are off, by {np.max(np.abs(got - expected)):.3g}"


def check(a: list, b: list, precision: str, generator) -> str:
    with tempfile.TemporaryDirectory(prefix="heddle-product-") as scratch:
        y = list(np.broadcast_shapes(a[:-2], b[:-2])) + [a[-2], b[-1]]
        # A product with a vector is formed as a sum of each thread, which rounds no operand whatever the precision.
        rounding = "f32" if 1 in (a[-2], b[-1]) else precision
        return compile_product(a, b, y, precision, Path(scratch)) or run_product(a, b, rounding, Path(scratch), generator)


def check_free_rows(precision: str, generator) -> str:
    with tempfile.TemporaryDirectory(prefix="heddle-product-") as scratch:
        fault = compile_product(["m", 40], [40, 20], ["m", 20], precision, Path(scratch))
        for rows in FREE_ROWS:
            if not fault and (found := run_product([rows, 40], [40, 20], precision, Path(scratch), generator)):
                fault = f"at {rows} rows: {found}"
        return fault


def main():
    parser = argparse.ArgumentParser(description="Checks matrix products at the edges of tiles in every precision.")
    parser.add_argument("--seed", type=int, default=1)
    seed = parser.parse_args().seed
    tools.tool("heddle-compile"), tools.tool("heddle-run")
    generator = np.random.default_rng(seed)
    faults = count = 0
    for precision in ROUND:
        cases = [(f"{a} x {b}", lambda a=a, b=b: check(a, b, precision, generator)) for a, b in SHAPES]
        for name, ask in [*cases, ("free rows", lambda: check_free_rows(precision, generator))]:
            fault = ask()
            count, faults = count + 1, faults + bool(fault)
            print(f"{'FAULT' if fault else 'ok   '} {precision} {name}{': ' + fault if fault else ''}", flush=True)
    print(f"products: {count} cases, {faults} faults, seed {seed}")
    sys.exit(1 if faults else 0)


main()
