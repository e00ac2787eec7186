// SandboxedProcess over a keeper (launch.hpp) and kbench-enter (enter.hpp), which says how the
// program ended. Used by one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/unique_fd.hpp"
#include "runner/sandbox/cgroup.hpp"
#include "runner/sandbox/launch.hpp"
#include "runner/sandbox/process_tree.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/sandbox/undead.hpp"

namespace kbench {

class KeptProcess final : public SandboxedProcess {
 public:
  // All processes below `root`, as numbered here, are the program's, or kbench-enter. kbench-enter
  // writes to `reports`; `started` is true if it said that the program was executed; `own_user` is
  // the program's user if no other program has it.
  KeptProcess(Launched launched, pid_t root, UniqueFd reports, Cgroup group, bool started,
              std::optional<uid_t> own_user, std::shared_ptr<UndeadList> undead);
  ~KeptProcess() override;
  KeptProcess(const KeptProcess&) = delete;
  KeptProcess& operator=(const KeptProcess&) = delete;

  Result<Exit> wait(std::chrono::milliseconds timeout) override;
  void kill() override;
  Status freeze() override;
  Status thaw() override;
  void move_threads() override { tree_.move_threads(); }
  [[nodiscard]] Result<std::vector<pid_t>> processes() override;
  void forget(pid_t pid) override { tree_.forget(pid); }
  [[nodiscard]] int exit_fd() const override { return launched_.status.get(); }

 private:
  void reap();
  // Looks, once the program is over, for any sign that something of it is left.
  void look_for_leftovers(bool keeper_killed);
  Status freeze_group();
  [[nodiscard]] Result<Exit> explain(int wait_status);

  Launched launched_;
  Cgroup group_;
  std::shared_ptr<UndeadList> undead_;
  UniqueFd reports_;
  FrozenTree tree_;
  std::optional<uid_t> own_user_;
  bool started_ = false;  // the program was executed
  bool killed_ = false;
  bool immortal_ = false;  // SIGKILL did not end it in time
  std::optional<Result<Exit>> ended_;
};

// Waits for kbench-enter's first word: whether the program was executed. False where the pipe broke
// before: then wait() says so. Errors: kInfrastructure with what it could not do, or kTimeout.
[[nodiscard]] Result<bool> await_start(int reports, const std::string& program,
                                       std::chrono::milliseconds timeout);

// Waits for the first line bwrap writes to its status descriptor and returns the number of the
// namespace's first process in it.
[[nodiscard]] Result<pid_t> read_bwrap_init(int status_fd, std::chrono::milliseconds timeout);

}  // namespace kbench
