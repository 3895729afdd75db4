#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs compiled models on a GPU and compares their outputs with ONNX Runtime's. The machine needs a driver and nothing else:
# `test/gpu/pack.sh FOLDER` makes a folder with the programs, artifacts, inputs, expected outputs and this script, and
# `FOLDER/run.sh` is all there is to call. Prints a line per case. Exit status: 0, 1 after a difference, 77 without a GPU.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

skip() {
  echo "skipped: $*"
  exit 77
}

# The kernel module's files tell more than a failing library does.
[[ -e /dev/nvidiactl || -e /dev/nvgpu || -e /dev/dxg ]] || skip "this machine has no NVIDIA GPU (no /dev/nvidiactl), so nothing ran on hardware"

bundle="$here"
if [[ ! -d $here/cases ]]; then
  # Called from a checkout: the bundle is made first.
  bundle="${1:-$here/../../build/gpu-bundle}"
  "$here/pack.sh" "$bundle"
fi
cd "$bundle"

faults=0 count=0
for case in cases/*.args; do
  name="$(basename "$case" .args)"
  mapfile -t arguments <"$case"
  count=$((count + 1))
  if output="$(bin/heddle-run "${arguments[@]}" --device="${HEDDLE_GPU:-cuda:0}" --benchmark=20 2>&1)"; then
    echo "ok    $name: $(sed -n 's/^code  *//p' <<<"$output"); $(sed -n 's/^benchmark  *//p' <<<"$output")"
  else
    faults=$((faults + 1))
    echo "FAULT $name: $(grep -m 1 'error' <<<"$output" || tail -n 1 <<<"$output")"
  fi
done
echo "gpu: $count cases, $faults faults, on $(bin/heddle-run "${arguments[@]}" --device="${HEDDLE_GPU:-cuda:0}" 2>/dev/null | sed -n 's/^device  *//p')"
((count > 0 && faults == 0))
