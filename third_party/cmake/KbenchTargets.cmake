# How this project declares its own targets: C++20, warnings as errors, one alias per library.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# No build rpath from CMake: that of a program with an install rule ends in a colon, and to the loader
# the empty part behind it is the working directory. A libstdc++.so.6 that lies there would be loaded
# into the oracle. Torch.cmake gives the one rpath that is needed.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

set(KBENCH_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wno-missing-field-initializers)
# A warning that a newer compiler invents stops nobody who only builds; the presets have it on.
option(KBENCH_WERROR "Warnings are errors" OFF)
if(KBENCH_WERROR)
  list(APPEND KBENCH_WARNINGS -Werror)
endif()

# GCC searches for garbage whenever its heap has grown past 128 MiB, however much memory there is: a tenth of the time
# of a build. A file that stays below 1 GiB is compiled without; the largest takes 1.4 GiB, and the set-up counts with
# 2 GB a file. clang-tidy does not know the option.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_CXX_CLANG_TIDY)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1048576>)
endif()

# Half of the time of a build from nothing goes into the same headers and templates again and again: sixteen sources
# of a target compile as one. Whoever changes one source at a time is faster with -DKBENCH_UNITY=OFF.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CXX_CLANG_TIDY)
  set(unity ON)
else()
  set(unity OFF)
endif()
option(KBENCH_UNITY "Compile many sources of a target as one" ${unity})
# 0: all of a list as one, which finds every name that is repeated in it, whichever sources stand together.
set(KBENCH_UNITY_SOURCES 16 CACHE STRING "How many sources of a target compile as one")

# kbench_unite(TARGET lists…): compiles the sources of each list (a variable's name) together, and sources of different
# lists never. Whoever repeats a name of an anonymous namespace stands in another list, or in none and compiles alone.
function(kbench_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${KBENCH_UNITY} UNITY_BUILD_MODE GROUP)
  set(number 0)
  foreach(list IN LISTS ARGN)
    set(sources ${${list}})
    while(sources)
      set(together ${sources})
      if(KBENCH_UNITY_SOURCES GREATER 0)
        list(SUBLIST sources 0 ${KBENCH_UNITY_SOURCES} together)
        list(REMOVE_ITEM sources ${together})
      else()
        set(sources "")
      endif()
      set_source_files_properties(${together} PROPERTIES UNITY_GROUP ${number})
      math(EXPR number "${number} + 1")
    endwhile()
  endforeach()
endfunction()

# kbench_library(NAME SOURCES… [APART files…] [ALSO_APART files…] [ALONE files…] [PUBLIC libs…] [PRIVATE libs…]):
# target kbench_NAME, alias kbench::NAME. Names in SOURCES differ; behind APART stand sources that repeat one of those,
# behind ALSO_APART such as repeat a name of either; each of the three compiles together. ALONE: all others.
function(kbench_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;APART;ALSO_APART;ALONE;PUBLIC;PRIVATE" ${ARGN})
  add_library(kbench_${name} STATIC ${ARG_SOURCES} ${ARG_APART} ${ARG_ALSO_APART} ${ARG_ALONE})
  kbench_unite(kbench_${name} ARG_SOURCES ARG_APART ARG_ALSO_APART)
  add_library(kbench::${name} ALIAS kbench_${name})
  target_include_directories(kbench_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(kbench_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${KBENCH_WARNINGS}>)
  target_link_libraries(kbench_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# kbench_program(NAME SOURCES… [ALONE files…] LIBS…): an executable of ours in bin/, all its defences in force.
function(kbench_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${ARG_ALONE} $<TARGET_OBJECTS:kbench_defence>)
  kbench_unite(${name} ARG_SOURCES)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${KBENCH_WARNINGS}>)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
endfunction()

# kbench_weakened(NAME): the same program with defences that tests can switch off, in weakened/.
function(kbench_weakened name)
  add_executable(weakened_${name} $<TARGET_OBJECTS:${name}> $<TARGET_OBJECTS:kbench_weakened_defence>)
  target_link_libraries(weakened_${name} PRIVATE $<TARGET_PROPERTY:${name},LINK_LIBRARIES>)
  set_target_properties(weakened_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/weakened)
endfunction()

# kbench_compile_quickly(TARGETS…): for what talks, plans and tests, and computes nothing that anybody waits for.
# Most of it includes CLI11, Boost.Beast and the JSON library, whose templates take GCC a third less at -O1.
function(kbench_compile_quickly)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
  endforeach()
endfunction()

# What most sources of a room that formats, parses and prints include: a third of the time of such a source.
set(KBENCH_COMMON_HEADERS <fmt/format.h> <nlohmann/json.hpp> <algorithm> <array> <chrono> <filesystem> <fstream>
    <functional> <map> <memory> <optional> <set> <sstream> <string> <thread> <utility> <vector>)

# kbench_precompile(TARGET headers…): compiles them once for all sources of the target. Where clang-tidy looks
# at the sources this does nothing, so that an #include which a source lacks is found there.
function(kbench_precompile target)
  if(CMAKE_CXX_CLANG_TIDY)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  kbench_cache_precompiled(${target})
endfunction()

# kbench_precompile_like(TARGET others…): the others, of the same options, use what TARGET has precompiled.
function(kbench_precompile_like target)
  if(CMAKE_CXX_CLANG_TIDY)
    return()
  endif()
  foreach(other IN LISTS ARGN)
    target_precompile_headers(${other} REUSE_FROM ${target})
    kbench_cache_precompiled(${other})
  endforeach()
endfunction()

# Else ccache passes by whatever uses precompiled headers.
function(kbench_cache_precompiled target)
  if(CCACHE_PROGRAM AND CMAKE_CXX_COMPILER_LAUNCHER STREQUAL CCACHE_PROGRAM)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${CCACHE_PROGRAM}")
  endif()
endfunction()
