#!/bin/sh
# Builds the machine code of this folder again, with nvcc 13.0. It records the folder it was compiled in, so that is a fixed one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD_FOLDER:-/usr/src/lanebank-session}
mkdir -p "$build"
cp "$here"/launch.cu "$build"
cd "$build"
nvcc -w -lineinfo -arch=sm_90 -cubin launch.cu -o launch_sm90.cubin
cp launch_sm90.cubin "$here"
