// How much a session has written to its folder. A disk has no limit for one folder, and a limit on
// the length of a file (RLIMIT_FSIZE) says nothing of many: so they are counted, and a session that
// has too many or too large ones ends, before it fills the disk for everybody.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>

#include "runner/measure/player.hpp"
#include "runner/os/foreign_tree.hpp"

namespace kbench {

class WrittenFiles {
 public:
  // Of all files of a session together; one of them is as large as its sandbox lets it be, half.
  static constexpr TreeSize kMost{.bytes = 2ull << 30, .entries = 10'000, .depth = 64};

  explicit WrittenFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // How a session of these processes ends for what it wrote. Looks where the last look was at least
  // `every` ago, and never for more than a fiftieth of the time. Files that are open count under
  // whatever name, also under none.
  [[nodiscard]] std::optional<EarlyEnd> look(std::span<const pid_t> processes,
                                             std::chrono::nanoseconds every);

 private:
  std::filesystem::path folder_;
  std::chrono::steady_clock::time_point looked_;
  std::chrono::nanoseconds took_{0};
};

}  // namespace kbench
