// The process that oracles are forked from: a kbench-oracle that has loaded LibTorch, which takes a
// second, and done nothing with it, which takes none. Every placement on the CPU wants a fresh
// process, so the libraries are loaded once for all of them. It is in the sandbox, and with it all
// that its oracles execute. What an oracle says is data.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runner/core/channel.hpp"
#include "runner/core/result.hpp"
#include "runner/os/files.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

struct OracleOptions {
  Sandbox* sandbox = nullptr;     // outlives all oracles
  std::filesystem::path program;  // kbench-oracle or kbench-oracle-cuda
  std::string device;             // "cpu" or "cuda"
  int device_index = 0;           // index among our own GPUs; to the oracle it is number 0
  int threads = 1;
  std::string precision;
  std::filesystem::path log;        // its output, and that of its oracles
  std::filesystem::path libraries;  // LibTorch's; empty where the program finds them by itself
};

// The server's command, with all that it and its oracles see and may do. They write to `scratch`;
// empty: to the /tmp that bubblewrap makes for it. Errors: kInfrastructure, where the program or a
// library of it is missing.
[[nodiscard]] Result<SandboxCommand> confined_oracle(const OracleOptions& options,
                                                     const std::filesystem::path& scratch);

class OracleForkServer {
 public:
  // Returns at once, LibTorch loads meanwhile. Errors: kInfrastructure when the program is missing,
  // or the sandbox does not start.
  static Result<std::unique_ptr<OracleForkServer>> start(const OracleOptions& options);
  OracleForkServer(const OracleForkServer&) = delete;
  OracleForkServer& operator=(const OracleForkServer&) = delete;

  // Asks for an oracle that will serve `channel`; does not wait for it. One at a time: await(), and
  // the end of the one before, come first.
  Status request(UniqueFd channel);
  // The process id of the oracle asked for. Errors: kTimeout; kInfrastructure when the server
  // ended, or cannot fork.
  Result<pid_t> await(std::chrono::milliseconds timeout);
  // Forgets an oracle that is dead.
  void forget(pid_t oracle);

  // Stops server and oracle, and lets them go on. Errors: kTimeout, kInfrastructure.
  Status freeze();
  Status thaw();
  // Moves the threads of an oracle that makes no progress: see SandboxedProcess.
  void move_threads() { process_->move_threads(); }

  [[nodiscard]] bool alive() const;
  // True if the server lives and nothing else is in its sandbox: no oracle, and nothing that one
  // left.
  [[nodiscard]] bool is_alone();
  // Ends the server, and with it its oracle; the destructor does too.
  void stop();

 private:
  OracleForkServer() = default;
  Status spawn(const OracleOptions& options);
  // All processes in the sandbox but the server itself.
  Result<std::vector<pid_t>> oracles();

  ScratchFolder scratch_;  // /tmp of a sandbox without one; outlives the process
  std::unique_ptr<SandboxedProcess> process_;
  std::vector<pid_t> own_;
  Channel channel_;
};

}  // namespace kbench
