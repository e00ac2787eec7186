// Feedback that a user chose for an agent in style refine: reports of some components in place of
// all that the judge says of its kernel, and with a planner its plan. The words are those that a
// study puts into a frozen state (trajectory/injection.hpp), so that what a study recommends is
// what is switched on here.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "runner/agent/agent_protocol.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/trajectory/episode.hpp"
#include "runner/trajectory/injection.hpp"

namespace kbench {

// Whether that turn is the planner's in an episode that has one: it follows on a kernel.
[[nodiscard]] bool is_planner_turn(const Episode& episode, std::size_t turn);

// The words of a component that reads the kernel itself.
using SpeaksOfKernel = std::function<Result<std::string>(const std::string& component)>;
// Reports of those of the components that have something to say of the row's kernel. Errors: those
// of `speaks`.
[[nodiscard]] Result<Reports> chosen_reports(const std::vector<std::string>& components,
                                             const Evaluation& row, const SpeaksOfKernel& speaks);
// The reports on a kernel that got no row: `said` is the judge's reason.
[[nodiscard]] Reports reports_of_refusal(const std::vector<std::string>& components,
                                         const std::string& said);

// The message to the planner.
[[nodiscard]] Result<NextMessage> planner_question(const InjectionTemplate& with,
                                                   const Reports& reports);
// The message to the coder; `plan` is empty without a planner.
[[nodiscard]] Result<NextMessage> coder_feedback(const InjectionTemplate& with,
                                                 const Reports& reports, const std::string& plan);

}  // namespace kbench
