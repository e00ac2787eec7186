// The process that oracles are forked from: a kbench-oracle that has loaded LibTorch, which takes a
// second, and done nothing with it, which takes none. Every placement on the CPU wants a fresh
// process, so the libraries are loaded once for all of them. One for each OracleProcess.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "runner/core/channel.hpp"
#include "runner/core/result.hpp"
#include "runner/os/child_process.hpp"

namespace kbench {

struct OracleOptions {
  std::filesystem::path program;  // kbench-oracle or kbench-oracle-cuda
  std::string device;             // "cpu" or "cuda"
  int device_index = 0;           // of our own GPUs; to the oracle it is number 0
  int threads = 1;
  std::string precision;
  std::filesystem::path log;        // its stderr, and that of its oracles
  std::filesystem::path libraries;  // LibTorch's; empty where the program finds them by itself
};

class OracleForkServer {
 public:
  // Returns at once, LibTorch loads meanwhile. Errors: kInfrastructure when the program is missing.
  static Result<std::unique_ptr<OracleForkServer>> start(const OracleOptions& options);
  OracleForkServer(const OracleForkServer&) = delete;
  OracleForkServer& operator=(const OracleForkServer&) = delete;

  // Asks for an oracle that will serve `channel`, with its TMPDIR; does not wait for it. One at a
  // time: await() comes before the next.
  Status request(UniqueFd channel, const std::filesystem::path& temporary);
  // The process id of the oracle asked for. Errors: kTimeout; kInfrastructure when the server
  // ended, or cannot fork.
  Result<pid_t> await(std::chrono::milliseconds timeout);

  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  [[nodiscard]] bool alive() const { return process_.alive(); }
  // Ends it, and with it its oracles; the destructor does too.
  void stop() { process_.end(); }

 private:
  OracleForkServer() = default;
  Status spawn(const OracleOptions& options);

  ChildProcess process_;
  Channel channel_;
};

}  // namespace kbench
