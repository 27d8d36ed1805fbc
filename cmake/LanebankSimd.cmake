# SIMD variants: a source compiled once per level, the level chosen at run time.
#
#   level | flag               | needs
#   v2    | -march=x86-64-v2   | SSE4.2
#   v3    | -march=x86-64-v3   | AVX2, FMA, BMI2
#   v4    | -march=x86-64-v4   | AVX-512 F, BW, CD, DQ, VL
#   native| -march=native      | this machine (fast builds; never in a package)
#
# Every such source is compiled with -DLANEBANK_SIMD=simd_LEVEL and puts all it defines into that namespace:
#
#   namespace lanebank::machine::LANEBANK_SIMD { Execute find(Opcode); }
#
# The generated header "lanebank_simd_levels.hpp" lists the levels of this build, lowest first:
#
#   #define LANEBANK_SIMD_LEVELS(X) X(simd_v2, 2) X(simd_v3, 3) X(simd_v4, 4)      (native: X(simd_native, 0))
#
# A variant must not define inline functions outside its namespace (standard containers and the like that are
# not inlined): the linker keeps one copy, perhaps one with AVX-512, for everybody. tests/layering checks the objects.

set(lanebank_simd_default native)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(lanebank_simd_default v2 v3 v4)
endif()
set(LANEBANK_SIMD_LEVELS "${lanebank_simd_default}" CACHE STRING "SIMD levels to build, lowest first: v2;v3;v4 or native")

set(levels_macro)
foreach(level IN LISTS LANEBANK_SIMD_LEVELS)
  if(level MATCHES "^v([234])$")
    string(APPEND levels_macro " X(simd_${level}, ${CMAKE_MATCH_1})")
  elseif(level STREQUAL "native")
    string(APPEND levels_macro " X(simd_native, 0)")
  else()
    message(FATAL_ERROR "LANEBANK_SIMD_LEVELS: '${level}' is none of v2, v3, v4, native")
  endif()
endforeach()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/lanebank_simd_levels.hpp" CONTENT
"// The SIMD levels of this build, lowest first: X(namespace, x86-64 level; 0 is the building machine's own).
#pragma once

#define LANEBANK_SIMD_LEVELS(X)@levels_macro@
" @ONLY)
unset(levels_macro)

# lanebank_short_moves(TARGET): loops where gcc would clear and copy structures of a hundred bytes with string instructions, which
# take some 30 cycles to begin.
function(lanebank_short_moves target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    foreach(what IN ITEMS memset memcpy)
      target_compile_options(${target} PRIVATE "-m${what}-strategy=vector_loop:1024:noalign,libcall:-1:noalign")
    endforeach()
  endif()
endfunction()

# lanebank_simd_sources(TARGET sources...): adds the sources to TARGET, once per level.
function(lanebank_simd_sources target)
  target_include_directories(${target} PRIVATE "${PROJECT_BINARY_DIR}/generated")
  foreach(level IN LISTS LANEBANK_SIMD_LEVELS)
    set(objects ${target}_simd_${level})
    add_library(${objects} OBJECT ${ARGN})
    target_link_libraries(${objects} PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
    target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${objects} PRIVATE LANEBANK_SIMD=simd_${level})
    if(level STREQUAL "native")
      target_compile_options(${objects} PRIVATE -march=native)
    else()
      target_compile_options(${objects} PRIVATE -march=x86-64-${level})
    endif()
    target_compile_options(${objects} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
    lanebank_short_moves(${objects})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()
