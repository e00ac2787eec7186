// Executes a lowered graph through LibTorch's dispatcher, boxed: the eager baseline, and with
// float64 values the reference. No LibTorch in this header: tensors cross it as opaque handles
// (TensorList), so that only baselines/*.cpp and runner/oracle/*.cpp pay for LibTorch's headers.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace at {
class Tensor;
}

namespace kbench {

class GraphExecutor {
 public:
  // Reads one size of a task file, looks every operator up and converts all constants once.
  // `device` is "cpu" or "cuda:N". Errors name the node and the operator.
  static Result<GraphExecutor> load(const std::filesystem::path& task_file, const std::string& size,
                                    const std::string& device);

  GraphExecutor(GraphExecutor&&) noexcept;
  GraphExecutor& operator=(GraphExecutor&&) noexcept;
  ~GraphExecutor();

  // Runs the graph. Inputs and parameters in the task's order; floating ones all float32 or all
  // float64, which decides what {"dtype": "real"} means. Values die at their last use. Throws what
  // LibTorch throws (c10::Error): callers are adapters.
  [[nodiscard]] std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs,
                                            const std::vector<at::Tensor>& parameters) const;

  // Lays recurrent weights out in one flat buffer where cuDNN wants that (CUDA only), as
  // nn.RNNBase.flatten_parameters does. Changes the storage of the given tensors, not their values.
  void flatten_recurrent_parameters(std::vector<at::Tensor>& parameters) const;

 private:
  struct Impl;
  explicit GraphExecutor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kbench
