#include "runner/sandbox/sandbox.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>

#include "runner/sandbox/bubblewrap.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/sandbox/launch.hpp"
#include "runner/sandbox/process.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kBwrapPatience{10'000};
constexpr milliseconds kProbePatience{5'000};
constexpr rlim_t kMaxOpenFiles = 4096;

Error refused(const std::string& what) {
  return {ErrorCode::kInfrastructure, "cannot start a sandboxed program: " + what, ""};
}

Status validate(const SandboxCommand& command) {
  if (command.argv.empty() || !command.argv.front().starts_with('/')) {
    return refused("argv[0] is no absolute path");
  }
  if (command.argv.front().find('=') != std::string::npos) {
    return refused("'=' in the path " + command.argv.front());
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

// The user nobody owns nothing, so a folder it shall write to is handed over to it.
Status give_to_nobody(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    const UniqueFd open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!open.valid() || ::fchown(open.get(), kSandboxUid, kSandboxUid) != 0) {
      return refused(folder.string() + " cannot be handed over: " + std::strerror(errno));
    }
  }
  return Done{};
}

std::vector<std::pair<int, rlim_t>> resource_limits(const SandboxCommand& command,
                                                    const Layers& layers) {
  // RLIMIT_NPROC counts all threads of the user, also those of other sandboxes and, for a plain
  // user, of the whole session: so many more than there are now.
  const uid_t uid = layers.drop_to_nobody ? kSandboxUid : ::getuid();
  const rlim_t processes =
      count_threads_of(uid) + static_cast<rlim_t>(std::max(1, command.max_processes));
  std::vector<std::pair<int, rlim_t>> limits = {{RLIMIT_CORE, 0},
                                                {RLIMIT_FSIZE, command.max_file_bytes},
                                                {RLIMIT_NPROC, processes},
                                                {RLIMIT_NOFILE, kMaxOpenFiles}};
  if (command.max_memory_bytes > 0) limits.emplace_back(RLIMIT_AS, command.max_memory_bytes);
  if (command.max_cpu_seconds > 0) limits.emplace_back(RLIMIT_CPU, command.max_cpu_seconds);
  return limits;
}

// A sandbox with given layers, whether they work or not. What probing tries, and then uses.
class LayeredSandbox final : public Sandbox {
 public:
  LayeredSandbox(Layers layers, SandboxTools tools) : layers_(layers), tools_(std::move(tools)) {
    level_.own_uid = layers.drop_to_nobody;
    level_.bubblewrap = layers.bubblewrap;
    level_.network_namespace = layers.network_namespace;
    level_.no_new_privs = true;
  }

  Result<std::unique_ptr<SandboxedProcess>> start(const SandboxCommand& command) override {
    if (auto valid = validate(command); !valid) return valid.error();
    if (layers_.drop_to_nobody) {
      if (auto given = give_to_nobody(command.writable); !given) return given.error();
    }
    return layers_.bubblewrap ? start_through_bwrap(command) : start_directly(command);
  }

  [[nodiscard]] const SandboxLevel& level(bool /*needs_cuda*/) const override { return level_; }

 private:
  Result<std::unique_ptr<SandboxedProcess>> start_directly(const SandboxCommand& command) {
    LaunchPlan plan{.argv = command.argv,
                    .working_directory = command.working_directory.string(),
                    .descriptors = command.descriptors,
                    .resource_limits = resource_limits(command, layers_),
                    .new_network = layers_.network_namespace,
                    .drop_to_nobody = layers_.drop_to_nobody,
                    .no_new_privs = true};
    for (const auto& [name, value] : command.env) plan.environment.push_back(name + "=" + value);
    auto launched = launch(plan);
    if (!launched) return launched.error();
    return std::unique_ptr<SandboxedProcess>(
        std::make_unique<KeptProcess>(std::move(launched.value())));
  }

  Result<std::unique_ptr<SandboxedProcess>> start_through_bwrap(const SandboxCommand& command) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return refused(std::strerror(errno));
    UniqueFd status(ends[0]);
    UniqueFd status_in_child(ends[1]);
    int number = 3;
    for (const auto& [ours, theirs] : command.descriptors) number = std::max(number, theirs + 1);

    LaunchPlan plan{.argv = bubblewrap_arguments(command, layers_, tools_, number),
                    .descriptors = command.descriptors,
                    .resource_limits = resource_limits(command, layers_),
                    // bwrap's own way of making one breaks CUDA (cuInit fails with 304).
                    .new_network = layers_.network_namespace && !layers_.user_namespace};
    plan.descriptors.emplace_back(status_in_child.get(), number);
    auto launched = launch(plan);
    if (!launched) return launched.error();
    status_in_child.reset();
    std::string text;
    const auto init = read_bwrap_init(status.get(), text, kBwrapPatience);
    // Without an init, the keeper still tells how bwrap ended: wait() reports the failed set-up.
    const pid_t root = init ? *init : launched->keeper;
    return std::unique_ptr<SandboxedProcess>(std::make_unique<KeptProcess>(
        std::move(launched.value()), root, std::move(status), std::move(text)));
  }

  Layers layers_;
  SandboxTools tools_;
  SandboxLevel level_;
};

SandboxTools find_tools(const SandboxOptions& options) {
  SandboxTools tools;
  tools.env = find_system_program("env").value_or("");
  tools.setpriv = find_system_program("setpriv").value_or("");
  if (options.use_bubblewrap) tools.bwrap = find_system_program("bwrap").value_or("");
  return tools;
}

// Why a layer was not even tried; empty when it was.
std::string missing_tools(const SandboxTools& tools, const SandboxOptions& options) {
  if (!options.use_bubblewrap) return "bubblewrap switched off";
  if (tools.bwrap.empty()) return "bubblewrap is not installed";
  if (tools.env.empty() || (::geteuid() == 0 && tools.setpriv.empty())) {
    return "env or setpriv is not installed";
  }
  return "";
}

// The combinations worth trying, strongest first. The last one always works.
std::vector<Layers> candidates(const SandboxTools& tools, const SandboxOptions& options,
                               bool needs_cuda) {
  const bool root = ::geteuid() == 0;
  const bool bwrap = missing_tools(tools, options).empty() && (root || !needs_cuda);
  const bool network = options.use_network_namespace;
  std::vector<Layers> all;
  if (bwrap) {
    const Layers full{.bubblewrap = true, .user_namespace = !root, .drop_to_nobody = root};
    if (network) all.push_back(full), all.back().network_namespace = true;
    all.push_back(full);
  }
  if (root) {
    if (network) all.push_back({.network_namespace = true, .drop_to_nobody = true});
    all.push_back({.drop_to_nobody = true});
  }
  all.push_back({});
  return all;
}

// Runs a program that does nothing; empty when it worked, else what went wrong.
std::string probe(const Layers& layers, const SandboxTools& tools, bool needs_cuda) {
  const auto program = find_system_program("true");
  if (!program) return "no program 'true' to try it with";
  LayeredSandbox sandbox(layers, tools);
  const SandboxCommand command{.argv = {program->string()}, .needs_cuda = needs_cuda};
  const auto output = run_to_end(sandbox, command, kProbePatience);
  if (!output) return output.error().message;
  if (output->timed_out) return "it hangs";
  if (output->exit.exited && output->exit.code == 0) return "";
  const std::string first_line = output->err.substr(0, output->err.find('\n'));
  return first_line.empty() ? "the trial program failed" : first_line;
}

// The real one: finds its layers at the first use, for programs with and without CUDA apart.
class ProbedSandbox final : public Sandbox {
 public:
  explicit ProbedSandbox(const SandboxOptions& options)
      : options_(options), tools_(find_tools(options)) {}

  Result<std::unique_ptr<SandboxedProcess>> start(const SandboxCommand& command) override {
    return chosen(command.needs_cuda).sandbox->start(command);
  }

  [[nodiscard]] const SandboxLevel& level(bool needs_cuda) const override {
    return chosen(needs_cuda).level;
  }

 private:
  struct Choice {
    std::once_flag once;
    std::unique_ptr<LayeredSandbox> sandbox;
    SandboxLevel level;
  };

  [[nodiscard]] Choice& chosen(bool needs_cuda) const {
    Choice& choice = needs_cuda ? with_cuda_ : without_cuda_;
    std::call_once(choice.once, [&] { choose(choice, needs_cuda); });
    return choice;
  }

  void choose(Choice& choice, bool needs_cuda) const {
    std::string reason = missing_tools(tools_, options_);
    if (::geteuid() != 0) {
      reason += reason.empty() ? "" : "; ";
      reason += needs_cuda ? "not root: CUDA does not work in a user namespace" : "not root";
    }
    const auto all = candidates(tools_, options_, needs_cuda);
    std::size_t strongest = 0;
    for (; strongest + 1 < all.size(); ++strongest) {
      const std::string problem = probe(all[strongest], tools_, needs_cuda);
      if (problem.empty()) break;
      LayeredSandbox tried(all[strongest], tools_);
      reason += (reason.empty() ? "" : "; ") + tried.level(needs_cuda).to_string() + ": " + problem;
    }
    choice.sandbox = std::make_unique<LayeredSandbox>(all[strongest], tools_);
    choice.level = choice.sandbox->level(needs_cuda);
    choice.level.reason = std::move(reason);
  }

  SandboxOptions options_;
  SandboxTools tools_;
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
  add(network_namespace, "netns");
  add(no_new_privs, "nnp");
  return text.empty() ? "none" : text;
}

std::unique_ptr<Sandbox> make_sandbox(const SandboxOptions& options) {
  return std::make_unique<ProbedSandbox>(options);
}

}  // namespace kbench
