#include "runner/measure/players/zygote.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;

constexpr int kControlDescriptor = 3;
constexpr milliseconds kImportPatience{180'000};  // time for importing torch, on a busy machine
constexpr milliseconds kForkPatience{20'000};
constexpr milliseconds kDeathPatience{5'000};
constexpr milliseconds kEndPatience{10'000};
constexpr milliseconds kLookPatience{20'000};

SandboxedProcess::Exit exit_of(int status) {
  if (WIFSIGNALED(status)) return {.exited = false, .signal = WTERMSIG(status)};
  return {.exited = true, .code = WEXITSTATUS(status)};
}

// A session: a process that the zygote forked.
class SessionProcess final : public SandboxedProcess {
 public:
  SessionProcess(std::shared_ptr<Zygote> zygote, pid_t pid, UniqueFd handle)
      : zygote_(std::move(zygote)), pid_(pid), handle_(std::move(handle)) {}
  ~SessionProcess() override { kill(); }
  SessionProcess(const SessionProcess&) = delete;
  SessionProcess& operator=(const SessionProcess&) = delete;

  Result<Exit> wait(milliseconds timeout) override {
    if (ended_) return *ended_;
    const auto status = zygote_->await_end(timeout);
    if (!status && status.error().code == ErrorCode::kTimeout) return status.error();
    // If the zygote said nothing, everything died at once, for want of memory for example.
    ended_ = status ? exit_of(*status) : Exit{.exited = false, .signal = SIGKILL};
    zygote_->sandboxed().forget(pid_);
    zygote_->forget_session();
    return *ended_;
  }

  void kill() override {
    if (ended_) return;
    ::syscall(SYS_pidfd_send_signal, handle_.get(), SIGKILL, nullptr, 0);
    // A tree that is stopped by signals is continued only if all of its threads are seen to stand,
    // and a dying one does not: so the session has to be dead first. In a frozen group it can only
    // die afterwards.
    if (!zygote_->sandboxed().thaw()) {
      pollfd end{handle_.get(), POLLIN, 0};
      ::poll(&end, 1, static_cast<int>(kDeathPatience.count()));
      (void)zygote_->sandboxed().thaw();
    }
    if (wait(kEndPatience)) return;
    zygote_->sandboxed().kill();
    zygote_->forget_session();
    ended_ = Exit{.exited = false, .signal = SIGKILL};
  }

  Status freeze() override { return ended_ ? Status(Done{}) : zygote_->sandboxed().freeze(); }
  Status thaw() override { return ended_ ? Status(Done{}) : zygote_->sandboxed().thaw(); }
  void move_threads() override { zygote_->sandboxed().move_threads(); }
  [[nodiscard]] Result<std::vector<pid_t>> processes() override {
    return ended_ ? Result<std::vector<pid_t>>(std::vector<pid_t>{}) : zygote_->sessions();
  }
  [[nodiscard]] int exit_fd() const override { return handle_.get(); }

 private:
  std::shared_ptr<Zygote> zygote_;
  pid_t pid_;
  UniqueFd handle_;  // a pidfd
  std::optional<Exit> ended_;
};

std::string type_of(const Result<Message>& message) {
  return message && message->body.is_object() ? message->body.value("type", "") : "";
}

}  // namespace

Error Zygote::failed(const std::string& what) {
  const std::string words = output_.last_lines();
  return {ErrorCode::kInfrastructure,
          fmt::format("the Python that plays submissions {}{}{}", what, words.empty() ? "" : ": ",
                      words),
          "it needs torch of the version that kbench was built with; `kbench doctor` says which "
          "Python is used, `kbench selftest sandbox` what the sandbox can do here"};
}

Result<std::shared_ptr<Zygote>> Zygote::start(Sandbox& sandbox, SandboxCommand command) {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  auto output = WorkerOutput::make();
  if (!output) return output.error();
  command.descriptors = {{ends->second.get(), kControlDescriptor},
                         {output->write_end(), STDOUT_FILENO},
                         {output->write_end(), STDERR_FILENO}};
  auto folders = SessionFolders::make();
  if (!folders) return folders.error();
  command.writable.push_back(folders->above());
  auto process = sandbox.start(command);
  if (!process) return process.error();
  if (auto taken = folders->take_back(); !taken) return taken.error();
  ends->second.reset();
  output->close_write_end();
  std::shared_ptr<Zygote> zygote(new Zygote(
      std::move(*folders), std::move(*process),
      Channel(std::move(ends->first), Channel::Descriptors::kRefused), std::move(*output)));
  if (type_of(zygote->channel_.receive(kImportPatience)) != "zygote")
    return zygote->failed("does not start");
  auto own = zygote->process_->processes();
  if (!own) return own.error();
  zygote->own_ = std::move(*own);
  return zygote;
}

Result<std::vector<pid_t>> Zygote::sessions() {
  auto all = process_->processes();
  if (!all) return all.error();
  std::erase_if(*all,
                [&](pid_t pid) { return std::find(own_.begin(), own_.end(), pid) != own_.end(); });
  return all;
}

Result<int> Zygote::await_end(milliseconds timeout) {
  const auto message = channel_.receive(std::max(timeout, milliseconds{1}));
  if (!message) return message.error();
  if (type_of(message) != "ended")
    return Error{ErrorCode::kInfrastructure, "the zygote said something else than asked", ""};
  return message->body.value("status", 0);
}

Status Zygote::look_over() {
  if (auto sent = channel_.send({{"type", "look_over"}}); !sent) return failed("has ended");
  const auto answer = channel_.receive(kLookPatience);
  if (type_of(answer) == "unchanged") return Done{};
  return failed(type_of(answer) == "changed"
                    ? "is not as it was: " + answer->body.value("why", std::string())
                    : std::string("does not look after itself"));
}

Result<std::unique_ptr<SandboxedProcess>> Zygote::fork(int control, int output) {
  const auto left = sessions();
  if (!left) return left.error();
  if (!left->empty()) return failed("has processes of another session beside it");
  auto folder = folders_.make_next();
  if (!folder) return folder.error();
  session_folder_ = std::move(*folder);
  const Json order = {{"type", "fork"}, {"folder", session_folder_.string()}};
  if (auto sent = channel_.send(order, {control, output}); !sent) return failed("has ended");
  if (type_of(channel_.receive(kForkPatience)) != "forked") return failed("does not fork");
  const auto found = sessions();
  if (!found) return found.error();
  if (found->size() != 1) return failed("forked, and its process cannot be found");
  UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, found->front(), 0)));
  if (!handle.valid())
    return failed(std::string("forked, and its process has no handle: ") + std::strerror(errno));
  return std::unique_ptr<SandboxedProcess>(
      std::make_unique<SessionProcess>(shared_from_this(), found->front(), std::move(handle)));
}

}  // namespace kbench
