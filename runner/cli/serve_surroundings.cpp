#include "runner/cli/serve_surroundings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"

namespace kbench {

ServeSurroundings::ServeSurroundings(const ServeOptions& options, const Installation& installation)
    : options_(options),
      device_(installation, SessionTurns::kMany),
      benches_(device_),
      shown_(options.common.color, std::min(options.common.verbosity - 1, 1)),
      quiet_(options.common.color, -1) {}

ServeJudging ServeSurroundings::judging() {
  return {.place = {options_.common.suite, device_, benches_},
          .device = options_.device,
          .size = options_.size,
          .allow_torch = options_.allow_torch,
          .precision = options_.precision,
          .vendor = options_.vendor,
          .database = options_.database,
          .exchange = options_.exchange,
          .group = options_.group,
          .devices = options_.devices,
          .trust = options_.common.trust,
          .sink = shown_,
          .quiet = quiet_};
}

std::function<void(const std::string&)> ServeSurroundings::note() const {
  return [verbosity = options_.common.verbosity](const std::string& text) {
    if (verbosity >= 0) fmt::print(stderr, "{}\n", text);
  };
}

void add_judging(CLI::App& app, ServeOptions& options) {
  add_size(app, options.size,
           "Size of a task where the request names none (default: full on CUDA, small on CPU)");
  add_device(app, options.device);
  add_database(app, options.database);
  add_allow_torch(app, options.allow_torch);
  add_precision(app, options.precision);
  add_vendor(app, options.vendor);
  add_trust(app, options.common.trust);
  add_common(app, options.common, true);
}

}  // namespace kbench
