#include "runner/run/announced_plan.hpp"

#include <string>

#include <fmt/format.h>

namespace kbench {

void announce_plan(const Plan& plan, ProgressSink& progress) {
  const std::string several =
      plan.devices.size() < 2 ? "" : fmt::format(" ({} devices)", plan.devices.size());
  progress.note(fmt::format("{} task{}, {} on {}{}", plan.tasks.size(),
                            plan.tasks.size() == 1 ? "" : "s", plan.target.size, plan.target.device,
                            several));
  if (!plan.submissions_from.empty()) progress.note(plan.submissions_from);
  for (const std::string& note : plan.notes) progress.note(note);
}

void announce_files(const Census& census, ProgressSink& progress) {
  constexpr int kMost = 20;
  progress.note(fmt::format("files: {}", census.summary()));
  int shown = 0;
  for (const Census::Ignored& file : census.ignored) {
    if (!file.mistaken) continue;
    if (++shown > kMost) break;
    progress.note(fmt::format("ignored {}: {}", file.path, file.why));
  }
  if (census.mistaken() > kMost)
    progress.note(fmt::format("and {} more", census.mistaken() - kMost));
}

}  // namespace kbench
