// `kbench debug FILE`: one native submission, planned as `kbench run FILE` plans it, under the
// sanitizers of the component "debugger". Judges, stores and prints nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/feedback/command_report.hpp"

namespace kbench {

struct DebugRequest {
  std::optional<std::filesystem::path> suite;  // a folder with levelN/; else the installation's
  std::filesystem::path file;
  std::string task;                   // must select exactly one; empty: the file's name says it
  std::optional<std::string> size;    // "small" or "full"
  std::optional<std::string> device;  // "cpu", "cuda" or "cuda:N"
  std::string precision = "torch-default";
  bool no_wait = false;
};

struct DebuggedFile {
  std::string file;
  std::string task;
  std::string size;  // "small" as well where the wanted one is more than sanitizers can take
  std::string device;
  CommandReport report;
};

// Errors: kUsage, a file in Python, which no sanitizer runs; kInfrastructure, a sanitizer is not
// there, or the device is taken and `no_wait` is set; those of plan_one_row.
[[nodiscard]] Result<DebuggedFile> debug_file(const DebugRequest& request, DeviceSession& device,
                                              ProgressSink& progress);

// {file, task, size, device, clean, status, text}.
[[nodiscard]] Json debugged_json(const DebuggedFile& found);
// The last line: "relu.cu, level1/019_relu at small on cuda: nothing was found".
[[nodiscard]] std::string debugged_words(const DebuggedFile& found);

}  // namespace kbench
