// Which columns a table of results has and what stands in their cells, chosen from the field table.
// How a cell is written is the caller's affair: the console's, and Markdown's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/fields.hpp"
#include "reports/model.hpp"

namespace kbench {

struct Cell {
  std::string text;          // sanitized, on one line
  std::optional<Tone> tone;  // none: the reader's own colour
};

struct Column {
  std::string heading;
  enum class Kind { kText, kNumber, kName } kind = Kind::kText;  // a name is somebody else's text
  std::vector<Cell> cells;                                       // one for each row
};

// Of `rows` as derive_all() gives them; sizes and lint only where they tell rows apart. A name of a
// submission is cut after `name_columns`.
[[nodiscard]] std::vector<Column> result_columns(std::span<const ResultRow> rows,
                                                 std::size_t name_columns);

}  // namespace kbench
