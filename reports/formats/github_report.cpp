#include "reports/formats/github_report.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/run_facts.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/facts/without_folders.hpp"
#include "reports/formats/console_report.hpp"
#include "reports/formats/markdown_report.hpp"
#include "runner/core/file_census.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Control characters are shown in letters before: %0A and %0D are the only ones that GitHub gets.
std::string escape(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : sanitize_text(text)) {
    if (special.find(c) == special.npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// The first line of the file that a compiler complains of: "relu.cu:12:5: error"; empty without.
std::string line_of(const std::string& file, std::string_view message) {
  const std::string name = fs::path(file).filename().string() + ":";
  const std::size_t at = file.empty() ? message.npos : message.find(name);
  if (at == message.npos) return "";
  const std::string_view rest = message.substr(at + name.size());
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return digits > 0 && digits < 8 ? std::string(rest.substr(0, digits)) : "";
}

std::string command(std::string_view name, const std::string& file, std::string_view title,
                    std::string_view message) {
  std::string where = file.empty() ? "" : fmt::format("file={},", github_property(file));
  if (const std::string line = line_of(file, message); !line.empty())
    where += fmt::format("line={},", line);
  return fmt::format("::{} {}title={}::{}\n", name, where, github_property(title),
                     github_message(message));
}

// Where a file below the submissions folder lies, as the checkout names it.
std::string place_of(const ReportData& data, const std::string& name,
                     const std::string& workspace) {
  const RunFacts facts = facts_of(data.run);
  const std::string& folder = facts.submissions_folder;
  const fs::path source = !facts.submitted_file.empty()
                              ? fs::path(facts.submitted_file)
                              : fs::path(folder.empty() ? "submissions" : folder) / name;
  const fs::path inside = source.lexically_relative(workspace);
  const bool outside = workspace.empty() || inside.empty() || *inside.begin() == "..";
  return outside ? without_folders(source.string()) : inside.string();
}

std::string source_of(const ReportData& data, const ResultRow& row, const std::string& workspace) {
  return row.has_submission ? place_of(data, row.submission, workspace) : "";
}

std::string error_of(const ReportData& data, const ResultRow& row, const std::string& workspace) {
  const std::string title = fmt::format("{}: {}{}", words(row.state), row.task,
                                        row.has_submission ? " by " + row.told_apart() : "");
  std::string message = row.message.empty() ? words(row.state) : row.message;
  if (!row.hint.empty()) message += "\n" + row.hint;
  return command("error", source_of(data, row, workspace), title, message);
}

// Files that seem to be meant as submissions, and are none.
std::string ignored_files(const ReportData& data, const std::string& workspace) {
  const std::optional<Census> census = read_census(data.files);
  std::string out;
  if (!census) return out;
  for (const Census::Ignored& file : census->ignored)
    if (file.mistaken)
      out += command("error", place_of(data, file.path, workspace), "ignored", file.why);
  return out;
}

// Findings of a nightly run: confirmed regressions are errors at their source; what was suspected
// for nothing, or stays unclear, is worth a word.
std::string night_of(const ReportData& data, const std::vector<ResultRow>& rows,
                     const std::string& workspace) {
  if (!data.night) return "";
  std::string out;
  for (const NightFinding& finding : *data.night) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const ResultRow& one) {
      return one.task == finding.task && one.agent == finding.agent &&
             one.variant == finding.variant;
    });
    const std::string file = row == rows.end() ? "" : source_of(data, *row, workspace);
    out += command(finding.regression ? "error" : "notice", file,
                   fmt::format("{}: {} by {}",
                               finding.regression ? "regression" : "suspected, " + finding.verdict,
                               finding.task, finding.contestant()),
                   finding.message);
  }
  return out;
}

// "level1/013_gelu: its output …"; of several tasks the reason alone, with the first of them.
std::string unranked_words(const std::string& reason, const std::set<std::string>& tasks) {
  constexpr std::size_t kShown = 3;
  if (tasks.size() == 1) return *tasks.begin() + ": " + reason;
  const std::vector<std::string> shown(
      tasks.begin(),
      std::next(tasks.begin(), static_cast<std::ptrdiff_t>(std::min(kShown, tasks.size()))));
  const std::string more =
      tasks.size() > kShown ? fmt::format(" and {} more", tasks.size() - kShown) : "";
  return fmt::format("{}: {}{}", reason, fmt::join(shown, ", "), more);
}

// Each reason once, with the number of rows.
std::string warnings(const ReportData& data, const std::vector<ResultRow>& rows) {
  std::map<std::pair<std::string, std::string>, int> counts;
  std::map<std::string, std::set<std::string>> tasks;  // by the reason why none counts
  for (const ResultRow& row : rows) {
    if (!row.no_verdict.empty()) ++counts[{"no verdict", row.no_verdict_kind}];
    if (!row.ranked()) tasks[row.credit.unranked].insert(row.task);
  }
  for (const ResultRow& row : rows)
    if (!row.ranked())
      ++counts[{"not ranked", unranked_words(row.credit.unranked, tasks[row.credit.unranked])}];
  std::string out;
  for (const auto& [reason, count] : counts)
    out += command("warning", "",
                   fmt::format("{} ({} row{})", reason.first, count, count == 1 ? "" : "s"),
                   reason.second);
  const auto chain = data.chain.state;
  if (chain != ChainFinding::State::kHolds)
    out += command(chain == ChainFinding::State::kChanged ? "error" : "warning", "",
                   fmt::format("rows {}", to_string(chain)), data.chain.message);
  if (const std::string unfinished = unfinished_words(data); !unfinished.empty())
    out += command("error", "", "not finished", unfinished);
  if (data.quick)
    out += command("warning", "", "quick run", "timed in eight blocks of one session only");
  return out;
}

}  // namespace

std::string github_property(std::string_view text) { return escape(text, "%\r\n:,"); }
std::string github_message(std::string_view text) { return escape(text, "%\r\n"); }

std::string render_github(const ReportData& data, const std::string& workspace) {
  const std::vector<ResultRow> rows = derive_all(data);
  std::string out = night_of(data, rows, workspace);
  for (const ResultRow& row : rows)
    if (is_failure(row.state)) out += error_of(data, row, workspace);
  out += ignored_files(data, workspace);
  out += warnings(data, rows);
  std::string summary = summary_line(data);
  if (const auto census = read_census(data.files); census && !census->ignored.empty())
    summary += fmt::format(" · files: {}", census->summary());
  return out + command("notice", "", fmt::format("kbench run {}", short_id(data.run)), summary);
}

std::string github_summary(const ReportData& data, std::size_t most_bytes) {
  return render_markdown(data, most_bytes);
}

}  // namespace kbench
