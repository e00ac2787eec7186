# The CUDA toolkit where there is one. Without nvcc, CUDA is left out with one line. Only headers and
# the static runtime are used: libcuda and NVML are loaded at run time, so programs start without.
if(NOT KBENCH_WITH_CUDA)
  return()
endif()

# Looked for in this order: the caller's choice, PATH, the usual folder, the tree's virtual
# environment (third_party/setup puts it there on machines that have a GPU and no toolkit).
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  file(GLOB kbench_wheel_cuda
       ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu1*/bin)
  find_program(KBENCH_NVCC nvcc PATHS /usr/local/cuda/bin ${kbench_wheel_cuda})
  mark_as_advanced(KBENCH_NVCC)
  if(KBENCH_NVCC)
    set(CMAKE_CUDA_COMPILER ${KBENCH_NVCC})
  endif()
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()

include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  find_package(CUDAToolkit REQUIRED)
else()
  message(STATUS "CUDA: no nvcc found, the CUDA backend is left out")
  set(KBENCH_WITH_CUDA OFF CACHE BOOL "Build the CUDA backend (needs nvcc)" FORCE)
endif()
