#include "reports/page/profile_choice.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/run_facts.hpp"
#include "runner/core/source_contents.hpp"

namespace kbench {
namespace {

// Why a profile is not shown, in the order in which it is asked.
enum class Reason { kSize, kDevice, kTask, kPrecision, kTorch, kSource, kOlder, kRoom };

constexpr std::array kWords = {
    std::pair{Reason::kSize, "of another size"},
    std::pair{Reason::kDevice, "of another device"},
    std::pair{Reason::kTask, "of another content of the task"},
    std::pair{Reason::kPrecision, "of another precision class"},
    std::pair{Reason::kTorch, "of baselines by another PyTorch"},
    std::pair{Reason::kSource, "of sources that no row is of"},
    std::pair{Reason::kOlder, "older than one that is there"},
    std::pair{Reason::kRoom, "more than this page has room for"},
};

// Facts of a run that its rows share.
struct RunWords {
  std::string kind;         // kind of its device
  std::string device_name;  // name of its device
  std::string torch;
};

struct RowFacts {
  const Evaluation* row = nullptr;
  const RunWords* run = nullptr;
  const std::string* contents = nullptr;  // hash_contents of its sources
};

using Rows = std::vector<RowFacts>;

// Rows by their task.
class AllRows {
 public:
  void add(const ReportData& data) {
    const RunWords& run =
        runs_.emplace_back(RunWords{device_of(data), data.device_name, facts_of(data.run).torch});
    for (const Evaluation& row : data.evaluations)
      by_task_[row.task].push_back(
          {&row, &run, &contents_.emplace_back(hash_contents(row.sources))});
  }

  [[nodiscard]] Rows of(const std::string& task) const {
    const auto found = by_task_.find(task);
    return found == by_task_.end() ? Rows() : found->second;
  }

 private:
  std::deque<RunWords> runs_;
  std::deque<std::string> contents_;
  std::map<std::string, Rows> by_task_;
};

bool same(const std::string& a, const std::string& b) { return !a.empty() && a == b; }

// Keeps the rows that the profile may belong to; false where none is left.
bool keep(Rows& rows, const std::function<bool(const RowFacts&)>& fits) {
  std::erase_if(rows, [&](const RowFacts& facts) { return !fits(facts); });
  return !rows.empty();
}

bool is_baseline(const StoredProfile& profile) { return profile.record.submission.empty(); }

bool has_source(const RowFacts& facts, const StoredProfile& profile) {
  return facts.row->submission && (same(facts.row->submission->source_hash, profile.source_hash) ||
                                   same(*facts.contents, profile.record.contents_hash));
}

// The row that a submission's profile is shown by: one of its name, else one of its source with the
// names of files, else the first.
const SubmissionId& submission_of(const Rows& rows, const StoredProfile& profile) {
  const auto find = [&](const std::function<bool(const SubmissionId&)>& fits) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const RowFacts& facts) { return fits(*facts.row->submission); });
  };
  auto found = find([&](const auto& id) { return id.name == profile.record.submission; });
  if (found == rows.end())
    found = find([&](const auto& id) { return same(id.source_hash, profile.source_hash); });
  return *(found == rows.end() ? rows.front() : *found).row->submission;
}

// Calls it as its row does. The end of a row's path is no other name.
void call_as_row(const SubmissionId& row, StoredProfile& profile) {
  const std::string name = std::exchange(profile.record.submission, row.name);
  if (name != row.name && !row.name.ends_with("/" + name)) profile.record.profiled_as = name;
  if (!row.source_hash.empty()) profile.source_hash = row.source_hash;
}

// The reason why a profile is not shown; nothing where it belongs to rows, which then are left.
std::optional<Reason> reason_of(const StoredProfile& profile, Rows& rows) {
  const ProfileRecord& of = profile.record;
  if (!keep(rows, [&](const auto& facts) { return facts.row->size == of.size; }))
    return Reason::kSize;
  if (!keep(rows, [&](const auto& facts) {
        return facts.row->device == profile.device_kind && facts.run->kind == facts.row->device &&
               same(facts.run->device_name, of.device);
      }))
    return Reason::kDevice;
  if (!keep(rows, [&](const auto& facts) { return same(facts.row->task_hash, of.task_hash); }))
    return Reason::kTask;
  if (!keep(rows, [&](const auto& facts) { return facts.row->precision == of.precision; }))
    return Reason::kPrecision;
  if (is_baseline(profile)) {
    if (!keep(rows, [&](const auto& facts) { return same(facts.run->torch, of.torch); }))
      return Reason::kTorch;
  } else if (!keep(rows, [&](const auto& facts) { return has_source(facts, profile); })) {
    return Reason::kSource;
  }
  return std::nullopt;
}

// A submission of any name is beside the baselines of its task and in the place of none.
using Subject = std::tuple<std::string, std::string, std::string, std::string, std::string,
                           std::string, std::string>;

Subject subject_of(const StoredProfile& profile) {
  const ProfileRecord& of = profile.record;
  return {of.task,      of.size, profile.device_kind, of.device,
          of.precision, of.side, profile.source_hash};
}

double share_of(const StoredProfile& profile) {
  return profile.record.fact("limit_percent").value_or(std::numeric_limits<double>::infinity());
}

// Takes every task's worst profile, then every task's second, and so on.
std::size_t cut_fairly(std::vector<StoredProfile>& profiles) {
  if (profiles.size() <= kMostPageProfiles) return 0;
  std::stable_sort(profiles.begin(), profiles.end(),
                   [](const auto& a, const auto& b) { return share_of(a) < share_of(b); });
  std::map<std::string, std::size_t> turns;
  std::vector<std::pair<std::size_t, StoredProfile>> ordered;
  for (StoredProfile& profile : profiles) {
    const std::size_t turn = turns[profile.record.task]++;
    ordered.emplace_back(turn, std::move(profile));
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  profiles.clear();
  for (std::size_t i = 0; i < kMostPageProfiles; ++i)
    profiles.push_back(std::move(ordered[i].second));
  return ordered.size() - kMostPageProfiles;
}

std::vector<std::string> words_of(const std::map<Reason, std::size_t>& counts,
                                  std::size_t unsound) {
  std::vector<std::string> words;
  for (const auto& [reason, text] : kWords)
    if (const auto found = counts.find(reason); found != counts.end() && found->second > 0)
      words.push_back(fmt::format("{} {}", found->second, text));
  if (unsound > 0)
    words.push_back(fmt::format("{} unsound (`kbench db check` names {})", unsound,
                                unsound == 1 ? "it" : "them"));
  return words;
}

}  // namespace

PageProfiles choose_profiles(const ReportData& data, ProfileRows stored) {
  AllRows all;
  all.add(data);
  for (const ReportData& other : data.beside) all.add(other);
  std::stable_sort(stored.profiles.begin(), stored.profiles.end(),
                   [](const auto& a, const auto& b) { return a.made_at < b.made_at; });
  std::map<Reason, std::size_t> counts;
  std::map<Subject, StoredProfile> newest;
  for (StoredProfile& profile : stored.profiles) {
    Rows rows = all.of(profile.record.task);
    if (rows.empty()) continue;
    if (const auto reason = reason_of(profile, rows)) {
      ++counts[*reason];
      continue;
    }
    if (!is_baseline(profile)) call_as_row(submission_of(rows, profile), profile);
    const auto [place, is_new] = newest.insert_or_assign(subject_of(profile), std::move(profile));
    if (!is_new) ++counts[Reason::kOlder];
  }
  PageProfiles page;
  for (auto& [subject, profile] : newest) page.shown.push_back(std::move(profile));
  counts[Reason::kRoom] = cut_fairly(page.shown);
  std::stable_sort(page.shown.begin(), page.shown.end(),
                   [](const auto& a, const auto& b) { return subject_of(a) < subject_of(b); });
  page.left_out = words_of(counts, stored.malformed.size());
  return page;
}

}  // namespace kbench
