#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks what a compiler does not: who includes whom, sizes, names, licence lines, paths, layout. Prints one line per fault
# and exits with 1 if there is any. Needs nothing but Python and git. `lint.py --self-test` checks the checks.
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import include_rules

ROOT = Path(__file__).resolve().parents[2]
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CPP = (".cpp", ".h", ".c")
# Lines at most, by ending; the first that fits holds.
MAX_LINES = ((re.compile(r"tools/[^/]*\.cpp$"), 40), (re.compile(r"\.cpp$"), 700), (re.compile(r"\.h$"), 150),
             (re.compile(r"\.td$"), 700), (re.compile(r"\.py$"), 400))
MAX_FILES_IN_FOLDER = 20
# Cases of tests are many and alike; the rule is about code that one has to find the way in.
FOLDERS_OF_CASES = re.compile(r"test/(passes|dialects|import|ptx|emulator|unit|schedule|fuzz)(/|$)|docs/decisions")
FORBIDDEN_NAME = re.compile(r"(?i)(utils?|common|helpers?|misc)$")
# Files that bear no licence line: prose, data and what other programs own.
NO_LICENCE_LINE = re.compile(r"^test/fuzz/corpus/|(\.md|\.json|\.npy|\.pb|\.onnx|\.tsv|\.csv|\.txt|\.svg)$|^(LICENSE|\.gitignore|\.clang-format|\.clang-tidy)$|/\.clang-(format|tidy)$")
# Someone's home or temporary folder: a file that names it works on one machine only.
MACHINE_PATH = re.compile(r"(?<![\w.])/(work|home|root|Users)/\w")


def repository_files() -> list[str]:
    """Every file that is or could be committed."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                            capture_output=True).stdout.decode()
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


def read(name: str) -> str:
    return (ROOT / name).read_bytes().decode("utf-8", errors="replace")


def check_includes(name: str, text: str):
    if not name.endswith(CPP):
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line)
        reason = match and include_rules.violation(name, match.group(1))
        if reason:
            yield f"{name}:{number}: {reason}"


def check_size(name: str, text: str):
    for pattern, most in MAX_LINES:
        if pattern.search(name):
            lines = len(text.splitlines())
            if lines > most:
                yield f"{name}:{most}: has {lines} lines, at most {most} are allowed; split it by concept"
            return


def check_licence(name: str, text: str):
    if NO_LICENCE_LINE.search(name):
        return
    head = text.splitlines()[:2]
    first = head[1:] if head and head[0].startswith("#!") else head
    if not first or SPDX not in first[0]:
        yield f"{name}:1: the first line must say \"{SPDX}\""


def check_name(name: str, _text: str):
    if FORBIDDEN_NAME.search(Path(name).stem.lstrip(".")):
        yield f"{name}:1: the name says nothing; name the file after what it holds"


def check_paths(name: str, text: str):
    if name.startswith("test/lint/"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = MACHINE_PATH.search(line)
        if match:
            yield f"{name}:{number}: names a folder of one machine: {line.strip()[:80]}"


def check_guard(name: str, text: str):
    if not name.endswith(".h"):
        return
    path = name[len("include/"):] if name.startswith("include/") else "heddle/" + name
    guard = re.sub(r"\W", "_", path).upper()
    if f"#ifndef {guard}\n#define {guard}\n" not in text and not re.search(r"(?m)^#ifndef HEDDLE_\w+_H$", text):
        yield f"{name}:1: no include guard HEDDLE_..._H"


def check_links(name: str, text: str):
    """A link to a file of the repository leads to one."""
    if not name.endswith(".md"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", line):
            if not (ROOT / name).parent.joinpath(target).exists():
                yield f"{name}:{number}: links to {target}, which does not exist"


def check_folders(names: list[str]):
    count = Counter(os.path.dirname(name) for name in names)
    for folder, files in sorted(count.items()):
        if files > MAX_FILES_IN_FOLDER and not FOLDERS_OF_CASES.match(folder):
            yield f"{folder or '.'}:1: holds {files} files, at most {MAX_FILES_IN_FOLDER} are allowed; split it by concept"


def clang_format() -> str | None:
    own = "/usr/lib/llvm-22/bin/clang-format"
    return shutil.which("clang-format-22") or (own if os.path.exists(own) else None)


def check_layout(names: list[str]):
    tool = clang_format()
    if not tool:
        yield ".clang-format:1: clang-format-22 is missing; run tools/setup.sh"
        return

    def one(name: str):
        run = subprocess.run([tool, "--dry-run", "-Werror", "--style=file", name], cwd=ROOT, capture_output=True, text=True)
        if run.returncode:
            where = re.search(r":(\d+):\d+: error", run.stderr)
            return f"{name}:{where.group(1) if where else 1}: layout differs; run clang-format-22 -i {name}"
        return None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(one, [name for name in names if name.endswith(CPP)]))


CHECKS = (check_includes, check_size, check_licence, check_name, check_paths, check_guard, check_links)


def self_test() -> int:
    """Each check finds a made-up fault and accepts its neighbour."""
    cases = (
        (check_includes, "runtime/A.cpp", '#include "lib/schedule/Gemm.h"', '#include "lib/artifact/ArtifactFile.h"'),
        (check_includes, "runtime/A.cpp", '#include "mlir/IR/Value.h"', "#include <vector>"),
        (check_includes, "runtime/A.cpp", '#include "runtime/emulator/ptx/Module.h"', '#include "runtime/Driver.h"'),
        (check_includes, "runtime/emulator/A.cpp", '#include "runtime/Driver.h"', "#include <cuda.h>"),
        (check_includes, "dialects/graph/A.cpp", '#include "dialects/kernel/Kernel.h"', '#include "dialects/graph/Graph.h"'),
        (check_includes, "passes/graph/A.cpp", '#include "passes/plan/Passes.h"', '#include "dialects/kernel/Kernel.h"'),
        (check_includes, "passes/graph/A.cpp", '#include "lib/import/Import.h"', '#include "lib/target/Rows.h"'),
        (check_includes, "passes/Pipeline.cpp", '#include "runtime/Driver.h"', '#include "passes/plan/Passes.h"'),
        (check_includes, "lib/memory/A.cpp", '#include "lib/target/A.h"', '#include "heddle/Status.h"'),
        (check_includes, "lib/import/A.cpp", "#include <boost/any.hpp>", "#include <onnx/onnx_pb.h>"),
        (check_size, "lib/a/A.cpp", "x\n" * 701, "x\n" * 700),
        (check_size, "lib/a/A.h", "x\n" * 151, "x\n" * 150),
        (check_size, "tools/heddle.cpp", "x\n" * 41, "x\n" * 40),
        (check_licence, "lib/a/A.cpp", "int x;\n", f"// {SPDX}\n"),
        (check_licence, "test/a.sh", "#!/bin/sh\nset -e\n", f"#!/bin/sh\n# {SPDX}\n"),
        (check_name, "lib/a/StringUtils.h", "", ""),
        (check_paths, "docs/a.md", "see /home" + "/somebody/x", "see ../shared/models and /usr/local/cuda"),
        (check_links, "docs/a.md", "[x](no-such-file.md)", "[x](style.md) [y](https://example.org/)"),
        (check_guard, "lib/a/A.h", "#pragma once\n", "#ifndef HEDDLE_LIB_A_A_H\n#define HEDDLE_LIB_A_A_H\n"),
    )
    faults = 0
    for check, name, bad, good in cases:
        if not list(check(name, bad)):
            faults += 1
            print(f"error: {check.__name__} does not see the fault in {name}: {bad[:60]!r}")
        if check is not check_name and list(check(name, good)):
            faults += 1
            print(f"error: {check.__name__} blames {name}: {good[:60]!r}")
    if list(check_name("lib/a/Strings.h", "")):
        faults += 1
    print(f"lint self-test: {len(cases)} cases, {faults} faults")
    return 1 if faults else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks who includes whom, sizes, names, licence lines, paths, layout.")
    parser.add_argument("--self-test", action="store_true", help="check the checks on made-up faults")
    parser.add_argument("--only", choices=("rules", "layout"), help="rules: all but clang-format; layout: clang-format")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    names = repository_files()
    faults = []
    if options.only != "layout":
        for name in names:
            text = read(name)
            for check in CHECKS:
                faults += check(name, text)
        faults += check_folders(names)
    if options.only != "rules":
        faults += check_layout(names)
    for fault in faults:
        print(fault)
    print(f"lint: {len(names)} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
