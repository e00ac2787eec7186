// The functions of the CUDA driver that a worker's process uses, loaded at run time: a worker for
// CPU submissions, or on a machine without a driver, never touches it.
#pragma once

#include <string>

#include <cuda.h>

#include "runner/core/result.hpp"

namespace kbench {

// Names and signatures: CUDA Driver API reference, CUDA 12 and later. Valid for as long as the
// process lives.
struct CudaDriver {
  // Errors: kInfrastructure, where there is no driver or one that lacks a function.
  [[nodiscard]] static Result<CudaDriver> load();

  // The driver's own words for a result.
  [[nodiscard]] std::string error_text(CUresult result) const;

  CUresult (*init)(unsigned) = nullptr;
  CUresult (*device_get)(CUdevice*, int) = nullptr;
  CUresult (*device_attribute)(int*, CUdevice_attribute, CUdevice) = nullptr;
  CUresult (*context_retain)(CUcontext*, CUdevice) = nullptr;
  CUresult (*context_set)(CUcontext) = nullptr;
  CUresult (*context_synchronize)() = nullptr;
  CUresult (*reset_persisting_l2)() = nullptr;
  CUresult (*set_limit)(CUlimit, size_t) = nullptr;
  CUresult (*get_limit)(size_t*, CUlimit) = nullptr;
  CUresult (*import_handle)(CUmemGenericAllocationHandle*, void*,
                            CUmemAllocationHandleType) = nullptr;
  CUresult (*default_pool)(CUmemoryPool*, CUdevice) = nullptr;
  CUresult (*set_pool_attribute)(CUmemoryPool, CUmemPool_attribute, void*) = nullptr;
  CUresult (*address_reserve)(CUdeviceptr*, size_t, size_t, CUdeviceptr,
                              unsigned long long) = nullptr;
  CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,
                  unsigned long long) = nullptr;
  CUresult (*set_access)(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t) = nullptr;
  CUresult (*allocate)(CUdeviceptr*, size_t) = nullptr;
  CUresult (*stream_create)(CUstream*, unsigned) = nullptr;
  CUresult (*stream_wait_value)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = nullptr;
  CUresult (*event_create)(CUevent*, unsigned) = nullptr;
  CUresult (*event_record)(CUevent, CUstream) = nullptr;
  CUresult (*event_synchronize)(CUevent) = nullptr;
  CUresult (*event_elapsed)(float*, CUevent, CUevent) = nullptr;
  CUresult (*error_string)(CUresult, const char**) = nullptr;
};

}  // namespace kbench
