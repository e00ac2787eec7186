// Where the reports of a run go: `--out FORMAT=PATH` and its short forms (--format, --html, -o) as
// one list; what must not be written over is refused before anything runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/formats/report_columns.hpp"
#include "reports/formats/text_table.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct Reporter;
struct ReportData;
struct ProfileRows;
struct PageOrigin;

// One report that is to be written.
struct OutputRequest {
  const Reporter* reporter = nullptr;         // how
  std::optional<std::filesystem::path> file;  // the file to write; empty: standard output
  std::string option = "--out";               // option that named the place, or can
  bool by_default = false;                    // not asked for
};

// "csv=results.csv", "json=-", or a path alone, whose ending says the format. Errors: kUsage.
[[nodiscard]] Result<OutputRequest> parse_output(const std::string& word);

// The words of the command line.
struct OutputWords {
  std::vector<std::string> out;            // --out, each
  std::optional<std::string> format;       // --format of run, FORMAT of report
  std::string otherwise = "table";         // format of run where nothing goes to standard output
  std::optional<std::string> format_file;  // -o of report: where that goes
  std::optional<std::string> html;         // --html of run
  bool no_html = false;
  std::optional<std::filesystem::path> site;  // --site of report, in the place of FORMAT's file
};
// Outputs of `kbench run`: `otherwise` on standard output if nothing else goes there, and a page
// beside the database unless another page or none is asked for. Errors: kUsage; standard output is
// one place.
[[nodiscard]] Result<std::vector<OutputRequest>> run_outputs(const OutputWords& words,
                                                             const std::filesystem::path& database);
// Outputs of `kbench report`: those asked for; without any, a table on standard output.
[[nodiscard]] Result<std::vector<OutputRequest>> report_outputs(const OutputWords& words);

// Outputs of `kbench nightly`: those asked for, possibly none.
[[nodiscard]] Result<std::vector<OutputRequest>> nightly_outputs(const OutputWords& words);

// Whether all of them can be written without harm: no folder, no file twice, neither the database
// nor a side file of it, nor `input`, a file that is read. Errors: kUsage.
[[nodiscard]] Status check_outputs(const std::vector<OutputRequest>& outputs,
                                   const std::filesystem::path& database,
                                   const std::optional<std::filesystem::path>& input = {});

// Checks a file that is no report of a run and is made of `input`: no folder, no pipe, no database,
// not `input`. Errors: kUsage.
[[nodiscard]] Status check_output_file(const std::filesystem::path& file,
                                       const std::filesystem::path& input);

// How reports look: as tables on standard output, and in files.
struct OutputStyle {
  TableStyle standard_output;
  bool coloured_files = false;
  std::string program;  // the kbench that writes (build_info.hpp: version_text); a page says so
  std::vector<ReportColumn> chosen;  // columns of table and csv; none: the usual ones
};

// The origin of a page that is written now. Its time is that of SOURCE_DATE_EPOCH where it is set,
// so that the same rows give the same bytes.
[[nodiscard]] PageOrigin page_origin(const OutputStyle& style);

// Writes all of them, and what GITHUB_STEP_SUMMARY is to get. Errors: the first, after all were
// tried.
[[nodiscard]] Status write_outputs(const ReportData& data,
                                   const std::vector<OutputRequest>& outputs,
                                   const OutputStyle& style);

// The profiles in the database of the rows. Where they cannot be read a page is without them, and
// `kbench db check` says why.
[[nodiscard]] ProfileRows profiles_beside(const ReportData& data);

// "results.csv, page.html"; empty where none goes to a file.
[[nodiscard]] std::string written_files(const std::vector<OutputRequest>& outputs);

}  // namespace kbench
