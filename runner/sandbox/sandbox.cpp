#include "runner/sandbox/sandbox.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>

#include "runner/core/defence.hpp"
#include "runner/core/lines.hpp"
#include "runner/os/pipe.hpp"
#include "runner/sandbox/bubblewrap.hpp"
#include "runner/sandbox/cgroup.hpp"
#include "runner/sandbox/enter.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/sandbox/landlock.hpp"
#include "runner/sandbox/launch.hpp"
#include "runner/sandbox/process.hpp"
#include "runner/sandbox/seccomp_filter.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{10'000};
constexpr milliseconds kProbePatience{5'000};
constexpr milliseconds kCudaPatience{30'000};  // eight GPUs take cuInit several seconds
constexpr rlim_t kMaxOpenFiles = 4096;

Error refused(const std::string& what) {
  return {ErrorCode::kInfrastructure, "cannot start a sandboxed program: " + what,
          "`kbench doctor` says which layers of the sandbox this machine has"};
}

Status validate(const SandboxCommand& command) {
  if (command.argv.empty() || !command.argv.front().starts_with('/')) {
    return refused("argv[0] is no absolute path");
  }
  if (::access(command.argv.front().c_str(), X_OK) != 0) {
    return refused(command.argv.front() + ": " + std::strerror(errno));
  }
  for (const auto* paths : {&command.readable, &command.writable}) {
    for (const fs::path& path : *paths) {
      if (!path.is_absolute()) return refused(path.string() + " is no absolute path");
      if (::access(path.c_str(), F_OK) != 0) {
        return refused(path.string() + ": " + std::strerror(errno));
      }
    }
  }
  for (const auto& [name, value] : command.env) {
    if (name.empty() || name.find('=') != std::string::npos) {
      return refused("bad environment variable name '" + name + "'");
    }
  }
  return Done{};
}

// The sandbox's user owns nothing, so a folder it shall write to is handed over to it.
Status give_to(uid_t user, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    const UniqueFd open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!open.valid() || ::fchown(open.get(), user, user) != 0) {
      return refused(folder.string() + " cannot be handed over: " + std::strerror(errno));
    }
  }
  return Done{};
}

// kbench-enter makes its system call filter in an anonymous file, under the limits of what it
// starts.
constexpr std::uint64_t kFilterBytes = 64ull << 10;

std::vector<std::pair<int, rlim_t>> resource_limits(const SandboxCommand& command, uid_t uid) {
  // RLIMIT_NPROC counts all threads of the user, also those of other sandboxes and, for a plain
  // user, of the whole session: so many more than there are now.
  const rlim_t processes =
      count_threads_of(uid) + static_cast<rlim_t>(std::max(1, command.max_processes));
  std::vector<std::pair<int, rlim_t>> limits = {
      {RLIMIT_CORE, 0},
      {RLIMIT_FSIZE, std::max(command.max_file_bytes, kFilterBytes)},
      {RLIMIT_NPROC, processes},
      {RLIMIT_NOFILE, kMaxOpenFiles}};
  if (command.max_memory_bytes > 0) limits.emplace_back(RLIMIT_AS, command.max_memory_bytes);
  if (command.max_cpu_seconds > 0) limits.emplace_back(RLIMIT_CPU, command.max_cpu_seconds);
  return limits;
}

// Paths that a program may open: the same whether bubblewrap hides the rest already or not.
std::vector<PathRule> path_rules(const SandboxCommand& command, const Layers& layers) {
  std::vector<PathRule> rules;
  for (const char* path : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
                           "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
                           "/etc/alternatives", "/proc", "/sys/devices/system"}) {
    rules.push_back({path, PathUse::kRead});
  }
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}) {
    rules.push_back({path, PathUse::kDevice});
  }
  // Folders in memory that no other process sees.
  if (layers.bubblewrap) {
    for (const char* path : {"/tmp", "/dev/shm"}) rules.push_back({path, PathUse::kWrite});
  }
  if (command.needs_cuda) {
    rules.push_back({"/sys", PathUse::kRead});
    // libcuda names its threads there; without, cuInit fails with 304.
    rules.push_back({"/proc", PathUse::kWrite});
    for (const fs::path& node : cuda_device_nodes()) rules.push_back({node, PathUse::kDevice});
    for (const fs::path& folder : cuda_library_folders()) {
      rules.push_back({folder, PathUse::kRead});
    }
  }
  rules.push_back({command.argv.front(), PathUse::kRead});
  for (const fs::path& path : command.readable) rules.push_back({path, PathUse::kRead});
  for (const fs::path& path : command.writable) rules.push_back({path, PathUse::kWrite});
  return rules;
}

EnterPlan enter_plan(const SandboxCommand& command, const Layers& layers, uid_t user,
                     int report_fd) {
  EnterPlan plan{.report_fd = report_fd,
                 .drop_to_nobody = layers.drop_to_nobody,
                 .user = static_cast<int>(user),
                 .system_call_filter = layers.system_call_filter,
                 .unix_sockets = command.needs_cuda,
                 .landlock_abi = layers.landlock_abi,
                 .working_directory = command.working_directory.string(),
                 .env = command.env,
                 .argv = command.argv};
  plan.only_own_signals = layers.system_call_filter && !layers.bubblewrap && !layers.namespaces;
  if (layers.landlock_abi > 0) plan.paths = path_rules(command, layers);
  return plan;
}

// Namespaces that the keeper makes; bubblewrap makes its own but for the network's: its way breaks
// CUDA (cuInit fails with 304).
unsigned namespaces_of(const Layers& layers) {
  unsigned flags = 0;
  if (layers.namespaces) {
    flags = CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS;
    if (layers.user_namespace) flags |= CLONE_NEWUSER;
  }
  const bool bwrap_makes_it = layers.bubblewrap && layers.user_namespace;
  if (layers.network_namespace && !bwrap_makes_it) flags |= CLONE_NEWNET;
  return flags;
}

// A sandbox with given layers, whether they work or not. What probing tries, and then uses.
class LayeredSandbox final : public Sandbox {
 public:
  LayeredSandbox(Layers layers, SandboxTools tools, CgroupHome cgroups)
      : layers_(layers), tools_(std::move(tools)), cgroups_(std::move(cgroups)) {
    level_.own_uid = layers.drop_to_nobody;
    level_.bubblewrap = layers.bubblewrap;
    level_.namespaces = layers.namespaces;
    level_.network_namespace = layers.network_namespace;
    level_.landlock = layers.landlock_abi;
    level_.system_call_filter = layers.system_call_filter;
    if (layers.cgroup) level_.cgroup = cgroups_.version();
    if (layers.freezer) level_.freezer = cgroups_.freezer();
    level_.no_new_privs = true;
  }

  Result<std::unique_ptr<SandboxedProcess>> start(const SandboxCommand& command) override {
    if (tools_.enter.empty()) {
      return Error{ErrorCode::kInfrastructure,
                   "kbench-enter, which starts sandboxed programs, is "
                   "not beside kbench",
                   "build it, or copy it there"};
    }
    if (auto valid = validate(command); !valid) return valid.error();
    const uid_t user = layers_.drop_to_nobody ? fresh_sandbox_uid() : ::getuid();
    if (layers_.drop_to_nobody) {
      if (auto given = give_to(user, command.writable); !given) return given.error();
    }
    auto group = make_group(command);
    if (!group) return group.error();
    auto reports = make_pipe();
    if (!reports) return reports.error();
    auto status = make_pipe();
    if (!status) return status.error();

    int number = 3;
    for (const auto& [ours, theirs] : command.descriptors) number = std::max(number, theirs + 1);
    LaunchPlan plan{.descriptors = command.descriptors,
                    .resource_limits = resource_limits(command, user),
                    .memory_handicap = command.memory_handicap,
                    .namespaces = namespaces_of(layers_)};
    plan.descriptors.emplace_back(reports->write.get(), number);
    for (const UniqueFd& entrance : group->entrances()) plan.cgroups.push_back(entrance.get());
    if (group->freezer().there()) {
      plan.freezer = group->freezer().control();
      plan.thaw_word = group->freezer().thaw_word();
    }
    const EnterPlan enter = enter_plan(command, layers_, user, number);
    if (layers_.bubblewrap) {
      plan.descriptors.emplace_back(status->write.get(), number + 1);
      plan.argv = bubblewrap_arguments(command, layers_, tools_, number + 1, enter);
    } else {
      plan.argv = enter_arguments(enter);
      plan.argv.insert(plan.argv.begin(), tools_.enter.string());
    }
    auto launched = launch(plan);
    if (!launched) return launched.error();
    reports->write.reset();
    status->write.reset();
    const std::optional<uid_t> own_user =
        layers_.drop_to_nobody && user != kSandboxUid ? std::optional(user) : std::nullopt;
    return await(command, std::move(*launched), std::move(reports->read), status->read.get(),
                 std::move(*group), own_user);
  }

  [[nodiscard]] const SandboxLevel& level(bool /*needs_cuda*/) const override { return level_; }
  [[nodiscard]] int undead() const override { return undead_->count(); }

 private:
  [[nodiscard]] Result<Cgroup> make_group(const SandboxCommand& command) const {
    constexpr int kOurOwn = 4;  // bwrap twice, kbench-enter, one to spare
    return cgroups_.make({command.max_resident_bytes, command.max_processes + kOurOwn},
                         layers_.cgroup, layers_.freezer);
  }

  Result<std::unique_ptr<SandboxedProcess>> await(const SandboxCommand& command, Launched launched,
                                                  UniqueFd reports, int bwrap_status, Cgroup group,
                                                  std::optional<uid_t> own_user) const {
    // Orphans end up with the first process of the namespace, where there is one, else with the
    // keeper: a freeze that started further down would miss them.
    pid_t root = layers_.namespaces ? launched.program : launched.keeper;
    if (layers_.bubblewrap) {
      // Without an init, wait() reports the failed set-up.
      if (const auto init = read_bwrap_init(bwrap_status, kPatience)) root = *init;
    }
    const int heard = reports.get();
    std::unique_ptr<KeptProcess> process;
    const auto started = await_start(heard, command.argv.front(), kPatience);
    process =
        std::make_unique<KeptProcess>(std::move(launched), root, std::move(reports),
                                      std::move(group), started && *started, own_user, undead_);
    if (!started) return started.error();
    return std::unique_ptr<SandboxedProcess>(std::move(process));
  }

  Layers layers_;
  SandboxTools tools_;
  CgroupHome cgroups_;
  SandboxLevel level_;
  std::shared_ptr<UndeadList> undead_ = std::make_shared<UndeadList>();
};

// The program with which a sandbox is tried: one that does nothing, or a worker that does no more
// than start CUDA, which some layers break on some machines.
std::optional<SandboxCommand> trial(const SandboxTools& tools, bool needs_cuda) {
  const fs::path worker = tools.enter.parent_path() / "kbench-worker";
  if (needs_cuda && ::access(worker.c_str(), X_OK) == 0)
    return SandboxCommand{.argv = {worker.string(), "--start-cuda"}, .needs_cuda = true};
  const auto program = find_system_program("true");
  if (!program) return std::nullopt;
  return SandboxCommand{.argv = {program->string()}, .needs_cuda = needs_cuda};
}

// The error of a trial of the sandbox; empty when it worked.
std::string probe(LayeredSandbox& sandbox, const SandboxTools& tools, bool needs_cuda) {
  const auto command = trial(tools, needs_cuda);
  if (!command) return "no program 'true' to try it with";
  const auto output = run_to_end(sandbox, *command, needs_cuda ? kCudaPatience : kProbePatience);
  if (!output) return output.error().message;
  if (output->timed_out) return "it hangs";
  if (output->exit.exited && output->exit.code == 0) return "";
  const std::string first = first_line(output->err);
  return first.empty() ? "the trial program failed" : first;
}

// Finds the layers of one kind of program: all at once where that works, else one after the other.
class Probing {
 public:
  Probing(const SandboxOptions& options, const SandboxTools& tools, const CgroupHome& cgroups,
          bool needs_cuda)
      : options_(options), tools_(tools), cgroups_(cgroups), needs_cuda_(needs_cuda) {}

  // `meanwhile` gets the sandbox with all layers before these are tried.
  std::unique_ptr<LayeredSandbox> find(const std::function<void(LayeredSandbox&)>& meanwhile) {
    const Layers wanted = everything();
    auto sandbox = std::make_unique<LayeredSandbox>(wanted, tools_, cgroups_);
    if (meanwhile) meanwhile(*sandbox);
    all_work_ = probe(*sandbox, tools_, needs_cuda_).empty();
    return all_work_ ? std::move(sandbox) : one_by_one(wanted);
  }

  // Why layers are missing; empty when none is.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] bool all_work() const { return all_work_; }

 private:
  using Attempt = std::pair<std::unique_ptr<LayeredSandbox>, std::string>;

  // All layers that options, tools and kernel offer.
  Layers everything() {
    Layers layers;
    const bool root = ::geteuid() == 0;
    layers.drop_to_nobody = root;
    const bool namespaces = may_make_namespaces(root) && stands(Defence::kPrivateFiles);
    layers.bubblewrap = namespaces && have_bubblewrap();
    layers.namespaces = namespaces && !layers.bubblewrap && options_.use_namespaces;
    const bool any = layers.bubblewrap || layers.namespaces;
    layers.user_namespace = any && !root;
    layers.network_namespace =
        options_.use_network_namespace && (root || any) && stands(Defence::kPrivateFiles);
    layers.landlock_abi =
        stands(Defence::kPrivateFiles) ? std::min(landlock_abi(), options_.max_landlock_abi) : 0;
    layers.system_call_filter = options_.use_system_call_filter && kernel_has_filters() &&
                                stands(Defence::kSystemCallFilter);
    layers.cgroup = options_.use_cgroup && !cgroups_.version().empty();
    layers.freezer =
        options_.use_freezer && !cgroups_.freezer().empty() && stands(Defence::kFrozenByCgroup);
    if (!root) note("not root: no user of its own");
    if (!layers.network_namespace) note("no network namespace");
    if (layers.landlock_abi == 0) note("no Landlock");
    if (!layers.system_call_filter) note("no seccomp");
    if (!layers.cgroup) note(options_.use_cgroup ? cgroups_.reason() : "cgroups switched off");
    if (!layers.freezer) note("no control group that freezes");
    return layers;
  }

  bool may_make_namespaces(bool root) {
    if (root) return true;
    if (needs_cuda_) {
      note("CUDA does not work in a user namespace");
    } else if (!options_.use_user_namespace) {
      note("user namespaces switched off");
    }
    return !needs_cuda_ && options_.use_user_namespace;
  }

  bool have_bubblewrap() {
    if (!options_.use_bubblewrap) {
      note("bubblewrap switched off");
    } else if (tools_.bwrap.empty()) {
      note("bubblewrap is not installed");
    }
    return options_.use_bubblewrap && !tools_.bwrap.empty();
  }

  void note(const std::string& why) { reason_ += (reason_.empty() ? "" : "; ") + why; }

  [[nodiscard]] Attempt attempt(const Layers& layers) const {
    auto sandbox = std::make_unique<LayeredSandbox>(layers, tools_, cgroups_);
    std::string problem = probe(*sandbox, tools_, needs_cuda_);
    if (!problem.empty()) sandbox.reset();
    return {std::move(sandbox), std::move(problem)};
  }

  std::unique_ptr<LayeredSandbox> one_by_one(const Layers& wanted) {
    Layers layers;
    auto best = std::make_unique<LayeredSandbox>(layers, tools_, cgroups_);
    const auto add = [&](bool asked, const char* name, auto&& change) {
      if (!asked) return false;
      Layers more = layers;
      change(more);
      auto [sandbox, problem] = attempt(more);
      if (!sandbox) return note(std::string(name) + ": " + problem), false;
      best = std::move(sandbox);
      layers = more;
      return true;
    };
    add(wanted.drop_to_nobody, "uid", [](Layers& l) { l.drop_to_nobody = true; });
    const bool user = wanted.user_namespace;
    const bool wrapped = add(wanted.bubblewrap, "bwrap", [user](Layers& l) {
      l.bubblewrap = true;
      l.user_namespace = user;
    });
    const bool own =
        !wrapped && options_.use_namespaces && (wanted.namespaces || wanted.bubblewrap);
    add(own, "pidns", [user](Layers& l) {
      l.namespaces = true;
      l.user_namespace = user;
    });
    add(wanted.network_namespace, "netns", [](Layers& l) { l.network_namespace = true; });
    // Landlock of Debian 12's kernel, where only what came after that is in the way.
    constexpr int kOldLandlock = 2;
    if (!add(wanted.landlock_abi > 0, "landlock",
             [&](Layers& l) { l.landlock_abi = wanted.landlock_abi; })) {
      add(wanted.landlock_abi > kOldLandlock, "landlock2",
          [](Layers& l) { l.landlock_abi = kOldLandlock; });
    }
    add(wanted.system_call_filter, "seccomp", [](Layers& l) { l.system_call_filter = true; });
    add(wanted.cgroup, "cgroup", [](Layers& l) { l.cgroup = true; });
    add(wanted.freezer, "freezer", [](Layers& l) { l.freezer = true; });
    return best;
  }

  const SandboxOptions& options_;
  const SandboxTools& tools_;
  const CgroupHome& cgroups_;
  bool needs_cuda_;
  std::string reason_;
  bool all_work_ = false;
};

// The real one: finds its layers at the first use, for programs with and without CUDA apart.
class ProbedSandbox final : public Sandbox {
 public:
  explicit ProbedSandbox(const SandboxOptions& options) : options_(options) {
    tools_.enter = find_enter().value_or("");
    if (options.use_bubblewrap) tools_.bwrap = find_system_program("bwrap").value_or("");
    if (options.use_cgroup || options.use_freezer) cgroups_ = CgroupHome::find();
  }

  Result<std::unique_ptr<SandboxedProcess>> start(const SandboxCommand& command) override {
    return chosen(command.needs_cuda).sandbox->start(command);
  }

  Result<std::unique_ptr<SandboxedProcess>> start_early(const SandboxCommand& command) override {
    std::optional<Result<std::unique_ptr<SandboxedProcess>>> early;
    const Choice& choice = chosen(
        command.needs_cuda, [&](LayeredSandbox& wanted) { early.emplace(wanted.start(command)); });
    if (early && early->ok() && choice.all_work) return std::move(*early);
    const bool tried = early.has_value();
    early.reset();
    // The folders are the user's of the program that is gone. Without a user of its own, the next
    // one is ours, and has lost the right to write to what is somebody else's.
    if (tried && ::geteuid() == 0)
      if (auto back = give_to(::geteuid(), command.writable); !back) return back.error();
    return choice.sandbox->start(command);
  }

  [[nodiscard]] const SandboxLevel& level(bool needs_cuda) const override {
    return chosen(needs_cuda).level;
  }

  [[nodiscard]] int undead() const override {
    int count = 0;
    for (const Choice* choice : {&with_cuda_, &without_cuda_}) {
      if (choice->sandbox) count += choice->sandbox->undead();
    }
    return count;
  }

 private:
  struct Choice {
    std::once_flag once;
    std::unique_ptr<LayeredSandbox> sandbox;
    SandboxLevel level;
    bool all_work = false;  // the layers that were tried first
  };

  [[nodiscard]] Choice& chosen(
      bool needs_cuda, const std::function<void(LayeredSandbox&)>& meanwhile = nullptr) const {
    Choice& choice = needs_cuda ? with_cuda_ : without_cuda_;
    std::call_once(choice.once, [&] {
      Probing probing(options_, tools_, cgroups_, needs_cuda);
      choice.sandbox = probing.find(meanwhile);
      choice.all_work = probing.all_work();
      choice.level = choice.sandbox->level(needs_cuda);
      choice.level.reason = probing.reason();
    });
    return choice;
  }

  SandboxOptions options_;
  SandboxTools tools_;
  CgroupHome cgroups_;
  mutable Choice with_cuda_;
  mutable Choice without_cuda_;
};

}  // namespace

std::string SandboxLevel::to_string() const {
  std::string text;
  const auto add = [&](bool there, const char* name) {
    if (!there) return;
    if (!text.empty()) text += '+';
    text += name;
  };
  add(own_uid, "uid");
  add(bubblewrap, "bwrap");
  add(namespaces, "pidns");
  add(network_namespace, "netns");
  const std::string abi = "landlock" + std::to_string(landlock);
  add(landlock > 0, abi.c_str());
  add(system_call_filter, "seccomp");
  add(!cgroup.empty(), cgroup.c_str());
  add(!freezer.empty(), freezer.c_str());
  add(no_new_privs, "nnp");
  return text.empty() ? "none" : text;
}

std::unique_ptr<Sandbox> make_sandbox(const SandboxOptions& options) {
  return std::make_unique<ProbedSandbox>(options);
}

}  // namespace kbench
