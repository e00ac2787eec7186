#include "runner/measure/oracle_fork_server.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/core/pointers_to.hpp"
#include "runner/measure/gpu_visibility.hpp"
#include "runner/measure/openmp_environment.hpp"

namespace kbench {
namespace {

constexpr int kControlDescriptor = 3;

// An installed oracle has no run path: which LibTorch it meets is known where it is started only.
std::string library_path(const std::filesystem::path& libraries) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  if (before == nullptr || *before == '\0') return libraries.string();
  return libraries.string() + ":" + before;
}

std::vector<std::string> environment(const OracleOptions& options) {
  auto ours = openmp_environment(options.device, options.threads);
  if (options.device == "cuda") ours.merge(one_gpu_environment(options.device_index));
  if (!options.libraries.empty()) ours["LD_LIBRARY_PATH"] = library_path(options.libraries);
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    // Ours to decide: threads, how they wait, and whether TF32 is forced from outside.
    if (text.starts_with("OMP_") || text.starts_with("MKL_") || text.starts_with("KMP_") ||
        text.starts_with("GOMP_") || text.starts_with("NVIDIA_TF32_OVERRIDE=") ||
        ours.contains(std::string(text.substr(0, text.find('=')))))
      continue;
    result.emplace_back(text);
  }
  for (const auto& [name, value] : ours) result.push_back(name + "=" + value);
  return result;
}

}  // namespace

Result<std::unique_ptr<OracleForkServer>> OracleForkServer::start(const OracleOptions& options) {
  std::unique_ptr<OracleForkServer> server(new OracleForkServer);
  if (auto spawned = server->spawn(options); !spawned) return spawned.error();
  return server;
}

Status OracleForkServer::spawn(const OracleOptions& options) {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  const std::vector<std::string> arguments{
      options.program.string(),        "--device",    options.device,   "--threads",
      std::to_string(options.threads), "--precision", options.precision};
  const std::vector<std::string> variables = environment(options);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, options.log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, ends->second.get(), kControlDescriptor);
  // A signal to our process group, from a terminal or from `timeout`, is ours to answer: the
  // evaluation at hand is finished first, and it needs its oracle.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  const int failed = ::posix_spawn(&pid_, options.program.c_str(), &actions, &attributes,
                                   pointers_to(arguments).data(), pointers_to(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    pid_ = -1;
    return Error{ErrorCode::kInfrastructure,
                 "cannot start " + options.program.string() + ": " + std::strerror(failed),
                 "`kbench doctor` says what is missing"};
  }
  channel_ = Channel(std::move(ends->first));
  return Done{};
}

OracleForkServer::~OracleForkServer() { stop(); }

void OracleForkServer::stop() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

Status OracleForkServer::request(UniqueFd channel, const std::filesystem::path& temporary) {
  return channel_.send({{"temporary", temporary.string()}}, {channel.get()});
}

Result<pid_t> OracleForkServer::await(std::chrono::milliseconds timeout) {
  auto reply = channel_.receive(timeout);
  if (!reply) return reply.error();
  if (reply->body.contains("error")) {
    return Error{ErrorCode::kInfrastructure, reply->body.at("error").get<std::string>(),
                 "free memory or processes"};
  }
  return reply->body.at("pid").get<pid_t>();
}

bool OracleForkServer::alive() {
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ > 0;
}

}  // namespace kbench
