# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles a real model and runs it on the emulated device with all checks on: in f32 the outputs are within 1e-3 of the
# golden ones (ONNX Runtime without optimisation), in f16 the arg-max is the same, and where the model leaves its batch open
# one artifact serves batches of 1 and 3. The models lie in ../shared/models, which not every checkout has.
import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tool")]
import numpy as np
import onnx
import onnxruntime

import tools

MODELS = tools.SHARED / "models"
TOLERANCE = 1e-3
NUMPY = {"float32": np.float32, "int32": np.int32, "int64": np.int64}

# Advice about how a model was exported is not about us.
onnxruntime.set_default_logger_severity(3)


def noise(start: int, count: int) -> np.ndarray:
    """Numbers 0 to 255 as the golden file's maker drew them: a linear congruence, bits 16 to 23."""
    i = np.arange(start, start + count, dtype=np.uint64)
    mask = np.uint64(0xFFFFFFFF)
    return (((i * np.uint64(1103515245)) & mask) + np.uint64(12345) & mask) >> np.uint64(16) & np.uint64(255)


def make_input(spec: dict) -> np.ndarray:
    dims, kind = spec["dims"], NUMPY[spec["t"]]
    count = int(np.prod(dims))
    if "fill" in spec:
        flat = np.full(count, spec["fill"])
    elif "iota" in spec:
        flat = np.arange(count)
    elif "mod" in spec:
        flat = noise(0, count) % np.uint64(spec["mod"])
    else:
        flat = noise(spec.get("seed", 0), count).astype(np.float64) / 255 * (spec["hi"] - spec["lo"]) + spec["lo"]
    return flat.astype(kind).reshape(dims)


def golden_outputs(entry: dict):
    """Per output: its name, its shape, positions in the flat array and the values there, its arg-max."""
    for name, spec in entry["outputs"].items():
        if "file" in spec:
            values = np.fromfile(MODELS / spec["file"], np.float32)
            places = np.arange(values.size)
        else:
            values = np.array(spec["samples"], np.float32)
            places = np.arange(values.size) * spec["sample_stride"]
        yield name, spec["dims"], places, values, spec["argmax"]


class Bench:
    def __init__(self, model: Path, folder: Path):
        self.model, self.folder, self.faults = model, folder, []

    def check(self, condition: bool, text: str):
        print(("ok    " if condition else "FAULT ") + text)
        if not condition:
            self.faults.append(text)

    def compile(self, precision: str) -> Path:
        artifact = self.folder / f"{precision}.heddle"
        done = tools.run([tools.tool("heddle-compile"), self.model, "-o", artifact, f"--precision={precision}"], 280)
        self.check(done.status == 0, f"compile {precision}: {done.seconds:.1f} s" + ("" if done.status == 0 else f", {done.describe()}"))
        return artifact if done.status == 0 else None

    def run(self, artifact: Path, feeds: dict, what: str) -> dict:
        command = [tools.tool("heddle-run"), artifact, "--device=emu", "--check", f"--output-dir={self.folder / 'out'}"]
        for i, (name, array) in enumerate(feeds.items()):
            np.save(self.folder / f"{i}.npy", array)
            command += ["--input", f"{name}={self.folder / f'{i}.npy'}"]
        done = tools.run(command, 280, {"HEDDLE_EMU_THREADS": "1"})
        report = tools.read_report(done.out)
        self.check(done.status == 0, f"run {what}: {done.seconds:.1f} s, kernels {report.first('kernels')}" if done.status == 0
                   else f"run {what}: {done.describe()}")
        if done.status != 0:
            return {}
        names = [value.name for value in onnx.load(str(self.model)).graph.output]
        return dict(zip(names, map(np.load, report.files)))

    def compare_golden(self, got: dict, entry: dict, precision: str):
        for name, dims, places, values, argmax in golden_outputs(entry):
            array = got[name]
            self.check(list(array.shape) == dims, f"{name}: shape {list(array.shape)}, golden {dims}")
            if list(array.shape) != dims:
                continue
            flat = array.reshape(-1)
            difference = float(np.abs(flat[places] - values).max(initial=0))
            if precision == "f32":
                self.check(difference <= TOLERANCE, f"{name}: largest difference {difference:.2g}, allowed {TOLERANCE:g}")
            # Where two values are closer than f16 can tell, either may be the largest.
            best = int(flat.argmax())
            self.check(best == argmax or precision == "f32" and abs(flat[best] - flat[argmax]) <= TOLERANCE,
                       f"{name}: {precision} arg-max {best}, golden {argmax} (largest difference {difference:.2g})")

    def compare_batches(self, artifact: Path, specs: dict):
        session = onnxruntime.InferenceSession(str(self.model), providers=["CPUExecutionProvider"])
        for batch in (1, 3):
            feeds = {name: make_input({**spec, "dims": [batch, *spec["dims"][1:]]}) for name, spec in specs.items()}
            expected = dict(zip([value.name for value in session.get_outputs()], session.run(None, feeds)))
            for name, array in self.run(artifact, feeds, f"batch {batch}").items():
                same = array.shape == expected[name].shape
                difference = float(np.abs(array - expected[name]).max()) if same else float("nan")
                self.check(same and difference <= TOLERANCE, f"{name}: batch {batch}, shape {list(array.shape)}, "
                           f"largest difference from ONNX Runtime {difference:.2g}")


def open_batch(model: Path) -> bool:
    graph = onnx.load(str(model)).graph
    initializers = {tensor.name for tensor in graph.initializer}
    inputs = [value for value in graph.input if value.name not in initializers]
    return all(value.type.tensor_type.shape.dim and not value.type.tensor_type.shape.dim[0].HasField("dim_value") for value in inputs)


def main():
    parser = argparse.ArgumentParser(description="Compares a model of ../shared/models with its golden outputs.")
    parser.add_argument("model", help="name without .onnx")
    parser.add_argument("--precision", default="f32,f16")
    options = parser.parse_args()
    model = MODELS / f"{options.model}.onnx"
    if not model.exists():
        tools.skip(f"../shared/models has no {model.name} here")
    tools.tool("heddle-compile")
    golden = json.loads((MODELS / "golden" / "golden.json").read_text())
    entries = {key.split("|")[1]: entry for key, entry in golden.items() if key.split("|")[0] == model.name}
    with tempfile.TemporaryDirectory(prefix="heddle-golden-") as folder:
        bench = Bench(model, Path(folder))
        for precision in options.precision.split(","):
            artifact = bench.compile(precision)
            if not artifact:
                continue
            for shape, entry in entries.items():
                feeds = {name: make_input(spec) for name, spec in entry["inputs"].items()}
                if got := bench.run(artifact, feeds, f"{precision} {shape}"):
                    bench.compare_golden(got, entry, precision)
            if precision == "f32" and open_batch(model):
                bench.compare_batches(artifact, next(iter(entries.values()))["inputs"])
    print(f"{options.model}: {len(bench.faults)} faults")
    sys.exit(1 if bench.faults else 0)


main()
