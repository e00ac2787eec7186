#include "runner/again/night_session.hpp"

#include <fmt/format.h>

#include "reports/facts/json_text.hpp"
#include "reports/facts/night_findings.hpp"
#include "reports/formats/run_list.hpp"
#include "runner/core/random_id.hpp"
#include "runner/run/run_session.hpp"
#include "runner/store/chain/chain_key.hpp"

namespace kbench {
namespace {

// Older runs of the device are not looked at: where a row is in fewer than five good ones of so
// many, fewer will do.
constexpr int kMostRuns = 60;

void take_second_try(Suspect& suspect, const MeasuredPair& measured) {
  if (!measured.after || fault_of(measured.after->state) == Fault::kInfrastructure) {
    suspect.clearance = Clearance::kUnclear;
    return;
  }
  const bool passes = measured.after->state == State::kOk && measured.after->correct == true;
  suspect.clearance = passes ? Clearance::kCleared : Clearance::kConfirmed;
}

}  // namespace

NightSession::NightSession(const NightRequest& request, BenchSource& benches)
    : request_(request),
      benches_(benches),
      terms_(request.terms),
      baseline_(request.choices.baseline),
      sources_(benches.installation(), request.terms.database) {}

Result<RunOutcome> NightSession::run(RunSink& sink) {
  terms_.id = random_id();
  return RunSession(benches_, request_.run, terms_, sink).run();
}

Status NightSession::load(const std::function<Status(ReportData&, const Store&)>& add) {
  auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  if (auto key = read_chain_key(benches_.installation().state)) store->use(std::move(*key));
  auto tonight = load_report(*store, terms_.id);
  if (!tonight) return tonight.error();
  if (auto added = add(*tonight, *store); !added) return added;
  tonight_ = std::move(*tonight);
  rule_.flag = request_.choices.flag_percent ? *request_.choices.flag_percent / 100
                                             : default_flag(device_of(tonight_));
  rule_.most_pairs = static_cast<std::size_t>(request_.choices.most_pairs);
  return load_good(*store);
}

Status NightSession::load_good(const Store& store) {
  auto runs = store.runs();  // newest first
  if (!runs) return runs.error();
  const RunFacts facts = facts_of(tonight_.run);
  int looked_at = 0;
  for (const Run& run : *runs) {
    if (is_full_reference(tonight_, good_)) break;
    // Other devices' runs are other histories: they are not even mentioned.
    const RunFacts then = facts_of(run);
    if (run.id == tonight_.run.id || !then.timed || !same_device(then, facts)) continue;
    if (++looked_at > kMostRuns) break;
    const auto data = load_report(store, run.id);
    if (!data) return data.error();
    const std::string why = why_not_good(*data, tonight_);
    if (why.empty())
      good_.push_back(good_run(*data, baseline_));
    else
      ++not_good_[why];
  }
  return Done{};
}

void NightSession::look() {
  night_ = look_at_night(tonight_, good_, baseline_, rule_);
  night_.not_good = not_good_;
  find_sources();
}

void NightSession::find_sources() {
  for (Suspect& suspect : night_.suspects) {
    // A manifest that makes no sense makes none the second time either.
    if (suspect.cannot_be_read()) {
      suspect.clearance = Clearance::kConfirmed;
      pairs_.emplace_back();
      continue;
    }
    auto tonight =
        sources_.of(tonight_.run, std::nullopt).find(std::get<0>(suspect.key), suspect.submission);
    if (!tonight) {
      suspect.remark = tonight.error().message;
      pairs_.emplace_back();
      continue;
    }
    SourcePair pair{std::get<0>(suspect.key), std::nullopt, std::move(*tonight)};
    if (suspect.why == Suspect::Why::kSlower && !suspect.same_source()) {
      auto good = sources_.of(suspect.good_run, request_.choices.submissions_before)
                      .find(pair.task, suspect.good);
      if (good)
        pair.before = std::move(*good);
      else
        suspect.remark = good.error().message;
    }
    if (suspect.why == Suspect::Why::kSlower && !pair.before)
      suspect.evidence.alone = suspect.reference;
    pairs_.push_back(std::move(pair));
  }
}

Status NightSession::clear(RunSink& sink, const std::function<bool()>& stop,
                           const std::function<void(const std::string&)>& note) {
  if (night_.suspects.empty()) return Done{};
  RunTerms terms = request_.terms;
  terms.database = remeasured_database(terms.database);
  terms.devices.reset();  // the two of a pair have one device
  Remeasurement again(tonight_.run, request_.run, benches_, sink, terms, "kbench nightly");
  for (int round = 1; round <= request_.choices.most_pairs; ++round) {
    const std::vector<std::size_t> open = open_suspects();
    if (open.empty()) break;
    interrupted_ = stop();
    if (interrupted_) break;
    note(fmt::format("measuring {} of {} suspected again, round {} of at most {}", open.size(),
                     night_.suspects.size(), round, request_.choices.most_pairs));
    std::vector<SourcePair> pairs;
    for (const std::size_t i : open) pairs.push_back(*pairs_[i]);
    const auto measured = again.measure(pairs);
    interrupted_ = !measured && measured.error().code == ErrorCode::kInterrupted;
    if (!measured) return measured.error();
    for (std::size_t i = 0; i < open.size(); ++i)
      take(night_.suspects[open[i]], (*measured)[i], round);
  }
  return Done{};
}

Status NightSession::store_findings() {
  tonight_.night = findings_of(night_);
  auto store = Store::open(terms_.database, Store::Mode::kReadWrite);
  if (!store) return store.error();
  return store->put_night(tonight_.run.id, json_text(to_json(*tonight_.night)));
}

std::vector<std::size_t> NightSession::open_suspects() const {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < night_.suspects.size(); ++i)
    if (pairs_[i] && night_.suspects[i].clearance == Clearance::kOpen) open.push_back(i);
  return open;
}

void NightSession::take(Suspect& suspect, const MeasuredPair& measured, int round) {
  if (suspect.why == Suspect::Why::kFails) return take_second_try(suspect, measured);
  const bool alone = !suspect.evidence.alone.values.empty();
  if (const auto slowdown = alone ? measured.longer_than(suspect.reference.level(), baseline_)
                                  : measured.slowdown(baseline_))
    suspect.evidence.slowdowns.push_back(*slowdown);
  suspect.clearance = judge(suspect.evidence, rule_, night_.suspects.size());
  const bool last = round == request_.choices.most_pairs;
  if (last && suspect.clearance == Clearance::kOpen) {
    suspect.clearance = Clearance::kUnclear;
    if (suspect.remark.empty()) suspect.remark = "not every measurement of it succeeded";
  }
}

}  // namespace kbench
