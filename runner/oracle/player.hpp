// Makes of an oracle's process the player of the baselines on CPU (see measure/players/player.hpp):
// it maps its arenas, loads the task and its package, and serves the mailbox until it is killed. It
// draws nothing, flushes nothing and compares nothing, so that a baseline is timed in a process
// that has just been woken, like a submission.
#pragma once

#include <memory>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/oracle/protocol.hpp"

namespace kbench {

class CpuPlayer {
 public:
  // `descriptors`: as PlayRequest says; `type` stands in the place of float32. A package that
  // cannot be loaded is no error. Errors: kBadInput, kInfrastructure, kDoesNotFit.
  static Result<CpuPlayer> load(const PlayRequest& request, DType type,
                                std::vector<UniqueFd> descriptors);
  CpuPlayer(CpuPlayer&&) noexcept;
  ~CpuPlayer();
  CpuPlayer(const CpuPlayer&) = delete;
  CpuPlayer& operator=(const CpuPlayer&) = delete;

  [[noreturn]] void serve();

 private:
  struct Impl;
  explicit CpuPlayer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kbench
