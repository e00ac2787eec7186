// Escapes through the kernel: mounts, namespaces, young subsystems, privileges. None of them
// changes anything when it works, beyond this process and its namespaces.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "runner/core/unique_fd.hpp"
#include "runner/selftest/escape/attempt.hpp"

namespace kbench {
namespace {

// A child made by a raw call ends at once; the parent reaps it.
EscapeAttempt judge_child(long child, std::string_view call) {
  if (child == 0) ::_exit(0);
  const EscapeAttempt attempt = judge(child, call);
  if (child > 0) ::waitpid(static_cast<pid_t>(child), nullptr, __WALL);
  return attempt;
}

EscapeAttempt clone_namespace(const Bait&) {
  const unsigned long flags = CLONE_NEWUSER | static_cast<unsigned long>(SIGCHLD);
  return judge_child(::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, 0ul), "clone");
}

EscapeAttempt clone3_namespace(const Bait&) {
  struct {
    std::uint64_t flags = CLONE_NEWUSER;
    std::uint64_t unused[3] = {};
    std::uint64_t exit_signal = SIGCHLD;
    std::uint64_t rest[3] = {};
  } arguments;
  return judge_child(::syscall(SYS_clone3, &arguments, sizeof arguments), "clone3");
}

EscapeAttempt join_namespace(const Bait&) {
  const UniqueFd own(::open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC));
  return judge_refusal(::setns(own.get(), CLONE_NEWUTS), "setns");
}

EscapeAttempt io_uring(const Bait&) {
  std::array<std::uint64_t, 15> parameters{};  // struct io_uring_params: 120 bytes
  return judge_refusal(::syscall(SYS_io_uring_setup, 4, parameters.data()), "io_uring_setup");
}

EscapeAttempt bpf(const Bait&) {
  struct {
    std::uint32_t type = 2;  // an array
    std::uint32_t key_size = 4;
    std::uint32_t value_size = 4;
    std::uint32_t entries = 1;
    std::array<std::uint64_t, 14> rest{};
  } attributes;
  return judge_refusal(::syscall(SYS_bpf, 0 /* BPF_MAP_CREATE */, &attributes, sizeof attributes),
                       "bpf");
}

EscapeAttempt perf(const Bait&) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.exclude_kernel = 1;
  return judge_refusal(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0),
                       "perf_event_open");
}

EscapeAttempt set_clock(const Bait&) {
  timex none{};
  none.modes = ADJ_OFFSET_SINGLESHOT;  // the offset is nothing
  return judge_refusal(::adjtimex(&none), "adjtimex");
}

EscapeAttempt host_name(const Bait&) {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return judge_refusal(::sethostname(name.data(), std::string_view(name.data()).size()),
                       "sethostname");
}

#ifdef __x86_64__
// The number in eax, as 32-bit programs call: 2 is fork there.
EscapeAttempt call_32bit(const Bait&) {
  const pid_t self = ::getpid();
  long result = 2;
  asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  if (::getpid() != self) ::_exit(0);
  errno = static_cast<int>(-result);
  return result > 0 ? open_escape("a 32-bit fork succeeded") : judge(-1, "32-bit fork");
}

EscapeAttempt call_x32(const Bait&) {
  constexpr long kX32 = 0x40000000;
  return judge_child(::syscall(kX32 | SYS_fork), "x32 fork");
}
#else
EscapeAttempt call_32bit(const Bait&) { return not_applicable("another processor"); }
EscapeAttempt call_x32(const Bait&) { return not_applicable("another processor"); }
#endif

EscapeAttempt become_root(const Bait&) {
  if (::geteuid() == 0) return open_escape("it is root already");
  return judge(::setresuid(0, 0, 0), "setresuid");
}

EscapeAttempt take_capabilities(const Bait&) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> all{};
  for (auto& word : all) word.effective = word.permitted = 0xffffffff;
  all[1].effective = all[1].permitted = 0x1ff;  // 41 of them are known
  return judge(::syscall(SYS_capset, &header, all.data()), "capset");
}

EscapeAttempt raise_priority(const Bait&) {
  sched_param real_time{.sched_priority = 1};
  if (::sched_setscheduler(0, SCHED_FIFO, &real_time) == 0) return open_escape("it is real-time");
  return judge(::setpriority(PRIO_PROCESS, 0, -5), "setpriority");
}

EscapeAttempt raise_limit(const Bait&) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NPROC, &limit);
  limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
  return judge(::setrlimit(RLIMIT_NPROC, &limit), "setrlimit");
}

}  // namespace

void add_kernel_escapes(EscapeTable& table) {
  table["mount"] = [](const Bait&) {
    return judge_refusal(::mount("none", "/tmp", "tmpfs", 0, nullptr), "mount");
  };
  table["remount"] = [](const Bait&) {
    return judge_refusal(::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr), "remount");
  };
  table["new_mount_api"] = [](const Bait&) {
    return judge_refusal(::syscall(SYS_fsopen, "tmpfs", 0), "fsopen");
  };
  table["user_namespace"] = [](const Bait&) { return judge(::unshare(CLONE_NEWUSER), "unshare"); };
  table["user_namespace_as_compiler"] = table["user_namespace"];
  table["clone_namespace"] = clone_namespace;
  table["clone3_namespace"] = clone3_namespace;
  table["join_namespace"] = join_namespace;
  table["chroot"] = [](const Bait&) { return judge_refusal(::chroot("/"), "chroot"); };
  table["pivot_root"] = [](const Bait&) {
    return judge_refusal(::syscall(SYS_pivot_root, "/", "/"), "pivot_root");
  };
  table["io_uring"] = io_uring;
  table["bpf"] = bpf;
  table["perf"] = perf;
  table["keyring"] = [](const Bait&) {
    return judge_refusal(
        ::syscall(SYS_add_key, "user", "kbench-escape", "x", 1, KEY_SPEC_PROCESS_KEYRING),
        "add_key");
  };
  table["userfaultfd"] = [](const Bait&) {
    constexpr int kUserModeOnly = 1;
    return judge_refusal(::syscall(SYS_userfaultfd, O_CLOEXEC | kUserModeOnly), "userfaultfd");
  };
  table["shared_pages"] = [](const Bait&) {
    constexpr std::size_t kPage = 4096;
    void* page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return not_applicable("no shared memory here");
    return judge_refusal(::madvise(page, kPage, MADV_REMOVE), "madvise");
  };
  table["kernel_log"] = [](const Bait&) {
    constexpr int kReadAll = 3;
    std::array<char, 64> text{};
    return judge_refusal(::klogctl(kReadAll, text.data(), static_cast<int>(text.size())), "syslog");
  };
  table["host_name"] = host_name;
  table["set_clock"] = set_clock;
  table["kernel_module"] = [](const Bait&) {
    return judge_refusal(::syscall(SYS_init_module, nullptr, 0, ""), "init_module");
  };
  table["call_32bit"] = call_32bit;
  table["call_x32"] = call_x32;
  table["become_root"] = become_root;
  table["capabilities"] = take_capabilities;
  table["raise_priority"] = raise_priority;
  table["raise_limit"] = raise_limit;
}

}  // namespace kbench
