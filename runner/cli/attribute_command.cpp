#include <fmt/format.h>

#include "reports/attribution/attribution_json.hpp"
#include "reports/attribution/attribution_page.hpp"
#include "reports/attribution/attribution_report.hpp"
#include "reports/attribution/attribution_words.hpp"
#include "reports/write/output_file.hpp"
#include "reports/write/outputs.hpp"
#include "runner/attribution/analysis.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/strict_json.hpp"

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

// The page's title is the file's name: the folder that it lies in is nobody's business who gets the
// page.
Status write_page(const AttributeOptions& options, const Attribution& found) {
  if (!options.html) return Done{};
  return write_output_file(*options.html,
                           render_attribution_page(found, options.file.filename().string()));
}

}  // namespace

CLI::App* add_attribute(CLI::App& attribute, AttributeOptions& options) {
  auto& analyze = add_verb(attribute, "analyze", "Analyse the cells of a study, from a file");
  add_value(analyze, "FILE", options.file, "", "Cells, one per line, see below")->required();
  add_value(analyze, "--outcome", options.outcome, "NAME", "Primary outcome (default: correct)");
  add_value(analyze, "--arm", options.arm, "NAME",
            "direct, plan or both (default: the first there is)");
  add_many(analyze, "--by", options.by, "NAME",
           "Compare groups: stratum, generation, task or a label; may be repeated");
  add_value(analyze, "--html", options.html, "FILE", "Page to write as well");
  add_json(analyze, options.format);
  add_wide(analyze, options.common);
  add_common(analyze, options.common, false);
  return &analyze;
}

Result<End> call(const AttributeOptions& options, const Installation& /*installation*/) {
  if (const auto fine = check_page(options); !fine) return fine.error();
  const auto found = analyze_file(options);
  if (!found) return found.error();
  if (const auto written = write_page(options, *found); !written) return written.error();
  print_found(options, *found, attribution_json, render_attribution);
  return good(fmt::format("{} in {}{}", counted(found->components.size(), "component"),
                          unit_words(found->states, UnitKind::kState),
                          options.html ? ", written to " + options.html->string() : ""));
}

}  // namespace kbench
