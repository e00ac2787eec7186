// The commands that measure a row again, or write its sources, from what is stored of it.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "reports/facts/model.hpp"

namespace kbench {

class RowCommands {
 public:
  explicit RowCommands(const ReportData& data);

  // One line for a POSIX shell, which works in any folder of the machine that the database is on.
  // If the row's sources were not kept, the line takes them from where they were handed in.
  [[nodiscard]] std::string reproduce(const ResultRow& row) const;
  // Writes the row's sources into a folder.
  [[nodiscard]] std::string write_sources(const ResultRow& row) const;

 private:
  [[nodiscard]] std::string line(const char* name, const ResultRow& row,
                                 const std::string& out) const;

  const ReportData& data_;
  // Task, agent and variant that several rows have: one as a file and one as a folder, say.
  std::set<std::tuple<std::string, std::string, std::string>> ambiguous_;
};

}  // namespace kbench
