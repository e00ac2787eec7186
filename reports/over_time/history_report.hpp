// The history of a task for a terminal and for programs.
#pragma once

#include <string>

#include "reports/formats/text_table.hpp"
#include "reports/over_time/history.hpp"
#include "runner/core/json.hpp"

namespace kbench {

// A table for each agent, oldest run first, and a line for each change: which run brought it.
[[nodiscard]] std::string render_history(const History& history, const TableStyle& style);

// "2 of 5 runs; left out: 1 of another device, 2 without a submission for it".
[[nodiscard]] std::string history_words(const History& history);

// {schema_version, task, device, size, precision, profile, protocol, baseline, left_out,
// without_verdict, agents[]: {agent, points[], changes[]}}.
[[nodiscard]] Json history_json(const History& history);

}  // namespace kbench
