// The findings of `kbench build`, as a person sees them. Text of compilers and names of submissions
// are made safe to show.
#pragma once

#include <string>

#include "reports/formats/text_table.hpp"
#include "runner/core/json.hpp"
#include "runner/run/build_session.hpp"

namespace kbench {

// A line for each submission, and below one that does not compile the compiler's first words.
[[nodiscard]] std::string build_text(const BuiltPlan& built, const TableStyle& style);
// {schema_version, target, interrupted, submissions[]}.
[[nodiscard]] Json build_json(const BuiltPlan& built);
// "3 submissions built for cuda, architecture 90a, 2 were there; 1 does not compile or load ...".
[[nodiscard]] std::string build_words(const BuiltPlan& built);

}  // namespace kbench
