// Lists whose columns a reader may choose by name: a table of named columns for each list. Without
// a choice a list has its usual columns, of which the least important fall away on a narrow
// terminal. A column that is named stays, and they stand in the order of the names.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/formats/text_table.hpp"

namespace kbench {

template <class Item>
struct ListColumn {
  std::string_view name;  // word by which it is chosen: "submission"
  Column shown;           // without cells
  Cell (*cell)(const Item& item) = nullptr;
  // Whether the list has it unasked; null: always.
  bool (*is_usual)(const std::vector<Item>& items) = nullptr;
};

template <class Item>
using ListTable = std::vector<ListColumn<Item>>;

// The words that --columns takes.
template <class Item>
[[nodiscard]] std::vector<std::string> names_of(const ListTable<Item>& table) {
  std::vector<std::string> names;
  for (const ListColumn<Item>& column : table) names.emplace_back(column.name);
  return names;
}

// A line for each item. `names`: columns of the table; empty: the usual ones.
template <class Item>
[[nodiscard]] std::string render_list(const ListTable<Item>& table, const std::vector<Item>& items,
                                      const std::vector<std::string>& names,
                                      const TableStyle& style) {
  std::vector<Column> columns;
  const auto add = [&](const ListColumn<Item>& chosen, int importance) {
    Column column = chosen.shown;
    column.importance = importance;
    for (const Item& item : items) column.cells.push_back(chosen.cell(item));
    columns.push_back(std::move(column));
  };
  for (const ListColumn<Item>& column : table)
    if (names.empty() && (column.is_usual == nullptr || column.is_usual(items)))
      add(column, column.shown.importance);
  for (const std::string& name : names)
    for (const ListColumn<Item>& column : table)
      if (column.name == name) add(column, 0);
  return render_table(std::move(columns), style);
}

}  // namespace kbench
