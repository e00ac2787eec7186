// Outputs that are wrong on purpose, as tensors: one function from a request to what a bad
// submission would have written. The caller puts them where a worker's outputs go. No LibTorch in
// this header; tensors cross it as opaque handles.
#pragma once

#include <vector>

#include "baselines/executor.hpp"
#include "runner/oracle/mutation_protocol.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// The tensors of the inputs at hand: eager's outputs are right, the reference is float64. All are
// contiguous.
struct MutationGround {
  const GraphExecutor& executor;
  const TaskSize& size;
  const std::vector<at::Tensor>& inputs;
  const std::vector<at::Tensor>& parameters;
  const std::vector<at::Tensor>& eager;
  const std::vector<at::Tensor>& reference;
  const std::vector<at::Tensor>& previous;
};

struct Mutation {
  // Outputs in the task's order, contiguous, in the declared dtypes; an undefined one is left as it
  // lies. None at all where the mutation does not apply.
  std::vector<at::Tensor> outputs;
  MutationReply reply;
};

// Throws what LibTorch throws (c10::Error), and std::out_of_range for an index that is not there.
[[nodiscard]] Mutation make_mutation(const MutationRequest& request, const MutationGround& ground);

}  // namespace kbench
