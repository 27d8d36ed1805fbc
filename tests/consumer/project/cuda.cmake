set(CMAKE_CUDA_ARCHITECTURES 90-real)
enable_language(CUDA)
set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -lineinfo")
find_package(GTest REQUIRED)

add_executable(transpose transpose.cu)
lanebank_add_test(NAME padded TARGET transpose ARGS padded TIMEOUT 60 LABELS gpu-code)
lanebank_add_test(NAME plain_is_let_through COMMAND transpose plain MAX_EXCESS 3968 CHECKS race uninitialised)
lanebank_add_test(NAME plain COMMAND transpose plain OPTIONS --report plain.txt)
lanebank_add_test(NAME plain_is_known TARGET transpose ARGS plain BASELINE "${CMAKE_CURRENT_BINARY_DIR}/known.json")
lanebank_add_test(NAME trap TARGET transpose ARGS trap)
lanebank_add_test(NAME trap_is_skipped TARGET transpose ARGS trap SKIP_UNANALYSED)
set_tests_properties(plain trap PROPERTIES WILL_FAIL ON)
add_test(NAME write_baseline COMMAND sh -c
  "'${LANEBANK_COMMAND}' run --write-baseline known.json -- '$<TARGET_FILE:transpose>' plain; test $? = 120")
set_tests_properties(write_baseline PROPERTIES FIXTURES_SETUP known)
set_tests_properties(plain_is_known PROPERTIES FIXTURES_REQUIRED known)

# The program's own result: conflicts do not count, a wrong result does.
set_target_properties(transpose PROPERTIES CROSSCOMPILING_EMULATOR "${LANEBANK_COMMAND};run;--fail-on;never;--")
add_test(NAME emulated_plain COMMAND transpose plain)
add_test(NAME emulated_wrong COMMAND transpose wrong)
set_tests_properties(emulated_wrong PROPERTIES WILL_FAIL ON)

# Kernels in the test's own process.
add_executable(kernels_test kernels_test.cu)
set_target_properties(kernels_test PROPERTIES CUDA_STANDARD 17 CUDA_RUNTIME_LIBRARY None)
target_link_libraries(kernels_test PRIVATE lanebank::testing GTest::gtest_main)
add_test(NAME kernels COMMAND kernels_test)
add_test(NAME kernels_under_run COMMAND "${LANEBANK_COMMAND}" run --fail-on never -- $<TARGET_FILE:kernels_test>)
