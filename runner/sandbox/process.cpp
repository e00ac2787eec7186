#include "runner/sandbox/process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "runner/core/defence.hpp"
#include "runner/core/json.hpp"
#include "runner/sandbox/enter.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A healthy keeper needs some milliseconds. One that waits for a process stuck in a driver is left
// to itself rather than stopping the whole run.
constexpr milliseconds kKillPatience{10'000};
constexpr milliseconds kFreezePatience{5'000};
constexpr milliseconds kLeavePatience{1'000};

// Waits until `fd` is readable or at its end of file.
bool poll_until(int fd, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    pollfd poll_fd{fd, POLLIN, 0};
    const int wait_ms = static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000));
    const int ready = ::poll(&poll_fd, 1, wait_ms);
    if (ready > 0) return true;
    if (ready == 0 && left <= 0) return false;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// Reads what is there; false at the end of file or on an error.
bool read_some(int fd, std::string& text) {
  std::array<char, 1024> buffer;
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

// The value of `key` in the first line of bwrap's status that has it.
std::optional<int> find_status(const std::string& text, const char* key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const auto found = json.find(key);
    if (found != json.end() && found->is_number_integer()) return found->get<int>();
  }
  return std::nullopt;
}

constexpr const char* kOverloaded =
    "The machine may be overloaded: run again. `kbench selftest sandbox` tries the sandbox alone.";

Error setup_failed() {
  return {ErrorCode::kInfrastructure, "the sandbox could not be set up",
          "kbench doctor says which layers work on this machine."};
}

}  // namespace

Result<bool> await_start(int reports, const std::string& program, milliseconds timeout) {
  if (!poll_until(reports, Clock::now() + timeout)) {
    return Error{ErrorCode::kTimeout, "the sandbox was not set up in time for " + program,
                 kOverloaded};
  }
  EnterReport report;
  const auto got = ::read(reports, &report, sizeof report);
  if (got != static_cast<ssize_t>(sizeof report)) return false;
  if (report.step == EnterStep::kStarted) return true;
  std::string hint;
  if (report.step == EnterStep::kExecute && report.value == EACCES) {
    hint =
        "The user nobody may not reach this file. Move it out of a private folder such as /root, "
        "or install bubblewrap.";
  }
  return Error{ErrorCode::kInfrastructure,
               std::string("cannot ") + describe(report.step) + " for the sandboxed " + program +
                   ": " + std::strerror(report.value),
               std::move(hint)};
}

Result<pid_t> read_bwrap_init(int status_fd, milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  std::string text;
  while (true) {
    if (const auto init = find_status(text, "child-pid")) return static_cast<pid_t>(*init);
    if (!poll_until(status_fd, deadline)) {
      return Error{ErrorCode::kTimeout, "bubblewrap did not start the sandbox in time",
                   kOverloaded};
    }
    if (!read_some(status_fd, text)) return setup_failed();
  }
}

KeptProcess::KeptProcess(Launched launched, pid_t root, UniqueFd reports, Cgroup group,
                         bool started, std::optional<uid_t> own_user,
                         std::shared_ptr<UndeadList> undead)
    : launched_(std::move(launched)),
      group_(std::move(group)),
      undead_(std::move(undead)),
      reports_(std::move(reports)),
      tree_(root),
      own_user_(own_user),
      started_(started) {}

KeptProcess::~KeptProcess() {
  kill();
  if (immortal_) undead_->add(launched_.keeper, std::move(launched_.status));
}

Result<SandboxedProcess::Exit> KeptProcess::wait(milliseconds timeout) {
  if (ended_) return *ended_;
  if (!poll_until(launched_.status.get(), Clock::now() + timeout)) {
    return Error{ErrorCode::kTimeout, "the sandboxed program still runs", ""};
  }
  reap();
  return *ended_;
}

void KeptProcess::kill() {
  if (ended_) return;
  killed_ = true;
  launched_.lifeline.reset();
  if (poll_until(launched_.status.get(), Clock::now() + kKillPatience)) return reap();
  immortal_ = true;
  ended_ = Error{ErrorCode::kInfrastructure,
                 "a process of the sandbox does not die: it hangs in the kernel",
                 "Look at the device driver's messages (dmesg); a reset may be needed."};
}

void KeptProcess::reap() {
  KeeperReport report;
  ssize_t got = 0;
  do {
    got = ::read(launched_.status.get(), &report, sizeof report);
  } while (got < 0 && errno == EINTR);
  ::waitpid(launched_.keeper, nullptr, 0);  // it writes last of all
  const bool keeper_killed = got != static_cast<ssize_t>(sizeof report);
  if (keeper_killed) {
    ended_ = Error{ErrorCode::kInfrastructure,
                   "the keeper of a sandboxed program was killed from outside", ""};
  } else {
    ended_ = explain(report.value);
  }
  look_for_leftovers(keeper_killed);
}

// The keeper ends when it has no child left, so no process of the program should be left. That is
// checked: one that is left would run beside all that is measured from now on.
void KeptProcess::look_for_leftovers(bool keeper_killed) {
  // Nobody waited for the processes below a keeper that was killed; but they are known.
  const Status killed = keeper_killed ? tree_.kill_known(kLeavePatience) : Status(Done{});
  const bool group_is_empty = group_.remove();
  if (!stands(Defence::kNothingLeft)) return;
  if (!killed || !group_is_empty) undead_->add_lost();
  if (own_user_) undead_->add_user(*own_user_);
}

Result<SandboxedProcess::Exit> KeptProcess::explain(int wait_status) {
  EnterReport report;
  // All writers are gone: this cannot block.
  while (::read(reports_.get(), &report, sizeof report) == static_cast<ssize_t>(sizeof report)) {
    if (report.step != EnterStep::kEnded) continue;
    if (WIFSIGNALED(report.value)) return Exit{.exited = false, .signal = WTERMSIG(report.value)};
    return Exit{.exited = true, .code = WEXITSTATUS(report.value)};
  }
  // Without a last word everything was killed at once, by us or for want of memory.
  if (killed_) return Exit{.exited = false, .signal = SIGKILL};
  if (started_) {
    return Exit{.exited = false,
                .signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : SIGKILL};
  }
  return setup_failed();
}

Status KeptProcess::freeze() {
  if (ended_) return Done{};
  return group_.freezer().there() ? freeze_group() : tree_.freeze(kFreezePatience);
}

Status KeptProcess::freeze_group() {
  constexpr int kPatientGlances = 100;
  auto frozen = group_.freezer().freeze(kFreezePatience, [this](int glance) {
    // A thread may wait for a core that another program keeps busy.
    if (glance == kPatientGlances) tree_.move_threads();
    pause_before(glance);
  });
  tree_.unmove_threads();
  return frozen;
}

Status KeptProcess::thaw() {
  if (ended_) return Done{};
  if (!group_.freezer().there()) {
    if (stands(Defence::kStopWatched))
      if (auto stood = tree_.still_stands(); !stood) return stood;
    tree_.thaw();
    return Done{};
  }
  const auto frozen = group_.freezer().frozen();
  if (!frozen) return frozen.error();
  if (!*frozen && stands(Defence::kStopWatched)) {
    return Error{ErrorCode::kSubmission, "its control group was thawed from elsewhere", ""};
  }
  return group_.freezer().thaw();
}

Result<std::vector<pid_t>> KeptProcess::processes() {
  if (ended_) return std::vector<pid_t>{};
  auto all = tree_.processes();
  // kbench-enter, where it is not the first process of a namespace, is ours: stopped with the rest,
  // but nothing of the program, and nobody of its user may look into it.
  if (all) std::erase(*all, launched_.program);
  return all;
}

}  // namespace kbench
