#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"

namespace kbench {

CLI::App* add_debug(CLI::App& app, DebugOptions& options) {
  auto& debug = add_verb(app, "debug", "Run a kernel under sanitizers, which name its faults");
  add_value(debug, "FILE", options.file, "", "The kernel (.cpp, .cu)")->required();
  add_value(debug, "--task", options.task, "TASK", "The task of a FILE that is not named like it");
  add_size(debug, options.size, "Size of the task (default: full on CUDA, small on CPU)");
  add_device(debug, options.device,
             "Device (default: cpu for a .cpp file, else cuda where there is a GPU)");
  add_precision(debug, options.precision);
  debug.add_flag("--no-wait", options.no_wait,
                 "Exit with code 3 instead of waiting for another run on this device");
  add_json(debug, options.format);
  add_suite(debug, options.suite);
  add_common(debug, options.common, false);
  return &debug;
}

Result<End> call(const DebugOptions& options, const Installation& installation) {
  DeviceSession device(installation, SessionTurns::kOne);
  Progress progress = progress_of(options.common);
  const auto found = debug_file(options, device, progress);
  if (!found) return found.error();
  print_found(options, *found, debugged_json,
              [](const DebuggedFile& one, const TableStyle&) { return one.report.text; });
  return End{found->report.is_clean ? ExitCode::kGood : ExitCode::kTaskFailed,
             debugged_words(*found)};
}

}  // namespace kbench
