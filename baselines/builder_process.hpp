// One builder: a Python running aot_builder.py, spoken to in lines of JSON over a socket that is
// its stdin and stdout; its stderr is kept for error messages. Owned by builder_pool.cpp.
// Invariants are those of ChildProcess; should this process be killed, the kernel kills the
// builder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/os/child_process.hpp"

namespace kbench {

class BuilderProcess {
 public:
  struct Command {
    std::filesystem::path python;
    std::filesystem::path script;
    std::filesystem::path cache_directory;  // compiler caches and temporary files go below it
    int compile_threads = 1;                // of Inductor; more than one are processes of their own
  };

  // Must be called from a thread that outlives the process: its end would kill the builder too.
  static Result<BuilderProcess> start(const Command& command);

  // Errors: kInfrastructure when the builder is gone.
  Status send(const Json& request);

  // Descriptors to poll for input. Reading from them never blocks.
  [[nodiscard]] int reply_fd() const { return socket_.get(); }
  [[nodiscard]] int error_fd() const { return errors_.get(); }

  // Whole lines that have arrived on stdout since the last call. Sets closed() at its end.
  [[nodiscard]] std::vector<std::string> read_lines();
  // Takes over what has arrived on stderr; closes error_fd() at its end.
  void read_errors();
  [[nodiscard]] bool closed() const { return closed_; }

  // Ends the process, if it has not ended, and says how it ended ("exited with status 1", "was
  // killed by signal 9") with the last lines it wrote to stderr.
  [[nodiscard]] std::string bury();

 private:
  BuilderProcess() = default;
  ChildProcess child_;
  UniqueFd socket_;
  UniqueFd errors_;
  std::string pending_;  // an incomplete line
  std::string error_tail_;
  bool closed_ = false;
};

}  // namespace kbench
