#include "baselines/vendor/libraries.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "baselines/vendor/cudnn_words.hpp"
#include "runner/core/lines.hpp"

namespace kbench::vendor {

OpenLibrary::OpenLibrary(const std::string& file)
    : file_(file), handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw Failed(std::string("a library does not load: ") + ::dlerror());
}

void* OpenLibrary::symbol(const char* name) const {
  void* found = ::dlsym(handle_, name);
  if (found == nullptr) throw Failed(file_ + " has no " + name);
  return found;
}

Driver::Driver(CUstream stream) : stream_(stream) {
  const OpenLibrary library("libcuda.so.1");
  library.find(allocate_, "cuMemAlloc_v2");
  library.find(free_, "cuMemFree_v2");
  library.find(upload_, "cuMemcpyHtoDAsync_v2");
  library.find(download_, "cuMemcpyDtoHAsync_v2");
  library.find(synchronize_, "cuStreamSynchronize");
  library.find(event_create_, "cuEventCreate");
  library.find(event_record_, "cuEventRecord");
  library.find(event_synchronize_, "cuEventSynchronize");
  library.find(event_elapsed_, "cuEventElapsedTime");
  library.find(error_string_, "cuGetErrorString");
  check(event_create_(&start_, CU_EVENT_DEFAULT), "cuEventCreate");
  check(event_create_(&stop_, CU_EVENT_DEFAULT), "cuEventCreate");
}

void Driver::check(CUresult result, const char* call) const {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  error_string_(result, &text);
  throw Failed(std::string(call) + ": " + (text != nullptr ? text : "unknown error"));
}

void Driver::upload(CUdeviceptr to, const void* from, std::size_t bytes) const {
  check(upload_(to, from, bytes, stream_), "cuMemcpyHtoDAsync");
  synchronize();
}

void Driver::download(void* to, CUdeviceptr from, std::size_t bytes) const {
  check(download_(to, from, bytes, stream_), "cuMemcpyDtoHAsync");
  synchronize();
}

void Driver::synchronize() const { check(synchronize_(stream_), "cuStreamSynchronize"); }

double Driver::time(const std::function<void()>& launch) const {
  check(event_record_(start_, stream_), "cuEventRecord");
  launch();
  check(event_record_(stop_, stream_), "cuEventRecord");
  check(event_synchronize_(stop_), "cuEventSynchronize");
  float milliseconds = 0;
  check(event_elapsed_(&milliseconds, start_, stop_), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

CUdeviceptr Driver::allocate(std::size_t bytes) const {
  CUdeviceptr memory = 0;
  return allocate_(&memory, bytes) == CUDA_SUCCESS ? memory : 0;
}

void Driver::release(CUdeviceptr memory) const { (void)free_(memory); }

std::size_t fastest(const Driver& driver, std::size_t candidates,
                    const std::function<void(std::size_t)>& call) {
  constexpr int kCalls = 3;
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = candidates;
  std::string why = "the library offers no algorithm";
  for (std::size_t i = 0; i < candidates; ++i) {
    try {
      call(i);
      driver.synchronize();
      const double seconds = driver.time([&] {
        for (int again = 0; again < kCalls; ++again) call(i);
      });
      if (seconds >= least) continue;
      least = seconds;
      best = i;
    } catch (const Failed& failure) {
      why = failure.what();
    }
  }
  if (best == candidates) throw Failed(why);
  return best;
}

CublasLt::CublasLt(const std::string& file) {
  const OpenLibrary library(file);
  library.find(create, "cublasLtCreate");
  library.find(matmul, "cublasLtMatmul");
  library.find(desc_create, "cublasLtMatmulDescCreate");
  library.find(desc_set, "cublasLtMatmulDescSetAttribute");
  library.find(layout_create, "cublasLtMatrixLayoutCreate");
  library.find(layout_set, "cublasLtMatrixLayoutSetAttribute");
  library.find(preference_create, "cublasLtMatmulPreferenceCreate");
  library.find(preference_set, "cublasLtMatmulPreferenceSetAttribute");
  library.find(heuristic, "cublasLtMatmulAlgoGetHeuristic");
  library.find(algo_get, "cublasLtMatmulAlgoConfigGetAttribute");
  library.find(status_string, "cublasLtGetStatusString");
}

void CublasLt::check(cublasStatus_t status, const char* call) const {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Failed(std::string(call) + ": " + status_string(status));
}

#ifdef KBENCH_WITH_CUDNN
Cudnn::Cudnn(const std::string& file) {
  const OpenLibrary library(file);
  library.find(create, "cudnnCreate");
  library.find(set_stream, "cudnnSetStream");
  library.find(error_string, "cudnnGetErrorString");
  library.find(last_error_string, "cudnnGetLastErrorString");
  library.find(create_descriptor, "cudnnBackendCreateDescriptor");
  library.find(destroy_descriptor, "cudnnBackendDestroyDescriptor");
  library.find(set_attribute, "cudnnBackendSetAttribute");
  library.find(get_attribute, "cudnnBackendGetAttribute");
  library.find(finalize, "cudnnBackendFinalize");
  library.find(execute, "cudnnBackendExecute");
  library.find(create_tensor, "cudnnCreateTensorDescriptor");
  library.find(set_tensor, "cudnnSetTensorNdDescriptor");
  library.find(transform, "cudnnTransformTensor");
  library.find(softmax, "cudnnSoftmaxForward");
  library.find(create_activation, "cudnnCreateActivationDescriptor");
  library.find(set_activation, "cudnnSetActivationDescriptor");
  library.find(set_swish, "cudnnSetActivationDescriptorSwishBeta");
  library.find(activate, "cudnnActivationForward");
  library.find(create_pooling, "cudnnCreatePoolingDescriptor");
  library.find(set_pooling, "cudnnSetPoolingNdDescriptor");
  library.find(pool, "cudnnPoolingForward");
  library.find(create_reduction, "cudnnCreateReduceTensorDescriptor");
  library.find(set_reduction, "cudnnSetReduceTensorDescriptor");
  library.find(reduction_bytes, "cudnnGetReductionWorkspaceSize");
  library.find(reduce, "cudnnReduceTensor");
}

cudnnDataType_t cudnn_type(DType type) {
  if (type == DType::kFloat16) return CUDNN_DATA_HALF;
  return type == DType::kBFloat16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

std::string Cudnn::last_words() const {
  std::string words(std::size_t{1} << 16, '\0');
  last_error_string(words.data(), words.size());
  words.resize(std::min(words.find('\0'), words.size()));
  return words;
}

void Cudnn::check(cudnnStatus_t status, const std::string& call) const {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const std::string said = last_words();
  const std::string telling = telling_line(said);
  const std::string first = first_line(said);
  const std::string& words = telling.empty() ? first : telling;
  throw Failed(call + ": " + error_string(status) + (words.empty() ? "" : ", " + words));
}
#endif

}  // namespace kbench::vendor
