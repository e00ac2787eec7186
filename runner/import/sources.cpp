#include "runner/import/sources.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/import/survey.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSourceBytes = 1u << 20;
constexpr std::size_t kMaxTableBytes = 1u << 30;
constexpr std::size_t kMaxOperatorsInName = 4;
constexpr int kMaxNumber = 999'999;
constexpr int kMaxLevel = 99;

std::optional<int> parse_number(std::string_view digits, int limit) {
  int value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || failure != std::errc{} || end != digits.data() + digits.size() ||
      value < 0 || value > limit)
    return std::nullopt;
  return value;
}

// "level3" gives 3; anything else 0.
int level_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with("level")) return 0;
  return parse_number(std::string_view(name).substr(5), kMaxLevel).value_or(0);
}

// "19_ReLU" is number 19, name "ReLU".
void take_name(ImportSource& source, const std::string& text) {
  const auto line = text.find('_');
  const auto number = parse_number(std::string_view(text).substr(0, line), kMaxNumber);
  source.name = text;
  if (line == std::string::npos || !number) return;
  source.number = number;
  source.name = text.substr(line + 1);
}

ImportError unreadable(const std::string& what) {
  return {0, what, ImportError::Fault::kFile, "correct the file"};
}

std::string shown(const fs::path& file) { return clean_name(file.string(), 400); }

// The error's text without the file's name in front, which stands before each line.
std::string what_of(const Error& error, const fs::path& file) {
  const std::string place = file.string() + ": ";
  return clean_name(error.message.substr(error.message.starts_with(place) ? place.size() : 0), 300);
}

// A source with its name; nothing more is known of it.
ImportSource source_named(const fs::path& file) {
  ImportSource source;
  source.where = shown(file);
  source.level = level_of(fs::absolute(file).parent_path());
  take_name(source, file.stem().string());
  return source;
}

ImportSource source_of(const fs::path& file) {
  ImportSource source = source_named(file);
  auto text = read_bounded_file(file, kMaxSourceBytes);
  if (text) {
    source.text = std::move(*text);
  } else {
    source.error = unreadable(what_of(text.error(), file));
  }
  return source;
}

// The table of CUDA-Agent-Ops-6K names a row by its operators: ["nn.Conv2d", "torch.relu"], or that
// as text.
std::string name_from_operators(Json operators) {
  if (operators.is_string())
    operators = Json::parse(operators.get_ref<const std::string&>(), nullptr, false);
  if (!operators.is_array()) return "";
  std::string name;
  for (std::size_t i = 0; i < std::min(operators.size(), kMaxOperatorsInName); ++i) {
    if (!operators[i].is_string()) continue;
    const auto& text = operators[i].get_ref<const std::string&>();
    if (!name.empty()) name += '_';
    name.append(text, text.rfind('.') + 1);
  }
  return name;
}

std::optional<int> integer_of(const Json& row, const char* key, int limit) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number_integer()) return std::nullopt;
  const auto value = found->get<std::int64_t>();
  if (value < 0 || value > limit) return std::nullopt;
  return static_cast<int>(value);
}

// Other tables call the column `ref_code`, `reference_code`, `pytorch_module`, ...
ImportError without_code(const Json& row) {
  ImportError error = unreadable("the row has no text in `code`");
  for (const auto& [column, value] : row.items()) {
    if (!value.is_string() || !looks_like_a_task(value.get_ref<const std::string&>())) continue;
    error.hint =
        fmt::format("its column {} holds a module: call that column code", clean_name(column, 64));
    return error;
  }
  return error;
}

// Columns: `code`, and where there are any `name`, `level`, `problem_id`, `ops`.
ImportSource source_of_row(const std::string& line, const std::string& where, int row_number) {
  ImportSource source;
  source.where = where;
  source.number = row_number;
  const Json row = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!row.is_object() || !row.contains("code") || !row["code"].is_string()) {
    source.error = row.is_object() ? without_code(row) : unreadable("the line is no JSON object");
    return source;
  }
  source.text = row["code"].get<std::string>();
  source.level = integer_of(row, "level", kMaxLevel).value_or(0);
  if (const auto name = row.find("name"); name != row.end() && name->is_string()) {
    take_name(source, name->get<std::string>());
  } else if (const auto operators = row.find("ops"); operators != row.end()) {
    source.name = name_from_operators(*operators);
  }
  if (const auto id = integer_of(row, "problem_id", kMaxNumber)) source.number = id;
  if (source.text.size() > kMaxSourceBytes)
    source.error = unreadable(fmt::format("longer than {} bytes", kMaxSourceBytes));
  return source;
}

void add_rows(const std::string& text, const fs::path& file, std::vector<ImportSource>& sources) {
  std::istringstream stream(text);
  const std::string name = shown(file);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    sources.push_back(source_of_row(line, fmt::format("{}:{}", name, number), number));
  }
}

bool is_table(const fs::path& file) {
  return file.extension() == ".jsonl" || file.extension() == ".parquet";
}

bool is_hidden(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with('.') || name.starts_with('_');
}

bool is_below(const fs::path& file, const fs::path& folder) {
  if (folder.empty()) return false;
  std::error_code ignored;
  const fs::path path = fs::weakly_canonical(file, ignored);
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

// Every file of a folder worth importing, sorted; see the header.
std::vector<fs::path> files_of(const fs::path& folder, const fs::path& except) {
  std::vector<fs::path> flat;
  std::vector<fs::path> levels;
  std::error_code failure;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied,
                                      failure);
  for (const fs::recursive_directory_iterator end; !failure && it != end; it.increment(failure)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      if (is_hidden(it->path()) || is_below(it->path(), except)) it.disable_recursion_pending();
      continue;
    }
    if (is_hidden(it->path())) continue;
    const bool python = it->path().extension() == ".py";
    const bool table = is_table(it->path());
    if (python && level_of(fs::absolute(it->path()).parent_path()) > 0) {
      levels.push_back(it->path());
    } else if (it.depth() == 0 && (python || table)) {
      flat.push_back(it->path());
    }
  }
  std::vector<fs::path>& chosen = levels.empty() ? flat : levels;
  std::sort(chosen.begin(), chosen.end());
  return std::move(chosen);
}

Error no_such(const fs::path& path, const std::string& what) {
  return {
      ErrorCode::kUsage, fmt::format("{}: {}", path.string(), what),
      "expected Python files, folders of them, or .jsonl or .parquet tables with a column code"};
}

Status add_file(const fs::path& file, const TableReader& read_parquet,
                std::vector<ImportSource>& sources) {
  if (file.extension() == ".py") {
    sources.push_back(source_of(file));
    return Done{};
  }
  if (!is_table(file)) return no_such(file, "nothing to import");
  const bool lines = file.extension() == ".jsonl";
  const auto text = lines ? read_bounded_file(file, kMaxTableBytes) : read_parquet(file);
  if (!text) return text.error();
  add_rows(*text, file, sources);
  return Done{};
}

// A link may lead to any file, and an imported text is shown to agents, and stored.
ImportSource link_to_elsewhere(const fs::path& file) {
  ImportSource source = source_named(file);
  source.error = ImportError{0, "is a link to a file outside of the folder, which may be anybody's",
                             ImportError::Fault::kFile,
                             "put the file itself there, or import it by its own name"};
  return source;
}

// This very file was not named: the others are imported all the same.
ImportSource unreadable_table(const fs::path& file, const Error& error) {
  ImportSource source;
  source.where = shown(file);
  source.name = file.stem().string();
  const bool here = error.code == ErrorCode::kInfrastructure || error.code == ErrorCode::kTimeout;
  source.error =
      ImportError{0, what_of(error, file),
                  here ? ImportError::Fault::kMachine : ImportError::Fault::kFile, error.hint};
  return source;
}

}  // namespace

Result<std::vector<ImportSource>> find_sources(const std::vector<fs::path>& paths,
                                               const fs::path& except,
                                               const TableReader& read_parquet) {
  std::vector<ImportSource> sources;
  std::error_code ignored;
  const fs::path kept_out = except.empty() ? except : fs::weakly_canonical(except, ignored);
  for (const fs::path& path : paths) {
    if (!fs::exists(path, ignored)) return no_such(path, "no such file or folder");
    const bool folder = fs::is_directory(path, ignored);
    for (const fs::path& file : folder ? files_of(path, kept_out) : std::vector<fs::path>{path}) {
      if (folder && leads_out_of(file, path)) {
        sources.push_back(link_to_elsewhere(file));
        continue;
      }
      const auto added = add_file(file, read_parquet, sources);
      if (!added && !folder) return added.error();
      if (!added) sources.push_back(unreadable_table(file, added.error()));
    }
  }
  return sources;
}

}  // namespace kbench
