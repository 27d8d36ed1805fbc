#!/usr/bin/env bash
# Makes the cubins of this folder again from their sources. Needs nvcc (CUDA 13).
set -euo pipefail
cd "$(dirname "$0")"
for architecture in 75 80 90; do
  for name in control integer; do
    nvcc -std=c++17 -cubin -arch=sm_$architecture $name.cu -o ${name}_sm$architecture.cubin
  done
done
for name in arithmetic warpgroups; do
  nvcc -std=c++17 -cubin -gencode arch=compute_90a,code=sm_90a $name.cu -o ${name}_sm90a.cubin
done
nvcc -std=c++17 -cubin -gencode arch=compute_90a,code=sm_90a ../hardware/instruction_probe.cu -o instruction_probe_sm90a.cubin
