# lanebank_add_test(NAME name COMMAND program [args...] [OPTIONS options of `lanebank run`...])
#
# A ctest test: the program runs under `lanebank run` and must succeed without findings.
#
#   add_executable(app app.cu)
#   lanebank_add_test(NAME app_is_conflict_free COMMAND app)
#   lanebank_add_test(NAME few_conflicts COMMAND app 1024 OPTIONS --max-excess 100)
#
# `program` is a target or a path. LANEBANK_COMMAND is the command, set by find_package(lanebank).
function(lanebank_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "COMMAND;OPTIONS")
  if(NOT arg_NAME OR NOT arg_COMMAND OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "lanebank_add_test(NAME name COMMAND program [args...] [OPTIONS options...])")
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET "${program}")
    set(program "$<TARGET_FILE:${program}>")
  endif()
  add_test(NAME "${arg_NAME}" COMMAND "${LANEBANK_COMMAND}" run ${arg_OPTIONS} -- "${program}" ${arg_COMMAND})
endfunction()
