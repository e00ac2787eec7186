// Executes a lowered graph through LibTorch's dispatcher, boxed: the eager baseline, and with
// float64 values the reference. This header includes nothing of LibTorch and only declares
// at::Tensor, so that only baselines/*.cpp and runner/oracle/*.cpp pay for LibTorch's headers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/task/task.hpp"

namespace at {
class Tensor;
}

namespace kbench {

class GraphExecutor {
 public:
  // Reads one size of a task file, looks every operator up and converts all constants once.
  // `device` is "cpu" or "cuda:N"; `type` stands in the place of float32 (task/working_type.hpp).
  // Errors name the node and the operator.
  static Result<GraphExecutor> load(const std::filesystem::path& task_file, const std::string& size,
                                    const std::string& device, DType type = DType::kFloat32);

  GraphExecutor(GraphExecutor&&) noexcept;
  GraphExecutor& operator=(GraphExecutor&&) noexcept;
  GraphExecutor(const GraphExecutor&) = delete;
  GraphExecutor& operator=(const GraphExecutor&) = delete;
  ~GraphExecutor();

  // Runs the graph. Inputs and parameters in the task's order; floating ones all of the
  // executor's type or all float64, which decides what {"dtype": "real"} means. Values die at their
  // last use. Outputs lie as the last operators leave them (attention's are transposed): a module
  // run in Python waits for no copy that makes them contiguous either. Throws what LibTorch throws
  // (c10::Error): callers are adapters.
  [[nodiscard]] std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs,
                                            const std::vector<at::Tensor>& parameters) const;

  // Like run(), with both operands of each convolution (aten::conv*) rounded to TF32, to nearest:
  // what an honest convolution computes wherever the precision class lets it. Float32 tensors only.
  [[nodiscard]] std::vector<at::Tensor> run_with_tf32_convolutions(
      const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& parameters) const;
  [[nodiscard]] bool has_convolutions() const;

  // Like run(), without one node: its first operand of the result's shape and dtype stands in for
  // the result. For mutations only. Throws also where the node has no such operand.
  [[nodiscard]] std::vector<at::Tensor> run_without(
      std::size_t node, const std::vector<at::Tensor>& inputs,
      const std::vector<at::Tensor>& parameters) const;

  // Nodes that run_without can leave out: one result, an operand like it, and not a mere copy or
  // view. Runs the graph to see the shapes.
  [[nodiscard]] std::vector<std::size_t> bypassable_nodes(
      const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& parameters) const;
  [[nodiscard]] const std::string& operator_of(std::size_t node) const;  // "aten::relu"

  // Makes of the given tensors what a module's parameters are; their values stay. They require
  // grad, which decides by which product at::matmul multiplies a batch with a weight. Recurrent
  // weights come to lie in one flat buffer where cuDNN wants that (CUDA only), as
  // nn.RNNBase.flatten_parameters does.
  void adopt_parameters(std::vector<at::Tensor>& parameters) const;

 private:
  struct Impl;
  explicit GraphExecutor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kbench
