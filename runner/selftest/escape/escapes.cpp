#include "runner/selftest/escape/escapes.hpp"

#include <charconv>

namespace kbench {
namespace {

using enum EscapeAs;
using enum EscapeSetting;

// Text and numbers of Bait under their names, for both directions.
template <class Visit>
void visit_bait(Bait& bait, Visit visit) {
  visit("secret", bait.secret);
  visit("submission", bait.submission);
  visit("database", bait.database);
  visit("library", bait.library);
  visit("marker", bait.marker);
  visit("scratch", bait.scratch);
  visit("home", bait.home);
  visit("unix_path", bait.unix_path);
  visit("unix_abstract", bait.unix_abstract);
  visit("tcp4", bait.tcp4);
  visit("tcp6", bait.tcp6);
  visit("shared_memory_key", bait.shared_memory_key);
  visit("victim", bait.victim);
  visit("other_worker", bait.other_worker);
  visit("supervisor", bait.supervisor);
  visit("address", bait.address);
  visit("gpu_address", bait.gpu_address);
  visit("device", bait.device);
}

std::string to_text(const std::string& value) { return value; }
template <class Number>
std::string to_text(Number value) {
  return std::to_string(value);
}

void from_text(const std::string& text, std::string& value) { value = text; }
template <class Number>
void from_text(const std::string& text, Number& value) {
  std::from_chars(text.data(), text.data() + text.size(), value);
}

const std::vector<Escape>& own_escapes() {
  static const std::vector<Escape> kOwn = {
      {"read_secret", "files", kWorker, kPlain, "read a file of kbench's user"},
      {"read_submission", "files", kWorker, kPlain, "read another agent's submission"},
      {"read_database", "files", kWorker, kPlain, "read the result database"},
      {"read_as_compiler", "files", kTool, kPlain, "read a file of kbench's user while compiling"},
      {"read_passwd", "files", kWorker, kPlain, "read /etc/passwd"},
      {"list_home", "files", kWorker, kPlain, "list the home folder of kbench's user"},
      {"write_secret", "files", kWorker, kPlain, "overwrite a file of kbench's user"},
      {"write_as_compiler", "files", kTool, kPlain,
       "overwrite a file of kbench's user while compiling"},
      {"truncate_secret", "files", kWorker, kPlain, "truncate a file of kbench's user"},
      {"remove_secret", "files", kWorker, kPlain, "remove a file of kbench's user"},
      {"write_library", "files", kWorker, kPlain, "change its own compiled library"},
      {"write_system", "files", kWorker, kPlain, "create a file in /usr/lib"},
      {"write_root", "files", kWorker, kPlain, "create a file in /"},
      {"link_secret", "files", kTool, kPlain, "make a hard link to a file that was not given"},
      {"leave_in_tmp", "files", kWorker, kMarker, "leave a file in /tmp for the next submission"},
      {"leave_in_shm", "files", kWorker, kMarker,
       "leave a file in /dev/shm for the next submission"},
      {"leave_in_var_tmp", "files", kWorker, kMarker, "leave a file in /var/tmp"},
      {"write_core_pattern", "files", kWorker, kPlain, "set the machine's core dump program"},
      {"make_cgroup", "files", kWorker, kPlain, "make or join a control group"},
      {"open_by_handle", "files", kWorker, kPlain, "open a file by its handle instead of its path"},

      {"tcp4", "network", kWorker, kPlain, "connect to a local server over IPv4"},
      {"tcp6", "network", kWorker, kPlain, "connect to a local server over IPv6"},
      {"tcp4_as_compiler", "network", kTool, kPlain, "connect over IPv4 while compiling"},
      {"udp", "network", kWorker, kPlain, "send a datagram"},
      {"listen", "network", kWorker, kPlain, "listen on a port"},
      {"unix_path", "network", kWorker, kPlain, "connect to a UNIX socket by path"},
      {"unix_abstract", "network", kWorker, kPlain, "connect to an abstract UNIX socket"},
      {"vsock", "network", kWorker, kPlain, "open a socket to the hypervisor"},
      {"netlink", "network", kWorker, kPlain, "ask the kernel over netlink"},
      {"packet", "network", kWorker, kPlain, "open a raw packet socket"},

      {"ptrace", "processes", kWorker, kVictim, "trace a process of kbench's user"},
      {"ptrace_as_compiler", "processes", kTool, kVictim, "trace a process while compiling"},
      {"vm_read", "processes", kWorker, kVictim, "read its memory (process_vm_readv)"},
      {"vm_write", "processes", kWorker, kVictim, "write its memory (process_vm_writev)"},
      {"proc_mem", "processes", kWorker, kVictim, "open its /proc/PID/mem"},
      {"proc_environ", "processes", kWorker, kVictim, "read its environment"},
      {"proc_cmdline", "processes", kWorker, kVictim, "see its command line"},
      {"proc_root", "processes", kWorker, kVictim, "reach the machine's files through its root"},
      {"take_descriptor", "processes", kWorker, kVictim,
       "take one of its descriptors (pidfd_getfd)"},
      {"kill_victim", "processes", kWorker, kVictim, "kill it"},
      {"kill_as_compiler", "processes", kTool, kVictim, "kill it while compiling"},
      {"kill_by_pidfd", "processes", kWorker, kVictim, "kill it through a pidfd"},
      {"signal_everybody", "processes", kTool, kVictim, "signal every process there is"},
      {"limit_victim", "processes", kWorker, kVictim, "change its resource limits"},
      {"pin_victim", "processes", kWorker, kVictim, "move it to another processor"},
      {"slow_victim", "processes", kWorker, kVictim, "lower its priority"},
      {"other_ptrace", "other worker", kTool, kVictim, "trace another submission's worker"},
      {"other_vm_read", "other worker", kTool, kVictim, "read another worker's memory"},
      {"other_proc_mem", "other worker", kTool, kVictim, "open another worker's /proc/PID/mem"},
      {"other_kill", "other worker", kTool, kVictim, "kill another worker"},
      {"sysv_memory", "other worker", kTool, kPlain, "attach a System V segment made outside"},
      {"message_queue", "other worker", kWorker, kPlain, "open a POSIX message queue"},

      {"mount", "kernel", kWorker, kPlain, "mount a file system"},
      {"remount", "kernel", kWorker, kPlain, "make the root writable"},
      {"new_mount_api", "kernel", kWorker, kPlain, "mount with fsopen"},
      {"user_namespace", "kernel", kWorker, kPlain, "make a user namespace"},
      {"user_namespace_as_compiler", "kernel", kTool, kPlain,
       "make a user namespace while compiling"},
      {"clone_namespace", "kernel", kTool, kPlain, "start a process in a new user namespace"},
      {"clone3_namespace", "kernel", kTool, kPlain, "the same through clone3"},
      {"join_namespace", "kernel", kWorker, kPlain, "join another namespace"},
      {"chroot", "kernel", kWorker, kPlain, "change its root"},
      {"pivot_root", "kernel", kWorker, kPlain, "swap its root"},
      {"io_uring", "kernel", kWorker, kPlain, "set up an io_uring"},
      {"bpf", "kernel", kWorker, kPlain, "load a BPF object"},
      {"perf", "kernel", kWorker, kPlain, "open a performance counter"},
      {"keyring", "kernel", kWorker, kPlain, "add a key to a keyring"},
      {"userfaultfd", "kernel", kWorker, kPlain, "handle page faults in user space"},
      {"shared_pages", "kernel", kWorker, kPlain, "take pages out of shared memory"},
      {"kernel_log", "kernel", kWorker, kPlain, "read the kernel's log"},
      {"host_name", "kernel", kWorker, kPlain, "set the host name"},
      {"set_clock", "kernel", kWorker, kPlain, "set the clock"},
      {"kernel_module", "kernel", kWorker, kPlain, "load a kernel module"},
      {"call_32bit", "kernel", kWorker, kPlain, "fork through the 32-bit system calls"},
      {"call_x32", "kernel", kWorker, kPlain, "fork through the x32 system calls"},
      {"become_root", "kernel", kWorker, kPlain, "become root"},
      {"capabilities", "kernel", kWorker, kPlain, "take capabilities"},
      {"raise_priority", "kernel", kWorker, kPlain, "raise its priority or become real-time"},
      {"raise_limit", "kernel", kWorker, kPlain, "raise its own resource limits"},

      {"device_nodes", "devices", kWorker, kPlain, "open device nodes that it does not need"},
      {"make_device", "devices", kTool, kPlain, "make a device node"},
      {"gpu_nodes", "devices", kWorker, kPlain, "open a GPU that it was not given"},
      {"gpu_pointer", "devices", kWorker, kGpu,
       "read GPU memory of another context by its address"},
      {"gpu_leftovers", "devices", kWorker, kGpu,
       "find another context's data in fresh GPU memory"},

      {"fork", "after load", kWorker, kPlain, "fork"},
      {"spawn", "after load", kWorker, kPlain, "start a program (posix_spawn)"},
      {"execute", "after load", kWorker, kPlain, "replace itself by another program"},
      {"execute_memfd", "after load", kWorker, kPlain, "execute a program made in memory"},
      {"sealed_inputs", "after load", kWorker, kPlain, "map sealed inputs writable"},
      {"inherited", "after load", kWorker, kPlain, "find a descriptor that was not meant for it"},
      {"environment", "after load", kWorker, kPlain, "find something in its environment"},
      {"terminal", "after load", kWorker, kPlain, "type into kbench's terminal"},

      {"fork_bomb", "bombs", kTool, kSmall, "start 200 processes where 32 are allowed"},
      {"thread_bomb", "bombs", kWorker, kSmall, "start 200 threads where 32 are allowed"},
      {"memory_bomb", "bombs", kWorker, kSmall, "use 256 MiB of memory where 128 are allowed"},
      {"memfd_bomb", "bombs", kWorker, kSmall, "use 256 MiB of anonymous files likewise"},
      {"tmpfs_bomb", "bombs", kWorker, kSmall, "fill folders in memory with more than 1 GiB"},
      {"descriptor_bomb", "bombs", kWorker, kSmall, "open 20,000 descriptors"},
      {"file_bomb", "bombs", kTool, kSmall, "write 32 MiB to a file where 8 are allowed"},
      {"core_bomb", "bombs", kWorker, kSmall, "have a core dump written"},
      {"endless_loop", "bombs", kWorker, kDeadline, "run for ever, all signals ignored"},
      {"daemon", "bombs", kTool, kDaemon, "leave a process behind"},
      {"flood", "bombs", kTool, kSmall, "print without end"},
  };
  return kOwn;
}

// True for an escape that suits an oracle or a builder too: one that needs nothing but what a
// worker or a compiler gets. The files that an oracle and a builder are given are theirs, as are
// their limits.
bool suits(const Escape& escape, EscapeAs as) {
  const bool plain =
      escape.setting == kPlain || escape.setting == kVictim || escape.setting == kMarker;
  const bool of_a_compiler = escape.name.ends_with("_as_compiler");
  if (!plain || of_a_compiler || escape.group == "bombs") return false;
  if (escape.group == "after load")  // a builder compiles, and both have variables of their own
    return as == kOracle && escape.name != "environment" && escape.name != "sealed_inputs";
  return as == kBuilder || escape.as == kWorker || escape.group == "other worker";
}

}  // namespace

const std::vector<Escape>& all_escapes() {
  static const std::vector<Escape> kAll = [] {
    std::vector<Escape> all = own_escapes();
    for (const EscapeAs as : {kOracle, kBuilder}) {
      for (Escape escape : own_escapes()) {
        if (!suits(escape, as)) continue;
        escape.as = as;
        all.push_back(escape);
      }
    }
    return all;
  }();
  return kAll;
}

bool is_locked(EscapeAs as) { return as == kWorker || as == kOracle; }

std::vector<std::string> bait_arguments(const Bait& bait) {
  std::vector<std::string> words;
  Bait copy = bait;
  visit_bait(copy, [&](const char* name, const auto& value) {
    words.push_back(std::string(name) + "=" + to_text(value));
  });
  return words;
}

Bait parse_bait(const std::vector<std::string>& words) {
  Bait bait;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) continue;
    visit_bait(bait, [&](const char* name, auto& value) {
      if (word.compare(0, equals, name) == 0) from_text(word.substr(equals + 1), value);
    });
  }
  return bait;
}

}  // namespace kbench
