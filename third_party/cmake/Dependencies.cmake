# Every dependency and how it is found. Nothing of ours is included from third_party/.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(SQLiteCpp 3 REQUIRED)
find_library(LIBMD_LIBRARY NAMES libmd.a md REQUIRED)
add_library(kbench_libmd INTERFACE)
add_library(kbench::libmd ALIAS kbench_libmd)
target_link_libraries(kbench_libmd INTERFACE ${LIBMD_LIBRARY})

include(Torch)
include(Cuda)
