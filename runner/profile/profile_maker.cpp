#include "runner/profile/profile_maker.hpp"

#include <utility>

#include <fmt/format.h>

#include "runner/core/utc_now.hpp"
#include "runner/installation/build_info.hpp"

namespace kbench {
namespace {

Error usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

std::optional<Side> as_side(const std::string& word) {
  for (const Side side : {Side::kEager, Side::kCompiled, Side::kVendor, Side::kSubmission})
    if (word == to_string(side)) return side;
  return std::nullopt;
}

}  // namespace

ProfileMaker::ProfileMaker(ProfileRequest request, std::filesystem::path database,
                           std::optional<std::filesystem::path> keep_in, BenchSource& benches,
                           ProgressSink& progress)
    : request_(std::move(request)),
      database_(std::move(database)),
      keep_in_(std::move(keep_in)),
      benches_(benches),
      progress_(progress) {}

// Checks the place before anything is measured, which takes long.
Status ProfileMaker::check_place() const {
  return keep_in_ ? check_keeps_profiles(*keep_in_) : Status(Done{});
}

Result<MadeProfile> ProfileMaker::make() {
  if (auto place = check_place(); !place) return place.error();
  return make(request_);
}

Result<MadeProfile> ProfileMaker::make(const ProfileRequest& request) {
  auto profile = profile_task(benches_, request, progress_);
  if (!profile) return profile.error();
  auto stored = to_be_stored(*profile, utc_now(), std::string(build_info().version));
  if (!stored) return stored.error();
  if (keep_in_)
    if (Status kept = keep_profile(*keep_in_, *stored); !kept) return kept.error();
  return MadeProfile{std::move(*profile), std::move(*stored)};
}

// A side of the task, or the start of a stored profile's id.
Result<ProfileMaker::Compared> ProfileMaker::find_compared(const std::string& word) const {
  if (const auto side = as_side(word)) return Compared{std::nullopt, *side};
  auto stored = find_profile(database_, word);
  if (!stored) return stored.error();
  return Compared{std::move(stored->record), {}};
}

// Finds both sides. With one word, the other is what the rest of the line asks for.
Result<std::vector<ProfileMaker::Compared>> ProfileMaker::find_both(
    const std::vector<std::string>& words) const {
  std::vector<Compared> both;
  if (words.size() == 1) {
    const Side otherwise = request_.submission ? Side::kSubmission : Side::kEager;
    both.push_back({std::nullopt, request_.side.value_or(otherwise)});
  }
  for (const std::string& word : words) {
    auto found = find_compared(word);
    if (!found) return found.error();
    both.push_back(std::move(*found));
  }
  return both;
}

// Words of the line that nothing would be made of are a mistake: what is compared is then something
// else than what was meant.
Status ProfileMaker::check_words(const std::vector<std::string>& words,
                                 const std::vector<Compared>& both) const {
  const bool stored = both[0].stored && both[1].stored;
  if (stored && (!request_.task.empty() || request_.submission || request_.side))
    return usage(
        "two stored profiles are compared as they are: a task, a submission and a side "
        "mean nothing",
        "kbench profile --compare A B [--db FILE]");
  if (!stored && request_.task.empty() && !request_.submission)
    return usage("no task is named, and a side is one of a task",
                 "kbench profile TASK --compare eager");
  if (words.size() == 2 && request_.side)
    return usage("--side is what one word is compared with, and --compare names two",
                 "leave it out");
  const bool submission = both[0].is_submission() || both[1].is_submission();
  if (submission && !request_.submission)
    return usage("there is no submission to profile", "name its file: --submission FILE");
  if (request_.submission && !submission)
    return usage("the submission is none of the two that are compared",
                 "--compare submission eager, or leave --submission out");
  return Done{};
}

// Checks before anything is measured that both are of one task: of two tasks there is nothing to
// compare. Task and device are named from now on: both sides have those of the submission's file.
Status ProfileMaker::check_tasks(const std::vector<Compared>& both) {
  if (both[0].stored && both[1].stored) return Done{};
  auto named = named_request(benches_, request_);
  if (!named) return named.error();
  request_ = std::move(*named);
  for (const Compared& one : both)
    if (one.stored && one.stored->task != request_.task)
      return usage(fmt::format("the stored profile is of {} and not of {}: calls of two tasks are "
                               "not compared",
                               one.stored->task, request_.task),
                   "`kbench profile --list` names profiles of one task");
  return Done{};
}

// The profile's record; `kept` gets the id of a new one.
Result<ProfileRecord> ProfileMaker::take(Compared& one, std::vector<std::string>& kept) {
  if (one.stored) return std::move(*one.stored);
  ProfileRequest request = request_;
  request.side = one.side;
  if (one.side != Side::kSubmission) request.submission.reset();
  auto made = make(request);
  if (!made) return made.error();
  if (keep_in_) kept.push_back(made->stored.id);
  return std::move(made->stored.record);
}

Result<ProfilePair> ProfileMaker::make_pair(const std::vector<std::string>& words) {
  auto both = find_both(words);
  if (!both) return both.error();
  if (auto fine = check_words(words, *both); !fine) return fine.error();
  const bool measures = !both->front().stored || !both->back().stored;
  if (measures)
    if (auto place = check_place(); !place) return place.error();
  if (auto tasks = check_tasks(*both); !tasks) return tasks.error();
  ProfilePair pair;
  auto a = take(both->front(), pair.kept);
  if (!a) return a.error();
  auto b = take(both->back(), pair.kept);
  if (!b) return b.error();
  pair.a = std::move(*a);
  pair.b = std::move(*b);
  return pair;
}

}  // namespace kbench
