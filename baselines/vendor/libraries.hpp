// The libraries that kbench-vendor.so calls, opened at run time: it starts wherever a worker does,
// and tells in words what is missing. Everything throws Failed; entry.cpp makes a reason of it.
#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda.h>

#ifdef KBENCH_WITH_CUDNN
#include <cudnn.h>
#endif

#include "runner/task/task.hpp"

namespace kbench::vendor {

struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A library by its path, or by its name; it stays open.
class OpenLibrary {
 public:
  explicit OpenLibrary(const std::string& file);

  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  [[nodiscard]] void* symbol(const char* name) const;

  std::string file_;
  void* handle_;
};

// The driver, on the context that the worker has made current.
class Driver {
 public:
  explicit Driver(CUstream stream);

  [[nodiscard]] CUstream stream() const { return stream_; }
  void upload(CUdeviceptr to, const void* from, std::size_t bytes) const;
  void download(void* to, CUdeviceptr from, std::size_t bytes) const;
  void synchronize() const;
  // Seconds that the device takes for what `launch` puts on the stream.
  [[nodiscard]] double time(const std::function<void()>& launch) const;
  // Allocates memory; zero where the device has too little left.
  [[nodiscard]] CUdeviceptr allocate(std::size_t bytes) const;
  void release(CUdeviceptr memory) const;

 private:
  void check(CUresult result, const char* call) const;

  CUstream stream_;
  decltype(&cuMemAlloc) allocate_ = nullptr;
  decltype(&cuMemFree) free_ = nullptr;
  decltype(&cuMemcpyHtoDAsync) upload_ = nullptr;
  decltype(&cuMemcpyDtoHAsync) download_ = nullptr;
  decltype(&cuStreamSynchronize) synchronize_ = nullptr;
  decltype(&cuEventCreate) event_create_ = nullptr;
  decltype(&cuEventRecord) event_record_ = nullptr;
  decltype(&cuEventSynchronize) event_synchronize_ = nullptr;
  CUresult (*event_elapsed_)(float*, CUevent, CUevent) = nullptr;
  decltype(&cuGetErrorString) error_string_ = nullptr;
  CUevent start_ = nullptr;
  CUevent stop_ = nullptr;
};

// Memory of the device, given back with its owner.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Allocates so many bytes. Where the device has too little left it allocates nothing, and
  // is_there() says so. 0 bytes are there.
  DeviceMemory(const Driver& driver, std::size_t bytes)
      : driver_(&driver), bytes_(bytes), memory_(bytes == 0 ? 0 : driver.allocate(bytes)) {}
  DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(bytes_, other.bytes_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() {
    if (memory_ != 0) driver_->release(memory_);
  }

  [[nodiscard]] bool is_there() const { return bytes_ == 0 || memory_ != 0; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] CUdeviceptr address() const { return memory_; }
  [[nodiscard]] void* get() const { return reinterpret_cast<void*>(memory_); }

 private:
  const Driver* driver_ = nullptr;
  std::size_t bytes_ = 0;
  CUdeviceptr memory_ = 0;
};

// The number of the candidate that is fastest, each called once to warm up and timed over three
// calls. Candidates that throw Failed are left out; all of them: throws what the last one threw.
[[nodiscard]] std::size_t fastest(const Driver& driver, std::size_t candidates,
                                  const std::function<void(std::size_t)>& call);

struct CublasLt {
  explicit CublasLt(const std::string& file);

  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) algo_get = nullptr;
  decltype(&cublasLtGetStatusString) status_string = nullptr;

  void check(cublasStatus_t status, const char* call) const;
};

#ifdef KBENCH_WITH_CUDNN
struct Cudnn {
  explicit Cudnn(const std::string& file);

  decltype(&cudnnCreate) create = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;
  decltype(&cudnnGetErrorString) error_string = nullptr;
  decltype(&cudnnGetLastErrorString) last_error_string = nullptr;
  decltype(&cudnnBackendCreateDescriptor) create_descriptor = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor = nullptr;
  decltype(&cudnnBackendSetAttribute) set_attribute = nullptr;
  decltype(&cudnnBackendGetAttribute) get_attribute = nullptr;
  decltype(&cudnnBackendFinalize) finalize = nullptr;
  decltype(&cudnnBackendExecute) execute = nullptr;

  decltype(&cudnnCreateTensorDescriptor) create_tensor = nullptr;
  decltype(&cudnnSetTensorNdDescriptor) set_tensor = nullptr;
  decltype(&cudnnTransformTensor) transform = nullptr;
  decltype(&cudnnSoftmaxForward) softmax = nullptr;
  decltype(&cudnnCreateActivationDescriptor) create_activation = nullptr;
  decltype(&cudnnSetActivationDescriptor) set_activation = nullptr;
  decltype(&cudnnSetActivationDescriptorSwishBeta) set_swish = nullptr;
  decltype(&cudnnActivationForward) activate = nullptr;
  decltype(&cudnnCreatePoolingDescriptor) create_pooling = nullptr;
  decltype(&cudnnSetPoolingNdDescriptor) set_pooling = nullptr;
  decltype(&cudnnPoolingForward) pool = nullptr;
  decltype(&cudnnCreateReduceTensorDescriptor) create_reduction = nullptr;
  decltype(&cudnnSetReduceTensorDescriptor) set_reduction = nullptr;
  decltype(&cudnnGetReductionWorkspaceSize) reduction_bytes = nullptr;
  decltype(&cudnnReduceTensor) reduce = nullptr;

  // All that cuDNN has said since it was asked last.
  [[nodiscard]] std::string last_words() const;
  void check(cudnnStatus_t status, const std::string& call) const;
};

[[nodiscard]] cudnnDataType_t cudnn_type(DType type);
#endif

}  // namespace kbench::vendor
