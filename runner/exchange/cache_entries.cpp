#include "runner/exchange/cache_entries.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/exchange/key_links.hpp"
#include "runner/exchange/whole_file.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostEntryBytes = std::size_t{1} << 30;

// One line of JSON says which files follow and how long each is.
std::string packed(const std::vector<CachedFile>& files) {
  Json list = Json::array();
  std::string contents;
  for (const CachedFile& file : files) {
    list.push_back({{"name", file.name}, {"bytes", file.bytes.size()}});
    contents += file.bytes;
  }
  return list.dump() + "\n" + contents;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

std::optional<CachedFile> take_file(const Json& entry, std::string_view& contents) {
  if (!entry.is_object() || !entry.contains("name") || !entry.contains("bytes")) return {};
  if (!entry["name"].is_string() || !entry["bytes"].is_number_unsigned()) return {};
  CachedFile file{entry["name"].get<std::string>(), {}};
  const auto bytes = entry["bytes"].get<std::size_t>();
  if (!is_plain_name(file.name) || bytes > contents.size()) return {};
  file.bytes = contents.substr(0, bytes);
  contents.remove_prefix(bytes);
  return file;
}

std::optional<std::vector<CachedFile>> unpacked(std::string_view text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const auto list = parse_bounded_json(text.substr(0, end));
  if (!list || !list->is_array()) return std::nullopt;
  std::string_view contents = text.substr(end + 1);
  std::vector<CachedFile> files;
  for (const Json& entry : *list) {
    auto file = take_file(entry, contents);
    if (!file) return std::nullopt;
    files.push_back(std::move(*file));
  }
  return contents.empty() ? std::optional(std::move(files)) : std::nullopt;
}

}  // namespace

CacheEntries::CacheEntries(const SharedFolder& folder, std::string kind, PoolKey key)
    : folder_(folder / kind), kind_(std::move(kind)), key_(std::move(key)) {}

std::filesystem::path CacheEntries::file_of(const std::string& key) const {
  return folder_.path() / key;
}

std::string CacheEntries::purpose(const std::string& key) const {
  return fmt::format("cache {} {}", kind_, key);
}

Status CacheEntries::put(const std::string& key, const std::vector<CachedFile>& files) const {
  return put_whole(folder_, key, sign(key_, purpose(key), packed(files)));
}

std::optional<std::vector<CachedFile>> CacheEntries::find(const std::string& key) const {
  if (!is_key_name(key)) return std::nullopt;
  const auto whole = read_shared_file(folder_, key, kMostEntryBytes);
  if (!whole) return std::nullopt;
  const auto text = signed_text(key_, purpose(key), *whole);
  return text ? unpacked(*text) : std::nullopt;
}

}  // namespace kbench
