#include "reports/formats/text_table.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;

std::string_view colour_code(Tone tone) {
  switch (tone) {
    case Tone::kGood: return "\x1b[32m";
    case Tone::kBad: return "\x1b[31m";
    case Tone::kCaution: return "\x1b[33m";
    case Tone::kNeutral: return "\x1b[2m";
  }
  return "";
}

std::size_t width_of(const Column& column) {
  std::size_t width = display_width(column.heading);
  for (const Cell& cell : column.cells) width = std::max(width, display_width(cell.text));
  return width;
}

std::vector<std::size_t> widths_of(const std::vector<Column>& columns) {
  std::vector<std::size_t> widths;
  for (const Column& column : columns) widths.push_back(width_of(column));
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

void fit(std::vector<Column>& columns, std::size_t limit) {
  while (total(widths_of(columns)) > limit && drop_one(columns)) {
  }
  for (std::vector<std::size_t> widths = widths_of(columns); total(widths) > limit;
       widths = widths_of(columns)) {
    std::size_t widest = columns.size();
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].kind != Column::Kind::kNumber && widths[c] > kNarrowest &&
          (widest == columns.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest == columns.size()) return;
    const std::size_t too_much = std::min(total(widths) - limit, widths[widest] - kNarrowest);
    cut_cells(columns[widest], widths[widest] - too_much);
  }
}

std::string padded(std::string_view text, const Column& column, std::size_t width) {
  return column.kind == Column::Kind::kNumber ? pad_left(text, width) : pad_right(text, width);
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
  if (style.columns > 0) fit(columns, style.columns);
  const std::vector<std::size_t> widths = widths_of(columns);
  const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
  const std::string gap(kGap, ' ');
  std::string out;
  std::string heading;
  std::string rule;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    heading += padded(columns[c].heading, columns[c], widths[c]) + gap;
    for (std::size_t i = 0; i < widths[c]; ++i) rule += "─";
    rule += gap;
  }
  append_line(out, std::move(heading));
  append_line(out, std::move(rule));
  for (std::size_t r = 0; r < rows; ++r) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Cell& cell = columns[c].cells[r];
      const std::string text = padded(cell.text, columns[c], widths[c]);
      line += (cell.tone ? paint(text, *cell.tone, style.colour) : text) + gap;
    }
    append_line(out, std::move(line));
  }
  return out;
}

}  // namespace kbench
