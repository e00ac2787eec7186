// Parts shared by `kbench serve` and `kbench mcp`: the terminal and the device of a judge.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "runner/cli/options.hpp"
#include "runner/device/device_session.hpp"
#include "runner/judge/serving.hpp"
#include "runner/print/run_face.hpp"
#include "runner/run/device_bench.hpp"

namespace kbench {

// Options of what both judge by.
void add_judging(CLI::App& app, ServeOptions& options);

// `options` and `installation` outlive it, and it outlives what it judges.
class ServeSurroundings {
 public:
  ServeSurroundings(const ServeOptions& options, const Installation& installation);
  [[nodiscard]] ServeJudging judging();
  // Prints a line on standard error, unless quiet.
  [[nodiscard]] std::function<void(const std::string&)> note() const;

 private:
  const ServeOptions& options_;
  DeviceSession device_;
  DeviceBenches benches_;
  RunFace shown_;
  RunFace quiet_;
};

}  // namespace kbench
