#include "baselines/recurrent.hpp"

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace kbench {
namespace {

using Stack = std::vector<c10::IValue>;

std::optional<std::int64_t> cudnn_mode(const std::string& full_name) {
  if (full_name == "aten::rnn_relu.input") return 0;
  if (full_name == "aten::rnn_tanh.input") return 1;
  if (full_name == "aten::lstm.input") return 2;
  if (full_name == "aten::gru.input") return 3;
  return std::nullopt;
}

// The schemas agree: input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
// batch_first.
std::optional<RecurrentWeights> recurrent_weights(const Graph& graph, const GraphNode& node) {
  const auto mode = cudnn_mode(node.full_name());
  if (!mode) return std::nullopt;
  RecurrentWeights weights;
  weights.mode = *mode;
  for (const GraphArg& item : std::get<GraphList>(node.args.at(2).value)) {
    const auto* value = std::get_if<GraphValue>(&item.value);
    if (value == nullptr || !graph.is_parameter(value->index)) return std::nullopt;
    weights.parameters.push_back(value->index - graph.inputs);
  }
  weights.biases = std::get<bool>(node.args.at(3).value);
  weights.layers = std::get<std::int64_t>(node.args.at(4).value);
  weights.bidirectional = std::get<bool>(node.args.at(7).value);
  weights.batch_first = std::get<bool>(node.args.at(8).value);
  return weights;
}

}  // namespace

std::vector<RecurrentWeights> all_recurrent_weights(const Graph& graph) {
  std::vector<RecurrentWeights> all;
  std::unordered_set<std::size_t> taken;
  for (const GraphNode& node : graph.nodes) {
    auto weights = recurrent_weights(graph, node);
    if (!weights) continue;
    bool distinct = true;
    for (const std::size_t parameter : weights->parameters)
      distinct = taken.insert(parameter).second && distinct;
    if (distinct) all.push_back(std::move(*weights));
  }
  return all;
}

void flatten(const RecurrentWeights& weights, std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> list;
  for (const std::size_t index : weights.parameters) list.push_back(parameters.at(index));
  if (list.empty() || !list.front().is_cuda()) return;

  const auto directions = weights.bidirectional ? 2 : 1;
  const auto per_layer = static_cast<std::int64_t>(list.size()) / (weights.layers * directions);
  const bool projected = per_layer == (weights.biases ? 5 : 3);
  const std::int64_t gates = weights.mode == 2 ? 4 : weights.mode == 3 ? 3 : 1;
  const std::int64_t projection = projected ? list[1].size(1) : 0;
  Stack stack{list,
              per_layer,
              list[0].size(1),
              weights.mode,
              list[1].size(0) / gates,
              projection,
              weights.layers,
              weights.batch_first,
              weights.bidirectional};
  c10::Dispatcher::singleton()
      .findSchemaOrThrow("aten::_cudnn_rnn_flatten_weight", "")
      .callBoxed(stack);
}

}  // namespace kbench
