// Where the sessions of one fork server may write: a folder for each session, under a random name
// in a folder that only we can list. Only one of them is there at a time, and it goes with its
// session. On a disk, not in memory, and the same with bubblewrap and without.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "runner/core/result.hpp"
#include "runner/os/files.hpp"

namespace kbench {

class SessionFolders {
 public:
  SessionFolders() = default;
  // Errors: kInfrastructure, as of the other functions.
  [[nodiscard]] static Result<SessionFolders> make();

  // The folder that the sandbox is to make writable for the fork server (SandboxCommand::writable).
  // It does so by giving the folder to its user.
  [[nodiscard]] const std::filesystem::path& above() const { return above_; }
  // Takes the folder back once that server has started: it is ours again, and what is made in there
  // from now on will be its user's.
  [[nodiscard]] Status take_back();

  // Removes the folder of the session before, and makes the next one's. No process of the session
  // before lives.
  [[nodiscard]] Result<std::filesystem::path> make_next();
  // Removes the folder of the session at hand, which is over. No process of it lives.
  [[nodiscard]] Status remove();

 private:
  ScratchFolder scratch_;
  std::filesystem::path above_;
  std::filesystem::path current_;  // empty: none
  uid_t user_ = 0;
};

}  // namespace kbench
