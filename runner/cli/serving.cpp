#include "runner/cli/serving.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/sha256.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/store/database_path.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// One for each database, by where that lies.
Result<fs::path> spool_folder(const ServeOptions& options, const Installation& installation) {
  if (installation.state.empty())
    return Error{ErrorCode::kInfrastructure, "there is no place for the queue",
                 "set HOME or XDG_STATE_HOME, which it lies below"};
  std::error_code failed;
  const fs::path database = fs::weakly_canonical(fs::absolute(options.database), failed);
  if (failed)
    return Error{
        ErrorCode::kUsage,
        fmt::format("{}: {}", clean_name(options.database.string(), 300), failed.message()), ""};
  return installation.state / "serve" / sha256(database.string()).substr(0, 16);
}

}  // namespace

ServingSurroundings::ServingSurroundings(const CommonOptions& common, DeviceSession& device)
    : shown(with_verbosity(common, std::min(common.verbosity - 1, 1))),
      quiet(with_verbosity(common, -1)),
      benches(device) {}

Result<ServingParts> prepare_serving(const ServeOptions& options, DeviceSession& device) {
  const Installation& installation = device.installation();
  if (auto sound = check_database_path(options.database); !sound) return sound.error();
  if (auto there = check_database_folder(options.database); !there) return there.error();
  auto signals = signals_to_read();
  if (!signals) return signals.error();
  const auto folder = spool_folder(options, installation);
  if (!folder) return folder.error();
  auto around = std::make_unique<ServingSurroundings>(options.common, device);
  auto judge = make_serve_judge({.place = {options.common.suite, device, around->benches},
                                 .device = options.device,
                                 .size = options.size,
                                 .allow_torch = options.allow_torch,
                                 .database = options.database,
                                 .trust = options.common.trust,
                                 .sink = around->shown,
                                 .quiet = around->quiet});
  if (!judge) return judge.error();
  auto spool = Spool::open(*folder);
  if (!spool) return spool.error();
  return ServingParts{std::move(around), std::move(*signals), std::move(*judge), std::move(*spool)};
}

// What both judge by.
void add_judging(CLI::App& app, ServeOptions& options) {
  add_size(app, options.size, "Size of tasks where nobody names one");
  add_device(app, options.device);
  add_database(app, options.database);
  add_allow_torch(app, options.allow_torch);
  add_trust(app, options.common.trust);
  add_common(app, options.common, true);
}

}  // namespace kbench
