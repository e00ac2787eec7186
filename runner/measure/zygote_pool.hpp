// The fork servers of a run's Python submissions: one for each agent, since importing torch takes
// seconds and two submissions of one agent may follow one another in a sandbox. Two agents never
// share one. What a submission finds there is what the first one found: its files alone (the folder
// of the one before is taken away), no process, no file in memory, no changed priority of the one
// before; where the sandbox cannot promise that, each submission has a fork server of its own.
// Called by python_program; owned by run_command. Not safe for several threads at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "runner/core/result.hpp"
#include "runner/measure/zygote.hpp"
#include "runner/os/files.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// Which submission is to be played, and how its agent's fork server is started.
struct ZygoteRequest {
  std::string agent;
  // Its files: a folder that the pool may move while they are played. Names the submission as well.
  std::filesystem::path folder;
  // What starts the fork server, which sees `stage` and below it the files of one submission. The
  // folders that are to be cleaned between two submissions are added to its arguments.
  std::function<SandboxCommand(const std::filesystem::path& stage)> command;
  bool needs_cuda = false;
};

class ZygotePool {
 public:
  struct Options {
    std::size_t most = 8;  // kept at once; of more agents, those that were asked for last
    // Called whenever torch is started, for an agent.
    std::function<void(const std::string& agent)> on_start = [](const std::string&) {};
  };

  explicit ZygotePool(Sandbox& sandbox) : ZygotePool(sandbox, Options{}) {}
  ZygotePool(Sandbox& sandbox, Options options);
  ZygotePool(const ZygotePool&) = delete;
  ZygotePool& operator=(const ZygotePool&) = delete;
  ~ZygotePool();

  struct Session {
    std::unique_ptr<SandboxedProcess> process;
    std::filesystem::path folder;  // where the submission's files lie for it
  };
  // A process of the agent's in which no other session's code has run, with these descriptors as its
  // channel and output. The session before has to be over. Errors: kInfrastructure.
  Result<Session> fork(const ZygoteRequest& request, int control, int output);

  // How often torch was started.
  [[nodiscard]] int started() const { return started_; }
  // Ends all fork servers.
  void clear();

 private:
  struct Home;  // one agent's

  Home& home_of(const std::string& agent);
  Status make_ready(Home& home, const ZygoteRequest& request);
  Status start(Home& home, const ZygoteRequest& request);

  Sandbox& sandbox_;
  Options options_;
  std::list<std::unique_ptr<Home>> homes_;  // the one asked for last in front
  int started_ = 0;
};

}  // namespace kbench
