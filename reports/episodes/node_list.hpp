// Nodes of trajectories, a line each: which task, which kind of state, what it was taken from; and
// one node with what is asked in its state. All texts are foreign.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/formats/text_table.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/trajectory/frozen_state.hpp"
#include "runner/trajectory/state_context.hpp"

namespace kbench {

class Store;

[[nodiscard]] std::string render_nodes(const std::vector<StoredNode>& nodes,
                                       const TableStyle& style);
// {schema_version, nodes[]}.
[[nodiscard]] Json nodes_json(const std::vector<StoredNode>& nodes);

struct NodeInFull {
  StoredNode stored;
  StateContext context;
  Json context_json;  // the context as it is kept
};
// The node by its id or the start of it. Errors: those of the store; kBadInput, a context that is
// damaged.
[[nodiscard]] Result<NodeInFull> load_node(const Store& store, const std::string& id);

[[nodiscard]] std::string render_node(const NodeInFull& node);
// {schema_version, context, files[]}, and what nodes_json has of it.
[[nodiscard]] Json node_in_full_json(const NodeInFull& node);

// The start of an id, by which people know it.
[[nodiscard]] std::string short_node(std::string_view id);

}  // namespace kbench
