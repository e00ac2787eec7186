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
  # FindCUDAToolkit stumbles over the wheels' toolkit, which lacks what is not used here.
  cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH kbench_cuda_bin)
  find_path(KBENCH_CUDA_INCLUDE cuda_runtime.h REQUIRED
            HINTS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES} ${kbench_cuda_bin}/../include)
  find_library(KBENCH_CUDART_STATIC libcudart_static.a REQUIRED
               HINTS ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES} ${kbench_cuda_bin}/../lib64
                     ${kbench_cuda_bin}/../lib)
  # Of CUPTI the headers alone: `kbench profile` opens the library at run time, and says so where it is not.
  find_path(KBENCH_CUPTI_INCLUDE cupti.h
            HINTS ${KBENCH_CUDA_INCLUDE} ${kbench_cuda_bin}/../include
                  ${kbench_cuda_bin}/../extras/CUPTI/include)
  mark_as_advanced(KBENCH_CUDA_INCLUDE KBENCH_CUDART_STATIC KBENCH_CUPTI_INCLUDE)
  if(NOT KBENCH_CUPTI_INCLUDE)
    message(STATUS "CUPTI: no headers found, profiles are without activities of the device")
  endif()
  set(CUDAToolkit_INCLUDE_DIRS ${KBENCH_CUDA_INCLUDE})
  add_library(CUDA::cudart_static STATIC IMPORTED GLOBAL)
  set_target_properties(CUDA::cudart_static PROPERTIES IMPORTED_LOCATION ${KBENCH_CUDART_STATIC})
  target_include_directories(CUDA::cudart_static SYSTEM INTERFACE ${KBENCH_CUDA_INCLUDE})
  target_link_libraries(CUDA::cudart_static INTERFACE Threads::Threads ${CMAKE_DL_LIBS} rt)
  message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER_VERSION}, ${CMAKE_CUDA_COMPILER}")
else()
  message(STATUS "CUDA: no nvcc found, the CUDA backend is left out")
  set(KBENCH_WITH_CUDA OFF CACHE BOOL "Build the CUDA backend (needs nvcc)" FORCE)
endif()
