#include "reports/facts/file_names.hpp"

#include <filesystem>
#include <string_view>

#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

// The ending where all files have one stem, else the file's name, else the whole path.
std::string own_part(const std::string& name, const std::set<std::string>& all) {
  const std::filesystem::path path(name);
  bool one_stem = path.has_extension();
  bool own_name = true;
  for (const std::string& other : all) {
    if (other == name) continue;
    const std::filesystem::path beside(other);
    own_name &= beside.filename() != path.filename();
    one_stem &= beside.stem() == path.stem();
  }
  if (!own_name) return name;
  return (one_stem ? path.extension() : path.filename()).string();
}

// The end of a text in that many columns, which has more.
std::string end_of(const std::string& text, std::size_t columns) {
  std::size_t from = 0;
  while (from < text.size() && display_width(std::string_view(text).substr(from)) + 1 > columns) {
    ++from;
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) ++from;
  }
  return "…" + text.substr(from);
}

}  // namespace

void FileNames::add(const std::string& task, const std::string& size, const std::string& agent,
                    const std::string& variant, const std::string& name) {
  names_[{task, size, agent, variant}].insert(name);
}

void FileNames::tell_apart(ResultRow& row) const {
  if (!row.has_submission) return;
  const auto found = names_.find({row.task, row.size, row.agent, row.variant});
  if (found != names_.end() && found->second.size() > 1)
    row.file = own_part(row.submission, found->second);
}

void tell_files_apart(std::span<ResultRow> rows) {
  FileNames names;
  for (const ResultRow& row : rows)
    if (row.has_submission) names.add(row.task, row.size, row.agent, row.variant, row.submission);
  for (ResultRow& row : rows) names.tell_apart(row);
}

std::string short_told_apart(const ResultRow& row, std::size_t columns) {
  const std::string whole = sanitize_line(row.told_apart());
  if (row.file.empty() || display_width(whole) <= columns) return shorten(whole, columns);
  constexpr std::size_t kAround = 3;        // " (" and ")"
  constexpr std::size_t kLeastOfAgent = 8;  // columns
  const std::size_t room =
      columns > kAround + kLeastOfAgent ? columns - kAround : kLeastOfAgent + 1;
  std::string file = sanitize_line(row.file);
  if (display_width(file) > room - kLeastOfAgent) file = end_of(file, room - kLeastOfAgent);
  return shorten(sanitize_line(row.contestant()), room - display_width(file)) + " (" + file + ")";
}

}  // namespace kbench
