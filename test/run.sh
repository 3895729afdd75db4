#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets up, builds and runs every test. Arguments go to ctest: `test/run.sh -R lint`, `test/run.sh -R unit`. The exit status
# is 0 when all passed; a skipped test is shown with its reason and does not fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/build.sh
source build/toolchain.env
export HEDDLE_PTXAS HEDDLE_LIBDEVICE

status=0
ctest --test-dir build --output-on-failure --no-tests=error -j "${HEDDLE_JOBS:-$(nproc)}" "$@" || status=$?

reasons="$(sed -n 's/^skipped: /  /p' build/Testing/Temporary/LastTest.log | sort | uniq -c | sort -rn)"
if [[ -n $reasons ]]; then
  echo
  echo "Skipped, and why:"
  echo "$reasons"
fi
exit $status
