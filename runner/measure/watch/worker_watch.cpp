#include "runner/measure/watch/worker_watch.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "runner/core/defence.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/sandbox/proc_files.hpp"

namespace kbench {
namespace {

// The error for a process of which nothing is known; to be made where errno still says why.
Error unknown(const char* what, pid_t process) {
  return {ErrorCode::kInfrastructure,
          std::string("cannot tell ") + what + " of process " + std::to_string(process) +
              " of the sandbox: " + std::strerror(errno),
          "kbench or the machine is short of something, open files for one (ulimit -n); run again"};
}

// Calls visit(tasks, thread) for every thread until one is kUnknown.
template <class Visit>
Look for_each_thread(pid_t process, Visit visit) {
  const UniqueFd tasks(::open(ProcPath().add("/proc/").add(process).add("/task").c_str(),
                              O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!tasks.valid()) return look_of_errno();
  Look worst = Look::kSeen;
  const Look look = for_each_number(tasks.get(), [&](pid_t thread) {
    if (worst != Look::kUnknown && visit(tasks.get(), thread) == Look::kUnknown)
      worst = Look::kUnknown;
  });
  return worst == Look::kUnknown ? worst : look;
}

// schedstat: nanoseconds run, nanoseconds waited, number of slices.
Look read_run_time(int tasks, pid_t thread, RunTime& time) {
  std::array<char, 128> buffer;
  std::string_view text;
  const Look look =
      read_small(tasks, ProcPath().add(thread).add("/schedstat").c_str(), buffer, text);
  if (look != Look::kSeen) return look;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::uint64_t* field : {&time.ns, &time.waited_ns, &time.slices}) {
    while (at != end && *at == ' ') ++at;
    const auto parsed = std::from_chars(at, end, *field);
    if (parsed.ec != std::errc{}) {
      errno = EBADMSG;
      return look_of_errno();
    }
    at = parsed.ptr;
  }
  return Look::kSeen;
}

// The time of a process with that of its threads that have ended.
Look add_process_time(pid_t process, std::uint64_t& total_ns) {
  clockid_t clock{};
  timespec time{};
  if (const int error = ::clock_getcpuclockid(process, &clock); error != 0) {
    errno = error;
    return look_of_errno();
  }
  // The kernel has no other word for a process that is gone.
  if (::clock_gettime(clock, &time) != 0) return errno == EINVAL ? Look::kGone : look_of_errno();
  constexpr std::uint64_t kSecond = 1'000'000'000;
  total_ns +=
      static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
  return Look::kSeen;
}

}  // namespace

Result<RunTimes> run_times(std::span<const pid_t> processes) {
  RunTimes times;
  for (const pid_t process : processes) {
    const Look threads = for_each_thread(process, [&](int tasks, pid_t thread) {
      RunTime time;
      const Look look = read_run_time(tasks, thread, time);
      if (look == Look::kSeen) times.threads[thread] = time;
      return look;
    });
    if (threads == Look::kUnknown || add_process_time(process, times.total_ns) == Look::kUnknown)
      return unknown("the run time", process);
  }
  return times;
}

std::int64_t waited_ns(const RunTimes& before, const RunTimes& after) {
  std::uint64_t waited = 0;
  for (const auto& [thread, now] : after.threads) {
    const auto then = before.threads.find(thread);
    if (then != before.threads.end() && now.waited_ns > then->second.waited_ns)
      waited += now.waited_ns - then->second.waited_ns;
  }
  return static_cast<std::int64_t>(waited);
}

RanMeanwhile ran_meanwhile(const RunTimes& before, const RunTimes& after) {
  RanMeanwhile meanwhile;
  for (const auto& [thread, now] : after.threads) {
    const auto found = before.threads.find(thread);
    if (found == before.threads.end()) continue;
    const RunTime& then = found->second;
    if (now.slices == then.slices && now.ns > then.ns) meanwhile.leaving_ns += now.ns - then.ns;
  }
  // Time that this does not explain was another thread's: one that was put on a core, a new one, or
  // one that took its time along when it ended.
  const std::uint64_t explained_ns = before.total_ns + meanwhile.leaving_ns;
  if (after.total_ns > explained_ns) meanwhile.again_ns = after.total_ns - explained_ns;
  return meanwhile;
}

bool StopLedger::ran(const RanMeanwhile& meanwhile) {
  // Longest time in which a thread leaves its core: 8.7 ms were seen, beside a busy neighbour on
  // the host; hardly ever more than some microseconds.
  constexpr std::uint64_t kLongestLeavingNs = 100'000'000;
  constexpr std::uint64_t kLeavingNs = 500'000;  // allowance for each stop, on average
  // A thread may lose its core to another one just before it leaves, and get one only to leave.
  constexpr std::uint64_t kAgainNs = 500'000;
  constexpr std::uint64_t kLongestAgainNs = 20'000'000;
  constexpr std::uint64_t kAlways = 2;
  constexpr std::uint64_t kOneIn = 50;
  ++stops_;
  leaving_ns_ += meanwhile.leaving_ns;
  if (leaving_ns_ > kLongestLeavingNs + stops_ * kLeavingNs) return true;
  if (meanwhile.again_ns > kLongestAgainNs) return true;
  if (meanwhile.again_ns <= kAgainNs) return false;
  ++overruns_;
  return overruns_ > kAlways + stops_ / kOneIn;
}

bool CoreLedger::ran_on_more(std::uint64_t run_time_ns, std::chrono::nanoseconds call) {
  // Both looks are at threads that stand still, so that nothing is to be granted for the length of
  // a call: in 7,500 calls of honest ones, beside three busy loops too, the sum was always below by
  // 58 us at least.
  constexpr std::int64_t kReadingNs = 50'000;
  constexpr std::uint64_t kAlways = 2;
  constexpr std::uint64_t kOneIn = 50;
  ++calls_;
  const auto most = static_cast<std::uint64_t>(cores_ * (call.count() + kReadingNs));
  if (run_time_ns <= most) return false;
  ++overruns_;
  return overruns_ > kAlways + calls_ / kOneIn;
}

bool StallWatch::stalled(std::chrono::nanoseconds into_call, std::uint64_t run_time_ns) {
  constexpr std::uint64_t kHardlyAnythingNs = 5'000'000;
  constexpr auto kWhile = std::chrono::milliseconds{200};
  if (since_.count() == 0 || run_time_ns > run_time_then_ns_ + kHardlyAnythingNs) {
    since_ = into_call;
    run_time_then_ns_ = run_time_ns;
  }
  if (told_ || into_call - since_ < kWhile) return false;
  return told_ = true;
}

}  // namespace kbench
