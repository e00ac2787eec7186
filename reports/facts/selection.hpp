// Selection of a stored run: the tasks and agents that it was asked to evaluate, as far as its
// options and rows tell. A comparison calls nothing gone that was not asked for. Pure; the stored
// options are foreign text.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "reports/facts/model.hpp"

namespace kbench {

class Selection {
 public:
  explicit Selection(const ReportData& data);

  // Whether the run would have a row of this agent's submission for the task, had there been one.
  // True if that is unknown, as of a run that was not finished.
  [[nodiscard]] bool takes(const std::string& task, const std::string& agent) const;

  // Whether what is missing here was never looked for: the row is of a run of a single file, and
  // this run, which is none, has no submission of its agent.
  [[nodiscard]] bool is_elsewhere(const Selection& other, const std::string& agent) const;

 private:
  std::string agent_;         // the only one that it took; empty: all
  bool is_one_file_ = false;  // it took nothing but what it has
  bool is_rerun_ = false;     // it took nothing but its rows, each variant by its name
  bool names_tasks_ = false;  // it has a row of each task that it took
  std::set<std::string> tasks_;
  std::set<std::pair<std::string, std::string>> submissions_;  // task, agent
};

}  // namespace kbench
