# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the folder that run.sh works on: compiles models for every target that is asked for, makes up inputs, computes what
# to expect with ONNX Runtime, and writes the arguments of heddle-run per case, one a line.
import argparse
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tool")]
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import tools

TARGETS = "sm_80,sm_90a"
# Allowed difference per precision: f32 sums in another order; f16 inputs carry 11 bits, through dozens of layers.
TOLERANCES = {"f32": ("1e-3", "1e-3"), "f16": ("5e-2", "2e-2")}


@dataclass
class Source:
    name: str
    model: onnx.ModelProto
    free: int  # what a dimension without a size becomes

# Advice about how a model was exported is not about us.
onnxruntime.set_default_logger_severity(3)


def gemm(m: int, n: int, k: int) -> onnx.ModelProto:
    value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    graph = helper.make_graph([helper.make_node("MatMul", ["a", "b"], ["c"]), helper.make_node("Relu", ["c"], ["y"])], "gemm",
                              [value("a", [m, k]), value("b", [k, n])], [value("y", [m, n])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def conv(channels: int, size: int) -> onnx.ModelProto:
    value = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    graph = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])], "conv",
                              [value("x", [4, channels, size, size]), value("w", [channels, channels, 3, 3])],
                              [value("y", [4, channels, size, size])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def sources() -> list:
    found = [Source("gemm-512x768x1024", gemm(512, 768, 1024), 1), Source("gemm-37x53x129", gemm(37, 53, 129), 1),
             Source("conv-64x56x56", conv(64, 56), 1)]
    for name in ("mnist-8", "magika_standard_v3_3", "ch_ppocr_mobile_v2.0_cls_infer", "superres_pytorch", "ultraface_RFB-320",
                 "emx_micro_kws_fp32"):
        path = tools.SHARED / "models" / f"{name}.onnx"
        if path.exists():
            found.append(Source(name, onnx.load(str(path)), 2))
        else:
            print(f"skipped: ../shared/models has no {path.name} here")
    return found


def make_feeds(model: onnx.ModelProto, free: int) -> dict:
    generator = np.random.default_rng(1)
    initializers = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in initializers:
            continue
        sizes = [dim.dim_value if dim.HasField("dim_value") else free for dim in value.type.tensor_type.shape.dim]
        # Image models leave height and width open as well.
        if len(sizes) == 4 and not value.type.tensor_type.shape.dim[3].HasField("dim_value"):
            sizes[1:] = [3, 48, 192]
        kind = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        feeds[value.name] = (generator.uniform(-1, 1, sizes) if kind.kind == "f" else generator.integers(0, 256, sizes)).astype(kind)
    return feeds


def pack(source: Source, folder: Path, options) -> int:
    feeds = make_feeds(source.model, source.free)
    session = onnxruntime.InferenceSession(source.model.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = dict(zip([value.name for value in session.get_outputs()], session.run(None, feeds)))
    arguments = []
    for flag, arrays in (("--input", feeds), ("--expect", expected)):
        for i, (name, array) in enumerate(arrays.items()):
            file = f"data/{source.name}.{flag[2:]}{i}.npy"
            np.save(folder / file, array)
            arguments += [flag, f"{name}={file}"]
    (folder / "source.onnx").write_bytes(source.model.SerializeToString())
    faults = 0
    for precision, (rtol, atol) in TOLERANCES.items():
        artifact = f"data/{source.name}.{precision}.heddle"
        done = tools.run([tools.tool("heddle-compile"), folder / "source.onnx", "-o", folder / artifact,
                          f"--precision={precision}", f"--target={options.target}"], 300)
        if done.status != 0:
            faults += 1
            print(f"FAULT {source.name} {precision}: {done.describe()}")
            continue
        lines = [artifact, *arguments, f"--rtol={rtol}", f"--atol={atol}"]
        (folder / "cases" / f"{source.name}.{precision}.args").write_text("\n".join(lines) + "\n")
        print(f"packed {source.name} {precision}")
    (folder / "source.onnx").unlink()
    return faults


def main():
    parser = argparse.ArgumentParser(description="Packs compiled models for a machine with a GPU.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default=TARGETS, help=f"as for heddle-compile (default {TARGETS})")
    options = parser.parse_args()
    runner = tools.tool("heddle-run")
    folder = options.folder
    shutil.rmtree(folder / "cases", ignore_errors=True)
    for part in ("bin", "lib", "data", "cases"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    shutil.copy2(runner, folder / "bin")
    for library in (tools.BUILD / "lib").glob("libheddle-*.so*"):
        shutil.copy2(library, folder / "lib")
    shutil.copy2(HERE / "run.sh", folder)
    faults = sum(pack(source, folder, options) for source in sources())
    print(f"packed {len(list((folder / 'cases').iterdir()))} cases into {folder}, {faults} faults")
    sys.exit(1 if faults else 0)


main()
