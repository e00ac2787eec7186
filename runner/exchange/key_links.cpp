#include "runner/exchange/key_links.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "runner/exchange/whole_file.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostKeyBytes = 4096;
constexpr std::size_t kKeyDigits = 64;
constexpr std::size_t kRunDigits = 32;

bool is_hex(const std::string& text, std::size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

bool is_key_name(const std::string& name) { return is_hex(name, kKeyDigits); }
bool is_run_name(const std::string& name) { return is_hex(name, kRunDigits); }

KeyLinks::KeyLinks(SharedFolder folder, std::string space, PoolKey key)
    : folder_(std::move(folder)), space_(std::move(space)), key_(std::move(key)) {}

std::filesystem::path KeyLinks::file_of(const std::string& key) const {
  return folder_of(key).path() / key;
}

SharedFolder KeyLinks::folder_of(const std::string& key) const {
  return folder_ / key.substr(0, 2);
}

std::string KeyLinks::purpose(const std::string& key) const {
  return fmt::format("key {} of {}", key, space_);
}

Result<std::string> KeyLinks::claim(const std::string& key, const std::string& run) const {
  if (!is_key_name(key) || !is_run_name(run))
    return Error{ErrorCode::kInfrastructure, fmt::format("no key of a run: {} of {}", key, run),
                 "This is a fault of kbench."};
  const auto won = put_first(folder_of(key), key, sign(key_, purpose(key), run));
  if (!won) return won.error();
  if (*won) return run;
  // A network file system may have lost the answer to a link that it made.
  if (auto winner = find(key)) return std::move(*winner);
  return unsigned_at(key);
}

Error KeyLinks::unsigned_at(const std::string& key) const {
  return {ErrorCode::kBadInput,
          fmt::format("{}: nobody of this pool has signed it", file_of(key).string()),
          "It withholds the key. `kbench exchange prune` removes it."};
}

std::optional<std::string> KeyLinks::find(const std::string& key) const {
  auto run = look(key);
  return run ? std::move(*run) : std::nullopt;
}

Result<std::optional<std::string>> KeyLinks::look(const std::string& key) const {
  std::optional<std::string> none;
  if (!is_key_name(key)) return none;
  const auto whole = read_shared_file(folder_of(key), key, kMostKeyBytes);
  if (!whole && whole.error().code == ErrorCode::kNotFound) return none;
  if (!whole) return whole.error();
  const auto run = signed_text(key_, purpose(key), *whole);
  if (!run || !is_run_name(std::string(*run))) return unsigned_at(key);
  return std::optional(std::string(*run));
}

std::vector<std::string> KeyLinks::names() const {
  std::vector<std::string> names;
  for (const SharedEntry& part : entries_of(folder_))
    for (SharedEntry& file : entries_of(folder_ / part.name))
      if (is_key_name(file.name) && part.name == file.name.substr(0, 2))
        names.push_back(std::move(file.name));
  return names;
}

Status KeyLinks::remove(const std::string& key) const { return remove_shared(folder_of(key), key); }

}  // namespace kbench
