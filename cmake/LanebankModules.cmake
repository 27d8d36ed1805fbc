# The layers of lanebank, once: what each folder may include (docs/architecture.md). This table makes
# the module targets below, and tests/layering_test.cmake holds every #include against it.
#
#   module | its folder | the modules whose headers it may include
set(LANEBANK_LAYERS
  "include  | include/lanebank | "
  "base     | src/base         | "
  "image    | src/image        | base"
  "sass     | src/sass         | base"
  "machine  | src/machine      | base image sass include"
  "findings | src/findings     | base"
  "checks   | src/checks       | base include findings machine:events.hpp"
  "report   | src/report       | base findings"
  "session  | src/session      | include base image sass machine findings checks report"
  "cudart   | src/cudart       | base session machine image findings"
  "tools    | tools/lanebank   | include base image sass machine findings checks report session"
)

# lanebank_module(NAME [LINK libs...]): the static library lanebank_NAME from every .cpp of its folder,
# linked to the modules it may include. Folders without sources become interface targets.
function(lanebank_module name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  foreach(row IN LISTS LANEBANK_LAYERS)
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 row_name)
    list(GET row 1 folder)
    list(GET row 2 may_include)
    string(STRIP "${row_name}" row_name)
    string(STRIP "${folder}" folder)
    if(row_name STREQUAL name)
      break()
    endif()
  endforeach()
  if(NOT row_name STREQUAL name)
    message(FATAL_ERROR "lanebank_module: '${name}' has no row in LANEBANK_LAYERS")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  if(sources)
    set(scope PUBLIC)
    add_library(lanebank_${name} STATIC ${sources})
    target_link_libraries(lanebank_${name} PRIVATE lanebank_options)
  else()
    set(scope INTERFACE)
    add_library(lanebank_${name} INTERFACE)
  endif()
  target_include_directories(lanebank_${name} ${scope} "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  string(REPLACE " " ";" may_include "${may_include}")
  foreach(other IN LISTS may_include)
    string(REGEX REPLACE ":.*" "" other "${other}")
    if(NOT other STREQUAL "")
      target_link_libraries(lanebank_${name} ${scope} lanebank_${other})
    endif()
  endforeach()
  target_link_libraries(lanebank_${name} ${scope} ${arg_LINK})
  add_library(lanebank::${name} ALIAS lanebank_${name})
endfunction()
