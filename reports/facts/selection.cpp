#include "reports/facts/selection.hpp"

#include <algorithm>

#include "reports/facts/run_facts.hpp"
#include "runner/core/json.hpp"

namespace kbench {
namespace {

bool has_entries(const Json& configuration, const char* name) {
  return configuration.contains(name) && configuration.at(name).is_array() &&
         !configuration.at(name).empty();
}

bool is_complete(const ReportData& data) {
  return !data.run.finished_at.empty() && !(data.group && is_in_part(*data.group));
}

}  // namespace

Selection::Selection(const ReportData& data) {
  for (const Evaluation& evaluation : data.evaluations) {
    tasks_.insert(evaluation.task);
    if (evaluation.submission) submissions_.emplace(evaluation.task, evaluation.submission->agent);
  }
  const Json configuration = recorded(data.run.configuration);
  if (!configuration.is_object()) return;
  if (configuration.contains("agent") && configuration.at("agent").is_string())
    agent_ = configuration.at("agent").get<std::string>();
  is_one_file_ = is_complete(data) && !facts_of(data.run).submitted_file.empty();
  is_rerun_ = is_complete(data) && configuration.contains("rerun");
  names_tasks_ = is_complete(data) &&
                 (has_entries(configuration, "levels") || has_entries(configuration, "tasks") ||
                  has_entries(configuration, "tags"));
}

bool Selection::takes(const std::string& task, const std::string& agent) const {
  if (is_rerun_) return false;
  if (is_one_file_) return submissions_.contains({task, agent});
  if (!agent_.empty() && agent != agent_) return false;
  return !names_tasks_ || tasks_.contains(task);
}

bool Selection::is_elsewhere(const Selection& other, const std::string& agent) const {
  return other.is_one_file_ && !is_one_file_ &&
         std::none_of(submissions_.begin(), submissions_.end(),
                      [&](const auto& submission) { return submission.second == agent; });
}

}  // namespace kbench
