#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

std::string value_of(const EffectiveSetting& setting) {
  if (setting.origin.empty()) return setting.by_default;
  if (setting.flag && setting.typed) return "on";
  return printable(fmt::format("{}", fmt::join(setting.values, ", ")));
}

std::string origin_of(const EffectiveSetting& setting) {
  if (!setting.origin.empty()) return printable(setting.origin);
  return setting.by_default.empty() ? "–" : "default";
}

std::string table_of(const ConfigOptions& options, const TableStyle& style) {
  Column name{.heading = "Option"};
  Column value{.heading = "Value"};
  Column origin{.heading = "From"};
  for (const EffectiveSetting& setting : options.settings) {
    const auto tone = setting.origin.empty() ? std::nullopt : std::optional(Tone::kGood);
    name.cells.push_back({"--" + setting.name, {}});
    value.cells.push_back({value_of(setting), {}});
    origin.cells.push_back({origin_of(setting), tone});
  }
  return render_table({std::move(name), std::move(value), std::move(origin)}, style);
}

Json json_of(const ConfigOptions& options) {
  Json list = Json::array();
  for (const EffectiveSetting& setting : options.settings)
    list.push_back({{"option", setting.name},
                    {"values", setting.values},
                    {"origin", origin_of(setting)},
                    {"default", setting.by_default}});
  return {{"schema_version", 1},
          {"command", options.command},
          {"options", std::move(list)},
          {"unknown_variables", options.unknown_variables}};
}

}  // namespace

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
    print_json(json_of(options));
  else
    fmt::print("{}", table_of(options, output_style(options.common)));
  return good(fmt::format("the options of kbench {}", options.command));
}

}  // namespace kbench
