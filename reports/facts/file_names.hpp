// Names by which rows of one agent for one task are told apart: of 019_relu.cpp and 019_relu.py
// both are "agent", and each needs its ending.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "reports/facts/model.hpp"

namespace kbench {

// All files of a run, by what they would be called.
class FileNames {
 public:
  // `name`: path below the submissions folder.
  void add(const std::string& task, const std::string& size, const std::string& agent,
           const std::string& variant, const std::string& name);
  // Sets ResultRow::file.
  void tell_apart(ResultRow& row) const;

 private:
  using Called = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Called, std::set<std::string>> names_;
};

// Sets ResultRow::file of rows that would be called the same.
void tell_files_apart(std::span<ResultRow> rows);

// ResultRow::told_apart() in that many columns, sanitized. The agent's name is cut first: what
// tells two files apart stands behind it.
[[nodiscard]] std::string short_told_apart(const ResultRow& row, std::size_t columns);

}  // namespace kbench
