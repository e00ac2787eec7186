#include "runner/attribution/studied_states.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace kbench {
namespace {

constexpr const char* kFault = "a fault of the machine or the endpoint";
constexpr const char* kBesideFault = "beside a fault: same state and replicate";
constexpr const char* kLacksCoalitions = "its replicate lacks coalitions";
constexpr const char* kStateLacksCoalitions = "its state lacks coalitions";
constexpr const char* kNoComplement = "the complement of its coalition was not tried";

using CellsOfState = std::vector<const StudyCell*>;

// Places of the bits that are set.
std::vector<std::size_t> places_of(Coalition coalition) {
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < kMostPlayers; ++at)
    if ((coalition >> at & 1u) != 0) places.push_back(at);
  return places;
}

// A coalition over the file's components as one over the state's own.
Coalition local(Coalition coalition, const std::vector<std::size_t>& components) {
  Coalition found = 0;
  for (std::size_t at = 0; at < components.size(); ++at)
    if ((coalition >> components[at] & 1u) != 0) found |= Coalition{1} << at;
  return found;
}

// The cells of one state on their way into the study.
class StateCells {
 public:
  StateCells(StudiedArm& arm, CellsOfState cells)
      : arm_(arm),
        cells_(std::move(cells)),
        components_(places_of(cells_.front()->available)),
        whole_(components_.size() <= kMostWholePlayers) {}

  void add_to_arm() {
    leave_out_faults();
    if (whole_) leave_out_incomplete_replicates();
    if (!cells_.empty() && !all_tried()) {
      if (whole_)
        leave_out(kStateLacksCoalitions, [](const StudyCell&) { return true; });
      else
        leave_out_singles();
    }
    if (cells_.empty()) {
      ++arm_.incomplete;
      return;
    }
    arm_.cells += cells_.size();
    arm_.states.push_back(state());
  }

 private:
  template <class Which>
  void leave_out(const char* why, const Which& which) {
    const auto gone = std::stable_partition(cells_.begin(), cells_.end(),
                                            [&](const StudyCell* cell) { return !which(*cell); });
    if (gone != cells_.end()) arm_.left_out[why] += static_cast<std::size_t>(cells_.end() - gone);
    cells_.erase(gone, cells_.end());
  }

  void leave_out_faults() {
    std::set<int> replicates;
    for (const StudyCell* cell : cells_) {
      if (!cell->fault) continue;
      ++arm_.faults[cell->coalition];
      ++arm_.fault_lines;
      if (cell->replicate) replicates.insert(*cell->replicate);
    }
    leave_out(kFault, [](const StudyCell& cell) { return cell.fault; });
    leave_out(kBesideFault, [&](const StudyCell& cell) {
      return cell.replicate && replicates.contains(*cell.replicate);
    });
  }

  void leave_out_incomplete_replicates() {
    std::map<int, std::size_t> coalitions;  // each is there once
    for (const StudyCell* cell : cells_)
      if (cell->replicate) ++coalitions[*cell->replicate];
    leave_out(kLacksCoalitions, [&](const StudyCell& cell) {
      return cell.replicate && coalitions.at(*cell.replicate) < all_coalitions();
    });
  }

  void leave_out_singles() {
    std::set<Coalition> tried;
    for (const StudyCell* cell : cells_) tried.insert(cell->coalition);
    leave_out(kNoComplement, [&](const StudyCell& cell) {
      return !tried.contains(cell.available & ~cell.coalition);
    });
  }

  [[nodiscard]] std::size_t all_coalitions() const { return std::size_t{1} << components_.size(); }

  [[nodiscard]] bool all_tried() const {
    std::set<Coalition> tried;
    for (const StudyCell* cell : cells_) tried.insert(cell->coalition);
    return tried.size() == all_coalitions();
  }

  [[nodiscard]] StudiedState state() const {
    const StudyCell& first = *cells_.front();
    StudiedState state{.id = first.state,
                       .task = first.task,
                       .trajectory = first.trajectory,
                       .generation = first.generation,
                       .stratum = first.stratum,
                       .labels = first.labels,
                       .available = first.available,
                       .components = components_,
                       .outcomes = {}};
    for (const auto& [place, value] : first.outcomes) state.outcomes.emplace(place, means(place));
    return state;
  }

  [[nodiscard]] StateOutcome means(std::size_t outcome) const {
    StateOutcome found{.least = cells_.front()->outcomes.at(outcome),
                       .most = cells_.front()->outcomes.at(outcome)};
    std::map<Coalition, std::size_t> counts;
    for (const StudyCell* cell : cells_) {
      const double value = cell->outcomes.at(outcome);
      found.least = std::min(found.least, value);
      found.most = std::max(found.most, value);
      const Coalition coalition = local(cell->coalition, components_);
      found.tried[coalition] += value;
      ++counts[coalition];
    }
    for (auto& [coalition, value] : found.tried) value /= static_cast<double>(counts[coalition]);
    if (found.tried.size() == all_coalitions()) found.transform = transform_of(found.tried);
    return found;
  }

  static CoalitionValues transform_of(const TriedCoalitions& tried) {
    CoalitionValues values;
    for (const auto& [coalition, value] : tried) values.push_back(value);
    return moebius(std::move(values));
  }

  StudiedArm& arm_;
  CellsOfState cells_;
  std::vector<std::size_t> components_;
  bool whole_;  // every coalition is to be tried
};

void number_by(const std::vector<StudiedState*>& states, std::string StudiedState::*name,
               std::size_t StudiedState::*number) {
  std::map<std::string_view, std::size_t> numbers;
  for (const StudiedState* state : states) numbers.emplace(state->*name, 0);
  std::size_t next = 0;
  for (auto& [one, its_number] : numbers) its_number = next++;
  for (StudiedState* state : states) state->*number = numbers.at(state->*name);
}

}  // namespace

void number_names(const std::vector<StudiedState*>& states) {
  number_by(states, &StudiedState::id, &StudiedState::id_number);
  number_by(states, &StudiedState::task, &StudiedState::task_number);
  number_by(states, &StudiedState::trajectory, &StudiedState::trajectory_number);
}

StudiedArm study_arm(const StudyCells& file, std::string_view arm) {
  std::map<std::string_view, CellsOfState> states;
  StudiedArm studied;
  for (const StudyCell& cell : file.cells) {
    if (cell.arm != arm) continue;
    states[cell.state].push_back(&cell);
    ++studied.lines;
  }
  for (auto& [id, cells] : states) StateCells(studied, std::move(cells)).add_to_arm();
  std::vector<StudiedState*> made;
  for (StudiedState& state : studied.states) made.push_back(&state);
  number_names(made);
  return studied;
}

std::optional<double> effect_in(const StudiedState& state, std::size_t outcome, Index index,
                                Coalition group) {
  const auto found = state.outcomes.find(outcome);
  if ((group & ~state.available) != 0 || found == state.outcomes.end()) return std::nullopt;
  const Coalition players = local(group, state.components);
  if (!found->second.transform.empty()) return index_of(index, found->second.transform, players);
  if (index != Index::kBanzhaf) return std::nullopt;
  return sampled_banzhaf(found->second.tried, static_cast<int>(state.components.size()), players);
}

}  // namespace kbench
