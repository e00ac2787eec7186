// SandboxedProcess over a keeper (launch.hpp). Used by one thread at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/sandbox/launch.hpp"
#include "runner/sandbox/process_tree.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

class KeptProcess final : public SandboxedProcess {
 public:
  // Started without bwrap: the processes below the keeper are the program's.
  explicit KeptProcess(Launched launched);
  // Started through bwrap, which reports on `status`; the processes below `init`, the first process
  // of the PID namespace as numbered outside, are the program's. `status_text` was read already.
  KeptProcess(Launched launched, pid_t init, UniqueFd status, std::string status_text);
  ~KeptProcess() override;
  KeptProcess(const KeptProcess&) = delete;
  KeptProcess& operator=(const KeptProcess&) = delete;

  Result<Exit> wait(std::chrono::milliseconds timeout) override;
  void kill() override;
  Status freeze() override;
  Status thaw() override;
  [[nodiscard]] std::vector<pid_t> processes() override { return tree_.processes(); }
  [[nodiscard]] int exit_fd() const override { return launched_.status.get(); }

 private:
  void reap();
  [[nodiscard]] Result<Exit> translate(int wait_status);

  Launched launched_;
  bool through_bwrap_ = false;
  UniqueFd bwrap_status_;
  std::string bwrap_text_;
  FrozenTree tree_;
  bool killed_ = false;
  std::optional<Result<Exit>> ended_;
};

// How bwrap's exit code is read. bwrap gives 128 + n for a program killed by signal n, and the code
// itself otherwise, so a program that exits with 128 + n, n a signal, counts as killed by n.
[[nodiscard]] SandboxedProcess::Exit exit_from_bwrap_code(int code);

// Waits for the first line bwrap writes to its status descriptor and returns the number of the
// namespace's init in it. All that was read is appended to `text`.
[[nodiscard]] Result<pid_t> read_bwrap_init(int status_fd, std::string& text,
                                            std::chrono::milliseconds timeout);

}  // namespace kbench
