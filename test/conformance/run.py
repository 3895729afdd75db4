#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a suite of ONNX cases through heddle-compile and heddle-run and counts what came of it. Prints a line per case that
# did not pass and one line that closes; exits with 1 if any case is wrong, crashed or hung. docs/testing.md explains it.
import argparse
import concurrent.futures
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tool")]
import tools

tools.use_venv()
import onnx

import cases as suites
import compare
import report

PASSED, WRONG, UNSUPPORTED, CRASHED, HUNG = "PWUCH"
WORDS = {WRONG: "wrong", UNSUPPORTED: "unsupported", CRASHED: "crashed", HUNG: "hung"}
# How heddle-compile says that a model is right but beyond it.
BEYOND = re.compile(r"unsupported|not supported|supported (is|are)|newest supported", re.I)


@dataclass
class Verdict:
    case: suites.Case
    letter: str
    reason: str = ""
    seconds: float = 0


def first_line(text: str) -> str:
    return text.strip().splitlines()[0][:300] if text.strip() else ""


def failure(outcome: tools.Outcome, step: str) -> tuple:
    """Letter and reason of a step that did not end well, or None."""
    if outcome.status == 0:
        return None
    if outcome.status is None:
        return HUNG, f"{step}: {outcome.describe()}"
    # 128 + n is how a wrapper passes on a signal.
    if outcome.status < 0 or outcome.status > 128:
        return CRASHED, f"{step}: {outcome.describe()}"
    if step == "compile" and outcome.status == 1 and BEYOND.search(outcome.err):
        lines = [line for line in outcome.err.splitlines() if BEYOND.search(line)]
        return UNSUPPORTED, first_line(lines[0])
    return WRONG, f"{step}: {outcome.describe()}"


def run_set(case, data, options, folder: Path) -> tuple:
    model_file, feeds, model = suites.prepare(case, data, options.mode, folder)
    artifact = folder / "model.heddle"
    compiled = tools.run([options.compiler, model_file, "-o", artifact, *options.compile_flags], options.timeout)
    if failed := failure(compiled, "compile"):
        return failed
    command = [options.runner, artifact, f"--device={options.device}", f"--output-dir={folder / 'out'}"]
    for name, path in feeds:
        command += ["--input", f"{name}={path}"]
    ran = tools.run(command, options.timeout, {"HEDDLE_EMU_THREADS": "1"})
    if failed := failure(ran, "run"):
        return failed
    said = tools.read_report(ran.out)
    if len(said.files) != len(data.outputs):
        return WRONG, f"{len(said.files)} outputs, expected {len(data.outputs)}"
    for value, written, expected in zip(model.graph.output, said.files, data.outputs):
        if not value.type.HasField("tensor_type"):
            return WRONG, f"output {value.name} is no tensor, which the runner cannot compare"
        wanted = onnx.TensorProto.FromString(Path(expected).read_bytes())
        wrong = compare.difference(written, said.output_type(value.name), wanted, options.rtol, options.atol)
        if wrong:
            return WRONG, f"output {value.name}: {wrong}"
    return PASSED, ""


def run_case(case, options) -> Verdict:
    started = time.monotonic()
    letter, reason = WRONG, "has no test data"
    for data in case.sets:
        with tempfile.TemporaryDirectory(prefix="heddle-case-", dir=options.scratch) as folder:
            try:
                letter, reason = run_set(case, data, options, Path(folder))
            except Exception as error:  # a fault of the runner must not look like a pass
                letter, reason = WRONG, f"the runner failed: {type(error).__name__}: {error}"
        if letter != PASSED:
            break
    return Verdict(case, letter, reason, time.monotonic() - started)


def parse_options():
    parser = argparse.ArgumentParser(description="Runs a suite of ONNX cases through heddle-compile and heddle-run.")
    parser.add_argument("--suite", choices=("onnx",), default="onnx", help="the suite of the installed onnx (default)")
    parser.add_argument("--cases", type=Path, help="run the cases below this folder instead")
    parser.add_argument("--mode", choices=suites.MODES, default="static",
                        help="static: the models as they are; dynamic: every input dimension is a symbol; "
                        "folded: every input is a constant")
    parser.add_argument("--filter", default="", help="only cases whose name this regular expression finds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at once (default: one a core)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each of compile and run (default 60)")
    parser.add_argument("--device", default="emu", help="as for heddle-run (default emu)")
    parser.add_argument("--precision", help="as for heddle-compile")
    parser.add_argument("--target", help="as for heddle-compile")
    parser.add_argument("--rtol", type=float, default=compare.RTOL)
    parser.add_argument("--atol", type=float, default=compare.ATOL)
    parser.add_argument("--report", type=Path, help="write a table of the result, as Markdown")
    parser.add_argument("--results", type=Path, help="write name, letter, seconds and reason per case, tab separated")
    parser.add_argument("--at-least", type=int, default=0, help="fail if fewer cases pass")
    parser.add_argument("--quiet-unsupported", action="store_true", help="no line for an unsupported case")
    options = parser.parse_args()
    try:
        options.pattern = re.compile(options.filter)
    except re.error as error:
        parser.error(f"--filter is no regular expression: {error}")
    options.compile_flags = [f"--{name}={getattr(options, name)}" for name in ("precision", "target") if getattr(options, name)]
    options.compiler, options.runner = tools.tool("heddle-compile"), tools.tool("heddle-run")
    return options


def main() -> int:
    options = parse_options()
    counts = dict.fromkeys("PWUCH", 0)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="heddle-conformance-") as scratch:
        options.scratch = scratch
        everything = suites.folder_cases(options.cases) if options.cases else suites.suite_cases(Path(scratch))
        chosen = [case for case in everything if options.pattern.search(case.name)]
        if not chosen:
            print(f"error: none of {len(everything)} cases matches; nothing was run", file=sys.stderr)
            return 1
        verdicts = []
        with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
            for verdict in pool.map(lambda case: run_case(case, options), chosen):
                verdicts.append(verdict)
                counts[verdict.letter] += 1
                if verdict.letter != PASSED and not (options.quiet_unsupported and verdict.letter == UNSUPPORTED):
                    print(f"{WORDS[verdict.letter]} {verdict.case.name}: {first_line(verdict.reason)}", flush=True)
    seconds = time.monotonic() - started
    title = f"onnx {onnx.__version__}" if not options.cases else str(options.cases)
    closing = (f"{title} {options.mode}: {counts['P']} passed, {counts['W']} wrong, {counts['U']} unsupported, "
               f"{counts['C']} crashed, {counts['H']} hung of {len(chosen)}")
    if options.results:
        options.results.write_text("".join(f"{v.case.name}\t{v.letter}\t{v.seconds:.2f}\t{first_line(v.reason)}\n" for v in verdicts))
    if options.report:
        options.report.write_text(report.markdown(verdicts, closing, options, seconds))
    print(f"took {seconds:.0f} s")
    print(closing)
    if counts["P"] < options.at_least:
        print(f"error: {counts['P']} passed, at least {options.at_least} are expected", file=sys.stderr)
        return 1
    return 1 if counts["W"] or counts["C"] or counts["H"] else 0


if __name__ == "__main__":
    sys.exit(main())
