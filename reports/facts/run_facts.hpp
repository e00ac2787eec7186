// Facts of a run's device and software, as stored; and which of two runs' facts keep them from
// being compared, or are worth knowing when they are. The stored JSON is foreign: what is missing
// or of another type is empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"

namespace kbench {

struct RunFacts {
  std::string kind;    // "cpu" or "cuda"; empty where unknown
  std::string device;  // its name
  int threads = 0;     // threads of a CPU: another number makes another device

  // Circumstances that a result may depend on, as words.
  std::string driver;
  std::string torch;
  std::string host_compiler;
  std::string nvcc;
  std::string kbench;  // version and commit
  std::string kernel;
  std::string sandbox;
  std::string calibration;
  int failed_clock_checks = 0;  // when the device was calibrated

  // Commit of the submissions folder; empty if it is in no git repository.
  std::string commit;
  std::optional<bool> dirty;
  bool quick = false;
  bool timed = true;                 // no: --checks-only
  std::optional<std::int64_t> seed;  // --seed

  // The submissions: a folder, or one file; empty if none was named.
  std::string submissions_folder;
  std::string submitted_file;
};

// A run's recorded text as JSON; null if it is none.
[[nodiscard]] Json recorded(const std::string& text);

[[nodiscard]] RunFacts facts_of(const Run& run);

// "AMD EPYC, 2 threads", "NVIDIA H200".
[[nodiscard]] std::string device_words(const RunFacts& facts);
[[nodiscard]] bool same_device(const RunFacts& a, const RunFacts& b);
// Whether --device means it: its kind, or some part of its name, letters of either case being
// equal.
[[nodiscard]] bool device_matches(const RunFacts& facts, const std::string& wanted);
// "0123456789ab", and "+changes" after it where files differ from the commit; empty without one.
[[nodiscard]] std::string commit_words(const RunFacts& facts);
// "2026-11-21 13:00": as stored, to the minute.
[[nodiscard]] std::string minute_of(const std::string& started_at);

struct Difference {
  std::string what;  // "driver"
  std::string before;
  std::string after;
};

// Differences among driver, torch, compilers, kbench, kernel, sandbox and calibration.
[[nodiscard]] std::vector<Difference> environment_changes(const RunFacts& before,
                                                          const RunFacts& after);

}  // namespace kbench
