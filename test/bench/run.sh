#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Medians of seven: the emulated device on one core, on two, and on one with every check.
# usage: test/bench/run.sh [BUILD_FOLDER]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
bench=${1:-$root/build}/bin/emulator-bench
flags=(--benchmark_repetitions=7 --benchmark_report_aggregates_only=true --benchmark_min_time=0.2)
run() { # TITLE CORES ENVIRONMENT...
  echo "== $1"
  env "${@:3}" taskset -c "$2" "$bench" "${flags[@]}" 2>/dev/null | grep -E "_median|^Benchmark" | sed 's/real_time_//'
}
run "one core" 0 HEDDLE_EMU_THREADS=1
run "two cores" 0,1 HEDDLE_EMU_THREADS=2
run "one core, every check" 0 HEDDLE_EMU_THREADS=1 HEDDLE_EMU_CHECK=all
