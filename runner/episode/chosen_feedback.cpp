#include "runner/episode/chosen_feedback.hpp"

#include <algorithm>
#include <utility>

#include "runner/agent/refine.hpp"
#include "runner/feedback/component.hpp"
#include "runner/feedback/row_report.hpp"
#include "runner/trajectory/freeze_episode.hpp"

namespace kbench {
namespace {

// The last message of a prompt, with its anchor.
StateContext context_of_next() {
  RefineWords words = refine_words();
  return {{"user", std::move(words.before), std::move(words.after)}};
}

std::vector<std::string> names_of(const Reports& reports) {
  std::vector<std::string> names;
  for (const auto& [name, text] : reports) names.push_back(name);
  return names;
}

std::string content_of(const Json& messages) {
  return messages.back().at("content").get<std::string>();
}

constexpr ArmTreatment kWithPlan = {
    .planner = true, .fixed_plan = false, .planner_reports = true, .coder_reports = true};
constexpr ArmTreatment kWithoutPlan = {
    .planner = false, .fixed_plan = false, .planner_reports = false, .coder_reports = true};

}  // namespace

bool is_planner_turn(const Episode& episode, std::size_t turn) {
  bool planner = false;
  for (std::size_t t = 1; t <= turn; ++t) planner = !planner && !episode.turns[t - 1].calls.empty();
  return planner;
}

Result<Reports> chosen_reports(const std::vector<std::string>& components, const Evaluation& row,
                               const SpeaksOfKernel& speaks) {
  Reports reports;
  for (const std::string& name : components) {
    const auto component = find_component(name);
    if (!component) return component.error();
    if (!answers_in(*component, stratum_of(row))) continue;
    auto words = reads_kernel(*component) ? speaks(name) : row_report(*component, row);
    if (!words) return words.error();
    reports.emplace(name, std::move(*words));
  }
  return reports;
}

Reports reports_of_refusal(const std::vector<std::string>& components, const std::string& said) {
  const bool tells = std::find(components.begin(), components.end(), "error") != components.end();
  return tells ? Reports{{"error", said}} : Reports{};
}

Result<NextMessage> planner_question(const InjectionTemplate& with, const Reports& reports) {
  const StateContext context = context_of_next();
  const auto messages = planner_messages({with, context, kWithPlan, names_of(reports), reports});
  if (!messages) return messages.error();
  return NextMessage{content_of(*messages), /*to_planner=*/true};
}

Result<NextMessage> coder_feedback(const InjectionTemplate& with, const Reports& reports,
                                   const std::string& plan) {
  const StateContext context = context_of_next();
  const auto messages =
      coder_messages({with, context, kWithoutPlan, names_of(reports), reports}, plan);
  if (!messages) return messages.error();
  return NextMessage{content_of(*messages), /*to_planner=*/false};
}

}  // namespace kbench
