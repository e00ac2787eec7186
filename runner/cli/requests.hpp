// Requests to rooms, made of the options of a verb; each stands in the verb's file. Where
// the options hold the request itself there is nothing to make. A test holds every field against
// what was typed.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/judge/workspace_session.hpp"

namespace kbench {

// Errors: kUsage, the endpoint or its key; unknown components.
[[nodiscard]] Result<AgentRunRequest> request_of(const AgentRunOptions& options, RewardRule rule);
// Errors: kUsage, the endpoint, its key or the plan's file.
[[nodiscard]] Result<StudyRequest> request_of(const StudyOptions& options);
[[nodiscard]] WorkspaceJudging request_of(const WorkspaceOptions& options);

}  // namespace kbench
