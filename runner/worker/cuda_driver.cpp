#include "runner/worker/cuda_driver.hpp"

#include <dlfcn.h>

#include <type_traits>

namespace kbench {
namespace {

// Returns the name of the first symbol that is missing, or an empty string.
std::string find_all(void* library, CudaDriver& driver) {
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  find(driver.init, "cuInit");
  find(driver.device_get, "cuDeviceGet");
  find(driver.device_attribute, "cuDeviceGetAttribute");
  find(driver.context_retain, "cuDevicePrimaryCtxRetain");
  find(driver.context_set, "cuCtxSetCurrent");
  find(driver.context_synchronize, "cuCtxSynchronize");
  find(driver.reset_persisting_l2, "cuCtxResetPersistingL2Cache");
  find(driver.set_limit, "cuCtxSetLimit");
  find(driver.get_limit, "cuCtxGetLimit");
  find(driver.import_handle, "cuMemImportFromShareableHandle");
  find(driver.default_pool, "cuDeviceGetDefaultMemPool");
  find(driver.set_pool_attribute, "cuMemPoolSetAttribute");
  find(driver.address_reserve, "cuMemAddressReserve");
  find(driver.map, "cuMemMap");
  find(driver.set_access, "cuMemSetAccess");
  find(driver.allocate, "cuMemAlloc_v2");
  find(driver.stream_create, "cuStreamCreate");
  find(driver.stream_wait_value, "cuStreamWaitValue32_v2");
  find(driver.event_create, "cuEventCreate");
  find(driver.event_record, "cuEventRecord");
  find(driver.event_synchronize, "cuEventSynchronize");
  find(driver.event_elapsed, "cuEventElapsedTime");
  find(driver.error_string, "cuGetErrorString");
  return missing;
}

}  // namespace

Result<CudaDriver> CudaDriver::load() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error{ErrorCode::kInfrastructure, std::string("no CUDA driver: ") + ::dlerror(), ""};
  CudaDriver driver;
  if (const std::string missing = find_all(library, driver); !missing.empty()) {
    return Error{ErrorCode::kInfrastructure, "the CUDA driver has no " + missing,
                 "kbench needs a driver of CUDA 12 or later"};
  }
  return driver;
}

std::string CudaDriver::error_text(CUresult result) const {
  const char* text = nullptr;
  error_string(result, &text);
  return text != nullptr ? text : "unknown error";
}

}  // namespace kbench
