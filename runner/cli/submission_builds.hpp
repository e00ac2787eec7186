// Compiles the submissions of a plan, several at once. Called by run_command; no worker starts
// before all are done.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/cli/kept_sources.hpp"
#include "runner/cli/run_plan.hpp"
#include "runner/core/result.hpp"
#include "runner/submission/compiler.hpp"

namespace kbench {

struct SubmissionBuild {
  std::filesystem::path library;  // empty where there was nothing to compile, or with an error
  std::optional<Error> error;
  std::string labels;   // see submission/findings.hpp; separated by spaces
  KeptSources sources;  // what the compiler got; of what is not compiled, too, where it can be read
};

// One for each unit of the plan, in its order. `jobs` compilers at most at the same time.
[[nodiscard]] std::vector<SubmissionBuild> build_submissions(const Plan& plan,
                                                             const Compiler& compiler, int jobs);

}  // namespace kbench
