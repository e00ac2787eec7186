#include "runner/measure/oracle/oracle_fork_server.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <thread>
#include <utility>

#include "runner/core/defence.hpp"
#include "runner/measure/players/player_environment.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/environment.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/sandbox/library_folders.hpp"
#include "runner/sandbox/unconfined_process.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr int kControlDescriptor = 3;
// A busy kernel may let a runnable thread wait for its core for seconds: five were seen beside two
// other runs on two cores (Linux 6.18). Nothing is timed meanwhile.
constexpr std::chrono::seconds kFreezePatience{30};

// An installed oracle has no run path: which LibTorch it meets is known where it is started only.
std::string library_path(const fs::path& libraries) {
  const std::string inherited = environment_variable("LD_LIBRARY_PATH");
  if (libraries.empty() || inherited.empty()) return libraries.string() + inherited;
  return libraries.string() + ":" + inherited;
}

// Variables that are ours to decide: threads, how they wait, and which GPU.
std::map<std::string, std::string> own_environment(const OracleOptions& options) {
  auto ours = openmp_environment(options.device, options.threads);
  if (options.device == "cuda") ours.merge(one_gpu_environment(options.device_index));
  if (const auto path = library_path(options.libraries); !path.empty())
    ours["LD_LIBRARY_PATH"] = path;
  ours.merge(weakened_environment());
  return ours;
}

std::vector<std::string> inherited(const OracleOptions& options) {
  constexpr std::array<std::string_view, 5> kDropped{"OMP_", "MKL_", "KMP_", "GOMP_",
                                                     "NVIDIA_TF32_OVERRIDE="};
  return inherited_environment(kDropped, own_environment(options));
}

// An oracle without a folder of its own has a /tmp that bubblewrap makes for each program, in
// memory.
std::vector<std::string> arguments(const OracleOptions& options, const fs::path& scratch) {
  return {options.program.string(),
          "--device",
          options.device,
          "--threads",
          std::to_string(options.threads),
          "--precision",
          options.precision,
          "--scratch",
          scratch.empty() ? "/tmp" : scratch.string()};
}

Error failed(const std::string& what) {
  return {ErrorCode::kInfrastructure, what, "`kbench doctor` says what is missing"};
}

// An oracle is ours: it never ends as a submission would.
Status ours(const Status& status) {
  if (status || status.error().code == ErrorCode::kTimeout) return status;
  return Error{ErrorCode::kInfrastructure, status.error().message, status.error().hint};
}

}  // namespace

Result<SandboxCommand> confined_oracle(const OracleOptions& options, const fs::path& scratch) {
  const std::vector<std::string> variables = inherited(options);
  auto libraries = library_folders(options.program, variables);
  if (!libraries) return failed(libraries.error().message);
  SandboxCommand command;
  command.argv = arguments(options, scratch);
  command.argv.emplace_back("--locked");
  command.env = own_environment(options);
  for (const std::string& variable : variables)
    if (variable.starts_with("LD_LIBRARY_PATH="))
      command.env["LD_LIBRARY_PATH"] = variable.substr(variable.find('=') + 1);
  command.env["PATH"] = "/usr/bin:/bin";
  command.readable = std::move(*libraries);
  if (const auto packages = unpacked_packages()) command.readable.push_back(*packages);
  command.needs_cuda = options.device == "cuda";
  // The oracle reads in this folder how large the caches are; for CUDA all of /sys is shown.
  const fs::path cores = "/sys/devices/system/cpu";
  if (!command.needs_cuda && ::access(cores.c_str(), R_OK) == 0) command.readable.push_back(cores);
  // The oracle's arenas are files in memory.
  command.max_file_bytes = std::numeric_limits<std::int64_t>::max();
  command.max_processes += 8 * options.threads;
  // A submission that takes all memory is to end before its judge does.
  command.memory_handicap = 500;
  if (!scratch.empty()) command.writable = {scratch};
  return command;
}

Result<std::unique_ptr<OracleForkServer>> OracleForkServer::start(const OracleOptions& options) {
  std::unique_ptr<OracleForkServer> server(new OracleForkServer);
  if (auto spawned = server->spawn(options); !spawned) return spawned.error();
  return server;
}

Status OracleForkServer::spawn(const OracleOptions& options) {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  const UniqueFd log(::open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::vector<std::pair<int, int>> descriptors{{ends->second.get(), kControlDescriptor},
                                                     {log.get(), STDOUT_FILENO},
                                                     {log.get(), STDERR_FILENO}};
  const bool confine = stands(Defence::kConfinedOracle);
  // With CUDA the layers are tried while LibTorch loads: 0.3 s of a run on an H200.
  const bool cuda = options.device == "cuda";
  if (!confine || cuda || !options.sandbox->level(cuda).bubblewrap) {
    auto made = ScratchFolder::make("kbench-oracle");
    if (!made) return made.error();
    scratch_ = std::move(*made);
  }
  if (confine) {
    auto command = confined_oracle(options, scratch_.path());
    if (!command) return command.error();
    command->descriptors = descriptors;
    auto process = options.sandbox->start_early(*command);
    if (!process) return failed(process.error().message);
    process_ = std::move(*process);
  } else {
    auto process = start_unconfined({.argv = arguments(options, scratch_.path()),
                                     .environment = inherited(options),
                                     .descriptors = descriptors});
    if (!process) return failed(process.error().message);
    process_ = std::move(*process);
  }
  auto own = process_->processes();
  if (!own) return own.error();
  own_ = std::move(*own);
  channel_ = Channel(std::move(ends->first), Channel::Descriptors::kRefused);
  return Done{};
}

Status OracleForkServer::request(UniqueFd channel) {
  return channel_.send(Json::object(), {channel.get()});
}

Result<std::vector<pid_t>> OracleForkServer::oracles() {
  auto all = process_->processes();
  if (!all) return all.error();
  std::erase_if(*all,
                [&](pid_t pid) { return std::find(own_.begin(), own_.end(), pid) != own_.end(); });
  return all;
}

Result<pid_t> OracleForkServer::await(std::chrono::milliseconds timeout) {
  const auto reply = channel_.receive(timeout);
  if (!reply) return reply.error();
  const Json& body = reply->body;
  if (!body.is_object() || body.value("forked", Json()) != Json(true)) {
    const Json why = body.is_object() ? body.value("error", Json()) : Json();
    return Error{ErrorCode::kInfrastructure,
                 why.is_string() ? clean_text(why.get_ref<const std::string&>(), 300)
                                 : "it said something else than asked",
                 "free memory or processes"};
  }
  const auto found = oracles();
  if (!found) return found.error();
  if (found->size() != 1)
    return Error{ErrorCode::kInfrastructure, "its process cannot be found", ""};
  return found->front();
}

void OracleForkServer::forget(pid_t oracle) {
  // The server lets the kernel wait for its children, which takes a moment.
  constexpr int kGlances = 1000;
  for (int glance = 0; glance < kGlances && ::kill(oracle, 0) == 0; ++glance)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  process_->forget(oracle);
}

Status OracleForkServer::freeze() {
  const auto deadline = std::chrono::steady_clock::now() + kFreezePatience;
  while (true) {
    const Status frozen = process_->freeze();
    const bool again = !frozen && frozen.error().code == ErrorCode::kTimeout;
    if (!again || std::chrono::steady_clock::now() > deadline) return ours(frozen);
  }
}

Status OracleForkServer::thaw() { return ours(process_->thaw()); }

bool OracleForkServer::alive() const {
  pollfd ended{process_->exit_fd(), POLLIN, 0};
  return ::poll(&ended, 1, 0) == 0;
}

bool OracleForkServer::is_alone() {
  if (!alive()) return false;
  const auto others = oracles();
  return others && others->empty();
}

void OracleForkServer::stop() { process_->kill(); }

}  // namespace kbench
