#include "runner/sandbox/unconfined_process.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/unique_fd.hpp"
#include "runner/sandbox/process_tree.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;

class UnconfinedProcess final : public SandboxedProcess {
 public:
  UnconfinedProcess(ChildProcess child, UniqueFd handle)
      : tree_(child.pid()), child_(std::move(child)), handle_(std::move(handle)) {}

  Result<Exit> wait(milliseconds timeout) override {
    if (child_.pid() > 0 && !child_.wait_until(std::chrono::steady_clock::now() + timeout))
      return Error{ErrorCode::kTimeout, "the program still runs",
                   "The machine may be overloaded: run again."};
    kill();
    if (WIFSIGNALED(status_)) return Exit{.exited = false, .signal = WTERMSIG(status_)};
    return Exit{.exited = true, .code = WEXITSTATUS(status_)};
  }

  void kill() override {
    if (child_.pid() > 0) status_ = child_.end().status;
  }

  Status freeze() override { return tree_.freeze(milliseconds{5'000}); }
  Status thaw() override { return tree_.thaw(), Done{}; }
  void move_threads() override { tree_.move_threads(); }
  [[nodiscard]] Result<std::vector<pid_t>> processes() override { return tree_.processes(); }
  void forget(pid_t pid) override { tree_.forget(pid); }
  [[nodiscard]] int exit_fd() const override { return handle_.get(); }

 private:
  FrozenTree tree_;
  ChildProcess child_;
  UniqueFd handle_;  // a pidfd
  int status_ = 0;
};

}  // namespace

Result<std::unique_ptr<SandboxedProcess>> start_unconfined(const ChildPlan& plan) {
  auto child = ChildProcess::start(plan);
  if (!child) return child.error();
  UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, child->pid(), 0)));
  if (!handle.valid())
    return Error{ErrorCode::kInfrastructure,
                 std::string("a process has no handle: ") + std::strerror(errno), ""};
  return std::unique_ptr<SandboxedProcess>(
      std::make_unique<UnconfinedProcess>(std::move(*child), std::move(handle)));
}

}  // namespace kbench
