# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles a pretrained model that a PyPI package carries, runs it, shows the answer beside that of ONNX Runtime. Called by
# quickstart.sh, which builds the tools first.
import argparse
import importlib.util
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np
import onnx
import onnxruntime
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
FOLDER = BUILD / "quickstart"
TEXT = "Heddle weaves 2026 threads"

# Advice about how a model was exported is not about us.
onnxruntime.set_default_logger_severity(3)


def draw(text: str) -> Image.Image:
    """One line of black text on white, 48 pixels high, in the font that Pillow brings along."""
    font = ImageFont.load_default(size=30)
    width = int(font.getlength(text)) + 24
    image = Image.new("RGB", (width, 48), "white")
    ImageDraw.Draw(image).text((12, 6), text, font=font, fill="black")
    return image


def picture_of(text: str) -> dict:
    """The recogniser takes [1, 3, 48, W] in -1 to 1, blue before red."""
    image = draw(text)
    image.save(FOLDER / "picture.png")
    print(f"picture   {(FOLDER / 'picture.png').relative_to(ROOT)}, {image.width} x {image.height}, says \"{text}\"")
    pixels = np.asarray(image, np.float32)[:, :, ::-1] / 127.5 - 1
    return {"x": np.ascontiguousarray(pixels.transpose(2, 0, 1))[None]}


def read_text(outputs: list, model: onnx.ModelProto) -> str:
    """The likeliest class per column; repeated ones are one character, class 0 separates."""
    characters = {entry.key: entry.value for entry in model.metadata_props}["character"].splitlines() + [" "]
    best = outputs[0][0].argmax(axis=1)
    return "".join(characters[c - 1] for i, c in enumerate(best) if c and (i == 0 or c != best[i - 1])).strip()


def bytes_of(_text: str) -> dict:
    """The classifier takes the first and last 1024 bytes of a file without its outer white space; 256 fills up."""
    data = Path(__file__).read_bytes()
    print(f"file      {Path(__file__).relative_to(ROOT)}, {len(data)} bytes")
    head, tail = data[:4096].lstrip()[:1024], data[-4096:].rstrip()[-1024:]
    tokens = list(head) + [256] * (1024 - len(head)) + [256] * (1024 - len(tail)) + list(tail)
    return {"bytes": np.array([tokens], np.int32)}


def file_type(outputs: list, _model: onnx.ModelProto) -> str:
    config = json.loads((package_file("magika", "models/standard_v3_3/config.min.json")).read_text())
    best = int(outputs[0][0].argmax())
    return f"{config['target_labels_space'][best]} ({outputs[0][0][best]:.1%})"


@dataclass
class Model:
    what: str
    package: str
    path: str
    inputs: Callable
    answer: Callable


MODELS = {
    "text": Model("PP-OCRv4 text recogniser", "rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx", picture_of, read_text),
    "file-type": Model("magika file type classifier", "magika", "models/standard_v3_3/model.onnx", bytes_of, file_type),
}


def package_file(package: str, path: str) -> Path:
    """A file of a package that need not be importable: its dependencies are not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        sys.exit(f"error: Python package {package} is missing; run tools/setup.sh")
    file = Path(spec.submodule_search_locations[0]) / path
    if not file.exists():
        sys.exit(f"error: {package} carries no {path}; tools/requirements/models.txt pins the version that does")
    return file


def call(command: list) -> str:
    child = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if child.returncode:
        sys.stderr.write(child.stdout + child.stderr)
        sys.exit(f"error: {Path(command[0]).name} failed with status {child.returncode}")
    return child.stdout


def main():
    parser = argparse.ArgumentParser(prog="tools/quickstart.sh", description="Runs a pretrained model on a GPU, or without one.")
    parser.add_argument("--model", choices=MODELS, default="text", help="text: reads a picture (default); file-type: names a file's type")
    parser.add_argument("--text", default=TEXT, help="what the picture says")
    parser.add_argument("--device", default="auto", help="as for heddle-run: auto, cuda:0, emu (default auto)")
    parser.add_argument("--precision", default="f32", help="as for heddle-compile (default f32)")
    options = parser.parse_args()
    row = MODELS[options.model]
    FOLDER.mkdir(parents=True, exist_ok=True)
    source = package_file(row.package, row.path)
    print(f"model     {row.what}, from the Python package {row.package}")
    inputs = row.inputs(options.text)

    artifact = FOLDER / f"{options.model}.heddle"
    started = time.monotonic()
    call([BUILD / "bin" / "heddle-compile", source, "-o", artifact, f"--precision={options.precision}"])
    print(f"compiled  in {time.monotonic() - started:.1f} s to {artifact.relative_to(ROOT)}")

    command = [BUILD / "bin" / "heddle-run", artifact, f"--device={options.device}", f"--output-dir={FOLDER / 'out'}"]
    for name, array in inputs.items():
        np.save(FOLDER / f"{name}.npy", array)
        command += ["--input", f"{name}={FOLDER / name}.npy"]
    said = [line.partition(" ")[::2] for line in call(command).splitlines()]
    for word, rest in said:
        if word in ("note", "device", "code", "kernels", "time"):
            print(f"{word:10}{rest.strip()}")
    outputs = [np.load(rest.strip()) for word, rest in said if word == "wrote"]

    model = onnx.load(str(source))
    reference = onnxruntime.InferenceSession(str(source), providers=["CPUExecutionProvider"]).run(None, inputs)
    largest = max(float(np.abs(a.astype(np.float64) - b).max()) for a, b in zip(outputs, reference))
    answer, expected = row.answer(outputs, model), row.answer(reference, model)
    print(f"answer    {answer}")
    print(f"reference {expected} (ONNX Runtime on the CPU; largest difference of any output value: {largest:.2g})")
    if answer != expected:
        sys.exit("error: the two answers differ")


main()
