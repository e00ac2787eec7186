#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/types.h>

#include "../binding_registry.h"

extern "C" void relu_launcher(float* y, const float* x, long long elements, int config,
                              cudaStream_t stream);

static torch::Tensor relu_forward(torch::Tensor x, int config) {
  auto y = torch::empty_like(x);
  relu_launcher(y.data_ptr<float>(), x.data_ptr<float>(), x.numel(), config,
                c10::cuda::getCurrentCUDAStream().stream());
  return y;
}

static void bind_relu(pybind11::module& module) {
  module.def("relu_forward", &relu_forward, pybind11::arg("x"), pybind11::arg("config") = 0);
}

REGISTER_BINDING(relu, bind_relu);
