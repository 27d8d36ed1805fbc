#!/bin/sh
# Builds the device images of this folder again, with nvcc 13.0. They record the folder they were compiled
# in, so that is a fixed one. PTXAS12, a ptxas of CUDA 12.4, makes arrays_cuda12_sm90.cubin (ELF ABI 7).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD_FOLDER:-/usr/src/lanebank-image}
mkdir -p "$build"
cp "$here"/*.cu "$build"
cd "$build"
rm -f ./*.cubin ./*.fatbin
for arch in 75 90; do
  nvcc -w -lineinfo -arch=sm_$arch -cubin arrays.cu -o arrays_sm$arch.cubin
done
nvcc -w -lineinfo -rdc=true -arch=sm_90 -c arrays.cu -o arrays.o
nvcc -w -arch=sm_90 -dlink -cubin arrays.o -o arrays_rdc_sm90.cubin
nvcc -w -arch=sm_90 -fatbin --compress-mode=size tiny.cu -o tiny_zstd.fatbin
nvcc -w -arch=sm_90 -fatbin --compress-mode=speed tiny.cu -o tiny_lz4.fatbin
nvcc -w -arch=sm_90 -fatbin --compress-mode=none tiny.cu -o tiny_plain.fatbin
nvcc -w -lineinfo -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_75,code=sm_75 \
  -gencode arch=compute_75,code=compute_75 -Xfatbin --compress-all -fatbin arrays.cu -o arrays_two.fatbin
nvcc -w -arch=sm_90 -cubin tiny.cu -o tiny_sm90.cubin
nvcc -w -arch=sm_90a -cubin objects.cu -o objects_sm90a.cubin
for arch in 75 90a; do
  nvcc -w -rdc=true -arch=sm_$arch -c objects.cu -o objects.o
  nvcc -w -arch=sm_$arch -dlink -cubin objects.o -o objects_rdc_sm$arch.cubin
done
nvcc -w -rdc=true -arch=sm_90 -cubin tiny.cu -o tiny_unlinked_sm90.cubin
if [ -n "${PTXAS12:-}" ]; then
  nvcc -w -lineinfo -arch=sm_90 -ptx arrays.cu -o arrays.ptx
  sed -i 's/^\.version .*/.version 8.4/' arrays.ptx
  "$PTXAS12" -lineinfo -arch=sm_90 arrays.ptx -o arrays_cuda12_sm90.cubin
fi
# The second opinion on line tables: what nvdisasm -gi prints, one line for each place where it prints a
# position, "symbol offset file:line ...", innermost first.
for name in arrays_sm75 arrays_sm90 arrays_rdc_sm90; do
  nvdisasm -gi -c $name.cubin | awk '
    /^\.text\./ { symbol = substr($1, 7, length($1) - 7); chain = "" }
    /\/\/## File "/ { split($0, part, "\""); file = part[2]; sub(".*/", "", file)
                     line = part[3]; sub(", line ", "", line); sub(" .*", "", line)
                     chain = chain " " file ":" line }
    /^ +\/\*[0-9a-f]+\*\// && chain != "" { offset = $1; gsub("[^0-9a-f]", "", offset)
                                          print symbol, offset chain; chain = "" }' > $name.lines.txt
done
# What the fuzzers begin with.
seeds=$here/../../fuzz/seeds
mkdir -p "$seeds/fatbin" "$seeds/cubin" "$seeds/ptx"
nvcc -w -lineinfo -arch=sm_75 -cubin seed.cu -o "$seeds/cubin/seed_sm75.cubin"
nvcc -w -lineinfo -rdc=true -arch=sm_90 -c seed.cu -o seed.o
nvcc -w -arch=sm_90 -dlink -cubin seed.o -o "$seeds/cubin/seed_rdc_sm90.cubin"
nvcc -w -arch=sm_75 -ptx seed.cu -o "$seeds/ptx/seed.ptx"
cp tiny_zstd.fatbin tiny_lz4.fatbin "$seeds/fatbin"
cp ./*.cubin ./*.fatbin ./*.lines.txt "$here"
