# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes the outcome of a run as docs/conformance.md: totals, a row per kind of case, a row per operator.
from collections import Counter, defaultdict

import cases as suites

LETTERS = "PWUCH"
HEAD = "passed | wrong | unsupported | crashed | hung | cases"


def row(name: str, counter: Counter) -> str:
    cells = [str(counter[letter]) for letter in LETTERS] + [str(sum(counter.values()))]
    return f"| {name} | " + " | ".join(cells) + " |"


def table(title: str, counters: dict) -> list:
    return [f"| {title} | {HEAD} |", "|---|" + "---|" * 6] + [row(name, counters[name]) for name in counters]


def markdown(verdicts: list, closing: str, options, seconds: float) -> str:
    kinds, operators = defaultdict(Counter), defaultdict(Counter)
    for verdict in verdicts:
        kinds[verdict.case.kind][verdict.letter] += 1
        if verdict.case.kind == "node":
            operators[suites.operator_of(verdict.case)][verdict.letter] += 1
    flags = " ".join(options.compile_flags) or "default precision and target"
    faults = [f"- {v.case.name}: {v.reason.splitlines()[0][:160]}" for v in verdicts if v.letter in "WCH"]
    text = [
        "# Conformance",
        "",
        "Made by the runner, not by hand:",
        "",
        f"    test/conformance/run.py --suite=onnx --mode={options.mode} --jobs={options.jobs} --timeout={options.timeout:g} --report=docs/conformance.md",
        "",
        f"**{closing}**",
        "",
        f"Device `{options.device}`, {flags}, {options.jobs} jobs, {seconds:.0f} s. Integers and booleans are equal, floats are",
        f"within rtol {options.rtol:g} and atol {options.atol:g}, shapes and types are exact, NaN equals NaN. `unsupported` means that",
        "heddle-compile refused the model and named what it does not support.",
        "",
        *table("kind", dict(sorted(kinds.items()))),
        "",
    ]
    if faults:
        text += ["## Wrong, crashed, hung", "", *faults, ""]
    if operators:
        text += [
            "## By operator", "",
            "Node tests, by the operator that they are about; the tests of a function's body (`_expanded`) count for the function.",
            "", *table("operator", dict(sorted(operators.items()))), ""
        ]
    return "\n".join(text)
