#include "runner/measure/oracle_fork_server.hpp"

#include <fcntl.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/measure/gpu_visibility.hpp"
#include "runner/measure/openmp_environment.hpp"
#include "runner/os/environment.hpp"

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
  // Ours to decide: threads, how they wait, and whether TF32 is forced from outside.
  constexpr std::array<std::string_view, 5> kDropped{"OMP_", "MKL_", "KMP_", "GOMP_",
                                                     "NVIDIA_TF32_OVERRIDE="};
  return inherited_environment(kDropped, ours);
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
  const UniqueFd log(::open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  auto process = ChildProcess::start(
      {.argv = {options.program.string(), "--device", options.device, "--threads",
                std::to_string(options.threads), "--precision", options.precision},
       .environment = environment(options),
       .descriptors = {{log.get(), STDERR_FILENO}, {ends->second.get(), kControlDescriptor}}});
  if (!process) {
    return Error{ErrorCode::kInfrastructure, process.error().message,
                 "`kbench doctor` says what is missing"};
  }
  process_ = std::move(*process);
  channel_ = Channel(std::move(ends->first));
  return Done{};
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

}  // namespace kbench
