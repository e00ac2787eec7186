// How much a process that runs foreign code has written to its folder. A disk has no limit for one
// folder, and a limit on the length of a file (RLIMIT_FSIZE) says nothing of many: so they are
// counted, and a process with too many or too large ones ends, before the disk is full for all
// users.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "runner/core/result.hpp"
#include "runner/os/foreign_tree.hpp"

namespace kbench {

class WrittenFiles {
 public:
  // Limit of all files together; the sandbox limits a single file to half of it.
  static constexpr TreeSize kMost{.bytes = 2ull << 30, .entries = 10'000, .depth = 64};

  explicit WrittenFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The limit that is exceeded, in words that follow a name; empty if none is. Looks if the last
  // look was at least `every` ago, and never for more than a fiftieth of the time. What `processes`
  // have open counts under whatever name, also under none. Errors: kInfrastructure, where the
  // folder or a process cannot be looked into.
  [[nodiscard]] Result<std::string> look(std::span<const pid_t> processes,
                                         std::chrono::nanoseconds every);
  // The same, whenever the last look was and however long it took.
  [[nodiscard]] Result<std::string> look_now(std::span<const pid_t> processes);

 private:
  std::filesystem::path folder_;
  std::chrono::steady_clock::time_point looked_;
  std::chrono::nanoseconds took_{0};
};

}  // namespace kbench
