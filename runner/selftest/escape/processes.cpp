// Escapes into other processes: kbench's, and another submission's worker.
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

#include "runner/core/unique_fd.hpp"
#include "runner/selftest/escape/attempt.hpp"

namespace kbench {
namespace {

// Seizing neither stops nor kills, and ends with this process.
EscapeAttempt trace(int pid) {
  return judge(::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr), "ptrace");
}

EscapeAttempt vm_read(int pid, std::uint64_t address) {
  std::uint64_t word = 0;
  const iovec here{&word, sizeof word};
  const iovec there{reinterpret_cast<void*>(address), sizeof word};
  return judge(::process_vm_readv(pid, &here, 1, &there, 1, 0), "process_vm_readv");
}

EscapeAttempt vm_write(const Bait& bait) {
  std::uint64_t word = 0;
  const iovec here{&word, sizeof word};
  const iovec there{reinterpret_cast<void*>(bait.address), sizeof word};
  return judge(::process_vm_writev(bait.victim, &here, 1, &there, 1, 0), "process_vm_writev");
}

EscapeAttempt open_proc(int pid, const std::string& file, int flags) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + file;
  const UniqueFd opened(::open(path.c_str(), flags | O_CLOEXEC));
  return judge(opened.get(), "open " + path);
}

EscapeAttempt kill_process(int pid) { return judge(::kill(pid, SIGKILL), "kill"); }

EscapeAttempt kill_by_pidfd(const Bait& bait) {
  const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, bait.victim, 0)));
  if (!handle.valid()) return judge(-1, "pidfd_open");
  return judge(::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0),
               "pidfd_send_signal");
}

EscapeAttempt take_descriptor(const Bait& bait) {
  const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, bait.victim, 0)));
  if (!handle.valid()) return judge(-1, "pidfd_open");
  return judge(::syscall(SYS_pidfd_getfd, handle.get(), 0, 0), "pidfd_getfd");
}

// Signal 0 only asks whether one could: a real one would end the machine's session when it works.
EscapeAttempt signal_everybody(const Bait& bait) {
  if (::kill(bait.supervisor, 0) == 0) return open_escape("kbench itself can be signalled");
  return judge(::kill(-1, 0), "kill(-1)");
}

EscapeAttempt limit_victim(const Bait& bait) {
  rlimit limit{};
  if (::prlimit(static_cast<__pid_t>(bait.victim), RLIMIT_CORE, nullptr, &limit) != 0) {
    return judge(-1, "prlimit");
  }
  return judge(::prlimit(static_cast<__pid_t>(bait.victim), RLIMIT_CORE, &limit, nullptr),
               "prlimit");
}

EscapeAttempt pin_victim(const Bait& bait) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return judge(-1, "sched_getaffinity");
  return judge(::sched_setaffinity(bait.victim, sizeof set, &set), "sched_setaffinity");
}

EscapeAttempt slow_victim(const Bait& bait) {
  return judge(::setpriority(PRIO_PROCESS, static_cast<id_t>(bait.victim), 10), "setpriority");
}

EscapeAttempt sysv_memory(const Bait& bait) {
  if (bait.shared_memory_key == 0) return not_applicable("this kernel has no System V memory");
  const int segment = ::shmget(bait.shared_memory_key, 0, 0);
  if (segment < 0) return judge(-1, "shmget");
  void* memory = ::shmat(segment, nullptr, SHM_RDONLY);
  return judge(memory == reinterpret_cast<void*>(-1) ? -1 : 0, "shmat");
}

EscapeAttempt message_queue(const Bait& bait) {
  const std::string name = "/" + bait.marker;
  const mqd_t queue = ::mq_open(name.c_str(), O_RDWR | O_CREAT, 0600, nullptr);
  const EscapeAttempt attempt = judge_refusal(queue, "mq_open");
  if (queue >= 0) ::mq_unlink(name.c_str());
  return attempt;
}

}  // namespace

void add_process_escapes(EscapeTable& table) {
  table["ptrace"] = [](const Bait& bait) { return trace(bait.victim); };
  table["ptrace_as_compiler"] = table["ptrace"];
  table["vm_read"] = [](const Bait& bait) { return vm_read(bait.victim, bait.address); };
  table["vm_write"] = vm_write;
  table["proc_mem"] = [](const Bait& bait) { return open_proc(bait.victim, "mem", O_RDWR); };
  table["proc_environ"] = [](const Bait& bait) {
    return open_proc(bait.victim, "environ", O_RDONLY);
  };
  table["proc_cmdline"] = [](const Bait& bait) {
    return open_proc(bait.victim, "cmdline", O_RDONLY);
  };
  table["proc_root"] = [](const Bait& bait) {
    return open_proc(bait.victim, "root/etc/passwd", O_RDONLY);
  };
  table["take_descriptor"] = take_descriptor;
  table["kill_victim"] = [](const Bait& bait) { return kill_process(bait.victim); };
  table["kill_as_compiler"] = table["kill_victim"];
  table["kill_by_pidfd"] = kill_by_pidfd;
  table["signal_everybody"] = signal_everybody;
  table["limit_victim"] = limit_victim;
  table["pin_victim"] = pin_victim;
  table["slow_victim"] = slow_victim;
  table["other_ptrace"] = [](const Bait& bait) { return trace(bait.other_worker); };
  table["other_vm_read"] = [](const Bait& bait) {
    return vm_read(bait.other_worker, bait.address);
  };
  table["other_proc_mem"] = [](const Bait& bait) {
    return open_proc(bait.other_worker, "mem", O_RDWR);
  };
  table["other_kill"] = [](const Bait& bait) { return kill_process(bait.other_worker); };
  table["sysv_memory"] = sysv_memory;
  table["message_queue"] = message_queue;
}

}  // namespace kbench
