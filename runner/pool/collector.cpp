#include "runner/pool/collector.hpp"

#include <sys/stat.h>

#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/pool/again.hpp"
#include "runner/pool/fingerprint.hpp"
#include "runner/pool/space_terms.hpp"

namespace kbench {
namespace {

constexpr std::chrono::seconds kBetweenLooks{5};
constexpr std::chrono::milliseconds kBetweenQuestions{100};

// A stamp that is equal for a file that was not replaced; empty where there is none.
std::string stamp_of(const std::filesystem::path& file) {
  struct stat facts {};
  if (::lstat(file.c_str(), &facts) != 0) return "";
  return fmt::format("{} {} {}.{}", facts.st_ino, facts.st_size, facts.st_mtim.tv_sec,
                     facts.st_mtim.tv_nsec);
}

// Whether two are the same run, of which one may have gone on.
bool is_same_run(const Run& a, const Run& b) {
  return a.id == b.id && a.started_at == b.started_at && a.command_line == b.command_line &&
         a.configuration == b.configuration && a.environment == b.environment;
}

// The space that a run was shared in, as it says itself; empty for a run that was not.
std::string space_of(const Run& run) {
  const Json environment = Json::parse(run.environment, nullptr, /*allow_exceptions=*/false);
  if (!environment.is_object() || !environment.contains("exchange")) return "";
  const Json& space = environment.at("exchange");
  return space.is_string() ? space.get<std::string>() : "";
}

}  // namespace

Collector::Collector(Exchange exchange, const std::string& space, std::filesystem::path into,
                     std::optional<ChainKey> key)
    : exchange_(std::move(exchange)),
      name_(space),
      space_(exchange_.space(space)),
      into_(std::move(into)),
      key_(std::move(key)) {}

Result<Store> Collector::open() {
  auto into = Store::open(into_, Store::Mode::kReadWrite);
  if (into && key_) into->use(*key_);
  return into;
}

Status Collector::bring(const std::string& run) {
  agreed_.reset();
  auto into = open();
  if (!into) return into.error();
  CollectedRuns collected;
  if (const Status taken = take(run, *into, collected); !taken) return taken;
  if (collected.refused.empty()) return Done{};
  return Error{ErrorCode::kBadInput, collected.refused.front(), ""};
}

Result<CollectedRuns> Collector::pass() {
  agreed_.reset();
  auto into = open();
  if (!into) return into.error();
  const auto there = into->runs();
  if (!there) return there.error();
  for (const Run& run : *there)
    if (space_of(run) == name_) of_space_.insert(run.id);
  CollectedRuns collected;
  for (const std::string& other : space_.others())
    collected.refused.push_back(fmt::format("{}: no name of a run", other));
  for (const std::string& run : space_.runs())
    if (const Status done = take(run, *into, collected); !done) return done.error();
  return collected;
}

Result<CollectedRuns> Collector::collect(
    const std::function<bool()>& enough,
    const std::function<void(const CollectedRuns& collected)>& tell) {
  CollectedRuns sum;
  for (bool first = true;; first = false) {
    auto seen = pass();
    if (!seen) return seen.error();
    const bool is_new =
        first || seen->added > 0 || seen->finished != sum.finished || seen->refused != sum.refused;
    seen->again += sum.again;
    seen->added += sum.added;
    sum = std::move(*seen);
    if (is_new) tell(sum);
    const auto next = std::chrono::steady_clock::now() + kBetweenLooks;
    do {
      if (enough()) return sum;
      std::this_thread::sleep_for(kBetweenQuestions);
    } while (std::chrono::steady_clock::now() < next);
  }
}

// The machine of a run against what the group has agreed on: "there" is the group.
std::string Collector::why_foreign(const Run& run) {
  if (!agreed_) agreed_ = agreed_terms(exchange_, name_);
  if (!agreed_) return "";
  const Json environment = Json::parse(run.environment, nullptr, /*allow_exceptions=*/false);
  if (!environment.is_object() || !environment.contains("fingerprint")) return "";
  return difference_of_machines(*agreed_, environment.at("fingerprint"));
}

Status Collector::take(const std::string& run, Store& into, CollectedRuns& collected) {
  const std::string stamp = stamp_of(space_.file_of(run));
  if (const auto known = done_.find(run); known != done_.end() && known->second == stamp) {
    ++collected.runs;
    ++collected.finished;
    return Done{};
  }
  const auto taken = take_run_file(exchange_, space_, run);
  if (!taken) {
    if (taken.error().code == ErrorCode::kInfrastructure) return taken.error();
    collected.refused.push_back(taken.error().message);
    return Done{};
  }
  if (const std::string other = why_foreign(taken->run); !other.empty()) {
    collected.refused.push_back(fmt::format(
        "run {} was measured on another kind of machine than the group: {}", short_id(run), other));
    return Done{};
  }
  const auto there = into.find_run(run);
  if (!there) return there.error();
  if (*there && !is_same_run(**there, taken->run)) {
    collected.refused.push_back(
        fmt::format("run {}: another run of this id is in {}", short_id(run), into_.string()));
    return Done{};
  }
  if (!*there) {
    Run begun = taken->run;
    begun.finished_at.clear();
    if (const Status done = into.begin_run(begun); !done) return done;
  }
  of_space_.insert(run);
  bool whole = true;
  if (const Status done = add_rows(*taken, into, collected, whole); !done) return done;
  ++collected.runs;
  if (!whole || taken->run.finished_at.empty()) return Done{};
  if (!*there || (*there)->finished_at.empty())
    if (const Status done = into.finish_run(run, taken->run.finished_at); !done) return done;
  ++collected.finished;
  done_[run] = stamp;
  return Done{};
}

Status Collector::add_rows(const TakenRun& taken, Store& into, CollectedRuns& collected,
                           bool& whole) {
  const auto keys = into.keys(taken.run.id);
  if (!keys) return keys.error();
  const std::set<std::string> there(keys->begin(), keys->end());
  for (Evaluation row : taken.rows) {
    if (there.contains(row.key)) continue;
    const auto looked = space_.keys().look(row.key);
    if (!looked) {
      if (looked.error().code == ErrorCode::kInfrastructure) return looked.error();
      collected.refused.push_back(looked.error().message);
      whole = false;
      continue;
    }
    std::optional<std::string> winner = *looked;
    if (!winner) {
      ++collected.waiting;
      whole = false;
      continue;
    }
    if (*winner == taken.run.id) {
      auto other = answered_by_another(into, row);
      if (!other) return other.error();
      if (!other->empty()) winner = *other;
    }
    if (*winner != taken.run.id) {
      mark_again(row, *winner);
      ++collected.again;
    }
    const auto sources = sources_of(taken.store, row);
    if (!sources) return sources.error();
    if (const Status added = into.add(row, *sources); !added) return added;
    ++collected.added;
  }
  return Done{};
}

// A key that was removed from the folder may have a second winner; here the first one stays. The
// database may hold other groups, whose rows answer for themselves.
Result<std::string> Collector::answered_by_another(const Store& into, const Evaluation& row) const {
  const auto same_key = into.read_key(row.key);
  if (!same_key) return same_key.error();
  for (const Evaluation& other : same_key->evaluations)
    if (other.run_id != row.run_id && !is_again(other) && of_space_.contains(other.run_id))
      return other.run_id;
  return std::string();
}

}  // namespace kbench
