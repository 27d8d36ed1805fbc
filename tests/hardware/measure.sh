#!/usr/bin/env bash
# On a machine with an H200 and Nsight Compute: measures the patterns of one seed; results to OUT/KIND.csv.
#   measure.sh OUT SEED [KIND...]
set -euo pipefail
out=$1 seed=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
nvcc -std=c++17 -lineinfo -arch=sm_90 "$here/probe_shared.cu" -o "$work/probe"
python3 "$here/make_patterns.py" "$work" "$seed"
kinds=("$@")
[ ${#kinds[@]} -gt 0 ] || mapfile -t kinds < <(cd "$work" && ls ./*.bin | sed 's|./||; s|.bin||')
"$work/probe" predicates > "$out/predicates.txt"
for kind in "${kinds[@]}"; do
  ncu --clock-control none --section SourceCounters --section MemoryWorkloadAnalysis_Tables --metrics memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal \
      -f -o "$work/$kind" "$work/probe" "$kind" "$work/$kind.bin" > "$work/log" 2>&1 || { tail -5 "$work/log"; continue; }
  ncu -i "$work/$kind.ncu-rep" --page source --csv --print-units base > "$out/$kind.csv" 2>> "$work/log" || tail -3 "$work/log"
done
tar -czf "$out/patterns.tgz" -C "$work" $(cd "$work" && ls ./*.bin)
