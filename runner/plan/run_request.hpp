// The request for a run: all that decides its rows, and nothing else. Where a value is empty, the
// plan takes what the machine has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// Bounds of `call_limit_seconds`.
inline constexpr int kLeastBudgetSeconds = 1;
inline constexpr int kMostBudgetSeconds = 86400;
inline constexpr double kLeastCallLimitSeconds = 0.1;
inline constexpr double kMostCallLimitSeconds = 3600;

// A value of `rerun`: every state that is a failure.
inline constexpr const char* kFailedRows = "failed";

// `kbench run --shard 2/4`: one of several parts of the tasks that were selected.
struct ShardChoice {
  int index = 1;  // from 1
  int of = 1;
};

// "2/4". Errors: kUsage.
[[nodiscard]] Result<ShardChoice> parse_shard(std::string_view word);

struct RunRequest {
  std::optional<std::filesystem::path> suite;  // a folder with levelN/; else the installation's
  std::vector<int> levels;                     // empty: all
  std::vector<std::string> tasks;              // patterns of select_tasks; empty: all
  std::vector<std::string> tags;               // of task/task_tags.hpp, any of them; empty: all
  std::optional<std::string> size;             // "small" or "full"
  std::optional<std::string> device;           // "cpu", "cuda" or "cuda:N"
  std::string precision = "torch-default";
  std::string profile = "kbench";    // one of verify/profile.hpp
  std::string allow_torch = "data";  // to Python submissions; one of measure/players/torch_use.hpp
  std::optional<std::filesystem::path> submissions;
  std::string layout = "kbench";              // of that folder; one of submission/layouts.hpp
  std::optional<std::string> agent;           // only this agent's submissions
  std::optional<std::filesystem::path> file;  // a single submission, in place of a folder
  std::optional<std::string> name;            // of that file's agent; else by where it lies
  bool all_tasks = false;                     // of no task selected: also those without submissions
  bool baselines_only = false;
  bool quick = false;        // the fewest blocks that give a ratio
  bool no_lint = false;      // tasks of others are not checked, and rank nobody
  bool checks_only = false;  // judged without timing: no package is built, no row is ranked
  // Inputs, orders and places are drawn from the seed, the same ones for all submissions for a
  // task. Its owner knows them beforehand, so such rows are labelled and rank nobody. Empty: each
  // row has a random seed, which nobody knows before the row is measured.
  std::optional<std::int64_t> seed;
  bool vendor = false;       // one call of a vendor's library is timed as a third baseline
  bool repeat_busy = false;  // a row that other programs disturbed is measured once more
  // Only rows that failed in an earlier run, or ended in one of these states: kFailedRows and names
  // of states.
  std::vector<std::string> rerun;
  std::optional<std::string> rerun_of;  // that run, a name of store/run_name.hpp; else the newest
  std::optional<ShardChoice> shard;
  std::string group;         // with a shard: what it is a part of, a name as of a tag
  int budget_seconds = 180;  // that one submission may keep the run waiting
  std::optional<double> call_limit_seconds;  // of one call; empty: by eager's time
  // Long names of the options that were typed, without dashes: an option that is typed at its
  // default is typed all the same.
  std::set<std::string> given;
};

}  // namespace kbench
