#include "runner/sandbox/seccomp_filter.hpp"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

// Numbers that the kernel headers of Debian 12 do not name yet; they are the same everywhere.
constexpr int kOpenTreeAttr = 467;
constexpr unsigned kCollapse = 25;           // MADV_COLLAPSE
constexpr unsigned kFirstUnknownCall = 463;  // setxattrat: later than any call considered here
static_assert(kOpenTreeAttr > static_cast<int>(kFirstUnknownCall), "covered by the bound");

#ifndef CLONE_NEWTIME
constexpr int CLONE_NEWTIME = 0x00000080;
#endif

// IOPRIO_WHO_PROCESS. In some kernel headers linux/ioprio.h has an argument named `class`, which is
// no C++.
constexpr unsigned kIoprioWhoProcess = 1;

// Denied to every sandboxed program, whatever the arguments.
constexpr int kDenied[] = {
    // other processes
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise), SCMP_SYS(process_mrelease), SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp),
    SCMP_SYS(move_pages), SCMP_SYS(migrate_pages),
    // mounts and namespaces
    SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
    SCMP_SYS(move_mount), SCMP_SYS(open_tree), SCMP_SYS(fsopen), SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount), SCMP_SYS(fspick), SCMP_SYS(mount_setattr), SCMP_SYS(unshare),
    SCMP_SYS(setns), SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(open_by_handle_at),
    SCMP_SYS(name_to_handle_at), SCMP_SYS(fanotify_init), SCMP_SYS(quotactl), SCMP_SYS(quotactl_fd),
    SCMP_SYS(acct),
    // large or young parts of the kernel
    SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register), SCMP_SYS(userfaultfd), SCMP_SYS(keyctl), SCMP_SYS(add_key),
    SCMP_SYS(request_key), SCMP_SYS(modify_ldt), SCMP_SYS(memfd_secret), SCMP_SYS(vmsplice),
    // the machine
    SCMP_SYS(reboot), SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(init_module),
    SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime), SCMP_SYS(adjtimex), SCMP_SYS(syslog),
    SCMP_SYS(sethostname), SCMP_SYS(setdomainname), SCMP_SYS(iopl), SCMP_SYS(ioperm),
    SCMP_SYS(vhangup), SCMP_SYS(lookup_dcookie),
    // System V IPC, message queues
    SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(semget), SCMP_SYS(msgget), SCMP_SYS(mq_open)};

constexpr unsigned long kNamespaceFlags[] = {
    CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
    CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET, static_cast<unsigned long>(CLONE_NEWTIME)};

// A libseccomp filter under construction. The first refusal sticks.
class Builder {
 public:
  Builder() : context_(::seccomp_init(SCMP_ACT_ALLOW)) {
    if (context_ == nullptr) {
      problem_ = -ENOMEM;
      return;
    }
    // Calls of another architecture (32-bit on x86-64) do not exist here.
    note(::seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)));
    // A binary tree instead of a chain: every system call of a timed program passes through it.
    note(::seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, 2));
  }
  ~Builder() { ::seccomp_release(context_); }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  template <class... Conditions>
  void deny(int call, int error, Conditions... conditions) {
    if (problem_ != 0) return;
    note(::seccomp_rule_add(context_, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call,
                            sizeof...(conditions), conditions...));
  }

  Result<std::vector<sock_filter>> finish() {
    const UniqueFd file(::memfd_create("kbench-filter", MFD_CLOEXEC));
    if (!file.valid()) return refused(errno);
    note(::seccomp_export_bpf(context_, file.get()));
    if (problem_ != 0) return refused(-problem_);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return refused(errno);
    std::vector<sock_filter> filter = reject_unknown_calls();
    const std::size_t head = filter.size();
    const auto bytes = static_cast<std::size_t>(info.st_size);
    filter.resize(head + bytes / sizeof(sock_filter));
    if (::pread(file.get(), filter.data() + head, bytes, 0) != info.st_size) return refused(EIO);
    return filter;
  }

 private:
  void note(int result) {
    if (problem_ == 0 && result < 0) problem_ = result;
  }

  static Error refused(int error) {
    return {ErrorCode::kInfrastructure,
            std::string("cannot make a system call filter: ") + std::strerror(error), ""};
  }

  // Calls younger than the list above, and x32 ones, are answered as an older kernel would.
  static std::vector<sock_filter> reject_unknown_calls() {
    return {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kFirstUnknownCall, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)};
  }

  scmp_filter_ctx context_ = nullptr;
  int problem_ = 0;
};

// NOLINTBEGIN(clang-diagnostic-c99-extensions): libseccomp's macros are compound literals
// Sockets that were handed over still work.
void add_no_sockets(Builder& filter, bool unix_sockets) {
  if (unix_sockets) {
    filter.deny(SCMP_SYS(socket), EPERM, SCMP_A0(SCMP_CMP_NE, AF_UNIX));
  } else {
    filter.deny(SCMP_SYS(socket), EPERM);
  }
}

void add_common(Builder& filter) {
  for (const int call : kDenied) filter.deny(call, EPERM);
  // clone3 passes its flags by pointer, where no filter can see them; everybody falls back to
  // clone.
  filter.deny(SCMP_SYS(clone3), ENOSYS);
  for (const unsigned long flag : kNamespaceFlags) {
    filter.deny(SCMP_SYS(clone), EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
  }
  for (const unsigned long kind : {0ul + S_IFCHR, 0ul + S_IFBLK}) {
    filter.deny(SCMP_SYS(mknod), EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, S_IFMT, kind));
    filter.deny(SCMP_SYS(mknodat), EPERM, SCMP_A2(SCMP_CMP_MASKED_EQ, S_IFMT, kind));
  }
  // These requests type into a user's terminal.
  for (const unsigned long request :
       {static_cast<unsigned long>(TIOCSTI), 0x541Cul /*TIOCLINUX*/}) {
    filter.deny(SCMP_SYS(ioctl), EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xfffffffful, request));
  }
  // Takes pages out of shared memory for everybody who has mapped it: the harness's buffers, too.
  filter.deny(SCMP_SYS(madvise), EPERM, SCMP_A2(SCMP_CMP_MASKED_EQ, 0xffffffffu, MADV_REMOVE));
  // Gives the harness's buffers other pages than those of the baselines. As from a kernel without
  // it.
  filter.deny(SCMP_SYS(madvise), EINVAL, SCMP_A2(SCMP_CMP_MASKED_EQ, 0xffffffffu, kCollapse));
  constexpr unsigned long kAskOnly = 0xffffffff;
  filter.deny(SCMP_SYS(personality), EPERM, SCMP_A0(SCMP_CMP_NE, kAskOnly));
}

void add_no_processes(Builder& filter) {
  for (const int call : {SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork)}) {
    filter.deny(call, EPERM);
  }
  filter.deny(SCMP_SYS(clone), EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  // The process stays readable, so that a supervisor of the same user can see its mapped code as
  // well.
  filter.deny(SCMP_SYS(prctl), EPERM, SCMP_A0(SCMP_CMP_EQ, PR_SET_DUMPABLE));
}

void add_only_signal(Builder& filter, int pid) {
  const auto self = static_cast<scmp_datum_t>(pid);
  for (const int call :
       {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)}) {
    filter.deny(call, EPERM, SCMP_A0(SCMP_CMP_NE, self));
  }
  for (const int call : {SCMP_SYS(tkill), SCMP_SYS(pidfd_send_signal), SCMP_SYS(pidfd_open)}) {
    filter.deny(call, EPERM);
  }
  // The process's own limits are asked for as number 0. (Affinity cannot be kept inside this way:
  // the C library names its own threads by number.)
  filter.deny(SCMP_SYS(prlimit64), EPERM, SCMP_A0(SCMP_CMP_NE, 0));
}

// The thread itself is number 0. (Scheduling classes are like affinity: the C library asks for them
// by a thread's number. Whoever forks sessions looks at its own afterwards: player_cleaning.py.)
void add_only_own_priority(Builder& filter) {
  filter.deny(SCMP_SYS(setpriority), EPERM, SCMP_A0(SCMP_CMP_NE, PRIO_PROCESS));
  filter.deny(SCMP_SYS(setpriority), EPERM, SCMP_A1(SCMP_CMP_NE, 0));
  filter.deny(SCMP_SYS(ioprio_set), EPERM, SCMP_A0(SCMP_CMP_NE, kIoprioWhoProcess));
  filter.deny(SCMP_SYS(ioprio_set), EPERM, SCMP_A1(SCMP_CMP_NE, 0));
}

// The kernel reads these arguments as 32-bit numbers and ignores what stands above.
constexpr unsigned long kInt = 0xffffffff;

// Denies all that ends in a signal of the caller's choice, or in a SIGCONT, without a system call
// at that moment. (File leases and directory notes make the caller the owner of a file's signals;
// so does a controlling terminal, which also sends SIGCONT itself when it is given up. Fixed
// signals, such as that of alarm(), continue no process, but none needs them either.)
void add_no_continuing(Builder& filter) {
  for (const int call : {SCMP_SYS(timer_create), SCMP_SYS(setitimer), SCMP_SYS(alarm),
                         SCMP_SYS(mq_notify), SCMP_SYS(setsid), SCMP_SYS(setpgid)}) {
    filter.deny(call, EPERM);
  }
  constexpr unsigned long kSetOwnerEx = 15;  // F_SETOWN_EX: glibc names it only on request
  for (const unsigned long command :
       {0ul + F_SETSIG, 0ul + F_SETOWN, kSetOwnerEx, 0ul + F_NOTIFY, 0ul + F_SETLEASE}) {
    filter.deny(SCMP_SYS(fcntl), EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, kInt, command));
  }
  filter.deny(SCMP_SYS(fcntl), EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, kInt, 0ul + F_SETFL),
              SCMP_A2(SCMP_CMP_MASKED_EQ, 0ul + O_ASYNC, 0ul + O_ASYNC));
  constexpr unsigned long kVirtualTerminal = 0x5602;  // VT_SETMODE: signals of one's choice
  constexpr unsigned long kKeyboardSignal = 0x4B4E;   // KDSIGACCEPT
  for (const unsigned long request :
       {0ul + FIOASYNC, 0ul + FIOSETOWN, 0ul + SIOCSPGRP, 0ul + TIOCSCTTY, 0ul + TIOCNOTTY,
        0ul + TIOCSPGRP, 0ul + TIOCSIG, kVirtualTerminal, kKeyboardSignal}) {
    filter.deny(SCMP_SYS(ioctl), EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, kInt, request));
  }
  // PR_SET_PDEATHSIG sends a signal at the end of the thread that started this process. A process
  // that cannot be dumped cannot be looked into by a supervisor of the same user either.
  for (const unsigned long option : {0ul + PR_SET_PDEATHSIG, 0ul + PR_SET_DUMPABLE}) {
    filter.deny(SCMP_SYS(prctl), EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, kInt, option));
  }
  for (const int call : {SCMP_SYS(kill), SCMP_SYS(rt_sigqueueinfo)}) {
    filter.deny(call, EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, kInt, 0ul + SIGCONT));
  }
  for (const int call : {SCMP_SYS(tgkill), SCMP_SYS(rt_tgsigqueueinfo)}) {
    filter.deny(call, EPERM, SCMP_A2(SCMP_CMP_MASKED_EQ, kInt, 0ul + SIGCONT));
  }
  for (const int call : {SCMP_SYS(tkill), SCMP_SYS(pidfd_send_signal)}) filter.deny(call, EPERM);
}

void add_no_new_code(Builder& filter) {
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect), SCMP_SYS(pkey_mprotect)})
    filter.deny(call, EPERM, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
}
// NOLINTEND(clang-diagnostic-c99-extensions)

}  // namespace

Result<std::vector<sock_filter>> make_filter(const FilterRules& rules) {
  Builder filter;
  if (rules.common) {
    add_common(filter);
    add_no_sockets(filter, rules.unix_sockets);
  }
  if (rules.no_processes) {
    if (!rules.common) add_no_sockets(filter, /*unix_sockets=*/false);
    if (!rules.common) filter.deny(SCMP_SYS(clone3), ENOSYS);
    add_no_processes(filter);
  }
  if (rules.only_signal > 0) add_only_signal(filter, rules.only_signal);
  if (rules.only_own_priority) add_only_own_priority(filter);
  if (rules.no_continuing) add_no_continuing(filter);
  if (rules.no_new_code) add_no_new_code(filter);
  return filter.finish();
}

int install_filter(std::span<const sock_filter> filter) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  sock_fprog program{static_cast<unsigned short>(filter.size()),
                     const_cast<sock_filter*>(filter.data())};
  // SPEC_ALLOW: on kernels before 5.16 a filter would else slow the program's memory accesses down.
  constexpr unsigned kFlags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  const long result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &program);
  // A positive number names a thread that could not follow.
  return result == 0 ? 0 : result > 0 ? ESRCH : errno;
}

bool kernel_has_filters() {
  const unsigned action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace kbench
