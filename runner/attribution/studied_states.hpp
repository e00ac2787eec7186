// States of a study as the analysis needs them: for each the mean outcome under each coalition.
// Unusable cells are left out and counted by reason. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/attribution/cells.hpp"
#include "runner/attribution/indices.hpp"
#include "runner/attribution/sampled.hpp"

namespace kbench {

struct StateOutcome {
  TriedCoalitions tried;  // over StudiedState::components: all coalitions, or pairs of complements
  CoalitionValues transform;  // Möbius's, of all coalitions; empty where only some were tried
  double least = 0;           // least value of the cells
  double most = 0;
};

struct StudiedState {
  std::string id;
  std::string task;  // this and the next: empty where unknown
  std::string trajectory;
  std::optional<int> generation;
  std::string stratum;
  std::map<std::string, std::string> labels;
  Coalition available = 0;                       // over StudyCells::components
  std::vector<std::size_t> components;           // its players: places of `available`, ascending
  std::map<std::size_t, StateOutcome> outcomes;  // key: the place in StudyCells::outcomes

  // Places of these names in alphabetical order, set by number_names: quicker to compare.
  std::size_t id_number = 0;
  std::size_t task_number = 0;
  std::size_t trajectory_number = 0;
};

// Numbers the names of states that have units in common.
void number_names(const std::vector<StudiedState*>& states);

struct StudiedArm {
  std::vector<StudiedState> states;             // sorted by id
  std::size_t cells = 0;                        // lines that the states are made of
  std::size_t incomplete = 0;                   // states that were left out
  std::map<std::string, std::size_t> left_out;  // lines, by why
  std::map<Coalition, std::size_t> faults;      // lines, by coalition
  std::size_t lines = 0;                        // all of the arm
  std::size_t fault_lines = 0;
};

// One arm of a file. A fault leaves out all cells of its state and replicate; so does a coalition
// that a replicate lacks, up to kMostWholePlayers components. A state in which some coalition was
// never tried is left out; above kMostWholePlayers it is used with the coalitions whose complement
// was tried.
[[nodiscard]] StudiedArm study_arm(const StudyCells& file, std::string_view arm);

// The index of a group of components (over StudyCells::components) in a state. Nothing where one of
// them had nothing to say there, where the state lacks the outcome, and where what was tried does
// not tell it: of drawn coalitions only kBanzhaf is known.
[[nodiscard]] std::optional<double> effect_in(const StudiedState& state, std::size_t outcome,
                                              Index index, Coalition group);

}  // namespace kbench
