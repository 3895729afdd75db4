# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Who may include whom, as a table: the first row whose folder begins the file's path holds. What a row does not name is
# forbidden. `std` is the C and C++ library and POSIX, and always allowed. docs/architecture.md draws the same picture.
import re
from typing import NamedTuple, Optional


class Rule(NamedTuple):
    folder: str  # repository path, "*" for one folder of any name
    may: tuple  # repository folders and the names in EXTERNAL
    never: tuple = ()  # exceptions from `may`


# An include that is no path of the repository belongs to one of these.
EXTERNAL = (
    ("mlir", r"(mlir|mlir-c|llvm|llvm-c)/"),
    ("onnx", r"(onnx|google/protobuf)/"),
    ("flatbuffers", r"flatbuffers/"),
    ("cuda", r"cuda\.h$"),
    ("gtest", r"(gtest|gmock)/"),
    ("benchmark", r"benchmark/"),
    ("std", r"([a-z_0-9]+(\.h)?|(sys|arpa|netinet|linux)/[a-z_]+\.h|cxxabi\.h|immintrin\.h)$"),
)

COMPILER = ("dialects", "lib", "passes")

RULES = (
    Rule("include", ("include",)),
    Rule("lib/memory", ("include", "lib/memory")),
    Rule("lib/artifact", ("include", "lib/artifact", "flatbuffers")),
    Rule("lib/target", ("include", "lib/target")),
    Rule("lib/ptxas", ("include", "lib/ptxas")),
    Rule("runtime/emulator", ("include", "lib/target", "runtime/emulator", "cuda")),
    # Reads ONNX tensors by hand, so that the runtime's tools need no protobuf.
    Rule("runtime", ("include", "lib/artifact", "lib/memory", "runtime", "cuda"), never=("runtime/emulator",)),
    # Symbolic sizes are the one vocabulary that all dialects share.
    Rule("dialects/shape", ("include", "mlir", "dialects/shape")),
    Rule("dialects/*", ("include", "mlir", "dialects/shape", "dialects/*")),
    Rule("lib/device", ("include", "mlir", "dialects/kernel", "dialects/shape", "lib/target", "lib/device")),
    Rule("lib/schedule", ("include", "mlir", "dialects/kernel", "dialects/shape", "lib/target", "lib/device", "lib/schedule")),
    Rule("passes/*", ("include", "mlir", "dialects", "lib", "passes/*"), never=("lib/compiler", "lib/capi", "lib/import")),
    Rule("passes", ("include", "mlir", "passes", "lib/target")),
    Rule("lib/import", ("include", "mlir", "onnx", "dialects/graph", "dialects/shape", "lib/import")),
    Rule("lib/compiler", ("include", "mlir", "onnx", *COMPILER)),
    Rule("lib/capi", ("include", "lib/compiler", "runtime", "lib/capi"), never=("runtime/emulator",)),
    Rule("tools/heddle-opt.cpp", ("lib/compiler/Register.h", "mlir")),
    Rule("tools/heddle-lsp-server.cpp", ("lib/compiler/Register.h", "mlir")),
    Rule("tools/heddle-compile.cpp", ("include", "lib/compiler")),
    Rule("tools/heddle-run.cpp", ("include", "runtime")),
    # Tests look into everything.
    Rule("test", ("include", "mlir", "onnx", "cuda", "gtest", "benchmark", "flatbuffers", "runtime", "test", *COMPILER)),
)


def rule_of(path: str) -> tuple[Optional[Rule], str]:
    """The row for a file, and the name that stood for "*"."""
    for rule in RULES:
        end = "/" if "*" in rule.folder else "(?:/|$)"
        match = re.match(re.escape(rule.folder).replace(r"\*", "([^/]+)") + end, path)
        if match:
            return rule, match.group(1) if "*" in rule.folder else ""
    return None, ""


def within(folder: str, target: str) -> bool:
    return target == folder or target.startswith(folder + "/")


def owner_of(include: str, file: str) -> str:
    """The repository path or the external name that an include stands for."""
    if include.startswith(("heddle/", "heddle-c/")):
        return "include/" + include
    if re.match(r"(dialects|passes|lib|runtime|tools|test|include)/", include):
        return include
    # A generated header without a folder is its own folder's.
    if re.search(r"(_generated\.h|\.inc)$", include) and "/" not in include:
        return file.rsplit("/", 1)[0] + "/" + include
    for name, pattern in EXTERNAL:
        if re.match(pattern, include):
            return name
    return "?" + include


def violation(file: str, include: str) -> Optional[str]:
    """Why `file` may not include `include`, or None."""
    rule, star = rule_of(file)
    if rule is None:
        return "belongs to no row of test/lint/include_rules.py; add one"
    owner = owner_of(include, file)
    if owner == "std":
        return None
    if owner.startswith("?"):
        return f'includes "{include}", which is neither a repository path nor a known library'
    allowed = [name.replace("*", star) for name in rule.may]
    if any(within(name, owner) for name in allowed) and not any(within(name, owner) for name in rule.never):
        return None
    return f'includes "{include}", but {rule.folder} may include only {", ".join(("std", *allowed))}'
