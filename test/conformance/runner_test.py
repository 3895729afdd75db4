# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the conformance runner on stand-ins for the tools that pass, lie, refuse, crash and hang when told to.
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
# Producer name of the model -> word in the runner's line; "" passes.
CASES = {
    "": "", "unsupported": "unsupported", "fails": "wrong", "crashes": "crashed", "hangs": "hung", "run-fails": "wrong",
    "run-aborts": "crashed", "value": "wrong", "shape": "wrong", "type": "wrong",
}


def write_case(folder: Path, model: onnx.ModelProto, inputs: list, outputs: list):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for stem, arrays in (("input", inputs), ("output", outputs)):
        for i, array in enumerate(arrays):
            (data / f"{stem}_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


def add_model(producer: str) -> onnx.ModelProto:
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])
    graph = helper.make_graph([helper.make_node("Add", ["x", "y"], ["sum:0"])], "g", [value("x"), value("y")], [value("sum:0")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name=producer)


def run(folder: Path, *flags: str):
    environment = {**os.environ, "HEDDLE_TOOLS": str(HERE / "standin"),
                   "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, HERE / "run.py", f"--cases={folder}", "--timeout=8", "--jobs=4", *flags]
    child = subprocess.run(command, capture_output=True, text=True, env=environment)
    print(child.stdout, child.stderr)
    return child


def main():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    x[0, 0] = np.nan
    y = np.full((2, 3), 0.5, np.float32)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "node"
        for producer in CASES:
            write_case(folder / f"test_{producer or 'good'}", add_model(producer), [x, y], [x + y])
        child = run(folder)
        assert child.returncode == 1
        assert child.stdout.rstrip().endswith("static: 1 passed, 5 wrong, 1 unsupported, 2 crashed, 1 hung of 10"), "closing line"
        for producer, word in CASES.items():
            lines = re.findall(rf"^(\w+) test_{producer}: .+$", child.stdout, re.M)
            assert lines == ([word] if producer else []), f"{producer}: {lines}"
        for mode in ("static", "dynamic", "folded"):
            child = run(folder, "--filter=good", f"--mode={mode}", f"--report={scratch}/report.md")
            assert child.returncode == 0, mode
            assert f"{mode}: 1 passed, 0 wrong, 0 unsupported, 0 crashed, 0 hung of 1" in child.stdout, mode
            assert "| Add | 1 | 0 | 0 | 0 | 0 | 1 |" in (Path(scratch) / "report.md").read_text()
        assert run(folder, "--filter=good", "--at-least=2").returncode == 1
        assert run(folder, "--filter=no-such-case").returncode == 1
    print("conformance runner: all cases hold")


main()
