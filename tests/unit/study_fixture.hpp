// Lines of cells as a study writes them, for tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/attribution/game.hpp"

namespace kbench::test {

struct FakeState {
  std::string id;
  std::string task;
  std::string trajectory;
  std::string stratum = "correct";
  int generation = 0;
};

inline std::string names_in(const std::vector<std::string>& names, Coalition which) {
  std::vector<std::string> quoted;
  for (std::size_t at = 0; at < names.size(); ++at)
    if ((which >> at & 1u) != 0) quoted.push_back("\"" + names[at] + "\"");
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

inline std::string cell_line(const FakeState& state, const std::vector<std::string>& available,
                             Coalition coalition, const std::string& arm, int replicate,
                             const std::string& outcomes) {
  return fmt::format(
      R"({{"task": "{}", "trajectory": "{}", "state": "{}", "generation": {}, "stratum": "{}", )"
      R"("available": {}, "coalition": {}, "arm": "{}", "replicate": {}, "outcomes": {}}})"
      "\n",
      state.task, state.trajectory, state.id, state.generation, state.stratum,
      names_in(available, (Coalition{1} << available.size()) - 1), names_in(available, coalition),
      arm, replicate, outcomes);
}

// A state under all coalitions, `replicates` times each.
inline std::string state_lines(const FakeState& state, const std::vector<std::string>& available,
                               int replicates,
                               const std::function<std::string(Coalition, int replicate)>& outcomes,
                               const std::string& arm = "direct") {
  std::string text;
  for (int replicate = 0; replicate < replicates; ++replicate)
    for (Coalition at = 0; at < Coalition{1} << available.size(); ++at)
      text += cell_line(state, available, at, arm, replicate, outcomes(at, replicate));
  return text;
}

}  // namespace kbench::test
