#include "runner/cli/attribute_command.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "reports/attribution/attribution_json.hpp"
#include "reports/attribution/attribution_report.hpp"
#include "reports/attribution/attribution_words.hpp"
#include "runner/attribution/analysis.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/task/strict_json.hpp"

namespace kbench {
namespace {

Result<Attribution> analyze_file(const AttributeOptions& options) {
  const auto text = read_bounded_file(options.file, kMostCellBytes);
  if (!text) return Error{ErrorCode::kUsage, text.error().message, text.error().hint};
  const auto cells = parse_cells(*text, options.file.string());
  if (!cells) return cells.error();
  return analyze(*cells, {options.outcome, options.arm, options.by});
}

}  // namespace

CLI::App* add_attribute(CLI::App& app, AttributeOptions& options) {
  auto* attribute =
      app.add_subcommand("attribute", "Find which feedback helps an agent, and by how much");
  attribute->require_subcommand(1);
  attribute->footer(help_of("attribute analyze"));
  auto* analyze = attribute->add_subcommand("analyze", "Analyse the cells of a study, from a file");
  analyze->footer(help_of("attribute analyze"));
  analyze->add_option("FILE", options.file, "Cells, one a line, see below")
      ->required()
      ->type_name("");
  analyze->add_option("--outcome", options.outcome, "Primary outcome (default: correct)")
      ->type_name("NAME");
  analyze->add_option("--arm", options.arm, "direct, plan or both (default: the first there is)")
      ->type_name("NAME");
  analyze
      ->add_option("--by", options.by,
                   "Compare groups: stratum, generation, task or a label; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  add_json(*analyze, options.format);
  add_wide(*analyze, options.common);
  add_common(*analyze, options.common, false);
  return analyze;
}

int attribute_command(const AttributeOptions& options) {
  const auto found = analyze_file(options);
  if (!found) return fail(found.error(), inspect_terminal(STDERR_FILENO, options.common.color));
  if (options.format == OutputFormat::kJson)
    print_json(attribution_json(*found));
  else
    fmt::print("{}", render_attribution(*found, output_style(options.common)));
  return finish(ExitCode::kGood,
                fmt::format("{} component{} in {}", found->components.size(),
                            found->components.size() == 1 ? "" : "s",
                            unit_words(found->states, UnitKind::kState)),
                options.common.verbosity);
}

}  // namespace kbench
