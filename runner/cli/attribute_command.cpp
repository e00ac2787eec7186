#include <unistd.h>

#include <fmt/format.h>

#include "reports/attribution/attribution_json.hpp"
#include "reports/attribution/attribution_page.hpp"
#include "reports/attribution/attribution_report.hpp"
#include "reports/attribution/attribution_words.hpp"
#include "reports/write/output_file.hpp"
#include "reports/write/outputs.hpp"
#include "runner/attribution/analysis.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
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

// Whether the page can be written where it is wanted, before anything is read.
Status check_page(const AttributeOptions& options) {
  if (!options.html) return Done{};
  if (*options.html == "-")
    return Error{ErrorCode::kUsage, "--html names a file: standard output has the tables",
                 "name the page: --html page.html"};
  return check_output_file(*options.html, options.file);
}

// Its title is the file's name: what folder it lies in is nobody's business who gets the page.
Status write_page(const AttributeOptions& options, const Attribution& found) {
  if (!options.html) return Done{};
  return write_output_file(*options.html,
                           render_attribution_page(found, options.file.filename().string()));
}

}  // namespace

CLI::App* add_attribute(CLI::App& app, AttributeOptions& options) {
  auto* attribute =
      app.add_subcommand("attribute", "Find which feedback helps an agent, and by how much");
  attribute->require_subcommand(1);
  attribute->footer(help_of("attribute"));
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
  analyze->add_option("--html", options.html, "Page to write as well")->type_name("FILE");
  add_json(*analyze, options.format);
  add_wide(*analyze, options.common);
  add_common(*analyze, options.common, false);
  return analyze;
}

int call(const AttributeOptions& options, const Installation& /*installation*/) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  if (const auto fine = check_page(options); !fine) return fail(fine.error(), terminal);
  const auto found = analyze_file(options);
  if (!found) return fail(found.error(), terminal);
  if (const auto written = write_page(options, *found); !written)
    return fail(written.error(), terminal);
  if (options.format == OutputFormat::kJson)
    print_json(attribution_json(*found));
  else
    fmt::print("{}", render_attribution(*found, output_style(options.common)));
  return finish(ExitCode::kGood,
                fmt::format("{} component{} in {}{}", found->components.size(),
                            found->components.size() == 1 ? "" : "s",
                            unit_words(found->states, UnitKind::kState),
                            options.html ? ", written to " + options.html->string() : ""),
                options.common.verbosity);
}

}  // namespace kbench
