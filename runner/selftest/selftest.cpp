#include "runner/selftest/selftest.hpp"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/suggest.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/os/pipe.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/sandbox/process_tree.hpp"
#include "runner/selftest/bait.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kPatience = 30s;
constexpr auto kDeadline = 1s;
constexpr std::size_t kMaxOutput = 64 << 10;
constexpr std::uint64_t kMiB = 1 << 20;

// True once no process holds the other end any more.
bool closes_within(const UniqueFd& read, std::chrono::milliseconds timeout) {
  pollfd end{read.get(), POLLIN, 0};
  return ::poll(&end, 1, static_cast<int>(timeout.count())) > 0 && (end.revents & POLLHUP) != 0;
}

// The sandboxed process that runs kbench-escape, as numbered here; the newest one.
int find_escape_process() {
  std::vector<ProcessEntry> table(65536);
  const std::size_t count = find_descendants(::getpid(), table).count;
  int found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::ifstream comm("/proc/" + std::to_string(table[i].pid) + "/comm");
    std::string name;
    std::getline(comm, name);
    if (name == "kbench-escape") found = std::max(found, static_cast<int>(table[i].pid));
  }
  return found;
}

// A worker that only waits, and the number it printed: the address of something worth reading.
struct Waiting {
  std::unique_ptr<SandboxedProcess> process;
  std::uint64_t address = 0;
  std::string problem;
};

class Selftest {
 public:
  Selftest(const SelftestOptions& options, BaitLayout layout)
      : options_(options), layout_(std::move(layout)), sandbox_(make_sandbox(options.sandbox)) {}

  Result<SelftestReport> run() {
    SelftestReport report;
    report.level = sandbox_->level(needs_cuda());
    // Where not even the trial program started, no layer is in force: bombs would go off as root.
    if (::geteuid() == 0 && !report.level.own_uid) {
      return Error{ErrorCode::kInfrastructure,
                   std::string("no sandboxed program starts") + (needs_cuda() ? " CUDA" : "") +
                       ", so nothing is tried: " + report.level.reason,
                   needs_cuda() ? "there has to be a GPU with its driver (`nvidia-smi`); `kbench "
                                  "selftest sandbox --device cpu` tries the rest"
                                : "`kbench doctor` says what is missing"};
    }
    other_ = start_waiting({"wait"});
    if (!other_.process) {
      return Error{ErrorCode::kInfrastructure, "no sandboxed program starts: " + other_.problem,
                   "`kbench doctor` says what is missing"};
    }
    other_pid_ = find_escape_process();
    if (needs_cuda()) gpu_ = start_waiting({"gpu-wait", std::to_string(options_.cuda_device)});
    for (const Escape& escape : all_escapes()) {
      const auto& only = options_.only;
      if (!only.empty() && std::find(only.begin(), only.end(), escape.name) == only.end()) continue;
      if (has_own_command(escape.as) && !options_.confined.contains(escape.as)) continue;
      EscapeResult result = attempt(escape);
      const std::string& missing = report.level.reason;
      if (result.outcome == EscapeOutcome::kOpen && !missing.empty()) {
        result.reason += " (missing: " + missing + ")";
      }
      if (options_.on_result) options_.on_result(result);
      report.results.push_back(std::move(result));
    }
    return report;
  }

 private:
  [[nodiscard]] bool needs_cuda() const { return options_.cuda_device >= 0; }

  [[nodiscard]] SandboxCommand base_command(std::vector<std::string> words) const {
    SandboxCommand command;
    command.argv = std::move(words);
    command.argv.insert(command.argv.begin(), options_.program.string());
    command.env = {{"PATH", "/usr/bin:/bin"}};
    command.readable = {options_.program};
    if (const auto packages = unpacked_packages()) command.readable.push_back(*packages);
    command.needs_cuda = needs_cuda();
    return command;
  }

  Waiting start_waiting(std::vector<std::string> words) {
    Waiting waiting;
    auto output = make_pipe();
    if (!output) {
      waiting.problem = output.error().message;
      return waiting;
    }
    SandboxCommand command = base_command(std::move(words));
    command.descriptors = {{output->write.get(), 1}};
    auto process = sandbox_->start(command);
    output->write.reset();
    if (!process) {
      waiting.problem = process.error().message;
      return waiting;
    }
    std::array<char, 256> text{};
    pollfd ready{output->read.get(), POLLIN, 0};
    if (::poll(&ready, 1, 30'000) <= 0 ||
        ::read(output->read.get(), text.data(), text.size() - 1) <= 0) {
      waiting.problem = "it says nothing";
      return waiting;
    }
    waiting.address = std::strtoull(text.data(), nullptr, 10);
    if (waiting.address == 0) {
      waiting.problem = text.data();
      return waiting;
    }
    waiting.process = std::move(*process);
    return waiting;
  }

  // A worker writes nowhere. An oracle needs no folder where it has a /tmp of its own.
  Result<fs::path> scratch_for(EscapeAs as) {
    const bool has_tmp = as == EscapeAs::kOracle && sandbox_->level(needs_cuda()).bubblewrap;
    if (as == EscapeAs::kWorker || has_tmp) return fs::path();
    if (as == EscapeAs::kTool) return layout_.new_scratch();
    fs::path& kept = scratches_[as];
    if (kept.empty()) {
      auto made = layout_.new_scratch();
      if (!made) return made.error();
      kept = *made;
    }
    return kept;
  }

  // An oracle's or a builder's own command, with this program in their place.
  Result<SandboxCommand> command_as(EscapeAs as, std::vector<std::string> words,
                                    const fs::path& scratch) {
    SandboxCommand command = base_command(std::move(words));
    const auto confined = options_.confined.find(as);
    if (confined != options_.confined.end()) {
      if (!commands_.contains(as)) commands_.emplace(as, confined->second(scratch));
      const Result<SandboxCommand>& theirs = commands_.at(as);
      if (!theirs) return theirs.error();
      SandboxCommand own = *theirs;
      own.argv = std::move(command.argv);
      own.readable.insert(own.readable.end(), command.readable.begin(), command.readable.end());
      return own;
    }
    if (!scratch.empty()) command.writable = {scratch};
    return command;
  }

  // Limits as the escape's setting asks for; bombs get little, so that they go off small.
  Result<SandboxCommand> command_for(const Escape& escape) {
    Bait bait = layout_.bait();
    bait.device = options_.cuda_device;
    bait.other_worker = other_pid_;
    if (escape.group == "other worker") bait.address = other_.address;
    bait.gpu_address = gpu_.address;
    const auto scratch = scratch_for(escape.as);
    if (!scratch) return scratch.error();
    bait.scratch = *scratch;
    // Where filters are switched off, the worker's own lock is too, or it would hide what is
    // missing.
    const bool locked = options_.sandbox.use_system_call_filter && is_locked(escape.as);
    auto words = bait_arguments(bait);
    words.insert(words.begin(), {std::string(escape.name), locked ? "worker" : "tool"});
    auto confined = command_as(escape.as, std::move(words), *scratch);
    if (!confined) return confined.error();
    SandboxCommand command = std::move(*confined);
    command.readable.emplace_back(bait.library);
    command.descriptors = {{layout_.sealed_inputs(), kSealedDescriptor}};
    if (escape.setting == EscapeSetting::kSmall) {
      command.max_processes = 32;
      command.max_resident_bytes = 128 * kMiB;
      command.max_file_bytes = 8 * kMiB;
      if (!needs_cuda()) command.max_memory_bytes = 192 * kMiB;
    }
    return command;
  }

  EscapeResult attempt(const Escape& escape) {
    EscapeResult result{escape, EscapeOutcome::kFailed, ""};
    if (escape.setting == EscapeSetting::kGpu && !gpu_.process) {
      result.outcome = EscapeOutcome::kNotApplicable;
      result.reason = needs_cuda() ? gpu_.problem : "the device under test is the CPU";
      return result;
    }
    // The other context's memory is free again then, and must not show what was in it.
    if (escape.name == "gpu_leftovers") gpu_.process.reset();
    auto command = command_for(escape);
    if (!command) return failed(std::move(result), command.error());
    auto daemon = make_pipe();
    if (!daemon) return failed(std::move(result), daemon.error());
    if (escape.setting == EscapeSetting::kDaemon) {
      command->descriptors.emplace_back(daemon->write.get(), kDaemonDescriptor);
    }
    const bool stops = escape.setting == EscapeSetting::kDeadline;
    const auto output = run_to_end(*sandbox_, *command, stops ? kDeadline : kPatience, kMaxOutput);
    if (!output) return failed(std::move(result), output.error());
    daemon->write.reset();
    judge_by_exit(*output, result);
    judge_from_outside(*output, daemon->read, result);
    return result;
  }

  static bool has_own_command(EscapeAs as) {
    return as == EscapeAs::kOracle || as == EscapeAs::kBuilder;
  }

  static EscapeResult failed(EscapeResult result, const Error& error) {
    result.reason = error.message;
    return result;
  }

  // Judges by the attempt's own words and exit code.
  static void judge_by_exit(const ProgramOutput& output, EscapeResult& result) {
    result.reason = output.out.substr(0, std::min<std::size_t>(output.out.find('\n'), 200));
    if (output.timed_out) {
      result.reason = "it did not end";
    } else if (!output.exit.exited) {
      const char* name = ::sigabbrev_np(output.exit.signal);
      result.outcome = EscapeOutcome::kBlocked;
      result.reason = std::string("killed by SIG") + (name != nullptr ? name : "?");
    } else if (output.exit.code == kEscapeOpen) {
      result.outcome = EscapeOutcome::kOpen;
    } else if (output.exit.code == kEscapeBlocked) {
      result.outcome = EscapeOutcome::kBlocked;
    } else if (output.exit.code == kEscapeNotApplicable) {
      result.outcome = EscapeOutcome::kNotApplicable;
    } else {
      result.reason =
          "exit code " + std::to_string(output.exit.code) + " " + output.err.substr(0, 200);
    }
  }

  // Judges by what is seen outside of the sandbox; this overrules the attempt's own words.
  void judge_from_outside(const ProgramOutput& output, const UniqueFd& daemon,
                          EscapeResult& result) {
    const auto decide = [&](bool open, const std::string& why) {
      result.outcome = open ? EscapeOutcome::kOpen : EscapeOutcome::kBlocked;
      result.reason = why;
    };
    const bool says_open = result.outcome == EscapeOutcome::kOpen;
    switch (result.escape.setting) {
      case EscapeSetting::kVictim: {
        const bool victim = layout_.victim_lives();
        const bool other = !has_ended(*other_.process);
        if (!other) restart_other();
        if (!victim || !other) decide(true, "the process was killed");
        return;
      }
      case EscapeSetting::kMarker:
        if (layout_.marker_appeared()) {
          decide(true, "the file lies outside for others to find");
        } else if (says_open) {
          decide(false, "written to a folder of its own, which nobody else sees");
        }
        return;
      case EscapeSetting::kDeadline:
        return decide(!output.timed_out, output.timed_out ? "killed at its deadline" : "it ended");
      case EscapeSetting::kDaemon:
        if (!says_open) return;
        if (closes_within(daemon, 2s)) return decide(false, "it died with its sandbox");
        return decide(true, "it outlived its sandbox");
      case EscapeSetting::kSmall:
        if (result.escape.name != "flood" || !output.exit.exited) return;
        return decide(!output.truncated, std::to_string(output.out.size()) + " bytes were kept");
      case EscapeSetting::kPlain:
      case EscapeSetting::kGpu: return;
    }
  }

  static bool has_ended(const SandboxedProcess& process) {
    pollfd end{process.exit_fd(), POLLIN, 0};
    return ::poll(&end, 1, 0) > 0;
  }

  void restart_other() {
    Waiting again = start_waiting({"wait"});
    if (!again.process) return;
    other_ = std::move(again);
    other_pid_ = find_escape_process();
  }

  const SelftestOptions& options_;
  BaitLayout layout_;
  std::unique_ptr<Sandbox> sandbox_;
  // Folders and sandboxes of the oracle and of the builder: asked for once, and used for all of
  // their escapes.
  std::map<EscapeAs, fs::path> scratches_;
  std::map<EscapeAs, Result<SandboxCommand>> commands_;
  Waiting other_;
  Waiting gpu_;
  int other_pid_ = 0;
};

Status require_known(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Escape& escape : all_escapes())
    if (std::find(known.begin(), known.end(), escape.name) == known.end())
      known.emplace_back(escape.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto guess = nearest(name, known);
    return Error{
        ErrorCode::kUsage, fmt::format("no escape is called \"{}\"", name),
        fmt::format("{}--only takes {}", guess ? fmt::format("did you mean \"{}\"? ", *guess) : "",
                    fmt::join(known, ", "))};
  }
  return Done{};
}

// Bombs go off only where what they need is there to hold them.
Status require_gpu(int index) {
  const std::vector<GpuInfo> gpus = probe_gpus();
  const bool there =
      std::any_of(gpus.begin(), gpus.end(), [&](const GpuInfo& gpu) { return gpu.index == index; });
  if (there) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("there is no GPU number {} here ({} found)", index, gpus.size()),
               "without --device cuda the sandbox is tried as it is on a CPU"};
}

}  // namespace

std::string_view to_string(EscapeOutcome outcome) {
  switch (outcome) {
    case EscapeOutcome::kBlocked: return "blocked";
    case EscapeOutcome::kOpen: return "open";
    case EscapeOutcome::kNotApplicable: return "not applicable";
    case EscapeOutcome::kFailed: return "failed";
  }
  return "failed";
}

std::string_view to_string(EscapeAs as) {
  switch (as) {
    case EscapeAs::kWorker: return "worker";
    case EscapeAs::kTool: return "compiler";
    case EscapeAs::kOracle: return "oracle";
    case EscapeAs::kBuilder: return "builder";
  }
  return "worker";
}

int SelftestReport::count(EscapeOutcome outcome) const {
  return static_cast<int>(
      std::count_if(results.begin(), results.end(),
                    [&](const EscapeResult& result) { return result.outcome == outcome; }));
}

SandboxOptions sandbox_without(const std::vector<std::string>& layers) {
  SandboxOptions options;
  for (const std::string& layer : layers) {
    if (layer == "bubblewrap") options.use_bubblewrap = false;
    if (layer == "namespaces") options.use_bubblewrap = options.use_namespaces = false;
    if (layer == "user-namespace") options.use_user_namespace = false;
    if (layer == "network") options.use_network_namespace = false;
    if (layer == "landlock") options.max_landlock_abi = 0;
    if (layer == "new-landlock") options.max_landlock_abi = std::min(options.max_landlock_abi, 2);
    if (layer == "seccomp") options.use_system_call_filter = false;
    if (layer == "cgroup") options.use_cgroup = options.use_freezer = false;
  }
  return options;
}

Result<SelftestReport> run_selftest(const SelftestOptions& options) {
  if (auto known = require_known(options.only); !known) return known.error();
  if (options.cuda_device >= 0)
    if (auto there = require_gpu(options.cuda_device); !there) return there.error();
  if (::access(options.program.c_str(), X_OK) != 0) {
    return Error{ErrorCode::kInfrastructure, options.program.string() + " is missing",
                 "`kbench doctor` says what to do"};
  }
  auto layout = BaitLayout::make();
  if (!layout) return layout.error();
  return Selftest(options, std::move(*layout)).run();
}

Json selftest_json(const SelftestReport& report, const std::string& device) {
  Json counts = Json::object();
  for (const auto outcome : {EscapeOutcome::kBlocked, EscapeOutcome::kOpen,
                             EscapeOutcome::kNotApplicable, EscapeOutcome::kFailed}) {
    counts[std::string(to_string(outcome))] = report.count(outcome);
  }
  Json json = {{"schema_version", 1},
               {"device", device},
               {"sandbox", report.level.to_string()},
               {"sandbox_reason", report.level.reason},
               {"counts", counts},
               {"escapes", Json::array()}};
  for (const EscapeResult& result : report.results) {
    json["escapes"].push_back({{"name", result.escape.name},
                               {"group", result.escape.group},
                               {"as", to_string(result.escape.as)},
                               {"what", result.escape.what},
                               {"outcome", to_string(result.outcome)},
                               {"reason", result.reason}});
  }
  return json;
}

}  // namespace kbench
