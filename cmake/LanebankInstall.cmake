# What `cmake --install` lays down, and the package that find_package(lanebank) reads:
#   lanebank::lanebank   the headers of include/lanebank (C++17, host and device code, no dependency)
#   lanebank_add_test()  a ctest test that runs a CUDA program under `lanebank run` (LanebankAddTest.cmake)
# the schemas of lanebank's JSON in share/lanebank/schema,
# and the command bin/lanebank with its libraries beside it in lib/.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(lanebank_headers INTERFACE)
add_library(lanebank::lanebank ALIAS lanebank_headers)
set_target_properties(lanebank_headers PROPERTIES EXPORT_NAME lanebank)
target_compile_features(lanebank_headers INTERFACE cxx_std_17)
target_include_directories(lanebank_headers INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lanebank")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/lanebank" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/share/lanebank" DESTINATION "${CMAKE_INSTALL_DATADIR}")
install(TARGETS lanebank_headers EXPORT lanebankTargets)
install(EXPORT lanebankTargets NAMESPACE lanebank:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/lanebankConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/lanebankConfig.cmake" INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lanebankConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/lanebankConfig.cmake" "${PROJECT_BINARY_DIR}/lanebankConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/LanebankAddTest.cmake" DESTINATION "${package_dir}")
