# LibTorch as imported targets of our own: kbench::torch_cpu, and kbench::torch_cuda where the
# distribution has it. find_package(Torch) is not used, because it rewrites the CUDA flags.
#
# KBENCH_TORCH (cache, else environment, else .venv of the tree, or for a wheel the Python that pip
# runs in) is a Python that has torch, or an unpacked libtorch folder. KBENCH_PYTHON becomes that Python, and stays empty for a folder: then
# there is nobody to build compiled baselines, and rows say so.
if(NOT KBENCH_WITH_TORCH)
  set(KBENCH_PYTHON "" CACHE INTERNAL "")
  return()
endif()
set(kbench_torch_default ${PROJECT_SOURCE_DIR}/.venv/bin/python3)
if(SKBUILD)
  set(kbench_torch_default ${Python_EXECUTABLE})
  unset(ENV{PYTHONPATH})  # by which pip hides what the environment has
endif()
if(DEFINED ENV{KBENCH_TORCH})
  set(kbench_torch_default $ENV{KBENCH_TORCH})
endif()
set(KBENCH_TORCH ${kbench_torch_default} CACHE STRING "A Python with torch, or an unpacked libtorch")
set(KBENCH_TORCH_OLDEST 2.9)  # the oldest whose runner of AOTInductor was tried

if(IS_DIRECTORY ${KBENCH_TORCH})
  set(torch_root ${KBENCH_TORCH})
  set(KBENCH_PYTHON "" CACHE INTERNAL "")
elseif(EXISTS ${KBENCH_TORCH})
  execute_process(
    COMMAND ${KBENCH_TORCH} -c
            "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    RESULT_VARIABLE torch_status
    OUTPUT_VARIABLE torch_root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT torch_status EQUAL 0)
    message(FATAL_ERROR "The Python ${KBENCH_TORCH} has no module torch. Run third_party/setup, or "
                        "set KBENCH_TORCH to a Python that has it.")
  endif()
  set(KBENCH_PYTHON ${KBENCH_TORCH} CACHE INTERNAL "")
else()
  message(FATAL_ERROR "No LibTorch: ${KBENCH_TORCH} does not exist. Run third_party/setup, set "
                      "KBENCH_TORCH, or configure with -DKBENCH_WITH_TORCH=OFF.")
endif()

# version.h exists in wheels and in libtorch archives alike.
set(torch_version_header ${torch_root}/include/torch/headeronly/version.h)
if(NOT EXISTS ${torch_version_header})
  set(torch_version_header ${torch_root}/include/torch/csrc/api/include/torch/version.h)
endif()
if(NOT EXISTS ${torch_version_header})
  message(FATAL_ERROR "${torch_root} is not a LibTorch: it has no torch/version.h.")
endif()
file(READ ${torch_version_header} torch_version_text)
set(KBENCH_TORCH_VERSION "")
foreach(part MAJOR MINOR PATCH)
  string(REGEX MATCH "define TORCH_VERSION_${part} ([0-9]+)" unused "${torch_version_text}")
  list(APPEND KBENCH_TORCH_VERSION ${CMAKE_MATCH_1})
endforeach()
list(JOIN KBENCH_TORCH_VERSION "." KBENCH_TORCH_VERSION)
if(KBENCH_TORCH_VERSION VERSION_LESS KBENCH_TORCH_OLDEST)
  message(FATAL_ERROR "LibTorch ${KBENCH_TORCH_VERSION} in ${torch_root} is too old: "
                      "kbench needs ${KBENCH_TORCH_OLDEST} or newer.")
endif()

# kbench_torch_target(NAME libs…): the headers as system headers, the libraries with an rpath to
# them, which Install.cmake takes out of what is installed. CUDA libraries of a wheel are found through
# LibTorch's own run path.
set(torch_lib ${torch_root}/lib)
function(kbench_torch_target name)
  add_library(kbench_${name} INTERFACE)
  add_library(kbench::${name} ALIAS kbench_${name})
  target_include_directories(
    kbench_${name} SYSTEM INTERFACE ${torch_root}/include
                                    ${torch_root}/include/torch/csrc/api/include)
  # Operators register themselves when a library is loaded, so the linker may not drop one that
  # nobody calls by name. push/pop keeps this from spreading to other libraries.
  list(TRANSFORM ARGN PREPEND "${torch_lib}/lib")
  list(TRANSFORM ARGN APPEND ".so")
  target_link_options(kbench_${name} INTERFACE -Wl,-rpath,${torch_lib})
  # The wheel's libtorch.so exports half of another std::filesystem, whose remove_all jumps to a null
  # pointer. The first library named wins, so that is the system's libstdc++.
  target_link_libraries(kbench_${name} INTERFACE -Wl,--push-state,--no-as-needed -lstdc++ ${ARGN}
                                                 -Wl,--pop-state)
endfunction()

# Not libtorch, which has no code and names libtorch_cuda: with a wheel for CUDA, it would load 6 GB of libraries
# into an oracle of the CPU, whose start then takes half as long again.
kbench_torch_target(torch_cpu torch_cpu c10)
if(EXISTS ${torch_lib}/libtorch_cuda.so)
  kbench_torch_target(torch_cuda torch torch_cpu torch_cuda c10 c10_cuda)
endif()
message(STATUS "LibTorch: ${KBENCH_TORCH_VERSION} in ${torch_root}")
