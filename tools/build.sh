#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets up and builds everything into build/: what quickstart.sh and test/run.sh have in common. Arguments are targets; all
# of them are built without. HEDDLE_JOBS says how many files are compiled at once (default: one a core).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh
source build/toolchain.env

echo "build: configuring"
if ! cmake -S . -B build -G Ninja \
  -DHEDDLE_PTXAS_PATH="$HEDDLE_PTXAS" -DHEDDLE_LIBDEVICE_PATH="$HEDDLE_LIBDEVICE" \
  -DHEDDLE_CUDA_INCLUDE="$HEDDLE_CUDA_INCLUDE" >build/configure.log 2>&1; then
  tail -n 30 build/configure.log >&2
  echo "error: cmake failed; the whole log is build/configure.log" >&2
  exit 1
fi

echo "build: compiling (a first build takes several minutes; the log is build/build.log)"
started=$SECONDS
if ! ninja -C build -j "${HEDDLE_JOBS:-$(nproc)}" "$@" >build/build.log 2>&1; then
  grep -E -A 12 'FAILED|error:' build/build.log | head -n 60 >&2
  echo "error: the build failed; the whole log is build/build.log" >&2
  exit 1
fi
echo "build: done in $((SECONDS - started)) s"
