# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds the cases of a suite and rewrites their models for a mode. A case is a folder as the ONNX project lays them out:
# model.onnx beside test_data_set_*/{input,output}_N.pb. The suite of PyPI's onnx has them in the wheel; its "light" models
# stand alone there, and their inputs follow from a formula.
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

# The light models are whole networks and take longest, so they start first.
KINDS = ("light", "node", "simple", "pytorch-converted", "pytorch-operator")
MODES = ("static", "dynamic", "folded")


@dataclass
class DataSet:
    inputs: list  # paths of .pb files, in the order of the model's inputs
    outputs: list


@dataclass
class Case:
    name: str
    kind: str
    model: Path
    sets: list = field(default_factory=list)


def numbered(folder: Path, stem: str) -> list:
    files = folder.glob(f"{stem}_*.pb")
    return sorted(files, key=lambda file: int(re.search(r"_(\d+)\.pb$", file.name).group(1)))


def case_of_folder(folder: Path, kind: str) -> Case:
    sets = [DataSet(numbered(data, "input"), numbered(data, "output")) for data in sorted(folder.glob("test_data_set_*"))]
    return Case(folder.name, kind, folder / "model.onnx", sets)


def light_case(model: Path, scratch: Path) -> Case:
    """The wheel stores the outputs; the input is 0, 1/n, 2/n, ... as the suite's own runner makes it."""
    folder = scratch / "light" / model.stem
    folder.mkdir(parents=True, exist_ok=True)
    graph = onnx.load(str(model)).graph
    initializers = {tensor.name for tensor in graph.initializer}
    inputs = []
    for value in graph.input:
        if value.name in initializers:
            continue
        dims = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
        count = int(np.prod(dims))
        data = (np.arange(count).reshape(dims) / count).astype(np.float32)
        inputs.append(folder / f"input_{len(inputs)}.pb")
        inputs[-1].write_bytes(numpy_helper.from_array(data, value.name).SerializeToString())
    outputs = sorted(model.parent.glob(model.stem + "_output_*.pb"))
    return Case("test_" + model.stem.removeprefix("light_"), "light", model, [DataSet(inputs, outputs)])


def suite_cases(scratch: Path) -> list:
    """All cases of the installed onnx."""
    data = Path(onnx.__file__).parent / "backend" / "test" / "data"
    cases = []
    for kind in KINDS:
        if kind == "light":
            cases += [light_case(model, scratch) for model in sorted((data / kind).glob("*.onnx"))]
        else:
            cases += [case_of_folder(folder, kind) for folder in sorted((data / kind).iterdir()) if folder.is_dir()]
    return cases


def folder_cases(folder: Path) -> list:
    """All cases below a folder, at any depth."""
    return [case_of_folder(model.parent, model.parent.parent.name) for model in sorted(folder.rglob("model.onnx"))]


def fed_inputs(model: onnx.ModelProto, data: DataSet) -> list:
    """Names of the inputs that a data set gives, in order. Old models list their initializers among the inputs."""
    initializers = {tensor.name for tensor in model.graph.initializer}
    names = [value.name for value in model.graph.input]
    free = [name for name in names if name not in initializers]
    return free if len(free) == len(data.inputs) else names[:len(data.inputs)]


def make_dynamic(model: onnx.ModelProto, fed: list) -> None:
    """Every dimension of every input becomes a symbol; equal sizes share one, else no two inputs could be added."""
    for value in model.graph.input:
        if value.name in fed and value.type.HasField("tensor_type"):
            for dim in value.type.tensor_type.shape.dim:
                if dim.HasField("dim_value"):
                    dim.dim_param = f"n{dim.dim_value}"
    # What the model says about later shapes would give the sizes away.
    del model.graph.value_info[:]
    for value in model.graph.output:
        if value.type.HasField("tensor_type"):
            for dim in value.type.tensor_type.shape.dim:
                dim.Clear()


def make_folded(model: onnx.ModelProto, data: DataSet) -> list:
    """Every tensor input becomes an initializer. Returns the paths of the inputs that stay."""
    stay, stay_values = [], []
    values = {value.name: value for value in model.graph.input}
    fed = fed_inputs(model, data)
    for value, path in zip([values[name] for name in fed], data.inputs):
        if not value.type.HasField("tensor_type"):
            stay.append(path)
            stay_values.append(value)
            continue
        tensor = onnx.TensorProto.FromString(path.read_bytes())
        tensor.name = value.name
        model.graph.initializer.append(tensor)
    rest = [value for value in model.graph.input if value.name not in fed]
    del model.graph.input[:]
    model.graph.input.extend(stay_values + rest)
    # IR version 3 wants every initializer among the inputs; from 4 on it need not be.
    model.ir_version = max(model.ir_version, 4)
    return stay


def prepare(case: Case, data: DataSet, mode: str, folder: Path) -> tuple:
    """The model file to compile, and per input its name and file."""
    model = onnx.load(str(case.model), load_external_data=False)
    names = fed_inputs(model, data)
    if mode == "static":
        return case.model, list(zip(names, data.inputs)), model
    if mode == "dynamic":
        make_dynamic(model, names)
        feeds = list(zip(names, data.inputs))
    else:
        stay = make_folded(model, data)
        feeds = list(zip([value.name for value in model.graph.input], stay))
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path, feeds, model


def operator_of(case: Case) -> str:
    """The operator that a node test is about: that of its twin for the expanded ones."""
    model = case.model
    if "_expanded" in case.name:
        twin = case.model.parent.parent / case.name.split("_expanded")[0] / "model.onnx"
        if os.path.exists(twin):
            model = twin
    graph = onnx.load(str(model), load_external_data=False).graph
    kinds = [node.op_type for node in graph.node]
    for kind in kinds:
        if kind not in ("Constant", "Identity", "Cast", "SequenceConstruct", "Optional"):
            return kind
    return kinds[-1] if kinds else "(none)"
