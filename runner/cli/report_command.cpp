#include "runner/cli/report_command.hpp"

#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "reports/model.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/outputs.hpp"
#include "runner/cli/page_extras.hpp"
#include "runner/cli/site_output.hpp"
#include "runner/cli/stored_runs.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/store.hpp"

namespace kbench {

int report_command(const ReportOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  if (const auto fine = check_outputs(options.outputs, options.database); !fine)
    return fail(fine.error(), terminal);
  if (options.site) {
    if (const auto fine = check_site(*options.site); !fine) return fail(fine.error(), terminal);
  }
  auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return fail(store.error(), terminal);
  // Without it, the report says that the chain cannot be checked here.
  if (auto key = read_chain_key(installation.state)) store->use(std::move(*key));
  if (const auto status = complain_without_runs(*store, options.database, options.common))
    return *status;
  auto data = load_report(*store, options.run);
  if (!data) return fail(data.error(), terminal);
  data->variants = options.variants;
  if (options.site || writes_page(options.outputs)) {
    if (const auto added = add_page_extras(*data, *store, installation.suites); !added)
      return fail(added.error(), terminal);
  }

  if (const auto written = write_outputs(*data, options.outputs, options.common); !written)
    return fail(written.error(), terminal);
  if (options.site) {
    if (const auto written = write_site(*options.site, render_site(*data)); !written)
      return fail(written.error(), terminal);
  }
  std::string files = written_files(options.outputs);
  if (options.site)
    files +=
        fmt::format("{}{}", files.empty() ? "" : ", ", (*options.site / "index.html").string());
  return finish(ExitCode::kGood,
                fmt::format("run {}, {} row{}{}", data->run.id.substr(0, 12),
                            data->evaluations.size(), data->evaluations.size() == 1 ? "" : "s",
                            files.empty() ? "" : ", written to " + files),
                options.common.verbosity);
}

}  // namespace kbench
