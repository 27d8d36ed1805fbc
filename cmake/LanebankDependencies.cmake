# What lanebank takes from outside; the Debian packages stand in scripts/setup.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)

# fmt, compiled once (fmt_once.cpp), or as headers where this version of it does not come apart so.
try_compile(LANEBANK_FMT_ONCE "${PROJECT_BINARY_DIR}/fmt_once"
  SOURCES "${PROJECT_SOURCE_DIR}/cmake/fmt_once.cpp" "${PROJECT_SOURCE_DIR}/cmake/fmt_use.cpp"
  CXX_STANDARD 20 OUTPUT_VARIABLE fmt_once_output)
if(NOT LANEBANK_FMT_ONCE)
  message(STATUS "fmt as headers in every source: ${fmt_once_output}")
endif()
add_library(lanebank_fmt INTERFACE)
if(LANEBANK_FMT_ONCE)
  add_library(lanebank_fmt_once STATIC "${PROJECT_SOURCE_DIR}/cmake/fmt_once.cpp")
  target_link_libraries(lanebank_fmt INTERFACE lanebank_fmt_once)
else()
  target_link_libraries(lanebank_fmt INTERFACE fmt::fmt-header-only)
endif()

# Xbyak is headers only: the machine writes AVX-512 and AVX2 code with it, on x86-64.
add_library(lanebank_xbyak INTERFACE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  find_path(LANEBANK_XBYAK_INCLUDE NAMES xbyak/xbyak.h REQUIRED)
  mark_as_advanced(LANEBANK_XBYAK_INCLUDE)
  target_include_directories(lanebank_xbyak SYSTEM INTERFACE "${LANEBANK_XBYAK_INCLUDE}")
endif()

# zstd and lz4 come without CMake files. The static archives are preferred: the engine is loaded into other people's
# programs and should bring no shared library that they may have in another version.
foreach(library IN ITEMS zstd lz4)
  string(TOUPPER "${library}" upper)
  find_library(LANEBANK_${upper} NAMES lib${library}.a ${library} REQUIRED)
  find_path(LANEBANK_${upper}_INCLUDE NAMES ${library}.h REQUIRED)
  mark_as_advanced(LANEBANK_${upper} LANEBANK_${upper}_INCLUDE)
  add_library(lanebank_${library} INTERFACE)
  target_link_libraries(lanebank_${library} INTERFACE "${LANEBANK_${upper}}")
  target_include_directories(lanebank_${library} SYSTEM INTERFACE "${LANEBANK_${upper}_INCLUDE}")
endforeach()
