# What `cpack` makes of an installation: a .tar.zst that works wherever it is unpacked, and a .deb.
# The name says which LibTorch the oracle fits, since that is looked for on the machine.
set(CPACK_PACKAGE_NAME kbench)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Judges kernels: whether they are right, and how fast")
set(CPACK_PACKAGE_VENDOR "The kbench authors")
set(CPACK_PACKAGE_CONTACT "The kbench authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TZST DEB)

string(TOLOWER ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} kbench_system)
set(kbench_fits "")
if(KBENCH_TORCH_VERSION MATCHES "^([0-9]+\\.[0-9]+)")
  set(kbench_fits -torch${CMAKE_MATCH_1})
endif()
set(CPACK_PACKAGE_FILE_NAME kbench-${PROJECT_VERSION}${kbench_fits}-${kbench_system})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# Written down, because dpkg-shlibdeps stops at LibTorch, which no package has. The versions are those
# of the build's own compiler and C library.
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE kbench_libc ERROR_QUIET)
string(REGEX MATCH "[0-9]+\\.[0-9]+" kbench_libc "${kbench_libc}")
string(REGEX MATCH "^[0-9]+" kbench_gcc "${CMAKE_CXX_COMPILER_VERSION}")
set(kbench_needs "libgomp1, bubblewrap, g++ | c++-compiler")  # both for submissions
if(kbench_libc)
  string(PREPEND kbench_needs "libc6 (>= ${kbench_libc}), ")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  string(PREPEND kbench_needs "libstdc++6 (>= ${kbench_gcc}), ")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS ${kbench_needs})
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-venv")  # where LibTorch comes from
include(CPack)
