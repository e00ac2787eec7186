// Runs foreign code: submissions' workers, compilers, and any Python that executes files we did not
// write. Layers are probed once, by running a program through them; every row stores the layers
// that held.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

struct SandboxCommand {
  std::vector<std::string> argv;                // argv[0] is an absolute path
  std::map<std::string, std::string> env;       // the whole environment: nothing is inherited
  std::vector<std::filesystem::path> readable;  // besides the system's libraries and compilers
  std::vector<std::filesystem::path> writable;  // folders, visible at the same path
  std::filesystem::path working_directory = "/";
  bool needs_cuda = false;                       // device nodes, /sys and the driver's libraries
  std::vector<std::pair<int, int>> descriptors;  // {ours, number in the child}; all others closed
  std::uint64_t max_memory_bytes = 0;            // address space; 0 = no limit (CUDA reserves it)
  std::uint64_t max_resident_bytes = 0;          // memory in use by all of it, where cgroups work
  std::uint64_t max_file_bytes = 1ull << 30;     // 64 KiB are allowed at least
  std::uint64_t max_cpu_seconds = 0;             // 0 = no limit
  int max_processes = 256;
  // If memory is short, the kernel ends the process with the most memory first. This many
  // thousandths of the machine's memory count on top, fewer for a judge than for the judged.
  int memory_handicap = 1000;
};

// A running sandboxed program. Destroying it kills everything in it and waits.
class SandboxedProcess {
 public:
  virtual ~SandboxedProcess() = default;

  struct Exit {
    bool exited = false;  // otherwise killed by `signal`
    int code = 0;
    int signal = 0;
  };

  // Waits until the program has ended. Errors: kTimeout.
  virtual Result<Exit> wait(std::chrono::milliseconds timeout) = 0;
  // Kills the whole process tree and reaps it. A process that does not die within ten seconds hangs
  // in the kernel: wait() says so from then on, Sandbox::undead() counts it, and its device is not
  // to be trusted.
  virtual void kill() = 0;
  // Stops every process of the program, by its control group or by SIGSTOP, and returns once all of
  // their threads stand still. Errors: kTimeout if they do not stop; kInfrastructure if that cannot
  // be told.
  virtual Status freeze() = 0;
  // Continues the program. Errors, which leave it stopped: kSubmission if a thread did not stand
  // still since freeze(); kInfrastructure if that cannot be told.
  virtual Status thaw() = 0;
  // Helps a program that makes no progress: threads that want to run may leave the cores that they
  // are bound to, until the next freeze().
  virtual void move_threads() = 0;
  // The program and every process that it started, as numbered outside; empty once it has ended.
  // Errors: kInfrastructure if that cannot be told.
  [[nodiscard]] virtual Result<std::vector<pid_t>> processes() = 0;
  // Forgets one of these processes, which has been waited for since.
  virtual void forget(pid_t) {}
  // A descriptor that becomes readable when the program has ended.
  [[nodiscard]] virtual int exit_fd() const = 0;
};

struct SandboxLevel {
  bool own_uid = false;     // runs as a user that owns nothing of ours
  bool bubblewrap = false;  // empty root, PID/IPC/UTS namespaces
  bool namespaces = false;  // the same namespaces without bubblewrap: the root is the machine's
  bool network_namespace = false;
  int landlock = 0;                 // the ABI in use, 0 = none
  bool system_call_filter = false;  // seccomp
  std::string cgroup;               // "cgroup1", "cgroup2", or empty
  std::string freezer;              // "freezer1", "freezer2", or empty: stopped by SIGSTOP
  bool no_new_privs = false;
  std::string reason;  // why a layer is missing; empty when all are there

  // The level as it is stored with every row, e.g.
  // "uid+bwrap+netns+landlock7+seccomp+cgroup1+freezer2+nnp".
  [[nodiscard]] std::string to_string() const;
  // Whether the program sees no process but those of its sandbox.
  [[nodiscard]] bool pid_namespace() const { return bubblewrap || namespaces; }
  // Whether files that were not given cannot be opened, whichever user owns them.
  [[nodiscard]] bool hides_files() const { return bubblewrap || landlock > 0; }
};

class Sandbox {
 public:
  virtual ~Sandbox() = default;
  virtual Result<std::unique_ptr<SandboxedProcess>> start(const SandboxCommand& command) = 0;
  // start() for a program that does nothing before it is asked to. If the layers are not known yet,
  // the program starts while they are tried, and once more if not all of them work.
  virtual Result<std::unique_ptr<SandboxedProcess>> start_early(const SandboxCommand& command) {
    return start(command);
  }
  [[nodiscard]] virtual const SandboxLevel& level(bool needs_cuda) const = 0;
  // The number of ended programs of which some process is not dead: see SandboxedProcess::kill.
  [[nodiscard]] virtual int undead() const = 0;
};

// Layers that must not be used even if they work: for tests of weaker sandboxes, and for `kbench
// selftest sandbox --without`, which shows what each layer is good for.
struct SandboxOptions {
  bool use_bubblewrap = true;
  bool use_namespaces = true;      // our own, where bubblewrap is not used
  bool use_user_namespace = true;  // a plain user needs it for either
  bool use_network_namespace = true;
  bool use_system_call_filter = true;
  bool use_cgroup = true;
  bool use_freezer = true;    // freezer of control groups; else SIGSTOP
  int max_landlock_abi = 99;  // 0: no Landlock; 2: as on a stock Debian 12
};

// Returns the strongest sandbox of this machine. Its layers are probed by running a program through
// them (some 10 ms each), once, at the first start() or level() for a device kind.
[[nodiscard]] std::unique_ptr<Sandbox> make_sandbox(const SandboxOptions& options = {});

// Runs a program to its end and collects its output, at most `max_output` bytes of each stream.
// `on_output`, if there is one, is called with all of its standard output whenever some has come,
// and at the end.
struct ProgramOutput {
  SandboxedProcess::Exit exit;
  std::string out;
  std::string err;
  bool timed_out = false;
  bool truncated = false;
};
using OnOutput = std::function<void(const std::string& out)>;
[[nodiscard]] Result<ProgramOutput> run_to_end(Sandbox& sandbox, SandboxCommand command,
                                               std::chrono::milliseconds timeout,
                                               std::size_t max_output = 1 << 16,
                                               const OnOutput& on_output = {});
// Runs a program to its end, its timeout, or until `stop` returns true, which is asked often and
// may be empty. `timed_out` is set in the last two cases.
[[nodiscard]] Result<ProgramOutput> run_until_stopped(Sandbox& sandbox, SandboxCommand command,
                                                      std::chrono::milliseconds timeout,
                                                      std::size_t max_output,
                                                      const OnOutput& on_output,
                                                      const std::function<bool()>& stop);

}  // namespace kbench
