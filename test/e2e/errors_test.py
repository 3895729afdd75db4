# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the tools say to a user's mistake: one clear error, exit status 1, no crash. Each case is a function whose first line
# says the mistake; it returns an outcome and words that the error must name.
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tool")]
import numpy as np
import onnx
from onnx import TensorProto, helper

import tools

FOLDER = Path()


def value(name: str, dims=(2, 3), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, dims)


def model_file(name: str, nodes: list, opset: int = 17, outputs=("y",), domains=()) -> Path:
    graph = helper.make_graph(nodes, "g", [value("x")], [value(output) for output in outputs])
    sets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    path = FOLDER / name
    path.write_bytes(helper.make_model(graph, opset_imports=sets, ir_version=8).SerializeToString())
    return path


def good_model() -> Path:
    return model_file("good.onnx", [helper.make_node("Relu", ["x"], ["y"], name="the_relu")])


def compile_file(path, output=None):
    return tools.run([tools.tool("heddle-compile"), path, "-o", output or FOLDER / "out.heddle"])


def run_good(*flags):
    made = compile_file(good_model(), FOLDER / "good.heddle")
    if made.status != 0:
        return made
    return tools.run([tools.tool("heddle-run"), FOLDER / "good.heddle", "--device=emu", *flags])


def npy(name: str, array) -> Path:
    np.save(FOLDER / name, array)
    return FOLDER / name


def truncated_model():
    path = FOLDER / "truncated.onnx"
    path.write_bytes(good_model().read_bytes()[:-9])
    return compile_file(path), ["truncated.onnx"]


def text_file():
    path = FOLDER / "text.onnx"
    path.write_text("this is a letter to my aunt\n" * 20)
    return compile_file(path), ["text.onnx"]


def empty_file():
    path = FOLDER / "empty.onnx"
    path.write_bytes(b"")
    return compile_file(path), ["empty.onnx"]


def missing_file():
    return compile_file(FOLDER / "absent.onnx"), ["absent.onnx"]


def folder_for_model():
    return compile_file(FOLDER), []


def opset_too_new():
    return compile_file(model_file("future.onnx", [helper.make_node("Relu", ["x"], ["y"])], opset=99)), ["99"]


def unknown_domain():
    node = helper.make_node("Weave", ["x"], ["y"], name="the_weave", domain="loom.example")
    return compile_file(model_file("domain.onnx", [node], domains=("loom.example",))), ["the_weave", "Weave", "loom.example"]


def two_unsupported_operators():
    nodes = [helper.make_node("Warp", ["x"], ["a"], name="first_bad"), helper.make_node("Weft", ["a"], ["y"], name="second_bad")]
    return compile_file(model_file("two.onnx", nodes)), ["first_bad", "Warp", "second_bad", "Weft"]


def value_without_source():
    return compile_file(model_file("hole.onnx", [helper.make_node("Relu", ["nowhere"], ["y"])])), ["nowhere"]


def unwritable_artifact():
    return compile_file(good_model(), FOLDER / "no" / "such" / "folder" / "out.heddle"), ["out.heddle"]


def unknown_precision():
    return tools.run([tools.tool("heddle-compile"), good_model(), "-o", FOLDER / "o.heddle", "--precision=f17"]), ["f17"]


def unknown_target():
    return tools.run([tools.tool("heddle-compile"), good_model(), "-o", FOLDER / "o.heddle", "--target=sm_7"]), ["sm_7"]


def unknown_flag():
    return tools.run([tools.tool("heddle-compile"), good_model(), "--no-such-flag"]), ["no-such-flag"]


def wrong_shape():
    return run_good("--input", f"x={npy('wide.npy', np.zeros((2, 4), np.float32))}"), ["x", "4", "3"]


def wrong_rank():
    return run_good("--input", f"x={npy('flat.npy', np.zeros(6, np.float32))}"), ["x"]


def wrong_type():
    return run_good("--input", f"x={npy('whole.npy', np.zeros((2, 3), np.int32))}"), ["x", "f32"]


def missing_input():
    return run_good("--input", f"z={npy('z.npy', np.zeros((2, 3), np.float32))}"), ["z"]


def no_input_given():
    return run_good(f"--expect=y={npy('y.npy', np.zeros((2, 3), np.float32))}"), ["x"]


def unwritable_output():
    (FOLDER / "taken").write_text("a file, no folder")
    return run_good("--random=1", f"--output-dir={FOLDER / 'taken' / 'out'}"), ["taken"]


def model_for_artifact():
    return tools.run([tools.tool("heddle-run"), good_model(), "--device=emu", "--random=1"]), ["good.onnx"]


def truncated_artifact():
    compile_file(good_model(), FOLDER / "whole.heddle")
    whole = FOLDER / "whole.heddle"
    (FOLDER / "half.heddle").write_bytes(whole.read_bytes()[:whole.stat().st_size // 2] if whole.exists() else b"x")
    return tools.run([tools.tool("heddle-run"), FOLDER / "half.heddle", "--device=emu", "--random=1"]), ["half.heddle"]


def unknown_device():
    return run_good("--random=1", "--device=abacus"), ["abacus"]


CASES = [truncated_model, text_file, empty_file, missing_file, folder_for_model, opset_too_new, unknown_domain,
         two_unsupported_operators, value_without_source, unwritable_artifact, unknown_precision, unknown_target, unknown_flag,
         wrong_shape, wrong_rank, wrong_type, missing_input, no_input_given, unwritable_output, model_for_artifact,
         truncated_artifact, unknown_device]


def fault_of(outcome: tools.Outcome, words: list) -> str:
    if outcome.status != 1:
        return f"expected exit status 1, got: {outcome.describe() if outcome.status != 0 else 'success'}"
    if "error: " not in outcome.err:
        return f"no \"error: ...\" on standard error: {outcome.err[:200]!r}"
    missing = [word for word in words if word not in outcome.err]
    if missing:
        return f"the error does not name {missing}: {outcome.err.strip()[:400]!r}"
    if re.search(r"assert|stack dump|terminate called|backtrace", outcome.err, re.I):
        return f"the error looks like a crash: {outcome.err.strip()[:400]!r}"
    return ""


def main():
    global FOLDER
    tools.tool("heddle-compile"), tools.tool("heddle-run")
    faults = 0
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="heddle-errors-") as folder:
            FOLDER = Path(folder)
            outcome, words = case()
            fault = fault_of(outcome, words)
        faults += bool(fault)
        print(f"{'FAULT' if fault else 'ok   '} {case.__name__}: {fault or outcome.error}")
    print(f"errors: {len(CASES)} cases, {faults} faults")
    sys.exit(1 if faults else 0)


main()
