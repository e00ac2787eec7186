#include "runner/submission/triton_cache.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>

#include "runner/core/json.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/submission/manifest.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostFiles = 4096;
constexpr std::size_t kMostIndexBytes = 4u << 20;

bool is_file_of_a_key(const std::string& name) {
  return is_plain_relative_path(name) && std::count(name.begin(), name.end(), '/') == 1;
}

std::uint64_t number_in(const Json& entry, const char* field) {
  const auto found = entry.find(field);
  const bool there = found != entry.end() && found->is_number_unsigned();
  return there ? found->get<std::uint64_t>() : kMostTritonBytes + 1;
}

std::string text_in(const Json& entry, const char* field) {
  const auto found = entry.find(field);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::vector<TritonFile> read_triton_cache(std::string_view text) {
  std::uint64_t head = 0;
  if (text.size() < sizeof head || text.size() > kMostTritonBytes) return {};
  std::memcpy(&head, text.data(), sizeof head);
  text.remove_prefix(sizeof head);
  if (head > kMostIndexBytes || head > text.size()) return {};
  const auto index = parse_strict_json(std::string(text.substr(0, head)), "index",
                                       {.max_bytes = kMostIndexBytes, .max_depth = 4});
  const std::string_view contents = text.substr(head);
  if (!index || !index->is_array() || index->size() > kMostFiles) return {};
  std::vector<TritonFile> files;
  std::set<std::string> seen;
  for (const Json& entry : *index) {
    if (!entry.is_object()) continue;
    TritonFile file{text_in(entry, "path"), {}, text_in(entry, "sha256")};
    if (!is_file_of_a_key(file.name)) continue;
    if (file.library.empty()) {
      const std::uint64_t at = number_in(entry, "at");
      const std::uint64_t bytes = number_in(entry, "bytes");
      const bool inside = at <= contents.size() && bytes <= contents.size() - at;
      // Libraries, which would be mapped as code, come from a compiler alone.
      if (!inside || file.name.ends_with(".so")) continue;
      file.bytes = contents.substr(at, bytes);
    }
    if (seen.insert(file.name).second) files.push_back(std::move(file));
  }
  return files;
}

bool is_of_torch_compile(std::string_view file) {
  constexpr std::string_view kStart = "triton_";
  constexpr std::string_view kFused = "_fused";
  std::string_view name = file.substr(file.find('/') + 1);
  name = name.substr(0, name.find('.'));
  if (!name.starts_with(kStart)) return false;
  name.remove_prefix(kStart.size());
  const auto heuristic = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
  return name.empty() ||
         (heuristic != std::string_view::npos && name.substr(heuristic).starts_with(kFused));
}

}  // namespace kbench
