// Profiles of a database, one a line: what `kbench profile --list` shows. Names in them are foreign
// text, and are cleaned here.
#pragma once

#include <string>

#include "reports/formats/text_table.hpp"
#include "runner/core/json.hpp"
#include "runner/store/rows/stored_profiles.hpp"

namespace kbench {

// A table of profiles, newest first; a line for each row that is no profile.
[[nodiscard]] std::string render_profile_list(const ProfileRows& rows, const TableStyle& style);

// {schema_version, profiles[{id, made_at, version, task, task_hash, size, side, submission,
// source_hash, device, precision, torch, verdict, call_us, limit_percent}], unsound[]}, newest
// first.
[[nodiscard]] Json profile_list_json(const ProfileRows& rows);

}  // namespace kbench
