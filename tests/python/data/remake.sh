#!/bin/sh
# Builds the machine code of this folder again, with Triton 3.9 (pip install triton). It records the folder it was compiled in, so that
# is a fixed one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD_FOLDER:-/usr/src/lanebank-python}
mkdir -p "$build"
cp "$here"/triton_transpose.py "$build"
cd "$build"
TRITON_CACHE_DIR="$build/cache" "${PYTHON:-python3}" triton_transpose.py triton_transpose_sm90.cubin
cp triton_transpose_sm90.cubin "$here"
