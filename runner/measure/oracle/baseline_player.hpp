// The player of the baselines on CPU: a process of the oracle's program that runs eager and the
// compiled package on the inputs in its arenas, in a sandbox like a worker's, and woken, timed and
// stopped as a worker is. No more than a worker does it know what the supervisor's clock says.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "runner/measure/oracle/oracle.hpp"
#include "runner/measure/oracle/oracle_child.hpp"
#include "runner/measure/players/player.hpp"
#include "runner/measure/watch/worker_watch.hpp"

namespace kbench {

class BaselinePlayer final : public Player {
 public:
  // Starts the player and returns at once. `request` is "play" of oracle/protocol.hpp, `files` what
  // it takes beside the arenas; `server` has no other child, and outlives the player.
  static Result<std::unique_ptr<Player>> start(OracleForkServer& server,
                                               const std::filesystem::path& log,
                                               const Json& request, const SeatArenas& arenas,
                                               const std::vector<int>& files);

  std::optional<EarlyEnd> await_ready(std::chrono::milliseconds timeout) override;
  PlayerAnswer call(const PlayerCall& call) override;

 private:
  BaselinePlayer(OracleForkServer& server, std::filesystem::path log, Mailbox mailbox)
      : log_(std::move(log)), server_(server), mailbox_(std::move(mailbox)) {}
  Status await_loaded(std::chrono::milliseconds timeout);
  [[nodiscard]] std::vector<pid_t> processes() const;
  [[nodiscard]] bool has_stalled(StallWatch& watch, std::chrono::nanoseconds into_call);
  [[nodiscard]] EarlyEnd failed(const std::string& what) const;

  std::filesystem::path log_;
  OracleForkServer& server_;  // stopped and continued with the player
  OracleChild child_;
  Mailbox mailbox_;
  std::uint32_t calls_ = 0;
};

}  // namespace kbench
