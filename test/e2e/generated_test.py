# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Small models in odd shapes (rank 0, zero sizes, primes, free dimensions), each checked against ONNX Runtime on every
# device-visible value. A case is a row: nodes, inputs, and the shapes that one artifact has to serve.
import argparse
import re
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tool")]
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import tools

# f32 sums of up to 1024 products of numbers in [-1, 1] in another order: 1024 * 2^-24 * 8 at most.
RTOL, ATOL = 1e-4, 5e-4


def node(kind: str, inputs: str, output: str, **attributes):
    return helper.make_node(kind, inputs.split(), output.split(), **attributes)


def shape(dims) -> np.ndarray:
    return np.array(dims, np.int64)


@dataclass
class Case:
    name: str
    nodes: list
    shapes: list  # per run: input name -> dims
    free: dict = field(default_factory=dict)  # input name -> declared dims; a word is a free one
    constants: dict = field(default_factory=dict)
    outputs: str = "y"
    kinds: dict = field(default_factory=dict)  # input name -> NumPy type; float32 otherwise


def one(name: str, nodes, shapes: dict, **rest) -> Case:
    return Case(name, nodes if isinstance(nodes, list) else [nodes], [shapes], **rest)


CASES = [
    one("add_rank0", node("Add", "a b", "y"), {"a": [], "b": []}),
    one("add_zero_size", node("Add", "a b", "y"), {"a": [0, 3], "b": [3]}),
    one("add_both_ways", node("Add", "a b", "y"), {"a": [5, 1, 7], "b": [3, 1]}),
    one("mul_chain", [node("Mul", "a b", "c"), node("Sigmoid", "c", "d"), node("Sub", "d a", "y")], {"a": [13, 17], "b": [17]}),
    one("unary_chain", [node("Exp", "a", "b"), node("Sqrt", "b", "c"), node("Tanh", "c", "d"), node("Erf", "d", "y")], {"a": [257]}),
    one("integer_arithmetic", [node("Mul", "a b", "c"), node("Sub", "c b", "y")], {"a": [4, 5], "b": [5]}, kinds={"a": np.int32, "b": np.int32}),
    one("clip_where", [node("Less", "a b", "c"), node("Where", "c a b", "y")], {"a": [9, 9], "b": [9, 1]}),
    one("cast", [node("Cast", "a", "y", to=TensorProto.INT32)], {"a": [31]}),
    one("matmul", node("MatMul", "a b", "y"), {"a": [37, 53], "b": [53, 29]}),
    one("matmul_one", node("MatMul", "a b", "y"), {"a": [1, 1], "b": [1, 1]}),
    one("matmul_vectors", node("MatMul", "a b", "y"), {"a": [65], "b": [65]}),
    one("matmul_zero_k", node("MatMul", "a b", "y"), {"a": [3, 0], "b": [0, 4]}),
    one("matmul_batched_broadcast", node("MatMul", "a b", "y"), {"a": [2, 1, 19, 33], "b": [3, 33, 7]}),
    one("gemm_bias_relu", [node("Gemm", "a b c", "d", transB=1, alpha=0.5, beta=2.0), node("Relu", "d", "y")],
        {"a": [11, 70], "b": [45, 70], "c": [45]}),
    one("matmul_epilogue", [node("MatMul", "a b", "c"), node("Add", "c d", "e"), node("Sigmoid", "e", "f"), node("Mul", "e f", "y")],
        {"a": [64, 64], "b": [64, 96], "d": [96]}),
    one("conv", node("Conv", "x w", "y", pads=[1, 1, 1, 1]), {"x": [2, 3, 11, 13], "w": [5, 3, 3, 3]}),
    one("conv_bias_stride_dilation", node("Conv", "x w b", "y", strides=[2, 1], dilations=[1, 2], pads=[0, 2, 1, 3]),
        {"x": [1, 4, 15, 17], "w": [6, 4, 3, 3], "b": [6]}),
    one("conv_grouped", node("Conv", "x w", "y", group=3), {"x": [1, 9, 8, 8], "w": [6, 3, 3, 3]}),
    one("conv_depthwise_relu6", [node("Conv", "x w", "c", group=8, pads=[1, 1, 1, 1]), node("Clip", "c lo hi", "y")],
        {"x": [1, 8, 14, 14], "w": [8, 1, 3, 3]}, constants={"lo": np.float32(0), "hi": np.float32(6)}),
    one("conv_1d", node("Conv", "x w", "y"), {"x": [2, 4, 33], "w": [3, 4, 5]}),
    one("conv_1x1", node("Conv", "x w", "y"), {"x": [1, 40, 7, 7], "w": [24, 40, 1, 1]}),
    one("max_pool", node("MaxPool", "x", "y", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]), {"x": [1, 3, 13, 13]}),
    one("average_pool_ceil", node("AveragePool", "x", "y", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1), {"x": [1, 2, 7, 9]}),
    one("global_average_pool", node("GlobalAveragePool", "x", "y"), {"x": [2, 5, 6, 7]}),
    one("softmax", node("Softmax", "x", "y", axis=-1), {"x": [7, 129]}),
    one("softmax_middle", node("Softmax", "x", "y", axis=1), {"x": [3, 50, 5]}),
    one("layer_norm", node("LayerNormalization", "x s b", "y"), {"x": [5, 7, 48], "s": [48], "b": [48]}),
    one("batch_norm", node("BatchNormalization", "x s b m v", "y"), {"x": [2, 3, 5, 5]},
        constants={"s": np.float32([1, 2, 3]), "b": np.float32([0, -1, 1]), "m": np.float32([0.1, 0.2, 0.3]), "v": np.float32([1, 0.5, 2])}),
    one("reduce_mean_all", node("ReduceMean", "x", "y", keepdims=0), {"x": [4, 5, 6]}),
    one("reduce_sum_empty", node("ReduceSum", "x axes", "y"), {"x": [3, 0, 2]}, constants={"axes": shape([1])}),
    one("reduce_max_axes", node("ReduceMax", "x", "y", axes=[0, 2]), {"x": [4, 5, 6]}),
    one("transpose_4d", node("Transpose", "x", "y", perm=[2, 0, 3, 1]), {"x": [3, 5, 7, 2]}),
    one("transpose_large", node("Transpose", "x", "y"), {"x": [67, 130]}),
    one("reshape_transpose", [node("Reshape", "x s", "a"), node("Transpose", "a", "y", perm=[1, 0, 2])], {"x": [6, 20]},
        constants={"s": shape([3, -1, 10])}),
    one("slice_negative_step", node("Slice", "x s e a t", "y"), {"x": [10, 9]},
        constants={"s": shape([8, 1]), "e": shape([-20, 8]), "a": shape([0, 1]), "t": shape([-3, 2])}),
    one("concat", node("Concat", "a b a", "y", axis=1), {"a": [3, 2, 4], "b": [3, 5, 4]}),
    one("split", node("Split", "x s", "y z"), {"x": [7, 3]}, constants={"s": shape([2, 5])}, outputs="y z"),
    one("pad", node("Pad", "x p v", "y"), {"x": [3, 4]}, constants={"p": shape([1, 0, 2, 3]), "v": np.float32(7)}),
    one("gather", node("Gather", "x i", "y", axis=1), {"x": [3, 6, 2]}, constants={"i": np.array([[5, 0], [-1, 2]], np.int64)}),
    one("expand_tile", [node("Expand", "x s", "y")], {"x": [3, 1]}, constants={"s": shape([2, 3, 4])}),
    one("resize_nearest", node("Resize", "x r s", "y", mode="nearest"), {"x": [1, 2, 4, 5]},
        constants={"r": np.zeros(0, np.float32), "s": np.float32([1, 1, 2, 3])}),
    one("depth_to_space", node("DepthToSpace", "x", "y", blocksize=2), {"x": [1, 12, 3, 4]}),
    one("output_is_input", node("Identity", "x", "y"), {"x": [3, 4]}),
    one("one_value_two_outputs", [node("Relu", "x", "y"), node("Identity", "y", "z")], {"x": [5]}, outputs="y z"),
    Case("free_matmul", [node("MatMul", "a b", "c"), node("Relu", "c", "y")],
         [{"a": [m, 48], "b": [48, 20]} for m in (1, 3, 64, 129)], free={"a": ["m", 48], "b": [48, 20]}),
    Case("free_softmax", [node("Softmax", "x", "y")], [{"x": [b, t]} for b, t in ((1, 1), (3, 7), (2, 300))], free={"x": ["b", "t"]}),
    Case("free_conv", [node("Conv", "x w", "c", pads=[1, 1, 1, 1]), node("Relu", "c", "y")],
         [{"x": [b, 3, h, 9], "w": [4, 3, 3, 3]} for b, h in ((1, 5), (3, 12))], free={"x": ["b", 3, "h", 9], "w": [4, 3, 3, 3]}),
    Case("free_flatten", [node("Shape", "x", "s"), node("Gather", "s zero", "n"), node("Unsqueeze", "n axes", "n1"),
                          node("Concat", "n1 rest", "target", axis=0), node("Reshape", "x target", "y")],
         [{"x": [b, 3, 4]} for b in (1, 5)], free={"x": ["b", 3, 4]},
         constants={"zero": np.array(0, np.int64), "axes": shape([0]), "rest": shape([-1])}),
    Case("free_layer_norm", [node("LayerNormalization", "x s b", "y")], [{"x": [t, 40], "s": [40], "b": [40]} for t in (1, 33)],
         free={"x": ["t", 40], "s": [40], "b": [40]}),
]


def build(case: Case) -> onnx.ModelProto:
    inputs = []
    for name, dims in case.shapes[0].items():
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(case.kinds.get(name, np.float32)))
        inputs.append(helper.make_tensor_value_info(name, kind, case.free.get(name, dims)))
    constants = [numpy_helper.from_array(np.asarray(array), name) for name, array in case.constants.items()]
    outputs = [onnx.ValueInfoProto(name=name) for name in case.outputs.split()]
    graph = helper.make_graph(case.nodes, case.name, inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    inferred = onnx.shape_inference.infer_shapes(model)
    # Inference types the outputs only where it knows their node; the ranks stay open otherwise.
    for i, value in enumerate(inferred.graph.output):
        assert value.type.HasField("tensor_type"), f"{case.name}: output {i} has no type"
    return inferred


def feeds_of(case: Case, dims: dict, generator) -> dict:
    feeds = {}
    for name, size in dims.items():
        kind = case.kinds.get(name, np.float32)
        data = generator.uniform(-1, 1, size) if kind == np.float32 else generator.integers(-9, 10, size)
        feeds[name] = np.asarray(data, kind)
    return feeds


def check(case: Case, folder: Path, seed: int) -> str:
    model = build(case)
    path, artifact = folder / "model.onnx", folder / "model.heddle"
    path.write_bytes(model.SerializeToString())
    compiled = tools.run([tools.tool("heddle-compile"), path, "-o", artifact])
    if compiled.status != 0:
        return f"compile: {compiled.describe()}"
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
    generator = np.random.default_rng(seed)
    for dims in case.shapes:
        feeds = feeds_of(case, dims, generator)
        command = [tools.tool("heddle-run"), artifact, "--device=emu", "--check", f"--output-dir={folder / 'out'}"]
        for name, array in feeds.items():
            np.save(folder / f"{name}.npy", array)
            command += ["--input", f"{name}={folder / name}.npy"]
        ran = tools.run(command)
        if ran.status != 0:
            return f"run at {dims}: {ran.describe()}"
        files = tools.read_report(ran.out).files
        for value, file, expected in zip(session.get_outputs(), files, session.run(None, feeds), strict=True):
            got = np.load(file)
            if got.shape != expected.shape or got.dtype != expected.dtype:
                return f"{value.name} at {dims}: {got.dtype}{list(got.shape)}, expected {expected.dtype}{list(expected.shape)}"
            exact = expected.dtype.kind != "f"
            if not np.allclose(got, expected, rtol=0 if exact else RTOL, atol=0 if exact else ATOL, equal_nan=True):
                worst = np.nanmax(np.abs(got.astype(np.float64) - expected))
                return f"{value.name} at {dims}: differs by {worst:.3g}"
    return ""


def main():
    parser = argparse.ArgumentParser(description="Checks small generated models against ONNX Runtime.")
    parser.add_argument("--filter", default="", help="only cases whose name this regular expression finds")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tools.tool("heddle-compile"), tools.tool("heddle-run")
    chosen = [case for case in CASES if re.search(options.filter, case.name)]
    faults = 0
    for case in chosen:
        with tempfile.TemporaryDirectory(prefix="heddle-generated-") as folder:
            fault = check(case, Path(folder), options.seed)
        faults += bool(fault)
        print(f"{'FAULT' if fault else 'ok   '} {case.name}{': ' + fault if fault else ''}", flush=True)
    print(f"generated models: {len(chosen)} cases, {faults} faults, seed {options.seed}")
    sys.exit(1 if faults or not chosen else 0)


main()
