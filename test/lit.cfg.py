# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How lit runs the tests that are text: files whose RUN lines call heddle-opt and the other tools, and FileCheck.
# `build/venv/bin/lit test/passes` runs a folder of them; `-D build=FOLDER` names another build folder.
import os
import lit.formats

config.name = "heddle"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "lint", "conformance", "e2e", "gpu", "bench"]
config.test_source_root = os.path.dirname(__file__)

build = lit_config.params.get("build", os.path.join(config.test_source_root, "..", "build"))
build = os.path.abspath(build)
config.test_exec_root = os.path.join(build, "test", "lit")

folders = [os.path.join(build, "bin"), "/usr/lib/llvm-22/bin", config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(folders)
for name in ("HEDDLE_PTXAS", "HEDDLE_LIBDEVICE", "CUDA_HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# `REQUIRES: NAME` in a test: the tool has been built.
for tool in ("heddle-opt", "heddle-compile", "heddle-run"):
    if os.path.exists(os.path.join(build, "bin", tool)):
        config.available_features.add(tool)
if os.path.exists(os.path.join(build, "lib", "libheddle-emu.so")):
    config.available_features.add("emulator")
