#include "runner/selftest/escape/cuda_memory.hpp"

#include <dlfcn.h>

#include <string>

namespace kbench {

Result<CudaMemory> CudaMemory::open(int device) {
  const auto failed = [](const std::string& what) {
    return Error{ErrorCode::kInfrastructure, what, ""};
  };
  if (device < 0) return failed("the device under test is the CPU");
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed("no CUDA driver");
  const auto find = [&](auto& function, const char* name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    return function != nullptr;
  };
  int (*init)(unsigned) = nullptr;
  int (*get)(int*, int) = nullptr;
  int (*retain)(void**, int) = nullptr;
  int (*set)(void*) = nullptr;
  CudaMemory memory;
  if (!find(init, "cuInit") || !find(get, "cuDeviceGet") ||
      !find(retain, "cuDevicePrimaryCtxRetain") || !find(set, "cuCtxSetCurrent") ||
      !find(memory.allocate_, "cuMemAlloc_v2") || !find(memory.read_, "cuMemcpyDtoH_v2") ||
      !find(memory.write_, "cuMemcpyHtoD_v2")) {
    return failed("the CUDA driver lacks a function");
  }
  int handle = 0;
  void* context = nullptr;
  for (const int error : {init(0), get(&handle, device), retain(&context, handle), set(context)}) {
    if (error != 0) return failed("no CUDA context: error " + std::to_string(error));
  }
  return memory;
}

std::uint64_t CudaMemory::allocate(std::size_t bytes) const {
  std::uint64_t address = 0;
  return allocate_(&address, bytes) == 0 ? address : 0;
}

int CudaMemory::read(std::uint64_t address, void* to, std::size_t bytes) const {
  return read_(to, address, bytes);
}

int CudaMemory::write(std::uint64_t address, const void* from, std::size_t bytes) const {
  return write_(address, from, bytes);
}

}  // namespace kbench
