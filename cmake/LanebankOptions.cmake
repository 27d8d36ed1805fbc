# Flags of every target of ours, on one interface target: lanebank_options.
add_library(lanebank_options INTERFACE)
target_compile_options(lanebank_options INTERFACE
  -Wall -Wextra -Wvla -Wno-unused-parameter -Wno-missing-field-initializers
  # A GPU rounds where its instructions say; the host compiler must not join or reorder operations.
  -ffp-contract=off -fno-fast-math
  # Nobody reads errno or exception flags after arithmetic; keeping them right would keep loops from being vectorised.
  -fno-math-errno -fno-trapping-math)
# gcc 12 and 13 see overlapping copies in every short std::string concatenation (gcc bug 105651).
target_compile_options(lanebank_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(LANEBANK_WARNINGS_AS_ERRORS)
  target_compile_options(lanebank_options INTERFACE -Werror)
endif()
# gcc's pragmas are none of clang's; a constexpr function may be one for gcc's builtins only, as in C++23.
target_compile_options(lanebank_options INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-pragmas> $<$<CXX_COMPILER_ID:Clang>:-Wno-invalid-constexpr>)
if(LANEBANK_SANITIZE)
  # On the whole build, libraries of ours and tests alike: mixing gives false reports.
  string(REPLACE ";" "," sanitizers "${LANEBANK_SANITIZE}")
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
endif()
