// How much work a task is, counted from its graph: bytes that must move and operations, the basis
// of limits and the floor under suspicion (measure/task_limit) and of profiles. One
// function for each class of operators (operator_work.hpp). Invariant: a work is never more than
// the least that a call has to do; an operator that is not counted leaves it without a limit.
#pragma once

#include <string>

namespace kbench {

struct Graph;
struct TaskSize;

struct Work {
  // Bytes of inputs and parameters that no call can do without, each once: not what is drawn the
  // same for every call, not the empty half of a triangle, not what only indices pick from, nor
  // what nothing reads. Bytes of all outputs, once.
  double read_bytes = 0;
  double parameter_bytes = 0;  // parameters' part of read_bytes
  double written_bytes = 0;
  // The same, summed over operators that each read and write memory alone. Views move nothing.
  double unfused_bytes = 0;

  // In the working precision; a multiplication and an addition are two. All of the matrix products,
  // convolutions and attention: 2 M N K.
  double products = 0;
  // Products that are surely needed: a causal attention needs half of its own, triangular inputs
  // leave a sixth, and nothing counts where algebra may leave out most (avoidable.hpp).
  double needed_products = 0;
  // Products of the fastest algorithm known, in the graph's own order: a product that is only
  // summed is left out, and convolutions by three, without steps, take Winograd's quarter.
  double least_products = 0;
  // Products of these that PyTorch lets run in TF32 by default: convolutions and recurrent layers,
  // which are cuDNN's, and not products of matrices and attention.
  double least_tf32_products = 0;
  // Both as a kernel multiplies them that knows no Winograd, nor how to use a triangle.
  double direct_products = 0;
  double direct_tf32_products = 0;
  double transcendental = 0;  // exponentials, logarithms, sines, tanh

  bool triangular = false;  // an input is
  std::string uncounted;    // why there is no limit; empty: all is counted

  [[nodiscard]] bool is_counted() const { return uncounted.empty(); }
  [[nodiscard]] double least_bytes() const { return read_bytes + written_bytes; }
};

// The work of a graph with these tensors; `size.work` is not read. With an operator that is not
// counted, bytes are those of tensors alone and products `written_products`, as the file says.
[[nodiscard]] Work count_work(const Graph& graph, const TaskSize& size, double written_products);

}  // namespace kbench
