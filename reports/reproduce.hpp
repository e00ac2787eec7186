// The command that measures a row again, from what is stored of it. Called by the page.
#pragma once

#include <string>

#include "reports/model.hpp"

namespace kbench {

// One line for a POSIX shell, which works in any folder of the machine that the database is on. Of
// a row whose sources nobody kept: one that takes them from where they were handed in.
[[nodiscard]] std::string reproduce_command(const ReportData& data, const ResultRow& row);

// The command that writes the row's sources into a folder.
[[nodiscard]] std::string sources_command(const ReportData& data, const ResultRow& row);

}  // namespace kbench
