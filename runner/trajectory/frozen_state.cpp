#include "runner/trajectory/frozen_state.hpp"

#include "runner/core/bounded_json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/text_in.hpp"

namespace kbench {
namespace {

// Keys are sorted by the library. Bytes that are not UTF-8 have no place in an id: they become
// another character, so that the id of what holds them is another one.
std::string hash_of(const Json& json) {
  return sha256(json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace));
}

Json number_or_null(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json();
}

Json outcome_of(const TrajectoryNode& node) {
  auto outcome = parse_bounded_json(node.outcome);
  return outcome ? std::move(*outcome) : Json();
}

}  // namespace

std::string state_id(const FrozenState& state, const std::string& tree) {
  return hash_of({{"task", state.task},
                  {"task_hash", state.task_hash},
                  {"size", state.size},
                  {"device", state.device},
                  {"tree", tree},
                  {"context", state.context}});
}

std::string state_id(const FrozenState& state) { return state_id(state, hash_tree(state.files)); }

std::string node_id(const TrajectoryNode& node) {
  return hash_of({{"state", node.state},
                  {"parents", node.parents},
                  {"trajectory", node.trajectory},
                  {"generation", node.generation},
                  {"origin", node.origin},
                  {"outcome", node.outcome}});
}

std::string stratum_of(const TrajectoryNode& node) { return text_in(outcome_of(node), "stratum"); }

std::int64_t leaks_of(const TrajectoryNode& node) {
  const Json outcome = outcome_of(node);
  if (!outcome.is_object()) return 0;
  const auto leaks = outcome.find("leaks");
  return leaks != outcome.end() && leaks->is_number_integer() ? leaks->get<std::int64_t>() : 0;
}

std::string seal_of(const StateReport& report) {
  return hash_of({{"state", report.state},
                  {"component", report.component},
                  {"version", report.version},
                  {"form", report.form},
                  {"status", report.status},
                  {"content", report.content}});
}

std::string seal_of(const StateCell& cell, const std::string& study) {
  return hash_of({{"study", study},
                  {"node", cell.node},
                  {"arm", cell.arm},
                  {"coalition", cell.coalition},
                  {"replicate", cell.replicate},
                  {"plan", cell.plan},
                  {"reply", cell.reply},
                  {"evaluation", cell.evaluation},
                  {"status", cell.status},
                  {"tokens_in", number_or_null(cell.tokens_in)},
                  {"tokens_out", number_or_null(cell.tokens_out)}});
}

bool fills_up(const StateCell& before, const StateCell& after) {
  const auto stays = [](const auto& old, const auto& now) { return old == now; };
  const auto text = [&](const std::string& old, const std::string& now) {
    return old.empty() || stays(old, now);
  };
  const auto number = [&](const auto& old, const auto& now) { return !old || stays(old, now); };
  const bool late_plan = before.plan.empty() && !after.plan.empty() && !before.reply.empty();
  return before.status.empty() && !late_plan && text(before.plan, after.plan) &&
         text(before.reply, after.reply) && text(before.evaluation, after.evaluation) &&
         number(before.tokens_in, after.tokens_in) && number(before.tokens_out, after.tokens_out);
}

std::string seal_of_holding(const std::string& run, const std::string& node) {
  return hash_of({{"run", run}, {"node", node}});
}

}  // namespace kbench
