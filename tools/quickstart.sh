#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The first thing to run: sets up, builds, and lets a pretrained model read a picture, on the GPU or without one. Flags go
# to quickstart.py: --device=emu, --precision=f16, --text="any words", --model=file-type.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/build.sh heddle-compile heddle-run heddle-emu
source build/toolchain.env
export HEDDLE_PTXAS HEDDLE_LIBDEVICE
exec build/venv/bin/python tools/quickstart.py "$@"
