# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every kernel that heddle-compile emits is accepted by ptxas for each architecture, without spilling registers, and
# products in a Tensor Core precision use Tensor Cores. The real models are those of ../shared/models, where that exists.
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tool")]
from onnx import TensorProto, helper

import tools

TARGETS = ("sm_80", "sm_90a")
REAL = ("mnist-8", "magika_standard_v3_3", "ch_ppocr_mobile_v2.0_cls_infer", "superres_pytorch", "ultraface_RFB-320",
        "emx_micro_kws_fp32")


def generated(name: str, node, shapes: dict, output: list) -> tuple:
    value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    graph = helper.make_graph([node], name, [value(n, dims) for n, dims in shapes.items()], [value("y", output)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return name, model.SerializeToString()


PRODUCTS = (
    generated("gemm", helper.make_node("MatMul", ["a", "b"], ["y"]), {"a": [256, 512], "b": [512, 128]}, [256, 128]),
    generated("gemm_batched", helper.make_node("MatMul", ["a", "b"], ["y"]), {"a": [3, 70, 64], "b": [3, 64, 72]}, [3, 70, 72]),
    generated("conv", helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1]), {"x": [1, 64, 28, 28], "w": [64, 64, 3, 3]},
              [1, 64, 28, 28]),
)


def find_ptxas() -> str:
    for path in (os.environ.get("HEDDLE_PTXAS"), shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas",
                 *map(str, (tools.ROOT / "build" / "venv").glob("lib/python3*/site-packages/nvidia/cu*/bin/ptxas"))):
        if path and Path(path).exists():
            return path
    tools.skip("there is no ptxas; tools/setup.sh installs one")


def emit(model: Path, target: str, precision: str):
    """PTX modules, or the reason why there are none."""
    done = tools.run([tools.tool("heddle-compile"), model, "-o", "-", "--emit=ptx", f"--target={target}", f"--precision={precision}"], 280)
    if done.status != 0:
        return [], f"heddle-compile: {done.describe()}"
    starts = [match.start() for match in re.finditer(r"^\.version ", done.out, re.M)]
    modules = [done.out[begin:end] for begin, end in zip(starts, [*starts[1:], len(done.out)])]
    return modules, "" if modules else "heddle-compile printed no PTX"


def assemble(ptxas: str, text: str, target: str, folder: Path) -> tuple:
    """Number of kernels, bytes spilled, and the reason of a refusal."""
    (folder / "k.ptx").write_text(text)
    done = tools.run([ptxas, "-v", "-arch", target, folder / "k.ptx", "-o", folder / "k.cubin"], 280)
    spilled = sum(int(size) for size in re.findall(r"(\d+) bytes spill", done.out + done.err))
    return len(re.findall(r"\.entry ", text)), spilled, "" if done.status == 0 else f"ptxas: {done.describe()}"


def check(ptxas: str, name: str, model: Path, target: str, precision: str, folder: Path) -> str:
    modules, fault = emit(model, target, precision)
    kernels = spilled = 0
    for text in modules:
        count, bytes_spilled, refusal = assemble(ptxas, text, target, folder)
        kernels, spilled, fault = kernels + count, spilled + bytes_spilled, fault or refusal
    used = sum(len(re.findall(r"\b(?:mma\.sync|wgmma\.mma_async)", text)) for text in modules)
    if not fault and name in dict(PRODUCTS) and precision != "f32" and not used:
        fault = "no mma.sync in the PTX"
    if not fault and precision == "f32" and used:
        fault = "f32 was asked for, but the PTX uses Tensor Cores"
    if not fault and spilled:
        fault = f"{spilled} bytes spilled"
    print(f"{'FAULT' if fault else 'ok   '} {name} {target} {precision}: {fault or f'{kernels} kernels, {used} mma'}", flush=True)
    return fault


def main():
    tools.tool("heddle-compile")
    ptxas = find_ptxas()
    faults = count = 0
    with tempfile.TemporaryDirectory(prefix="heddle-ptx-") as scratch:
        folder = Path(scratch)
        models = []
        for name, data in PRODUCTS:
            (folder / f"{name}.onnx").write_bytes(data)
            models += [(name, folder / f"{name}.onnx", precision) for precision in ("f32", "tf32", "f16", "bf16")]
        for name in REAL:
            path = tools.SHARED / "models" / f"{name}.onnx"
            if path.exists():
                models += [(name, path, precision) for precision in ("f32", "f16")]
            else:
                print(f"skipped: ../shared/models has no {path.name} here")
        for name, path, precision in models:
            for target in TARGETS:
                count += 1
                faults += bool(check(ptxas, name, path, target, precision, folder))
    print(f"ptx: {count} cases, {faults} faults")
    sys.exit(1 if faults else 0)


main()
