#include "runner/cli/agent_world.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runner/agent/agent_process.hpp"
#include "runner/cli/exit_codes.hpp"
#include "runner/cli/printing.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"

namespace kbench {

Result<std::unique_ptr<AgentWorld>> AgentWorld::make(const CommonOptions& common,
                                                     const Installation& installation) {
  auto signals = signals_to_read();
  if (!signals) return signals.error();
  return std::unique_ptr<AgentWorld>(new AgentWorld(common, installation, std::move(*signals)));
}

AgentWorld::AgentWorld(const CommonOptions& common, const Installation& installation,
                       UniqueFd signals)
    : signals_(std::move(signals)),
      device_(installation, SessionTurns::kMany),
      benches_(device_),
      face_(common.color, common.verbosity),
      quiet_(common.color, -1),
      around_{.device = device_,
              .benches = benches_,
              .sink = face_,
              .quiet = quiet_,
              .start_agent = agent_starter(installation.agent),
              .asked_to_stop =
                  [this](std::chrono::milliseconds wait) { return take_signal(signals_, wait); },
              .abandon = [] { ::_exit(to_int(ExitCode::kInterrupted)); },
              .note =
                  [this, &common](const std::string& text) {
                    if (common.verbosity < 0) return;
                    const std::scoped_lock lock(printing_);
                    fmt::print(stderr, "{}\n", printable(text));
                  }} {}

}  // namespace kbench
