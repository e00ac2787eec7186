#include "runner/exchange/exchange.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/exchange/whole_file.hpp"
#include "runner/os/files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMarkerBytes = 4096;
constexpr std::size_t kMostTermsBytes = std::size_t{1} << 20;
constexpr const char* kMarkerPurpose = "exchange";
constexpr std::string_view kRunEnding = ".sqlite";

fs::path marker_of(const fs::path& folder) { return folder / "pool"; }

// The run of a file's name; empty for any other file.
std::string run_of(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.ends_with(kRunEnding)) return "";
  std::string run = name.substr(0, name.size() - kRunEnding.size());
  return is_run_name(run) ? run : "";
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

ExchangeSpace::ExchangeSpace(const fs::path& exchange, const std::string& name, const PoolKey& key)
    : runs_(exchange / name / "runs"),
      terms_(exchange / name / "terms"),
      name_(name),
      key_(key),
      keys_(exchange / name / "keys", name, key) {}

Result<std::string> ExchangeSpace::agree(const std::string& terms) const {
  const std::string purpose = "terms of " + name_;
  if (const auto won = put_first(terms_, sign(key_, purpose, terms)); !won) return won.error();
  const auto whole = read_foreign_file(terms_, kMostTermsBytes);
  if (!whole) return whole.error();
  if (const auto agreed = signed_text(key_, purpose, *whole)) return std::string(*agreed);
  return Error{ErrorCode::kBadInput,
               fmt::format("{}: nobody of this pool has signed it", terms_.string()),
               "Find out who writes here, and remove it; or take another --group."};
}

fs::path ExchangeSpace::file_of(const std::string& run) const {
  return runs_ / (run + std::string(kRunEnding));
}

Status ExchangeSpace::put_run(const std::string& run, const fs::path& file) const {
  const auto bytes = read_foreign_file(file, kMostRunFileBytes);
  if (!bytes) return bytes.error();
  return put_whole(file_of(run), *bytes);
}

std::vector<std::string> ExchangeSpace::runs() const {
  std::vector<std::string> runs;
  for (const fs::path& file : files_in(runs_))
    if (std::string run = run_of(file); !run.empty()) runs.push_back(std::move(run));
  return runs;
}

std::vector<std::string> ExchangeSpace::others() const {
  std::vector<std::string> others;
  for (const fs::path& file : files_in(runs_))
    if (run_of(file).empty() && !is_draft(file)) others.push_back(file.filename().string());
  return others;
}

Status ExchangeSpace::take_run(const std::string& run, const fs::path& to) const {
  const auto bytes = read_foreign_file(file_of(run), kMostRunFileBytes);
  if (!bytes) return bytes.error();
  return write_new_file(to, *bytes);
}

Exchange::Exchange(fs::path folder, PoolKey key)
    : folder_(std::move(folder)), key_(std::move(key)) {}

Result<Exchange> Exchange::make(const fs::path& folder, PoolKey key) {
  const auto won = put_first(marker_of(folder), sign(key, kMarkerPurpose, key.name));
  if (!won) return won.error();
  for (const char* kind : {kCachedSubmissions, kCachedPackages})
    if (Status made = make_shared_folder(folder / "cache" / kind); !made) return made.error();
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
  const auto marker = read_foreign_file(marker_of(folder), kMostMarkerBytes);
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

CacheEntries Exchange::cache(const std::string& kind) const {
  return {folder_ / "cache", kind, key_};
}

}  // namespace kbench
