#include "reports/formats/markdown_report.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/run_words.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/formats/console_report.hpp"
#include "reports/formats/result_table.hpp"
#include "runner/core/file_census.hpp"

namespace kbench {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) > 0x7f;
}

bool is_plain(std::string_view text, std::size_t at) {
  const char c = text[at];
  const bool within_a_word =
      at > 0 && at + 1 < text.size() && is_word(text[at - 1]) && is_word(text[at + 1]);
  if (c == '_') return within_a_word;  // only there is it no emphasis
  // GitHub makes links of what begins with www.
  if (c == '.') return at < 3 || (text[at - 1] != 'w' && text[at - 1] != 'W');
  if (c == ':') return !text.substr(at).starts_with("://");
  return is_word(c) || std::string_view(" /,%+-=;?()'\"!").find(c) != text.npos;
}

// Names stand in <code>, where GitHub looks for neither mentions nor numbers of issues.
std::string cell_text(const Cell& cell, Column::Kind kind) {
  const std::string text = markdown_text(cell.text);
  return kind == Column::Kind::kName && text != "–" ? fmt::format("<code>{}</code>", text) : text;
}

std::string table_head(const std::vector<Column>& columns) {
  std::string head = "|";
  std::string rule = "|";
  for (const Column& column : columns) {
    head += fmt::format(" {} |", markdown_text(column.heading));
    rule += column.kind == Column::Kind::kNumber ? " ---: |" : " --- |";
  }
  return head + "\n" + rule + "\n";
}

std::string table_row(const std::vector<Column>& columns, std::size_t row) {
  std::string line = "|";
  for (const Column& column : columns)
    line += fmt::format(" {} |", cell_text(column.cells[row], column.kind));
  return line + "\n";
}

// <pre> is HTML, in which Markdown looks for nothing up to its end.
std::string failure(const ResultRow& row) {
  std::string out = fmt::format("\n**{} {}** <code>{}</code>", glyph(row.state), words(row.state),
                                markdown_text(sanitize_line(row.task)));
  if (row.has_submission)
    out += fmt::format(" by <code>{}</code>", markdown_text(sanitize_line(row.told_apart())));
  out += fmt::format("\n\n<pre>{}</pre>\n", escape_html(row.message));
  if (!row.hint.empty()) out += fmt::format("\n→ {}\n", markdown_text(sanitize_line(row.hint)));
  return out;
}

std::string heading(const ReportData& data) {
  const std::string device = data.device_name.empty() ? device_of(data) : data.device_name;
  return fmt::format("## kbench run <code>{}</code>\n\n{}\n\nOn {}, {}{}\n\n",
                     markdown_text(sanitize_line(short_id(data.run))),
                     markdown_text(summary_line(data)), markdown_text(sanitize_line(device)),
                     markdown_text(sanitize_line(data.run.started_at)),
                     data.quick ? ", quick: timed in eight blocks only" : "");
}

// Cautions for readers of the numbers, each once.
std::string cautions(const ReportData& data, const std::vector<ResultRow>& rows) {
  std::map<std::string, int> counts;
  for (const ResultRow& row : rows) {
    if (!row.no_verdict.empty()) ++counts["No verdict: " + row.no_verdict_kind];
    if (!row.ranked()) ++counts["Not ranked: " + row.credit.unranked];
  }
  if (data.chain.state != ChainFinding::State::kHolds)
    counts[fmt::format("Rows {}: {}", to_string(data.chain.state), data.chain.message)] =
        static_cast<int>(rows.size());
  std::string out;
  if (const std::string rerun = rerun_words(data.run); !rerun.empty())
    out += fmt::format("- {}\n", markdown_text(rerun));
  if (const std::string unfinished = unfinished_words(data); !unfinished.empty())
    out += fmt::format("- {}\n", unfinished);
  for (const std::string& sentence : group_sentences(data))
    out += fmt::format("- {}\n", markdown_text(sanitize_line(sentence)));
  for (const auto& [reason, count] : counts)
    out += fmt::format("- {} ({} row{})\n", markdown_text(sanitize_line(reason)), count,
                       count == 1 ? "" : "s");
  return out.empty() ? out : "\n" + out;
}

// Files that have no row; each that was meant as a submission is named.
std::string ignored_files(const ReportData& data) {
  constexpr int kMost = 50;
  const std::optional<Census> census = read_census(data.files);
  if (!census || census->ignored.empty()) return "";
  std::string out = fmt::format("\nFiles: {}\n\n", markdown_text(census->summary()));
  int shown = 0;
  for (const Census::Ignored& file : census->ignored) {
    if (!file.mistaken || ++shown > kMost) continue;
    out += fmt::format("- ✗ <code>{}</code>: {}\n", markdown_text(sanitize_line(file.path)),
                       markdown_text(sanitize_line(file.why)));
  }
  if (shown > kMost) out += fmt::format("- … {} more\n", shown - kMost);
  return out;
}

// Findings of a nightly run, before anything else.
std::string night_of(const ReportData& data) {
  if (!data.night) return "";
  std::string out;
  for (const NightFinding& finding : *data.night)
    out += fmt::format("- **{} {}** <code>{}</code> by <code>{}</code> {}\n",
                       finding.regression             ? "✗"
                       : finding.verdict == "cleared" ? "✓"
                                                      : "?",
                       finding.regression ? "regression" : markdown_text(finding.verdict),
                       markdown_text(sanitize_line(finding.task)),
                       markdown_text(sanitize_line(finding.contestant())),
                       markdown_text(sanitize_line(finding.message)));
  return out.empty() ? out : out + "\n";
}

// Appends whole parts while there is room.
class Limited {
 public:
  Limited(std::string text, std::size_t most) : text_(std::move(text)), most_(most) {}
  bool add(const std::string& part) {
    full_ = full_ || part.size() > most_ - std::min(most_, text_.size());
    if (!full_) text_ += part;
    return !full_;
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t most_;
  bool full_ = false;
};

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      out += "<br>";
    } else {
      // An entity is never markup.
      out += is_plain(text, i) ? std::string(1, text[i])
                               : fmt::format("&#{};", static_cast<unsigned char>(text[i]));
    }
  }
  return out;
}

std::string render_markdown(const ReportData& data, std::size_t most_bytes) {
  constexpr std::size_t kRoomForNote = 100;
  const std::vector<ResultRow> rows = derive_all(data);
  const std::vector<Column> columns = result_columns(rows, std::string::npos);
  Limited out(heading(data), most_bytes - std::min(most_bytes, kRoomForNote));
  std::size_t left_out = 0;
  out.add(night_of(data));
  if (!rows.empty()) out.add(table_head(columns));
  for (std::size_t i = 0; i < rows.size(); ++i)
    left_out += out.add(table_row(columns, i)) ? 0u : 1u;
  out.add(cautions(data, rows));
  out.add(ignored_files(data));
  std::size_t unsaid = 0;
  for (const ResultRow& row : rows)
    if (!row.message.empty()) unsaid += out.add(failure(row)) ? 0u : 1u;
  std::string text = out.take();
  if (left_out + unsaid > 0)
    text +=
        fmt::format("\n… {} rows and {} messages more than there is room for.\n", left_out, unsaid);
  return text;
}

}  // namespace kbench
