// Lowers many foreign files at a time, in sandboxed Pythons that are kept between files and
// replaced when a file broke one.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/import/import_error.hpp"
#include "runner/import/lowering_process.hpp"

namespace kbench {

struct LoweringRequest {
  int level = 1;
  std::string file;  // "019_relu.py"
  std::string source;
};

// Exactly one of the two.
struct LoweringAnswer {
  std::string task;  // unchecked text of the foreign process
  std::optional<ImportError> error;
};

struct LoweringOptions {
  std::string mode;  // "batch-stats" or "eval", as tasks record it
  int processes = 1;
  std::chrono::seconds cpu_limit{120};             // processor time of one file
  std::optional<std::chrono::seconds> wall_limit;  // limit of a file; else its processor time's
  std::function<void()> tick;  // optional; called a few times a second while waiting
  Stop stop;                   // optional; true ends it all, unfinished files are left out
};

// How long a file may take by the wall clock, for those that wait instead of working: four times
// its processor time, because the processors may be busy with others, and 15 s for importing torch.
[[nodiscard]] std::chrono::seconds wall_limit(std::chrono::seconds cpu_limit);

// How many processes are worth starting for so many files, `most` at most: importing torch takes
// one as long as lowering thirty files, so for few of them another one costs more than it saves.
[[nodiscard]] int processes_for(std::size_t files, int most);

// `on_done` is called from this thread as answers arrive, in any order. Errors: kInfrastructure
// when no Python can be started.
[[nodiscard]] Status lower_files(
    Sandbox& sandbox, const LoweringSetup& setup, const std::vector<LoweringRequest>& requests,
    const LoweringOptions& options,
    const std::function<void(std::size_t index, const LoweringAnswer&)>& on_done);

}  // namespace kbench
