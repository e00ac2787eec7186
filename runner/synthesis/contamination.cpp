#include "runner/synthesis/contamination.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <tuple>

#include "runner/core/strict_json.hpp"
#include "runner/task/graph.hpp"

namespace kbench {
namespace {

using Trigram = std::tuple<std::string, std::string, std::string>;

std::set<Trigram> trigrams(const OperatorSequence& sequence) {
  OperatorSequence marked = {"<"};
  marked.insert(marked.end(), sequence.begin(), sequence.end());
  marked.emplace_back(">");
  std::set<Trigram> found;
  for (std::size_t i = 0; i + 2 < marked.size(); ++i)
    found.emplace(marked[i], marked[i + 1], marked[i + 2]);
  return found;
}

Result<HeldOutTask> read_task(const TaskEntry& entry) {
  HeldOutTask task{entry.id, {}};
  const auto json = read_strict_json(entry.file);
  if (!json) return json.error();
  for (const std::string& size : sizes_of(entry)) {
    const auto graph = parse_graph(*json, size);
    if (!graph) return graph.error();
    OperatorSequence sequence = operator_sequence(*graph);
    if (std::find(task.sequences.begin(), task.sequences.end(), sequence) == task.sequences.end())
      task.sequences.push_back(std::move(sequence));
  }
  return task;
}

}  // namespace

Result<std::vector<HeldOutTask>> read_held_out(const std::vector<TaskEntry>& suite) {
  std::vector<HeldOutTask> tasks;
  for (const TaskEntry& entry : suite) {
    auto task = read_task(entry);
    if (!task) return task.error();
    tasks.push_back(std::move(*task));
  }
  return tasks;
}

double trigram_similarity(const OperatorSequence& a, const OperatorSequence& b) {
  const auto of_a = trigrams(a);
  const auto of_b = trigrams(b);
  std::vector<Trigram> both;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                        std::back_inserter(both));
  const std::size_t either = of_a.size() + of_b.size() - both.size();
  return either == 0 ? 0 : static_cast<double>(both.size()) / static_cast<double>(either);
}

std::optional<Contamination> find_contamination(const OperatorSequence& candidate,
                                                std::span<const HeldOutTask> held_out) {
  std::optional<Contamination> nearest;
  if (candidate.empty()) return nearest;
  for (const HeldOutTask& task : held_out) {
    for (const OperatorSequence& sequence : task.sequences) {
      if (sequence == candidate) return Contamination{task.id, 1, true};
      const double similarity = trigram_similarity(candidate, sequence);
      if (similarity >= kSimilar && (!nearest || similarity > nearest->similarity))
        nearest = Contamination{task.id, similarity, false};
    }
  }
  return nearest;
}

}  // namespace kbench
