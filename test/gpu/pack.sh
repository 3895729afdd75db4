#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Packs what a GPU machine needs to run compiled models and to check their answers into a folder; see run.sh. Needs a
# finished build, no GPU.   test/gpu/pack.sh FOLDER [flags of pack.py]
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
exec "$here/../../build/venv/bin/python" "$here/pack.py" "$@"
