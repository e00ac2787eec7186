// System call filters, made with libseccomp and installed by hand: making one allocates, so it is
// done where that is allowed, and installing one is three system calls, which a forked process may
// do. What is denied returns EPERM and never kills: libcuda and the C library then fall back.
#pragma once

#include <linux/filter.h>

#include <span>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

struct FilterRules {
  // Forbidden to every sandboxed program: ptrace, other processes' memory, mounts, namespaces, bpf,
  // perf, io_uring, keys, userfaultfd, sockets, System V IPC, device nodes, clocks, modules.
  bool common = true;
  // Unix sockets stay possible, and no others. libcuda makes one in cuInit and fails without (error
  // 304, driver 580, whatever errno it gets); in an empty root there is nothing to connect to.
  bool unix_sockets = false;
  // Nothing that starts: fork, vfork, clone of a process, execve. Threads are allowed. No new
  // sockets either: all that needed one has started.
  bool no_processes = false;
  // Signals only to this process (by number, so for a process without children), and no limits set
  // on others. 0 = no rule.
  int only_signal = 0;
  // Only the calling thread's own priorities (of processor and disk) can be changed.
  bool only_own_priority = false;
  // Nothing that could continue this process while it is stopped: SIGCONT sent by itself, and all
  // by which the kernel sends a chosen signal later on (timers, asynchronous files, terminals,
  // message queues, the end of a parent).
  bool no_continuing = false;
  // No memory becomes executable: neither files nor anything else can be mapped so, or made so.
  bool no_new_code = false;
};

// Errors: kInfrastructure, when libseccomp refuses a rule.
[[nodiscard]] Result<std::vector<sock_filter>> make_filter(const FilterRules& rules);

// Installs a filter for all threads of this process and sets no_new_privs. Returns 0 or an errno
// value; allocates nothing.
[[nodiscard]] int install_filter(std::span<const sock_filter> filter);

// Whether this kernel knows system call filters.
[[nodiscard]] bool kernel_has_filters();

}  // namespace kbench
