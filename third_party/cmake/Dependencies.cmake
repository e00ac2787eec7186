# Every dependency and how it is found. Nothing of ours is included from third_party/.
#
# The supervisor must start on machines that have neither our development packages nor LibTorch, so
# whatever it links comes as a static library: fmt, SQLite, SQLiteCpp, libmd, libseccomp,
# libzstd and OpenSSL.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(Boost 1.74 REQUIRED)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(OpenSSL 3.0 REQUIRED)
add_subdirectory(${PROJECT_SOURCE_DIR}/third_party/fmt)
add_library(fmt::fmt ALIAS kbench_fmt)

# FindSQLite3, which SQLiteCpp's package calls, takes the static library when it is named first. A
# static library does not bring its own needs along, so they are added to the target.
find_library(SQLite3_LIBRARY NAMES libsqlite3.a sqlite3)
find_package(SQLiteCpp 3 REQUIRED)
if(SQLite3_LIBRARY MATCHES "\\.a$")
  target_link_libraries(SQLite::SQLite3 INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
endif()

find_library(LIBMD_LIBRARY NAMES libmd.a md REQUIRED)
find_path(LIBMD_INCLUDE_DIR NAMES sha2.h REQUIRED)
add_library(kbench_libmd INTERFACE)
add_library(kbench::libmd ALIAS kbench_libmd)
target_include_directories(kbench_libmd SYSTEM INTERFACE ${LIBMD_INCLUDE_DIR})
target_link_libraries(kbench_libmd INTERFACE ${LIBMD_LIBRARY})

find_library(LIBZSTD_LIBRARY NAMES libzstd.a zstd REQUIRED)
find_path(LIBZSTD_INCLUDE_DIR NAMES zstd.h REQUIRED)
add_library(kbench_libzstd INTERFACE)
add_library(kbench::libzstd ALIAS kbench_libzstd)
target_include_directories(kbench_libzstd SYSTEM INTERFACE ${LIBZSTD_INCLUDE_DIR})
target_link_libraries(kbench_libzstd INTERFACE ${LIBZSTD_LIBRARY})

find_library(LIBSECCOMP_LIBRARY NAMES libseccomp.a seccomp REQUIRED)
find_path(LIBSECCOMP_INCLUDE_DIR NAMES seccomp.h REQUIRED)
add_library(kbench_libseccomp INTERFACE)
add_library(kbench::libseccomp ALIAS kbench_libseccomp)
target_include_directories(kbench_libseccomp SYSTEM INTERFACE ${LIBSECCOMP_INCLUDE_DIR})
target_link_libraries(kbench_libseccomp INTERFACE ${LIBSECCOMP_LIBRARY})

# Headers only.
find_path(TOMLPLUSPLUS_INCLUDE_DIR NAMES toml++/toml.h REQUIRED)
add_library(kbench_toml INTERFACE)
add_library(kbench::toml ALIAS kbench_toml)
target_include_directories(kbench_toml SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})

include(Torch)
include(Cuda)
