// A table for a terminal: cells are padded by how wide they show, columns fall away by importance
// where the terminal is narrow, colour is beside the words and never in their place. Cells hold
// sanitized text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/facts/fields.hpp"

namespace kbench {

struct Cell {
  std::string text;
  std::optional<Tone> tone;  // none: the terminal's own colour
};

struct Column {
  std::string heading;
  enum class Kind { kText, kNumber, kName } kind = Kind::kText;  // a name is foreign text
  std::vector<Cell> cells;
  int importance = 0;  // 0: always there; of the others the lowest falls away first
  // A column that flows is at most half as wide as the terminal; a longer cell of it takes the room
  // of those behind it, and one long name is whole without taking the room of other rows.
  bool flows = false;
  // Bytes that every cell begins with and that go before anything of it is cut: "level1/" of tasks
  // that are all of that level. ASCII.
  std::size_t spare = 0;
};

struct TableStyle {
  bool colour = false;
  std::size_t columns = 0;  // width of the terminal; 0: unlimited
};

// Every column has the same number of cells; numbers are aligned to the right. Where even the
// columns that are always there are too wide, what is spare at the start of their cells goes, and
// then the widest of them that are aligned to the left are cut, to no less than eight. Where that
// is not enough either, nothing is cut, and a row takes several lines.
[[nodiscard]] std::string render_table(std::vector<Column> columns, const TableStyle& style);

[[nodiscard]] std::string paint(std::string_view text, Tone tone, bool colour);

// Appends a line without the spaces that a table leaves at its end.
void append_line(std::string& out, std::string line);

}  // namespace kbench
