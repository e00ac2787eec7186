// Compiles the submissions of a plan, several at once, and makes Python submissions ready; some of
// those have a build step. No worker starts before all are done.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/run/kept_sources.hpp"
#include "runner/run/model_arguments.hpp"
#include "runner/run/python_submissions.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/submission/python_builder.hpp"

namespace kbench {

struct SubmissionBuild {
  // The library compiled for the worker, or the folder of a Python submission's files. Empty if
  // there was nothing to do, or with an error.
  std::filesystem::path library;
  std::optional<PythonModel> python;
  // The reference, and whether it draws alike, as in ModelArguments; units of a task share them.
  std::optional<PythonFiles> reference;
  bool draws_alike = false;
  std::shared_ptr<Staging> staging;
  // kNotFound: the submission needs something that this machine does not have.
  std::optional<Error> error;
  // State of a row that ends by this error; empty: by its code, see state_of_failed().
  std::optional<State> failed_as;
  std::optional<double> seconds;  // time that the build took, also where it comes from a cache
  bool from_cache = false;        // nothing was compiled: it was in the cache
  std::string words;              // the compiler's, where it compiled
  std::string labels;             // see submission/findings.hpp; separated by spaces
  KeptSources sources;            // its files; also those of what is not built, where readable
};

// The compilers and builders of a run's submissions.
struct Builders {
  const Compiler& compiler;
  const PythonBuilder* python = nullptr;  // null where no unit is a Python submission
};

using OnBuild = std::function<void(std::size_t unit, const SubmissionBuild& build)>;

// A build for each unit of the plan, in its order. `arguments`: for tasks with Python submissions.
// At most `jobs` compilers run at the same time; none is begun once `given_up` is true. `told` is
// told of each as it ends, by any thread.
[[nodiscard]] std::vector<SubmissionBuild> build_submissions(
    const Plan& plan, const Builders& builders, const ArgumentsByTask& arguments, int jobs,
    const std::atomic<bool>& given_up, const OnBuild& told = {});

// The state of a row whose build has an error.
[[nodiscard]] State state_of_failed(const SubmissionBuild& build);

// Adds facts of the build to the row: labels, and the compilers' words for a submission that was
// measured without a part that does not compile (label "fallback").
void tell_of_build(const SubmissionBuild& build, Evaluation& evaluation);

}  // namespace kbench
