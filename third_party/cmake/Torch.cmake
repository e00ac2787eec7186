# LibTorch as imported targets of our own: kbench::torch_cpu, and kbench::torch_cuda where the
# distribution has it. find_package(Torch) is not used, because it rewrites the CUDA flags.
# KBENCH_TORCH (cache or environment): a Python that has torch, or an unpacked libtorch folder.
if(NOT KBENCH_WITH_TORCH)
  return()
endif()
if(NOT KBENCH_TORCH)
  if(DEFINED ENV{KBENCH_TORCH})
    set(KBENCH_TORCH $ENV{KBENCH_TORCH})
  else()
    set(KBENCH_TORCH ${PROJECT_SOURCE_DIR}/.venv/bin/python3)
  endif()
endif()
set(KBENCH_TORCH ${KBENCH_TORCH} CACHE STRING "A Python with torch, or an unpacked libtorch")

if(IS_DIRECTORY ${KBENCH_TORCH})
  set(torch_root ${KBENCH_TORCH})
  set(KBENCH_PYTHON "" CACHE INTERNAL "")
elseif(EXISTS ${KBENCH_TORCH})
  execute_process(
    COMMAND ${KBENCH_TORCH} -c
            "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    OUTPUT_VARIABLE torch_root OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(KBENCH_PYTHON ${KBENCH_TORCH} CACHE INTERNAL "")
else()
  message(FATAL_ERROR "No LibTorch: ${KBENCH_TORCH} does not exist. Run third_party/setup, set "
                      "KBENCH_TORCH, or configure with -DKBENCH_WITH_TORCH=OFF.")
endif()

set(torch_lib ${torch_root}/lib)
function(kbench_torch_target name)
  add_library(kbench_${name} INTERFACE)
  add_library(kbench::${name} ALIAS kbench_${name})
  target_include_directories(
    kbench_${name} SYSTEM INTERFACE ${torch_root}/include
                                    ${torch_root}/include/torch/csrc/api/include)
  target_link_options(kbench_${name} INTERFACE -Wl,-rpath,${torch_lib} -Wl,--no-as-needed)
  foreach(lib IN LISTS ARGN)
    target_link_libraries(kbench_${name} INTERFACE ${torch_lib}/lib${lib}.so)
  endforeach()
endfunction()

kbench_torch_target(torch_cpu torch torch_cpu c10)
if(EXISTS ${torch_lib}/libtorch_cuda.so)
  kbench_torch_target(torch_cuda torch torch_cpu torch_cuda c10 c10_cuda)
endif()
message(STATUS "LibTorch: ${torch_root}")
