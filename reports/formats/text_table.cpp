#include "reports/formats/text_table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;
constexpr std::size_t kIndent = 2;  // lines of a row behind its first

std::string_view colour_code(Tone tone) {
  switch (tone) {
    case Tone::kGood: return "\x1b[32m";
    case Tone::kBad: return "\x1b[31m";
    case Tone::kCaution: return "\x1b[33m";
    case Tone::kNeutral: return "\x1b[2m";
  }
  return "";
}

// `limit`: columns of the terminal; 0: unlimited.
std::size_t width_of(const Column& column, std::size_t limit) {
  std::size_t width = display_width(column.heading);
  for (const Cell& cell : column.cells) width = std::max(width, display_width(cell.text));
  return column.flows && limit > 0 ? std::min(width, std::max(limit / 2, kNarrowest)) : width;
}

std::vector<std::size_t> widths_of(const std::vector<Column>& columns, std::size_t limit) {
  std::vector<std::size_t> widths;
  for (const Column& column : columns) widths.push_back(width_of(column, limit));
  return widths;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  const std::size_t gaps = widths.empty() ? 0 : kGap * (widths.size() - 1);
  return std::accumulate(widths.begin(), widths.end(), gaps);
}

// Removes the least important column; false where all are to stay.
bool drop_one(std::vector<Column>& columns) {
  auto least = columns.end();
  for (auto it = columns.begin(); it != columns.end(); ++it) {
    const bool may_go = it->importance > 0;
    if (may_go && (least == columns.end() || it->importance <= least->importance)) least = it;
  }
  if (least == columns.end()) return false;
  columns.erase(least);
  return true;
}

void cut_cells(Column& column, std::size_t width) {
  column.heading = shorten(column.heading, width);
  for (Cell& cell : column.cells) cell.text = shorten(cell.text, width);
}

// Leaves out what is spare of the next column that has any; false where none has.
bool drop_spare(std::vector<Column>& columns) {
  const auto with = std::find_if(columns.begin(), columns.end(),
                                 [](const Column& column) { return column.spare > 0; });
  if (with == columns.end()) return false;
  for (Cell& cell : with->cells) cell.text.erase(0, with->spare);
  with->spare = 0;
  return true;
}

// The column whose cells are cut next: the widest of text, and one that flows after all others.
// Past the end: none can be cut.
std::size_t next_to_cut(const std::vector<Column>& columns,
                        const std::vector<std::size_t>& widths) {
  const auto rank = [&](std::size_t c) { return std::pair(!columns[c].flows, widths[c]); };
  std::size_t next = columns.size();
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].kind != Column::Kind::kNumber && widths[c] > kNarrowest &&
        (next == columns.size() || rank(c) > rank(next)))
      next = c;
  return next;
}

void drop_to_fit(std::vector<Column>& columns, std::size_t limit) {
  while (total(widths_of(columns, limit)) > limit && (drop_one(columns) || drop_spare(columns))) {
  }
}

// False where the cells cannot be cut that far.
bool cut_to_fit(std::vector<Column>& columns, std::size_t limit) {
  for (std::vector<std::size_t> widths = widths_of(columns, limit); total(widths) > limit;
       widths = widths_of(columns, limit)) {
    const std::size_t widest = next_to_cut(columns, widths);
    if (widest == columns.size()) return false;
    const std::size_t too_much = std::min(total(widths) - limit, widths[widest] - kNarrowest);
    cut_cells(columns[widest], widths[widest] - too_much);
  }
  return true;
}

// The columns of each line that a row takes: one line, or as many as a narrow terminal needs.
using Lines = std::vector<std::vector<Column>>;

Lines in_several_lines(std::vector<Column> columns, std::size_t limit) {
  Lines lines(1);
  std::size_t taken = 0;
  for (Column& column : columns) {
    const std::size_t width = width_of(column, limit);
    if (taken > 0 && taken + kGap + width > limit) {
      lines.emplace_back();
      taken = kIndent;
    }
    taken += width + (lines.back().empty() ? 0 : kGap);
    lines.back().push_back(std::move(column));
  }
  return lines;
}

Lines lines_of(std::vector<Column> columns, std::size_t limit) {
  if (limit == 0) return {std::move(columns)};
  drop_to_fit(columns, limit);
  std::vector<Column> cut = columns;
  if (cut_to_fit(cut, limit)) return {std::move(cut)};
  return in_several_lines(std::move(columns), limit);
}

std::string padded(std::string_view text, const Column& column, std::size_t width) {
  return column.kind == Column::Kind::kNumber ? pad_left(text, width) : pad_right(text, width);
}

// A row without its end. A cell that flows may have taken the room of those behind it; then they
// end where the terminal does.
std::string row_text(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                     std::size_t row, const TableStyle& style) {
  const bool flows = std::any_of(columns.begin(), columns.end(),
                                 [](const Column& column) { return column.flows; });
  const std::size_t limit = flows && style.columns > 0 ? style.columns : std::string::npos;
  std::string line;
  std::size_t at = 0;
  for (std::size_t c = 0; c < columns.size() && at < limit; ++c) {
    const Cell& cell = columns[c].cells[row];
    const std::size_t room = limit - at;
    const std::string text =
        padded(shorten(cell.text, room), columns[c], std::min(widths[c], room));
    line += cell.tone ? paint(text, *cell.tone, style.colour) : text;
    line.append(kGap, ' ');
    at += display_width(text) + kGap;
  }
  return line;
}

std::string heading_text(const std::vector<Column>& columns,
                         const std::vector<std::size_t>& widths) {
  std::string heading;
  for (std::size_t c = 0; c < columns.size(); ++c)
    heading += padded(columns[c].heading, columns[c], widths[c]) + std::string(kGap, ' ');
  return heading;
}

std::string rule_below(const std::vector<Column>& columns, std::size_t limit) {
  std::string rule;
  for (const std::size_t width : widths_of(columns, limit)) {
    for (std::size_t i = 0; i < width; ++i) rule += "─";
    rule.append(kGap, ' ');
  }
  return rule;
}

}  // namespace

std::string paint(std::string_view text, Tone tone, bool colour) {
  if (!colour) return std::string(text);
  return fmt::format("{}{}\x1b[0m", colour_code(tone), text);
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

std::string render_table(std::vector<Column> columns, const TableStyle& style) {
  const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
  const Lines lines = lines_of(std::move(columns), style.columns);
  std::string out;
  const auto append = [&](auto text_of) {
    for (const std::vector<Column>& line : lines) {
      const std::string indent(&line == &lines.front() ? 0 : kIndent, ' ');
      append_line(out, indent + text_of(line, widths_of(line, style.columns)));
    }
  };
  append(heading_text);
  append_line(out, rule_below(lines.front(), style.columns));
  for (std::size_t r = 0; r < rows; ++r)
    append([&](const auto& line, const auto& widths) { return row_text(line, widths, r, style); });
  return out;
}

}  // namespace kbench
