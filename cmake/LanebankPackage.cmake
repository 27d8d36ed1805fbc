# What users get besides the libraries: documentation, the completions and the manual page that the command writes of itself, and
# `cpack -G DEB`, which makes the Debian package from a release build.
#
#   cmake --preset release && cmake --build --preset release && (cd build/release && cpack -G DEB)
set(pages "${PROJECT_BINARY_DIR}/pages")
file(MAKE_DIRECTORY "${pages}")
add_custom_command(OUTPUT "${pages}/lanebank.bash" "${pages}/_lanebank" "${pages}/lanebank.fish" "${pages}/lanebank.1"
  COMMAND lanebank completion bash > "${pages}/lanebank.bash"
  COMMAND lanebank completion zsh > "${pages}/_lanebank"
  COMMAND lanebank completion fish > "${pages}/lanebank.fish"
  COMMAND lanebank manual > "${pages}/lanebank.1"
  DEPENDS lanebank VERBATIM)
set(always ALL)
if(LANEBANK_SANITIZE)
  set(always)
endif()
add_custom_target(lanebank_pages ${always} DEPENDS "${pages}/lanebank.bash")

if(NOT SKBUILD)  # a wheel has no place for them
  install(FILES "${pages}/lanebank.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME lanebank)
  install(FILES "${pages}/_lanebank" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${pages}/lanebank.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  install(FILES "${pages}/lanebank.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
endif()

set(LANEBANK_MAINTAINER "lanebank developers <developers@lanebank.invalid>" CACHE STRING "Who answers for packages: Name <address>")
mark_as_advanced(LANEBANK_MAINTAINER)
if(NOT PROJECT_IS_TOP_LEVEL OR SKBUILD)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lanebank)
set(CPACK_PACKAGE_CONTACT "${LANEBANK_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "shared-memory bank conflicts of CUDA programs, without a GPU")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian/prepare.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/triggers")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit, cmake, libgtest-dev")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"lanebank executes the machine code of CUDA programs on the CPU and counts what
every shared-memory instruction costs, as Nsight Compute counts it on a GPU.
It explains each bank conflict, finds a layout without it, proves it, and hands
back code.
.
This package holds the command, the libraries that it preloads into programs,
a header-only library of conflict-free layouts for CUDA C++, and CMake files.")
include(CPack)
