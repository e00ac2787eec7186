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

// Bounds of `budget_seconds` and of `call_limit_seconds`.
inline constexpr int kLeastBudgetSeconds = 1;
inline constexpr int kMostBudgetSeconds = 86400;
inline constexpr double kLeastCallLimitSeconds = 0.1;
inline constexpr double kMostCallLimitSeconds = 3600;

// A value of `rerun`: every state that is a failure.
inline constexpr const char* kFailedRows = "failed";

// `kbench run --shard 2/4`: one of several parts of the tasks that were selected.
struct ShardChoice {
  int index = 1;  // counted from 1
  int of = 1;
};

// "2/4". Errors: kUsage.
[[nodiscard]] Result<ShardChoice> parse_shard(std::string_view word);

struct RunRequest {
  std::optional<std::filesystem::path> suite;  // folder with levelN/; else the installation's
  std::vector<int> levels;                     // empty: all
  std::vector<std::string> tasks;              // patterns of select_tasks; empty: all
  std::vector<std::string> tags;               // a task needs one (task/task_tags.hpp); empty: all
  std::optional<std::string> size;             // "small" or "full"
  std::optional<std::string> device;           // "cpu", "cuda" or "cuda:N"
  std::string precision = "torch-default";
  std::string profile = "kbench";    // name in verify/profile.hpp
  std::string allow_torch = "data";  // Python's right to torch: measure/players/torch_use.hpp
  std::optional<std::filesystem::path> submissions;
  std::string layout = "kbench";              // layout of that folder: submission/layouts.hpp
  std::optional<std::string> agent;           // the only agent that is run; empty: all
  std::optional<std::filesystem::path> file;  // single submission, in place of a folder
  std::optional<std::string> name;            // agent of that file; empty: by its place
  bool all_tasks = false;                     // tasks without a submission are run as well
  bool baselines_only = false;
  bool quick = false;        // the fewest blocks that give a ratio
  bool no_lint = false;      // imported tasks are not checked, and rank no row
  bool checks_only = false;  // judged without timing: no package is built, no row is ranked
  // Inputs, orders and places are drawn from the seed, the same ones for all submissions for a
  // task. Its owner knows them beforehand, so such rows are labelled and do not rank. Empty: each
  // row has a random seed, which is unknown before the row is measured.
  std::optional<std::int64_t> seed;
  bool vendor = false;       // one call of a vendor's library is timed as a third baseline
  bool repeat_busy = false;  // a row that other programs disturbed is measured once more
  // Only rows that failed in an earlier run, or ended in one of these states: kFailedRows and names
  // of states.
  std::vector<std::string> rerun;
  std::optional<std::string> rerun_of;  // earlier run, as in store/run_name.hpp; else the newest
  std::optional<ShardChoice> shard;
  std::string group;         // name of the whole, with a shard; written like a tag
  int budget_seconds = 180;  // longest time that one submission may keep the run waiting
  std::optional<double> call_limit_seconds;  // longest time of one call; empty: by eager's time
  // Long names of the options that were typed, without dashes: an option that is typed at its
  // default is typed all the same.
  std::set<std::string> given;
};

}  // namespace kbench
