// A sandboxed Python that has torch imported and forks a process for each session: importing takes
// seconds, forking some ten milliseconds (runner/player/player.py is the other side). One for each
// agent (zygote_pool.hpp), so that no two agents share a sandbox; what is frozen, counted and
// killed with a session is the session's process. The first process runs nothing foreign, and no
// process of its user can write to it. Owned by zygote_pool.cpp; sessions keep it alive.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runner/core/channel.hpp"
#include "runner/core/result.hpp"
#include "runner/measure/players/session_folders.hpp"
#include "runner/measure/players/worker_output.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

class Zygote : public std::enable_shared_from_this<Zygote> {
 public:
  // Returns once torch is imported. Its sandbox is given a folder that its sessions write to.
  // Errors: kInfrastructure, with its last words.
  static Result<std::shared_ptr<Zygote>> start(Sandbox& sandbox, SandboxCommand command);

  // A new session with these descriptors as its channel and output. One at a time. Errors:
  // kInfrastructure, also where anything of the session before is left.
  Result<std::unique_ptr<SandboxedProcess>> fork(int control, int output);

  // The folder that the last forked session may write to.
  [[nodiscard]] const std::filesystem::path& session_folder() const { return session_folder_; }

  // Looks between two submissions whether the one before changed what the next one finds or
  // inherits. Errors: kInfrastructure; then no session may be forked from it any more.
  Status look_over();

  // Waits for the session at hand; its status is waitpid's. Errors: kTimeout; kInfrastructure if
  // the zygote is gone.
  Result<int> await_end(std::chrono::milliseconds timeout);
  [[nodiscard]] SandboxedProcess& sandboxed() { return *process_; }
  // Removes the folder of the session at hand, which is over. If that fails, no session is forked
  // from this zygote any more.
  void forget_session() { (void)folders_.remove(); }
  // Every process in the zygote's sandbox but itself.
  [[nodiscard]] Result<std::vector<pid_t>> sessions();

 private:
  Zygote(SessionFolders folders, std::unique_ptr<SandboxedProcess> process, Channel channel,
         WorkerOutput output)
      : folders_(std::move(folders)),
        process_(std::move(process)),
        channel_(std::move(channel)),
        output_(std::move(output)) {}
  Error failed(const std::string& what);

  SessionFolders folders_;  // outlives the process
  std::filesystem::path session_folder_;
  std::unique_ptr<SandboxedProcess> process_;
  Channel channel_;
  WorkerOutput output_;
  std::vector<pid_t> own_;
};

}  // namespace kbench
