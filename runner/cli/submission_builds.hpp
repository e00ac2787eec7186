// Compiles the submissions of a plan, several at once, and makes Python ones ready. Called by
// run_command; no worker starts before all are done.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/cli/kept_sources.hpp"
#include "runner/cli/python_submissions.hpp"
#include "runner/cli/run_plan.hpp"
#include "runner/core/result.hpp"
#include "runner/submission/compiler.hpp"

namespace kbench {

struct SubmissionBuild {
  // What a worker is given: the compiled library, the folder of a Python submission's files. Empty
  // where there was nothing to do, or with an error.
  std::filesystem::path library;
  std::optional<PythonModel> python;
  std::shared_ptr<Staging> staging;
  std::optional<Error> error;
  std::string labels;   // see submission/findings.hpp; separated by spaces
  KeptSources sources;  // what was built; of what is not built, too, where it can be read
};

// One for each unit of the plan, in its order. `arguments`: for tasks with Python submissions.
// `jobs` compilers at most at the same time.
[[nodiscard]] std::vector<SubmissionBuild> build_submissions(const Plan& plan,
                                                             const Compiler& compiler,
                                                             const ArgumentsByTask& arguments,
                                                             int jobs);

}  // namespace kbench
