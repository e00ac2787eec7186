// All that a run with a model's endpoint needs of the world, of `agent run` and `attribute run`:
// the device, the sandbox of kbench-agent, Ctrl-C, and where it is told how things go.
#pragma once

#include <memory>
#include <mutex>

#include <CLI/CLI.hpp>

#include "runner/cli/command_options.hpp"
#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/device/device_session.hpp"
#include "runner/episode/agent_run.hpp"
#include "runner/installation/installation.hpp"
#include "runner/print/run_face.hpp"
#include "runner/run/device_bench.hpp"

namespace kbench {

// Options of a model's endpoint.
inline void add_endpoint(CLI::App& app, EndpointWords& words) {
  add_value(
      app, "--endpoint", words.address, "URL",
      "Address of an OpenAI-compatible server, as http://127.0.0.1:8000/v1 or https://HOST/v1")
      ->required();
  auto* variable = add_value(app, "--key-env", words.key_env, "VARIABLE",
                             "Variable with the endpoint's key (default: no key is sent)");
  add_path(app, "--key-file", words.key_file, "FILE", "File with the key, of mode 0600")
      ->excludes(variable);
  add_number(app, "--timeout", words.timeout_s, 1, 86'400,
             "Seconds that one answer may take (default: 600)");
}

class AgentWorld {
 public:
  // Makes the world. Both arguments outlive it. Errors: kInfrastructure, signals cannot be read.
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
