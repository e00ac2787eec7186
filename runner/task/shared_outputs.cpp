#include "runner/task/shared_outputs.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "runner/task/operator_table.hpp"

namespace kbench {
namespace {

// Whether the node's result of this number may be a view, `views` being the values that are. What
// the list does not name may be one.
bool is_view(const GraphNode& node, std::size_t result, const std::vector<bool>& views) {
  const OperatorRule* rule = OperatorTable::known().find(node.full_name());
  if (rule == nullptr || rule->results.empty()) return true;
  const std::size_t which = rule->results.front().list ? 0 : result;
  if (which >= rule->results.size()) return true;
  switch (rule->results[which].memory) {
    case ResultRule::Memory::kOwn: return false;
    case ResultRule::Memory::kShared: return true;
    case ResultRule::Memory::kWritten: break;  // its first argument, written in place
  }
  const auto* written = std::get_if<GraphValue>(&node.args.front().value);
  return written == nullptr || views.at(written->index);
}

}  // namespace

std::vector<bool> outputs_that_may_share(const Graph& graph) {
  std::vector<bool> views(graph.value_names.size(), true);  // inputs and parameters are no node's
  for (const GraphNode& node : graph.nodes)
    for (std::size_t i = 0; i < node.outs.size(); ++i)
      if (node.outs[i] != GraphNode::kUnread) views.at(node.outs[i]) = is_view(node, i, views);
  std::vector<bool> may_share;
  for (const GraphValue& output : graph.outputs) {
    const auto same = std::count_if(graph.outputs.begin(), graph.outputs.end(),
                                    [&](const GraphValue& o) { return o.index == output.index; });
    may_share.push_back(views.at(output.index) || same > 1);
  }
  return may_share;
}

}  // namespace kbench
