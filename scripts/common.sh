# shellcheck shell=bash disable=SC2034
# For demo, check and scripts/*: folders, PATH, messages. Sourced.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_root=$root/build
toolkit=$build_root/toolkit
release=$build_root/release
python=$build_root/python/bin/python

# nvcc: the machine's own, else the one that scripts/setup puts together.
for folder in "${CUDA_HOME:-/usr/local/cuda}/bin" "$toolkit/bin"; do
  if [[ ":$PATH:" != *":$folder:"* ]]; then PATH=$PATH:$folder; fi
done
export PATH

say() { printf '%s\n' "-- $*" >&2; }

# quietly LOG COMMAND...: its output goes to LOG, and its end is shown when it fails.
quietly() {
  local log=$1
  shift
  if ! "$@" > "$log" 2>&1; then
    tail -n 40 "$log" >&2
    say "failed: $* (all of its output: $log)"
    return 1
  fi
}

# The highest SIMD level that this machine has, as LANEBANK_SIMD_LEVELS takes them (cmake/LanebankSimd.cmake).
simd_level_here() {
  local flags
  flags=" $(grep -m 1 '^flags' /proc/cpuinfo) "
  case $flags in
    *" avx512bw "*) echo v4 ;;
    *" avx2 "*) echo v3 ;;
    *) echo v2 ;;
  esac
}

# build_release [CMake options]. Newer compilers find new warnings, so warnings stop the build only with the compiler that
# lanebank is developed with.
build_release() {
  local strict=OFF
  if [[ $(g++ -dumpversion) == 12 ]]; then strict=ON; fi
  quietly "$build_root/release.log" cmake --preset release "-DLANEBANK_WARNINGS_AS_ERRORS=$strict" "$@" &&
    quietly "$build_root/release.log" cmake --build --preset release
}
