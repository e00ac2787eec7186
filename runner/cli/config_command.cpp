#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/print/plan_text.hpp"

namespace kbench {

CLI::App* add_config(CLI::App& app, ConfigOptions& options) {
  auto& config =
      add_verb(app, "config", "Show a command's options and where each value comes from");
  config.prefix_command();  // the rest is another command line
  add_json(config, options.format);
  add_common(config, options.common, false);
  return &config;
}

Result<End> call(const ConfigOptions& options, const Installation& /*installation*/) {
  if (options.format == OutputFormat::kJson)
    print_json({{"schema_version", 1},
                {"command", options.command},
                {"options", settings_json(options.settings)},
                {"unknown_variables", options.unknown_variables}});
  else
    fmt::print("{}", settings_text(options.settings, output_style(options.common)));
  return good(fmt::format("the options of kbench {}", options.command));
}

}  // namespace kbench
