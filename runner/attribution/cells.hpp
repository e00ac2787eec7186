// Cells of a study as lines of JSON: one state, tried once under one coalition of its components.
// Their schema is data/schema/cell.schema.json. Their writer is not trusted: size, number, names
// and depth are bounded, only what is listed there is taken, and an error names the line. Pure:
// takes a text, opens nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/attribution/game.hpp"
#include "runner/core/result.hpp"

namespace kbench {

inline constexpr std::size_t kMostCellBytes = 512u << 20;  // bytes of a file
inline constexpr std::size_t kLongestCellLine = 64u << 10;
inline constexpr std::size_t kMostCells = 1'000'000;
inline constexpr std::size_t kMostOutcomes = 32;  // outcomes of a file; as many as components

// The tokens of a call are no success, and no test is made on them: they are what a component
// costs.
inline constexpr std::string_view kTokensOutcome = "tokens";

struct StudyCell {
  std::size_t line = 0;  // counted from 1
  std::string task;      // this and the next: empty where unknown
  std::string trajectory;
  std::string state;  // unique in the file
  std::optional<int> generation;
  std::string stratum;                     // empty: none
  Coalition available = 0;                 // over StudyCells::components
  Coalition coalition = 0;                 // a part of `available`
  std::string arm;                         // one of known_arms()
  std::optional<int> replicate;            // cells of one number belong together; none: of no other
  bool fault = false;                      // no outcome, by a fault of the machine or the endpoint
  std::map<std::size_t, double> outcomes;  // key: the place in StudyCells::outcomes
  std::uint32_t undecided = 0;  // outcomes whose measurement decided nothing, by the same places
  std::string reply;            // a hash of it, to find copies; empty: unknown
  std::map<std::string, std::string> labels;
};

struct StudyCells {
  std::vector<std::string> components;  // sorted
  std::vector<std::string> outcomes;    // the same
  std::vector<StudyCell> cells;         // order: the file's
};

// Names of arms. Those of is_factorial() are tried under all coalitions, or drawn ones; "dup" too,
// with one component under two names. The others are tried under what their name says.
[[nodiscard]] const std::vector<std::string>& known_arms();
[[nodiscard]] bool is_factorial(std::string_view arm);

// `name` stands for the file in messages. Empty lines count and say nothing. Errors: kBadInput,
// "NAME:LINE: ..." with what is wrong and what to do.
[[nodiscard]] Result<StudyCells> parse_cells(std::string_view text, const std::string& name);

}  // namespace kbench
