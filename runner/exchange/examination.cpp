#include "runner/exchange/examination.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runner/core/random_id.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/exchange/places.hpp"
#include "runner/exchange/shared_folder.hpp"
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

// When a file was last written, by the clock of the machine that has the disk.
Clock::time_point written_at(const struct stat& facts) {
  return Clock::time_point(std::chrono::seconds(facts.st_mtim.tv_sec));
}

std::size_t bytes_of(const struct stat& facts) {
  return S_ISREG(facts.st_mode) ? static_cast<std::size_t>(facts.st_size) : 0;
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
  // When it was written, by the clock of the machine that has the disk.
  [[nodiscard]] Clock::time_point written() const {
    struct stat facts {};
    return ::fstat(fd_.get(), &facts) == 0 ? written_at(facts) : Clock::time_point();
  }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const fs::path& name() const { return name_; }
  [[nodiscard]] std::string other_name() const { return name_.string() + "-2"; }

 private:
  fs::path name_;
  UniqueFd fd_;
};

// A name in a folder of the exchange.
struct Place {
  SharedFolder folder;
  SharedEntry entry;

  [[nodiscard]] std::string words() const { return (folder.path() / entry.name).string(); }
};

// Every file that may lie in an exchange, by what it is.
struct Contents {
  std::vector<Place> drafts;
  std::vector<Place> bad_entries;
  std::vector<Place> libraries;  // sound entries of compiled submissions
  std::vector<Place> bad_keys;
  std::vector<Place> strange_runs;
  std::vector<Place> in_the_way;  // links and others, where a folder belongs
  std::vector<Place> spaces;
  std::size_t runs = 0;
  std::size_t keys = 0;
  std::size_t entries = 0;
};

// The entries of `folder`/`name`. What has that name and is no folder is in the way.
std::vector<SharedEntry> entries_at(const SharedFolder& folder, const std::string& name,
                                    Contents& found) {
  if (auto entry = entry_of(folder, name); entry && !entry->is_folder())
    found.in_the_way.push_back({folder, std::move(*entry)});
  return entries_of(folder / name);
}

void look_into_cache(const Exchange& exchange, Contents& found) {
  const SharedFolder root = exchange.folder();
  (void)entries_at(root, kCacheFolder, found);
  for (const char* kind : {kCachedSubmissions, kCachedPackages}) {
    const CacheEntries cache = exchange.cache(kind);
    const SharedFolder folder = root / kCacheFolder / kind;
    for (SharedEntry& file : entries_at(root / kCacheFolder, kind, found)) {
      if (is_draft(file.name))
        found.drafts.push_back({folder, std::move(file)});
      else if (cache.find(file.name)) {
        ++found.entries;
        if (kind == kCachedSubmissions) found.libraries.push_back({folder, std::move(file)});
      } else
        found.bad_entries.push_back({folder, std::move(file)});
    }
  }
}

void look_into_keys(const KeyLinks& keys, const SharedFolder& space, Contents& found) {
  const SharedFolder folder = space / kKeysFolder;
  for (SharedEntry& part : entries_at(space, kKeysFolder, found)) {
    const SharedFolder place = folder / part.name;
    if (!part.is_folder()) found.in_the_way.push_back({folder, part});
    for (SharedEntry& file : entries_of(place)) {
      if (is_draft(file.name))
        found.drafts.push_back({place, std::move(file)});
      else if (is_key_name(file.name) && keys.file_of(file.name) == place.path() / file.name &&
               keys.find(file.name))
        ++found.keys;
      else
        found.bad_keys.push_back({place, std::move(file)});
    }
  }
}

void look_into_runs(const ExchangeSpace& space, const SharedFolder& folder, Contents& found) {
  found.runs += space.runs().size();
  const std::vector<std::string> others = space.others();
  for (SharedEntry& file : entries_at(folder, kRunsFolder, found)) {
    if (is_draft(file.name))
      found.drafts.push_back({folder / kRunsFolder, std::move(file)});
    else if (std::find(others.begin(), others.end(), file.name) != others.end())
      found.strange_runs.push_back({folder / kRunsFolder, std::move(file)});
  }
}

Contents contents_of(const Exchange& exchange) {
  Contents found;
  look_into_cache(exchange, found);
  const SharedFolder root = exchange.folder();
  for (SharedEntry& entry : entries_of(root)) {
    const std::string name = entry.name;
    if (is_draft(name)) found.drafts.push_back({root, entry});
    if (name == kCacheFolder || name.front() == '.') continue;
    if (entry.is_link()) found.in_the_way.push_back({root, entry});
    if (!entry.is_folder()) continue;
    const ExchangeSpace space = exchange.space(name);
    look_into_runs(space, root / name, found);
    look_into_keys(space.keys(), root / name, found);
    found.spaces.push_back({root, std::move(entry)});
  }
  return found;
}

void tell_files(const Contents& found, ExaminedExchange& examined) {
  const auto tell = [&](const std::vector<Place>& files, const char* what, const char* then) {
    for (const Place& file : files)
      examined.findings.push_back({fmt::format("{}: {}", file.words(), what), then});
  };
  for (const Place& file : found.in_the_way)
    examined.findings.push_back(
        {fmt::format("{} {}", file.words(),
                     file.entry.is_link() ? "is a link, which kbench does not follow"
                                          : "is no folder, and stands where one belongs"),
         "find out who writes here, then `kbench exchange prune`: it removes this alone"});
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
      std::chrono::duration_cast<std::chrono::seconds>(calls.now() - probe.written());
  if (std::chrono::abs(difference) > kClocksMayDiffer)
    examined.findings.push_back(
        {fmt::format("{}: the clock of its machine and that of this one differ by {} s",
                     folder.string(), std::chrono::abs(difference).count()),
         "set both by NTP: dates of runs, and what is old enough to go, would be wrong"});
}

// Bytes of files, and the newest time, of a name and of all below it.
struct Extent {
  std::size_t bytes = 0;
  Clock::time_point newest;

  void add(const SharedEntry& entry) {
    bytes += bytes_of(entry.facts);
    newest = std::max(newest, written_at(entry.facts));
  }
};

Extent extent_of(const Place& place) {
  Extent extent;
  extent.add(place.entry);
  look_below(place.folder, place.entry.name, [&](const SharedEntry& entry) { extent.add(entry); });
  return extent;
}

void remove(const Place& place, const std::string& why, bool dry_run, PrunedExchange& pruned) {
  const std::size_t bytes = extent_of(place).bytes;
  if (!dry_run && !remove_shared(place.folder, place.entry.name)) return;
  pruned.bytes += bytes;
  pruned.removed.push_back(fmt::format("{}: {}", place.words(), why));
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
  const Clock::time_point now = probe.written();
  std::erase_if(found.drafts, [&](const Place& file) {
    return now - written_at(file.entry.facts) < kAgeOfToldDraft;
  });
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
  const Clock::time_point now = probe.is_there() ? probe.written() : Clock::now();
  for (const Place& file : found.in_the_way)
    remove(file, file.entry.is_link() ? "a link, which kbench does not follow" : "no folder",
           how.dry_run, pruned);
  for (const Place& file : found.drafts)
    if (now - written_at(file.entry.facts) > kOldDraft)
      remove(file, "half written", how.dry_run, pruned);
  for (const Place& file : found.bad_entries)
    remove(file, "a cache entry that nobody of this pool signed", how.dry_run, pruned);
  for (const Place& file : found.bad_keys)
    remove(file, "a key that nobody of this pool signed", how.dry_run, pruned);
  if (how.keep_days == 0) return pruned;
  const auto kept = std::chrono::hours(24) * how.keep_days;
  for (const Place& space : found.spaces)
    if (now - extent_of(space).newest > kept)
      remove(space, "nothing was added to it since", how.dry_run, pruned);
  for (const Place& library : found.libraries)
    if (now - written_at(library.entry.facts) > kept)
      remove(library, "a submission that was compiled before", how.dry_run, pruned);
  return pruned;
}

}  // namespace kbench
