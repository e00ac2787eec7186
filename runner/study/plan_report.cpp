#include "runner/study/plan_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/attribution/estimate.hpp"
#include "runner/study/study_cost.hpp"
#include "runner/study/study_plan.hpp"

namespace kbench {
namespace {

constexpr int kPlanJsonVersion = 1;

std::string available_words(const std::vector<std::string>& available) {
  return available.empty() ? "nothing" : fmt::format("{}", fmt::join(available, ", "));
}

std::string duration_words(double seconds) {
  if (seconds < 60) return "less than a minute";
  if (seconds < 3600) return fmt::format("{:.0f} minutes", std::ceil(seconds / 60));
  return fmt::format("{:.2g} hours", seconds / 3600);
}

// Half-widths of what so many components do together, over the states that have all of them.
struct PlannedIndex {
  std::size_t components = 0;
  std::size_t states = 0;
  std::int64_t samples = 0;
};

std::vector<PlannedIndex> planned_indices(const MadePlan& made) {
  std::map<std::size_t, PlannedIndex> indices;
  for (const AnsweringStates& census : made.census) {
    const std::size_t most = std::min<std::size_t>(census.available.size(), 3);
    for (std::size_t count = 1; count <= most; ++count) {
      PlannedIndex& index = indices[count];
      index.components = count;
      index.states += census.states;
      index.samples += static_cast<std::int64_t>(census.states << census.available.size()) *
                       made.plan.replicates;
    }
  }
  std::vector<PlannedIndex> list;
  for (const auto& [count, index] : indices) list.push_back(index);
  return list;
}

}  // namespace

std::string plan_text(const MadePlan& made, const std::optional<Price>& price) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{} states, each {} time{} under every coalition; {} cells, mode {}{}{}\n",
                 made.plan.states.size(), made.plan.replicates,
                 made.plan.replicates == 1 ? "" : "s", made.cost.cells, made.plan.mode,
                 made.plan.arms.empty() ? "" : ", arms ", fmt::join(made.plan.arms, ", "));
  for (const AnsweringStates& census : made.census)
    fmt::format_to(out, "  {} state{}: {}\n", census.states, census.states == 1 ? "" : "s",
                   available_words(census.available));
  fmt::format_to(out, "{} requests, {:.0f} tokens of prompts, {:.0f} of replies ({})\n",
                 made.cost.requests, made.cost.tokens_in, made.cost.tokens_out,
                 made.rates.turns > 0
                     ? fmt::format("as {} stored turns of this model count", made.rates.turns)
                     : std::string("assumed: no turn of this model is stored"));
  if (made.answer_seconds > 0)
    fmt::format_to(out, "{} of answers, one after the other\n",
                   duration_words(static_cast<double>(made.cost.requests) * made.answer_seconds));
  if (made.plan.checks_only)
    fmt::format_to(out, "kernels are checked and not timed{}: no outcome takes a time\n",
                   times_anything(made.plan) ? ", but those that the profiler speaks of" : "");
  if (price) fmt::format_to(out, "US$ {:.4g}\n", made.cost.usd(*price));
  constexpr const char* kIndices[] = {"effect of a component", "interaction of two",
                                      "interaction of three"};
  for (const PlannedIndex& index : planned_indices(made))
    if (const auto found = precision_of(index.components, index.states, index.samples))
      fmt::format_to(out, "{}: half-width {:.3f}, sees {:.3f} in 80 %\n",
                     kIndices[index.components - 1], found->half_width, found->seen);
    else
      fmt::format_to(out, "{}: no interval, of {} state{}: it takes {}\n",
                     kIndices[index.components - 1], index.states, index.states == 1 ? "" : "s",
                     kLeastUnits);
  return text;
}

Json plan_json(const MadePlan& made, const std::optional<Price>& price) {
  Json census = Json::array();
  for (const AnsweringStates& one : made.census)
    census.push_back({{"available", one.available}, {"states", one.states}});
  Json indices = Json::array();
  for (const PlannedIndex& index : planned_indices(made))
    if (const auto found = precision_of(index.components, index.states, index.samples))
      indices.push_back({{"components", index.components},
                         {"states", index.states},
                         {"half_width", found->half_width},
                         {"seen", found->seen}});
  return {{"schema_version", kPlanJsonVersion},
          {"study", study_id(made.text)},
          {"states", made.plan.states.size()},
          {"replicates", made.plan.replicates},
          {"cells", made.cost.cells},
          {"checks_only", made.plan.checks_only},
          {"requests", made.cost.requests},
          {"tokens", {{"in", made.cost.tokens_in}, {"out", made.cost.tokens_out}}},
          {"turns", made.rates.turns},
          {"usd", price ? Json(made.cost.usd(*price)) : Json()},
          {"census", std::move(census)},
          {"precision", std::move(indices)}};
}

}  // namespace kbench
