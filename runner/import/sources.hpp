// Sources below the paths of `kbench import`: Python files, and rows of JSONL tables that carry
// code. Only reads; nothing is executed.
//
// A folder gives the .py files in its levelN/ folders, however deep, and where it has none, the
// .py, .jsonl and .parquet files that lie in it. Names that begin with . or _ are left out. A table
// of a folder that cannot be read is a source with an error, so that it costs one line and not the
// rest.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/import/import_error.hpp"

namespace kbench {

// One module to import, or the reason why it cannot even be read.
struct ImportSource {
  std::string where;  // "suite/level1/19_ReLU.py", "rows.jsonl:17": for people, made safe to print
  int level = 0;      // 1 to 99; 0 where nothing tells it
  std::optional<int> number;  // 0 to 999999
  std::string name;           // name as found, of any characters
  std::string text;
  std::optional<ImportError> error;
};

// Turns a table of another kind into lines of JSON; given by the cli, since a program does it.
using TableReader = std::function<Result<std::string>(const std::filesystem::path&)>;

// Sources in a fixed order: paths as given, files of a folder by name, rows as they stand. What
// lies below `except` is left out (a suite within the folder that it is imported from). Errors:
// kUsage for a path that does not exist or is of no known kind, and why a table that was named
// cannot be read, whatever `read_parquet` says for one.
[[nodiscard]] Result<std::vector<ImportSource>> find_sources(
    const std::vector<std::filesystem::path>& paths, const std::filesystem::path& except,
    const TableReader& read_parquet);

}  // namespace kbench
