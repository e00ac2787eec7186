// Recurrent layers of a graph and the layout of their weights: cuDNN wants those of a layer stack
// in one flat buffer. No LibTorch in this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runner/task/graph.hpp"

namespace at {
class Tensor;
}

namespace kbench {

// One recurrent layer stack whose weights are all parameters of the graph.
struct RecurrentWeights {
  std::vector<std::size_t> parameters;  // indices into the parameters, in cuDNN's order
  std::int64_t mode = 0;                // cuDNN's: 0 ReLU, 1 tanh, 2 LSTM, 3 GRU
  std::int64_t layers = 0;
  bool biases = false;
  bool bidirectional = false;
  bool batch_first = false;
};

// Stacks that share a parameter with an earlier one are left out: it keeps the first's layout.
[[nodiscard]] std::vector<RecurrentWeights> all_recurrent_weights(const Graph& graph);

// Lays the weights out as nn.RNNBase.flatten_parameters does; nothing on CPU. Throws c10::Error.
void flatten(const RecurrentWeights& weights, std::vector<at::Tensor>& parameters);

}  // namespace kbench
