# The layers of lanebank, once: what each folder may include and which libraries it links. This table
# makes the module targets, and tests/layering holds every #include against it.
#
#   module: its target is lanebank_NAME, also lanebank::NAME. A folder with a CMakeLists.txt of its own makes its targets there.
#   may include: modules whose headers it may include; "module:header" allows that header alone
#   links: libraries from outside (LanebankDependencies.cmake)
#
#    module   | folder           | may include                                                       | links
set(LANEBANK_LAYERS
  "include  | include/lanebank |                                                                   | "
  "base     | src/base         |                                                                   | tl::expected lanebank_fmt"
  "image    | src/image        | base                                                              | lanebank_zstd lanebank_lz4"
  "sass     | src/sass         | base                                                              | "
  "machine  | src/machine      | base image sass include                                           | Threads::Threads lanebank_xbyak"
  "findings | src/findings     | base include                                                      | "
  "checks   | src/checks       | base include findings machine:events.hpp                          | "
  "solve    | src/solve        | base include                                                      | nlohmann_json::nlohmann_json"
  "picture  | src/picture      | base include                                                      | "
  "show     | src/show         | base include solve picture                                        | "
  "advise   | src/advise       | base include findings solve checks show                           | "
  "report   | src/report       | base include findings picture                                     | nlohmann_json::nlohmann_json"
  "verify   | src/verify       | base include findings report                                      | nlohmann_json::nlohmann_json"
  "session  | src/session      | include base image sass machine findings checks report            | "
  "cudart   | src/cudart       | include base session machine image findings report                | "
  "testing  | testing          | include                                                           | "
  "tools    | tools/lanebank   | include base image sass machine findings checks report verify session solve advise picture show | "
  "python   | python           | include base findings checks report session solve                  | "
)

# Folders of a module whose sources are compiled once per SIMD level (LanebankSimd.cmake).
set(LANEBANK_SIMD_FOLDERS src/machine/lanes)

# lanebank_add_modules(): the targets of every row, in order. With LANEBANK_EVENTS_APART observers link what events.hpp needs and
# not the machine, whose operations take minutes to compile with sanitizers; then nothing that runs kernels can be linked.
function(lanebank_add_modules)
  if(LANEBANK_EVENTS_APART)
    add_library(lanebank_machine_events STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/src/machine/events.cpp")
    target_include_directories(lanebank_machine_events PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(lanebank_machine_events PRIVATE lanebank_options PUBLIC lanebank_base lanebank_image lanebank_sass)
  endif()
  foreach(row IN LISTS LANEBANK_LAYERS)
    string(REPLACE "|" ";" row "${row}")
    foreach(column IN ITEMS name folder may_include links)
      list(POP_FRONT row ${column})
      string(STRIP "${${column}}" ${column})
    endforeach()
    string(REPLACE " " ";" may_include "${may_include}")
    string(REPLACE " " ";" links "${links}")
    if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
      add_subdirectory("${folder}")
    else()
      lanebank_module(${name} ${folder} "${may_include}" "${links}")
    endif()
  endforeach()
endfunction()

# One module: the static library lanebank_NAME from every .cpp in and below its folder, linked to what it
# may include. A folder without sources becomes an interface target.
function(lanebank_module name folder may_include links)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  set(simd_sources)
  foreach(simd_folder IN LISTS LANEBANK_SIMD_FOLDERS)
    set(below "${sources}")
    list(FILTER below INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${simd_folder}/")
    list(APPEND simd_sources ${below})
  endforeach()
  if(sources)
    set(scope PUBLIC)
    if(simd_sources)
      list(REMOVE_ITEM sources ${simd_sources})
    endif()
    add_library(lanebank_${name} STATIC ${sources})
    set_target_properties(lanebank_${name} PROPERTIES LINKER_LANGUAGE CXX
      UNITY_BUILD "${LANEBANK_UNITY_BUILD}" UNITY_BUILD_BATCH_SIZE 12)
    if(LANEBANK_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # To gcc a source that is included is a header, in which unnamed namespaces are suspect.
      target_compile_options(lanebank_${name} PRIVATE -Wno-subobject-linkage)
    endif()
    target_link_libraries(lanebank_${name} PRIVATE lanebank_options)
  else()
    set(scope INTERFACE)
    add_library(lanebank_${name} INTERFACE)
  endif()
  target_include_directories(lanebank_${name} ${scope} "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  foreach(other IN LISTS may_include)
    if(other STREQUAL "machine:events.hpp" AND LANEBANK_EVENTS_APART)
      set(other machine_events)
    endif()
    string(REGEX REPLACE ":.*" "" other "${other}")
    target_link_libraries(lanebank_${name} ${scope} lanebank_${other})
  endforeach()
  target_link_libraries(lanebank_${name} ${scope} ${links})
  add_library(lanebank::${name} ALIAS lanebank_${name})
  if(simd_sources)
    lanebank_short_moves(lanebank_${name})
    lanebank_simd_sources(lanebank_${name} ${simd_sources})
  endif()
endfunction()
