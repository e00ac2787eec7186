// All that a run with a model's endpoint needs of the world, of `agent run` and `attribute run`:
// the device, the sandbox of kbench-agent, Ctrl-C, and where it is told how things go.
#pragma once

#include <memory>
#include <mutex>

#include "runner/cli/options.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/device/device_session.hpp"
#include "runner/episode/agent_run.hpp"
#include "runner/installation/installation.hpp"
#include "runner/run/device_bench.hpp"

namespace kbench {

class AgentWorld {
 public:
  // Both outlive it. Errors: kInfrastructure, signals cannot be read.
  static Result<std::unique_ptr<AgentWorld>> make(const CommonOptions& common,
                                                  const Installation& installation);
  AgentRunSurroundings& around() { return around_; }

 private:
  AgentWorld(const CommonOptions& common, const Installation& installation, UniqueFd signals);

  UniqueFd signals_;
  DeviceSession device_;
  DeviceBenches benches_;
  RunFace face_;
  RunFace quiet_;
  std::mutex printing_;
  AgentRunSurroundings around_;
};

}  // namespace kbench
