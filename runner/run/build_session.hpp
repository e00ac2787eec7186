// The submissions of a run to come, compiled into the cache of this machine, and into that of an
// exchange. The device need not be here. Planned, compiled and cached by the code of a run, so that
// the run finds under its own keys what was compiled here.
//
// A run builds two things itself, because they are made on its device: compiled baselines, which
// are tuned there, and on a GPU the kernels that Python submissions have compiled.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/plan/run_request.hpp"

namespace kbench {

struct BuildRequest {
  RunRequest run;                           // the run to build for
  std::optional<std::string> architecture;  // "90a": of its GPU, which need not be here
  std::optional<std::filesystem::path> exchange;
  std::optional<int> jobs;  // compilations at once; empty: by the number of cores
};

struct BuiltRow {
  enum class State {
    kBuilt,
    kThere,   // it was in the cache
    kFailed,  // it does not compile, or what was compiled does not load
    kLeft,    // nothing is compiled for it here
    kUnable,  // a fault of kbench or of the machine
  };
  std::string task;
  SubmissionId submission;
  State state = State::kLeft;
  double seconds = 0;  // time of a build; kBuilt only
  std::string why;     // reason, of the last three; of kFailed the compiler's words
};

struct BuiltPlan {
  std::optional<Error> nothing_selected;  // why there is nothing to do; then the rest is empty
  std::string target;                     // "cuda, architecture 90a"
  std::vector<BuiltRow> rows;             // sorted by task, agent, variant
  bool interrupted = false;               // Ctrl-C ended it; some submissions have no row

  [[nodiscard]] int count(BuiltRow::State state) const;
};

// "built", "there", "failed", "left", "unable".
[[nodiscard]] std::string to_string(BuiltRow::State state);

// The target of the architecture that is named; none without one: the run is on a device of this
// machine. Errors: kUsage for an architecture without a GPU, and a GPU that is not here without
// one.
[[nodiscard]] Result<std::optional<Target>> named_target(const BuildRequest& request);

// Errors: those of named_target and make_plan; those of the exchange, also where it cannot be
// written to.
[[nodiscard]] Result<BuiltPlan> build_plan(const BuildRequest& request,
                                           const Installation& installation,
                                           ProgressSink& progress);

}  // namespace kbench
