# lanebank_add_test: a ctest test that runs a CUDA program under `lanebank run` and passes where the program succeeds without findings.
#
#   lanebank_add_test(NAME name
#     TARGET target | COMMAND program [args...]   what runs: an executable target, or a program and its first arguments
#     [ARGS args...]                              its arguments
#     [MAX_EXCESS n]                              excess wavefronts that are let through (0)
#     [CHECKS rule...]                            the checks of memory accesses that run: race, uninitialised, ...; all, none (all)
#     [BASELINE file]                             findings that are known do not count, unless they became worse
#     [OPTIONS options...]                        more options of `lanebank run`: --kernel-name transpose
#     [SKIP_UNANALYSED]                           what lanebank cannot analyse is skipped, not failed
#     [LABELS label...] [TIMEOUT seconds] [WORKING_DIRECTORY folder] [ENVIRONMENT NAME=value...])
#
#   add_executable(app app.cu)
#   lanebank_add_test(NAME app_is_conflict_free TARGET app ARGS 1024)
#   lanebank_add_test(NAME few_conflicts COMMAND app 1024 MAX_EXCESS 100 CHECKS race)
#
# The test fails with the program's own code; 120: findings; 121: nothing was analysed, so nothing was tested; 122: lanebank cannot
# analyse it, which SKIP_UNANALYSED makes ctest report as skipped; 125: lanebank was used wrongly.
#
# Tests that exist already run without a GPU where LANEBANK_EMULATOR is the emulator of their target. Their own result counts then, as
# long as lanebank could execute them; findings are told and fail nothing, and a test without kernels is a test like another:
#
#   set_target_properties(my_tests PROPERTIES CROSSCOMPILING_EMULATOR "${LANEBANK_EMULATOR}")
#
# find_package(lanebank) sets both variables; a project that has lanebank as a subdirectory has lanebank_add_test alone.
set(LANEBANK_EMULATOR "${LANEBANK_COMMAND};run;--fail-on;never;--allow-no-launch;--")

function(lanebank_add_test)
  set(usage "lanebank_add_test(NAME name TARGET target | COMMAND program [args...] [ARGS args...] [MAX_EXCESS n] [CHECKS rule...]
  [BASELINE file] [OPTIONS options...] [SKIP_UNANALYSED] [LABELS label...] [TIMEOUT seconds] [WORKING_DIRECTORY folder]
  [ENVIRONMENT NAME=value...])")
  cmake_parse_arguments(PARSE_ARGV 0 arg "SKIP_UNANALYSED" "NAME;TARGET;MAX_EXCESS;BASELINE;TIMEOUT;WORKING_DIRECTORY"
    "COMMAND;ARGS;CHECKS;OPTIONS;LABELS;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "lanebank_add_test(NAME ${arg_NAME}): '${arg_UNPARSED_ARGUMENTS}' is out of place in ${usage}")
  endif()
  if(NOT arg_NAME OR (arg_TARGET AND arg_COMMAND) OR NOT (arg_TARGET OR arg_COMMAND))
    message(FATAL_ERROR "lanebank_add_test needs a NAME and one of TARGET and COMMAND: ${usage}")
  endif()
  if(arg_TARGET AND NOT TARGET "${arg_TARGET}")
    message(FATAL_ERROR "lanebank_add_test(NAME ${arg_NAME}): there is no target ${arg_TARGET}")
  endif()
  if(NOT "${arg_MAX_EXCESS}" MATCHES "^[0-9]*$")
    message(FATAL_ERROR "lanebank_add_test(NAME ${arg_NAME}): MAX_EXCESS ${arg_MAX_EXCESS} is no whole number")
  endif()
  if(NOT LANEBANK_COMMAND)
    set(LANEBANK_COMMAND $<TARGET_FILE:lanebank>)
  endif()
  set(command ${arg_TARGET} ${arg_COMMAND})
  list(POP_FRONT command program)
  if(TARGET "${program}")
    set(program "$<TARGET_FILE:${program}>")
  endif()

  set(options)
  if(NOT "${arg_MAX_EXCESS}" STREQUAL "")
    list(APPEND options --max-excess ${arg_MAX_EXCESS})
  endif()
  if(arg_CHECKS)
    list(JOIN arg_CHECKS "," checks)
    list(APPEND options --checks ${checks})
  endif()
  if(arg_BASELINE)
    get_filename_component(baseline "${arg_BASELINE}" ABSOLUTE)
    list(APPEND options --baseline "${baseline}")
  endif()
  set(place)
  if(arg_WORKING_DIRECTORY)
    set(place WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}")
  endif()
  add_test(NAME "${arg_NAME}" ${place}
    COMMAND "${LANEBANK_COMMAND}" run ${options} ${arg_OPTIONS} -- "${program}" ${command} ${arg_ARGS})
  if(arg_SKIP_UNANALYSED)
    set_tests_properties("${arg_NAME}" PROPERTIES SKIP_RETURN_CODE 122)
  endif()
  foreach(property IN ITEMS LABELS TIMEOUT ENVIRONMENT)
    if(arg_${property})
      set_tests_properties("${arg_NAME}" PROPERTIES ${property} "${arg_${property}}")
    endif()
  endforeach()
endfunction()
