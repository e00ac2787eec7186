// The bait of a selftest, alive as long as the object: a folder with files, listening sockets,
// shared memory, and a process of our own user to attack.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/selftest/escape/escapes.hpp"

namespace kbench {

class BaitLayout {
 public:
  // Errors: kInfrastructure, naming what could not be made.
  static Result<BaitLayout> make();
  BaitLayout(BaitLayout&& other) noexcept;
  BaitLayout& operator=(BaitLayout&&) = delete;
  BaitLayout(const BaitLayout&) = delete;
  BaitLayout& operator=(const BaitLayout&) = delete;
  ~BaitLayout();

  [[nodiscard]] const Bait& bait() const { return bait_; }
  [[nodiscard]] int sealed_inputs() const { return sealed_.get(); }
  // A new empty folder to be given for writing.
  [[nodiscard]] Result<std::filesystem::path> new_scratch();
  // Whether the victim still runs; a dead one is replaced.
  [[nodiscard]] bool victim_lives();
  // Whether the file that escapes leave has appeared outside; it is removed.
  [[nodiscard]] bool marker_appeared() const;

 private:
  BaitLayout() = default;
  Status make_files();
  void make_sockets();
  Status make_sealed_inputs();
  void make_shared_memory();
  Status start_victim();

  Bait bait_;
  std::filesystem::path folder_;
  std::vector<UniqueFd> sockets_;
  UniqueFd sealed_;
  int segment_ = -1;
  pid_t victim_ = -1;
  int scratches_ = 0;
};

}  // namespace kbench
