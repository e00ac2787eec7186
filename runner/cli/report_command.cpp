#include "runner/cli/report_command.hpp"

#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "reports/console_report.hpp"
#include "reports/html_report.hpp"
#include "reports/json_report.hpp"
#include "reports/model.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/output_file.hpp"
#include "runner/cli/stored_runs.hpp"
#include "runner/store/chain_key.hpp"
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

}  // namespace

int report_command(const ReportOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return fail(store.error(), terminal);
  // Without it, the report says that the chain cannot be checked here.
  if (auto key = read_chain_key(installation.state)) store->use(std::move(*key));
  if (const auto status = complain_without_runs(*store, options.database, options.common))
    return *status;
  const auto data = load_report(*store, options.run);
  if (!data) return fail(data.error(), terminal);

  const auto text = render(*data, options);
  if (options.output) {
    if (const auto written = write_output_file(*options.output, text); !written) {
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
