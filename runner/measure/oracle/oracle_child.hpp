// One process forked from a fork server of kbench-oracle, with the channel to it. A request for a
// child returns at once; the first message to it waits until it is there.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "runner/core/channel.hpp"
#include "runner/measure/oracle/oracle_fork_server.hpp"

namespace kbench {

class OracleChild {
 public:
  OracleChild() = default;
  ~OracleChild() { end(); }
  OracleChild(const OracleChild&) = delete;
  OracleChild& operator=(const OracleChild&) = delete;

  // Asks the server, which must outlive this one, for a process. `log` is named by errors.
  Status request(OracleForkServer& server, const std::filesystem::path& log);
  // Waits until the process is there. Errors: kInfrastructure.
  Status meet();
  // Kills the process; and its server as well, where the process cannot be got hold of.
  void end();

  [[nodiscard]] Channel& channel() { return channel_; }
  [[nodiscard]] pid_t pid() const { return pid_; }  // -1 until it was met
  [[nodiscard]] bool has_ended() const;

 private:
  [[nodiscard]] bool kill_process();

  OracleForkServer* server_ = nullptr;
  std::filesystem::path log_;
  pid_t pid_ = -1;
  UniqueFd process_;  // its pidfd
  Channel channel_;
};

}  // namespace kbench
