// The fork servers of a run's Python submissions: one for each agent, because importing torch takes
// seconds. Two agents never share one. Each submission finds the fork server as the first one found
// it: only its own files, no leftover process, no changed priority. (The folder of the submission
// before is taken away, with all that its sessions wrote.) Where the sandbox cannot promise that,
// or a submission changed something, the next submission gets a new fork server. Not safe for
// several threads at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/measure/players/zygote.hpp"
#include "runner/os/files.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// The command that starts a fork server, which sees `stage` and below it the files of one
// submission. The folders that have to be unchanged between two submissions are added to its
// arguments.
using ZygoteCommand = std::function<SandboxCommand(const std::filesystem::path& stage)>;

// Which submission is to be played, and how its agent's fork server is started.
struct ZygoteRequest {
  std::string agent;
  // The submission's files: a folder that the pool may move while they are played. Names the
  // submission as well.
  std::filesystem::path folder;
  ZygoteCommand command;
};

// Whether two submissions of one agent may follow one another in a sandbox like that: the places
// that a session can write to beside its own folder are known, and belong to no other agent.
[[nodiscard]] bool can_be_shared(const SandboxLevel& level);

class ZygotePool {
 public:
  // How many fork servers this machine's memory has room for beside what is measured: 2 to 16.
  [[nodiscard]] static std::size_t as_many_as_fit();

  // A pool that keeps `most` fork servers at once: of more agents, those that were asked for last.
  explicit ZygotePool(Sandbox& sandbox, std::size_t most = as_many_as_fit());
  ZygotePool(const ZygotePool&) = delete;
  ZygotePool& operator=(const ZygotePool&) = delete;
  ~ZygotePool();

  struct Session {
    std::unique_ptr<SandboxedProcess> process;
    std::filesystem::path folder;    // folder of the submission's files, as it sees them
    std::filesystem::path writable;  // the session's own folder, which goes with it
  };
  // A process of the agent's in which no other session's code has run, with these descriptors as
  // its channel and output. The session before has to be over. Errors: kInfrastructure.
  Result<Session> fork(const ZygoteRequest& request, int control, int output);

  // Starts an agent's fork server ahead of its first submission, while nothing is measured. One
  // that does not start is told of when it is needed.
  void start_early(const std::string& agent, const ZygoteCommand& command);

  // The agents for whom torch was started since this was asked last, in the order of the starts.
  [[nodiscard]] std::vector<std::string> take_starts() { return std::exchange(starts_, {}); }
  // Ends all fork servers.
  void clear();

 private:
  struct Home;  // one agent's

  Home& home_of(const std::string& agent);
  Status make_ready(Home& home, const ZygoteRequest& request);
  Status start(Home& home, const ZygoteCommand& command);

  Sandbox& sandbox_;
  std::size_t most_;
  std::list<std::unique_ptr<Home>> homes_;  // the one asked for last in front
  std::vector<std::string> starts_;
};

}  // namespace kbench
