#include "runner/exchange/exchange.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/exchange/places.hpp"
#include "runner/exchange/whole_file.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostColumns = 300;
constexpr std::size_t kMostMarkerBytes = 4096;
constexpr std::size_t kMostTermsBytes = std::size_t{1} << 20;
constexpr const char* kMarkerPurpose = "exchange";
constexpr std::string_view kRunEnding = ".sqlite";

// The run of a file's name; empty for any other file.
std::string run_of(const std::string& name) {
  if (!name.ends_with(kRunEnding)) return "";
  std::string run = name.substr(0, name.size() - kRunEnding.size());
  return is_run_name(run) ? run : "";
}

std::string name_of(const std::string& run) { return run + std::string(kRunEnding); }

}  // namespace

ExchangeSpace::ExchangeSpace(const fs::path& exchange, const std::string& name, const PoolKey& key)
    : folder_(SharedFolder(exchange) / name),
      runs_(folder_ / kRunsFolder),
      name_(name),
      key_(key),
      keys_(folder_ / kKeysFolder, name, key) {}

Result<std::string> ExchangeSpace::agree(const std::string& terms) const {
  const std::string purpose = "terms of " + name_;
  // A folder that is a link is refused before anything is measured.
  for (const SharedFolder& folder : {runs_, folder_ / kKeysFolder})
    if (const auto made = folder.make(); !made) return made.error();
  if (const auto won = put_first(folder_, kTermsFile, sign(key_, purpose, terms)); !won)
    return won.error();
  return agreed();
}

Result<std::string> ExchangeSpace::agreed() const {
  const std::string purpose = "terms of " + name_;
  const auto whole = read_shared_file(folder_, kTermsFile, kMostTermsBytes);
  if (!whole) return whole.error();
  if (const auto agreed = signed_text(key_, purpose, *whole)) return std::string(*agreed);
  return Error{
      ErrorCode::kBadInput,
      fmt::format("{}: nobody of this pool has signed it", (folder_.path() / kTermsFile).string()),
      "Find out who writes here, and remove it; or take another --group."};
}

fs::path ExchangeSpace::file_of(const std::string& run) const {
  return runs_.path() / name_of(run);
}

Status ExchangeSpace::put_run(const std::string& run, const fs::path& file) const {
  const auto bytes = read_foreign_file(file, kMostRunFileBytes);
  if (!bytes) return bytes.error();
  return put_whole(runs_, name_of(run), *bytes);
}

std::vector<std::string> ExchangeSpace::runs() const {
  std::vector<std::string> runs;
  for (const SharedEntry& file : entries_of(runs_))
    if (std::string run = run_of(file.name); !run.empty()) runs.push_back(std::move(run));
  return runs;
}

std::vector<std::string> ExchangeSpace::others() const {
  std::vector<std::string> others;
  for (const SharedEntry& file : entries_of(runs_))
    if (run_of(file.name).empty() && !is_draft(file.name)) others.push_back(file.name);
  return others;
}

Status ExchangeSpace::take_run(const std::string& run, const fs::path& to) const {
  const auto bytes = read_shared_file(runs_, name_of(run), kMostRunFileBytes);
  if (!bytes) return bytes.error();
  return write_new_file(to, *bytes);
}

Status ExchangeSpace::remove_run(const std::string& run) const {
  return remove_shared(runs_, name_of(run));
}

Exchange::Exchange(fs::path folder, PoolKey key)
    : folder_(std::move(folder)), key_(std::move(key)) {}

Result<Exchange> Exchange::make(const fs::path& folder, PoolKey key) {
  const auto won = put_first(folder, kMarkerFile, sign(key, kMarkerPurpose, key.name));
  if (!won) return won.error();
  for (const char* kind : {kCachedSubmissions, kCachedPackages})
    if (const auto made = (SharedFolder(folder) / kCacheFolder / kind).make(); !made)
      return made.error();
  return open(folder, std::move(key));
}

Result<Exchange> Exchange::make_with_key_of(const fs::path& state, const fs::path& folder) {
  auto key = keep_pool_key(state);
  if (!key) return key.error();
  return make(folder, std::move(*key));
}

Result<Exchange> Exchange::open_with_key_of(const fs::path& state, const fs::path& folder) {
  auto key = read_pool_key(state);
  if (!key) return key.error();
  return open(folder, std::move(*key));
}

Result<Exchange> Exchange::open(const fs::path& folder, PoolKey key) {
  const auto marker = read_shared_file(folder, kMarkerFile, kMostMarkerBytes);
  if (!marker)
    return Error{ErrorCode::kUsage, fmt::format("{} is no exchange", folder.string()),
                 fmt::format("`kbench exchange init {}` makes it one.", folder.string())};
  if (signed_text(key, kMarkerPurpose, *marker) != std::optional<std::string_view>(key.name))
    return Error{
        ErrorCode::kUsage, fmt::format("{} is an exchange of another pool", folder.string()),
        "Its runs and packages are not believed here. Copy pool.key from a machine of that "
        "pool into this user's state folder (`kbench exchange check` names it), or take another "
        "folder."};
  return Exchange(folder, std::move(key));
}

ExchangeSpace Exchange::space(const std::string& name) const { return {folder_, name, key_}; }

Result<ExchangeSpace> Exchange::find_space(const std::string& name) const {
  if (const Status named = check_space_name(name); !named) return named.error();
  const std::vector<std::string> there = spaces();
  // Names of folders are anybody's.
  const std::string words = fmt::format("{}", fmt::join(there, ", "));
  if (std::find(there.begin(), there.end(), name) != there.end()) return space(name);
  return Error{ErrorCode::kNotFound, fmt::format("{} has no group {}", folder_.string(), name),
               there.empty() ? "It has no group yet: `kbench run --exchange --group` begins one."
                             : fmt::format("It has {}.", clean_name(words, kMostColumns))};
}

std::vector<std::string> Exchange::spaces() const {
  std::vector<std::string> names;
  for (SharedEntry& entry : entries_of(folder_))
    if (entry.is_folder() && check_space_name(entry.name)) names.push_back(std::move(entry.name));
  return names;
}

Status check_space_name(const std::string& name) {
  const bool is_used = name == kMarkerFile || name == kCacheFolder || name.starts_with('.');
  if (!is_used && is_one_step(name)) return Done{};
  return Error{ErrorCode::kUsage,
               is_used ? fmt::format("\"{}\" is reserved: the exchange uses it itself", name)
                       : fmt::format("\"{}\" is no name of a group", name),
               "Take another --group."};
}

CacheEntries Exchange::cache(const std::string& kind) const {
  return {SharedFolder(folder_) / kCacheFolder, kind, key_};
}

}  // namespace kbench
