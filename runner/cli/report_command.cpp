#include "runner/cli/report_command.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "reports/console_report.hpp"
#include "reports/html_report.hpp"
#include "reports/json_report.hpp"
#include "reports/model.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

std::string render(const ReportData& data, const ReportOptions& options) {
  switch (options.format) {
    case ReportFormat::kHtml: return render_html(data);
    case ReportFormat::kJson: return render_json(data);
    case ReportFormat::kTable: break;
  }
  ConsoleOptions console;
  // A file gets colour only when it is asked for: NO_COLOR and --color still decide.
  console.colour = options.output ? options.common.color == ColorMode::kAlways
                                  : inspect_terminal(STDOUT_FILENO, options.common.color).color;
  return render_console(data, console);
}

Error unwritable(const std::string& where) {
  return {ErrorCode::kInfrastructure,
          fmt::format("{} cannot be written: {}", where, std::strerror(errno)), ""};
}

Status write_in_place(const std::filesystem::path& file, const std::string& text) {
  std::FILE* const stream = std::fopen(file.c_str(), "wbe");
  if (stream == nullptr) return unwritable(file.string());
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  // Always closed, and what closing finds counts as well.
  const bool closed = std::fclose(stream) == 0;
  return written && closed ? Status(Done{}) : Status(unwritable(file.string()));
}

// Through a neighbour that is renamed: a reader sees the old file or the whole new one. A pipe or a
// device is written to as it is.
Status write_file(const std::filesystem::path& file, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    return write_in_place(file, text);
  const auto part = file.string() + fmt::format(".part-{}", ::getpid());
  const auto close = [](std::FILE* stream) { std::fclose(stream); };
  const std::unique_ptr<std::FILE, decltype(close)> stream(std::fopen(part.c_str(), "wbe"), close);
  if (!stream) return unwritable(file.string());
  const bool written = std::fwrite(text.data(), 1, text.size(), stream.get()) == text.size() &&
                       std::fflush(stream.get()) == 0 && ::rename(part.c_str(), file.c_str()) == 0;
  if (written) return Done{};
  const auto error = unwritable(file.string());
  ::unlink(part.c_str());
  return error;
}

}  // namespace

int report_command(const ReportOptions& options) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  const auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return fail(store.error(), terminal);
  const auto runs = store->runs();
  if (!runs) return fail(runs.error(), terminal);
  if (runs->empty()) {
    return finish(ExitCode::kNothingSelected,
                  fmt::format("{} has no runs yet", options.database.string()),
                  options.common.verbosity);
  }
  const auto data = load_report(*store, options.run);
  if (!data) return fail(data.error(), terminal);

  const auto text = render(*data, options);
  if (options.output) {
    if (const auto written = write_file(*options.output, text); !written) {
      return fail(written.error(), terminal);
    }
  } else {
    fmt::print("{}", text);
  }
  return finish(
      ExitCode::kGood,
      fmt::format("run {}, {} rows{}", data->run.id.substr(0, 12), data->evaluations.size(),
                  options.output ? ", written to " + options.output->string() : ""),
      options.common.verbosity);
}

}  // namespace kbench
