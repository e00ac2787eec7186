#include "runner/exchange/examination.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/random_id.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/exchange/whole_file.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::system_clock;

// Clocks that time is kept for agree within milliseconds.
constexpr std::chrono::seconds kClocksMayDiffer{60};
// A draft is written within seconds. One that is older is told of; one that is much older may go.
constexpr std::chrono::seconds kAgeOfToldDraft{60};
constexpr std::chrono::hours kOldDraft{1};
constexpr const char* kCache = "cache";

// The entries of a folder, without following a link.
std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    entries.push_back(*entry);
  return entries;
}

// When a file was last written, by the clock of the machine that has the disk.
Clock::time_point written_at(const fs::path& file) {
  struct stat facts {};
  if (::lstat(file.c_str(), &facts) != 0) return {};
  return Clock::time_point(std::chrono::seconds(facts.st_mtim.tv_sec));
}

std::size_t bytes_of(const fs::path& file) {
  struct stat facts {};
  if (::lstat(file.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return 0;
  return static_cast<std::size_t>(facts.st_size);
}

// A file that is removed with it.
class Probe {
 public:
  explicit Probe(const fs::path& folder)
      : name_(folder / (".draft-" + random_id())),
        fd_(::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) {}
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  ~Probe() {
    ::unlink(name_.c_str());
    ::unlink(other_name().c_str());
  }
  [[nodiscard]] bool is_there() const { return fd_.valid(); }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const fs::path& name() const { return name_; }
  [[nodiscard]] std::string other_name() const { return name_.string() + "-2"; }

 private:
  fs::path name_;
  UniqueFd fd_;
};

// Every file that may lie in an exchange, by what it is.
struct Contents {
  std::vector<fs::path> drafts;
  std::vector<fs::path> bad_entries;
  std::vector<fs::path> bad_keys;
  std::vector<fs::path> strange_runs;
  std::vector<std::string> spaces;
  std::size_t runs = 0;
  std::size_t keys = 0;
  std::size_t entries = 0;
};

void look_into_cache(const Exchange& exchange, Contents& found) {
  for (const char* kind : {kCachedSubmissions, kCachedPackages}) {
    const CacheEntries cache = exchange.cache(kind);
    for (const auto& entry : entries_of(exchange.folder() / kCache / kind)) {
      const fs::path& file = entry.path();
      if (is_draft(file))
        found.drafts.push_back(file);
      else if (cache.find(file.filename().string()))
        ++found.entries;
      else
        found.bad_entries.push_back(file);
    }
  }
}

void look_into_keys(const KeyLinks& keys, const fs::path& folder, Contents& found) {
  for (const auto& part : entries_of(folder)) {
    for (const auto& entry : entries_of(part.path())) {
      const fs::path& file = entry.path();
      const std::string key = file.filename().string();
      if (is_draft(file))
        found.drafts.push_back(file);
      else if (is_key_name(key) && keys.file_of(key) == file && keys.find(key))
        ++found.keys;
      else
        found.bad_keys.push_back(file);
    }
  }
}

Contents contents_of(const Exchange& exchange) {
  Contents found;
  look_into_cache(exchange, found);
  for (const auto& entry : entries_of(exchange.folder())) {
    const std::string name = entry.path().filename().string();
    if (is_draft(entry.path())) found.drafts.push_back(entry.path());
    if (name == kCache || name.front() == '.' || !entry.is_directory()) continue;
    const ExchangeSpace space = exchange.space(name);
    found.spaces.push_back(name);
    found.runs += space.runs().size();
    for (const std::string& other : space.others())
      found.strange_runs.push_back(entry.path() / "runs" / other);
    for (const auto& file : entries_of(entry.path() / "runs"))
      if (is_draft(file.path())) found.drafts.push_back(file.path());
    look_into_keys(space.keys(), entry.path() / "keys", found);
  }
  return found;
}

void tell_files(const Contents& found, ExaminedExchange& examined) {
  const auto tell = [&](const std::vector<fs::path>& files, const char* what, const char* then) {
    for (const fs::path& file : files)
      examined.findings.push_back({fmt::format("{}: {}", file.string(), what), then});
  };
  tell(found.drafts, "half written: its writer was killed, or is very slow",
       "nobody reads it; `kbench exchange prune` removes what is older than an hour");
  tell(found.bad_entries, "a cache entry that nobody of this pool signed, or that was torn",
       "nobody loads it; find out who writes here, then `kbench exchange prune`");
  tell(found.bad_keys, "no key that anybody of this pool signed: it withholds that key",
       "find out who writes here, then `kbench exchange prune`");
  tell(found.strange_runs, "no name of a run", "nobody takes it; remove it");
}

// Tries with a file of ours what the file system can do.
void try_folder(const Probe& probe, const fs::path& folder, const FolderCalls& calls,
                ExaminedExchange& examined) {
  if (calls.link(probe.name().c_str(), probe.other_name().c_str()) != 0)
    examined.findings.push_back(
        {fmt::format("{}: its file system makes no links (link(2): {})", folder.string(),
                     std::strerror(errno)),
         "two runs could answer one key: take a folder on NFS, ext4 or XFS"});
  if (calls.lock(probe.fd(), LOCK_EX | LOCK_NB) != 0)
    examined.findings.push_back(
        {fmt::format("{}: its file system takes no locks (flock(2): {})", folder.string(),
                     std::strerror(errno)),
         "mount NFS without `nolock`, Lustre with `flock`, or take another folder"});
  const auto difference =
      std::chrono::duration_cast<std::chrono::seconds>(calls.now() - written_at(probe.name()));
  if (std::chrono::abs(difference) > kClocksMayDiffer)
    examined.findings.push_back(
        {fmt::format("{}: the clock of its machine and that of this one differ by {} s",
                     folder.string(), std::chrono::abs(difference).count()),
         "set both by NTP: dates of runs, and what is old enough to go, would be wrong"});
}

void remove(const fs::path& file, const std::string& why, bool dry_run, PrunedExchange& pruned) {
  const std::size_t bytes = bytes_of(file);
  std::error_code failed;
  if (!dry_run) fs::remove_all(file, failed);
  if (failed) return;
  pruned.bytes += bytes;
  pruned.removed.push_back(fmt::format("{}: {}", file.string(), why));
}

Clock::time_point newest_in(const fs::path& folder) {
  Clock::time_point newest = written_at(folder);
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    newest = std::max(newest, written_at(entry->path()));
  return newest;
}

std::size_t bytes_below(const fs::path& folder) {
  std::size_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    bytes += bytes_of(entry->path());
  return bytes;
}

}  // namespace

FolderCalls system_calls() {
  return {.link = [](const char* from, const char* to) { return ::link(from, to); },
          .lock = [](int fd, int how) { return ::flock(fd, how); },
          .now = [] { return Clock::now(); }};
}

Result<ExaminedExchange> examine_exchange(const fs::path& folder, const PoolKey& key,
                                          const FolderCalls& calls) {
  if (!fs::is_directory(folder))
    return Error{ErrorCode::kUsage, fmt::format("{} is no folder", folder.string()),
                 fmt::format("`kbench exchange init {}` makes it.", folder.string())};
  const Probe probe(folder);
  if (!probe.is_there())
    return Error{
        ErrorCode::kInfrastructure,
        fmt::format("nothing can be written to {}: {}", folder.string(), std::strerror(errno)),
        "The folder must be yours to write."};
  ExaminedExchange examined;
  try_folder(probe, folder, calls, examined);
  const auto exchange = Exchange::open(folder, key);
  if (!exchange) {
    examined.findings.push_back({exchange.error().message, exchange.error().hint});
    return examined;
  }
  Contents found = contents_of(*exchange);
  const Clock::time_point now = written_at(probe.name());
  std::erase_if(found.drafts,
                [&](const fs::path& file) { return now - written_at(file) < kAgeOfToldDraft; });
  tell_files(found, examined);
  examined.spaces = found.spaces.size();
  examined.runs = found.runs;
  examined.keys = found.keys;
  examined.entries = found.entries;
  return examined;
}

Result<PrunedExchange> prune_exchange(const fs::path& folder, const PoolKey& key,
                                      const PruneExchange& how) {
  const auto exchange = Exchange::open(folder, key);
  if (!exchange) return exchange.error();
  PrunedExchange pruned;
  const Contents found = contents_of(*exchange);
  // Times are compared by one clock, that of the disk.
  const Probe probe(folder);
  const Clock::time_point now = probe.is_there() ? written_at(probe.name()) : Clock::now();
  for (const fs::path& file : found.drafts)
    if (now - written_at(file) > kOldDraft) remove(file, "half written", how.dry_run, pruned);
  for (const fs::path& file : found.bad_entries)
    remove(file, "a cache entry that nobody of this pool signed", how.dry_run, pruned);
  for (const fs::path& file : found.bad_keys)
    remove(file, "a key that nobody of this pool signed", how.dry_run, pruned);
  if (how.keep_days == 0) return pruned;
  for (const std::string& name : found.spaces) {
    const fs::path space = folder / name;
    if (now - newest_in(space) <= std::chrono::hours(24) * how.keep_days) continue;
    pruned.bytes += bytes_below(space);
    remove(space, "nothing was added to it since", how.dry_run, pruned);
  }
  return pruned;
}

}  // namespace kbench
