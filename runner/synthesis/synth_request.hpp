// A synthesis of tasks, as it is asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/plan/run_request.hpp"

namespace kbench {

struct SynthRequest {
  std::filesystem::path out;  // the suite; made where it is missing
  int count = 100;            // candidates that are tried, of the grammar
  std::int64_t seed = 0;
  int least = 1;  // operators of a candidate
  int most = 5;
  std::vector<std::filesystem::path> from;  // files and tables in place of the grammar
  std::optional<std::string> device;        // "cpu", "cuda" or "cuda:N"; else what there is
  // Devices that make trials at once, in the words of plan/device_choice.hpp; empty: the one above.
  std::optional<std::string> devices;
  std::optional<ShardChoice> shard;               // every N-th candidate; empty: all
  std::string mode = "train";                     // as of an import
  std::optional<std::filesystem::path> held_out;  // a suite; else the installation's
  bool no_packages = false;
  bool no_run = false;  // candidates are only lowered
  bool resume = false;
};

}  // namespace kbench
