#include "runner/synthesis/synth_session.hpp"

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/import/lowering_setup.hpp"
#include "runner/installation/python_facts.hpp"
#include "runner/installation/torch_search.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/plan/device_choice.hpp"
#include "runner/synthesis/synth_batch.hpp"
#include "runner/synthesis/synth_sources.hpp"
#include "runner/synthesis/synthesis_journal.hpp"
#include "runner/synthesis/synthesis_manifest.hpp"
#include "runner/synthesis/trial_lanes.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Candidates that go through the filters together, and what a kill costs at most: some for each
// core, since each phase waits for its slowest one.
std::size_t batch_size() { return static_cast<std::size_t>(std::max(16, 3 * usable_threads())); }

constexpr int kMemoryGib = 12;  // address space of one file that is lowered

// Scale at which the search for a size begins, relative to a million numbers as the first input: so
// that most candidates fit at once. On an H100 a billion bytes cross the memory bus in 0.6 ms.
double first_scale(const Target& target) { return target.device == "cuda" ? 256 : 0.5; }

bool was_tried(const CandidateRecord& record) {
  return record.kept() || *record.fault > CandidateFault::kDuplicate;
}

// One synthesis, from reading what is held out to its manifest.
class SynthSession {
 public:
  SynthSession(const SynthRequest& options, const Installation& installation,
               ProgressSink& progress)
      : options_(options),
        progress_(progress),
        sandbox_(make_sandbox()),
        setting_{.options = options,
                 .installation = installation,
                 .sandbox = *sandbox_,
                 .lowering = {},
                 .held_out = {},
                 .work = options.out / ".work",
                 .target = std::nullopt,
                 .devices = nullptr,
                 .fingerprints = {},
                 .progress = progress_,
                 .stop = [this] { return guard_.interrupted(); }} {}

  Result<SynthOutcome> run() {
    if (auto prepared = prepare(); !prepared) return prepared.error();
    auto pending = pending_candidates();
    const std::size_t together = batch_size();
    for (std::size_t from = 0; from < pending.size() && !guard_.interrupted(); from += together) {
      const auto end = std::min(pending.size(), from + together);
      std::vector<Candidate> batch(
          std::make_move_iterator(pending.begin() + static_cast<std::ptrdiff_t>(from)),
          std::make_move_iterator(pending.begin() + static_cast<std::ptrdiff_t>(end)));
      if (auto done = SynthBatch(setting_, batch).run(); !done) return done.error();
      if (auto kept = keep(batch); !kept) return kept.error();
      say_how_far(pending.size(), end);
    }
    return conclude();
  }

 private:
  Status prepare() {
    const auto facts = ask_python(setting_.installation.python);
    if (!facts) return facts.error();
    setting_.lowering = lowering_setup(setting_.installation, *facts, kMemoryGib);
    const auto suite = list_tasks(options_.held_out.value_or(setting_.installation.suites));
    if (!suite) return suite.error();
    auto held_out = read_held_out(*suite);
    if (!held_out) return held_out.error();
    setting_.held_out = std::move(*held_out);
    if (auto found = find_candidates(); !found) return found;
    if (!options_.no_run)
      if (auto chosen = choose_device(); !chosen) return chosen;
    if (auto opened = open_journal(); !opened) return opened;
    return options_.no_run ? Status(Done{}) : start_devices();
  }

  // Finds candidates in files; those of the grammar are made when they are wanted.
  Status find_candidates() {
    if (options_.from.empty()) {
      const auto nothing = compose_modules(*sandbox_, setting_.lowering,
                                           {options_.seed, options_.least, options_.most, {}});
      if (!nothing) return nothing.error();
      grammar_ = nothing->grammar;
      return Done{};
    }
    auto sources = find_sources(options_.from, options_.out, [&](const fs::path& file) {
      return read_parquet(*sandbox_, setting_.lowering, file);
    });
    if (!sources) return sources.error();
    sources_ = std::move(*sources);
    return Done{};
  }

  Status choose_device() {
    auto chosen = choose_devices_of(options_.device, options_.devices, setting_.installation);
    if (!chosen) return chosen.error();
    setting_.target = std::move(chosen->target);
    lanes_ = std::move(chosen->lanes);
    return Done{};
  }

  Status start_devices() {
    if (auto made = create_cache(setting_.installation); !made) return made;
    auto devices = lanes_.empty() ? start_trial_device(*sandbox_, setting_.installation,
                                                       *setting_.target, progress_)
                                  : start_trial_lanes(lanes_, setting_.installation,
                                                      *setting_.target, progress_, setting_.stop);
    if (!devices) return devices.error();
    setting_.devices = std::move(*devices);
    return Done{};
  }

  // All that decides what becomes of a candidate; how many are wanted does not.
  [[nodiscard]] Json header() const {
    Json from = Json::array();
    for (const fs::path& path : options_.from) from.push_back(fs::absolute(path).string());
    Json json{{"schema", "kbench-synthesis/1"},
              {"grammar", grammar_ > 0 ? Json(grammar_) : Json()},
              {"from", std::move(from)},
              {"seed", options_.seed},
              {"operators", {options_.least, options_.most}},
              {"mode", options_.mode},
              {"device", setting_.target ? Json(setting_.target->device) : Json()},
              {"packages", !options_.no_run && !options_.no_packages},
              {"torch", setting_.installation.built_with_torch}};
    if (const auto& shard = options_.shard)
      json["shard"] = fmt::format("{}/{}", shard->index, shard->of);
    return json;
  }
  [[nodiscard]] bool is_of_shard(std::int64_t candidate) const {
    return !options_.shard || candidate % options_.shard->of == options_.shard->index - 1;
  }

  Status open_journal() {
    const fs::path& out = options_.out;
    if (!options_.resume) {
      std::error_code ignored;
      const auto there = list_tasks(out);
      if (there && !there->empty() && !fs::exists(journal_file(out), ignored)) {
        return Error{ErrorCode::kUsage, out.string() + " holds tasks already",
                     "choose another folder for --out"};
      }
    }
    auto journal = options_.resume ? SynthesisJournal::resume(out, header())
                                   : SynthesisJournal::start(out, header());
    if (!journal) return journal.error();
    journal_ = std::make_unique<SynthesisJournal>(std::move(*journal));
    for (const CandidateRecord& record : journal_->records())
      if (was_tried(record)) setting_.fingerprints.insert(record.fingerprint);
    return remove_unfinished();
  }

  // Removes tasks that a killed program had moved into the suite, and not yet written down.
  Status remove_unfinished() {
    std::error_code failure;
    fs::remove_all(setting_.work, failure);
    const auto there = list_tasks(options_.out);
    if (!there) return there.error();
    std::set<std::string> kept;
    for (const CandidateRecord& record : journal_->records())
      if (record.kept()) kept.insert(record.task);
    for (const TaskEntry& entry : *there) {
      if (kept.contains(entry.id)) continue;
      fs::remove(entry.file, failure);
      fs::remove(fs::path(entry.file).replace_extension(".py"), failure);
    }
    return Done{};
  }

  [[nodiscard]] std::vector<Candidate> pending_candidates() {
    std::set<std::int64_t> done;
    for (const CandidateRecord& record : journal_->records()) done.insert(record.candidate);
    const bool composed = options_.from.empty();
    const auto count = composed ? options_.count : static_cast<std::int64_t>(sources_.size());
    std::vector<Candidate> pending;
    for (std::int64_t i = 0; i < count; ++i)
      if (!done.contains(i) && is_of_shard(i))
        pending.push_back(composed ? composed_candidate(i) : read_candidate(i));
    return pending;
  }

  [[nodiscard]] Candidate composed_candidate(std::int64_t number) const {
    Candidate candidate;
    candidate.record.candidate = number;
    candidate.record.where = candidate.source.where = fmt::format("candidate {}", number);
    candidate.source.number = static_cast<int>(number);
    candidate.search.emplace(TimeBand{}, setting_.target ? first_scale(*setting_.target) : 1.0);
    return candidate;
  }

  [[nodiscard]] Candidate read_candidate(std::int64_t number) {
    Candidate candidate;
    candidate.source = sources_[static_cast<std::size_t>(number)];
    candidate.source.number = static_cast<int>(number);
    candidate.record.candidate = number;
    candidate.record.where = candidate.source.where;
    if (candidate.source.error)
      candidate.reject(CandidateFault::kLowering, candidate.source.error->what);
    return candidate;
  }

  // Moves what was kept into the suite, and writes down what is done.
  Status keep(const std::vector<Candidate>& batch) {
    for (const Candidate& candidate : batch) {
      if (!candidate.done) continue;  // interrupted
      if (candidate.record.kept())
        if (auto moved = move_task(candidate.record.task); !moved) return moved;
      if (auto written = journal_->append(candidate.record); !written) return written;
    }
    std::error_code ignored;
    fs::remove_all(setting_.work, ignored);
    return Done{};
  }

  Status move_task(const std::string& id) {
    std::error_code failure;
    fs::create_directories((options_.out / id).parent_path(), failure);
    for (const char* ending : {".py", ".json"}) {  // where the lowered form is, the source is
      if (!failure)
        fs::rename(setting_.work / (id + ending), options_.out / (id + ending), failure);
    }
    if (!failure) return Done{};
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("cannot move {} into the suite: {}", id, failure.message()),
                 "check that you may write there, and that the disk has room"};
  }

  [[nodiscard]] std::size_t kept() const {
    const auto& records = journal_->records();
    return static_cast<std::size_t>(std::count_if(
        records.begin(), records.end(), [](const CandidateRecord& r) { return r.kept(); }));
  }

  void say_how_far(std::size_t all, std::size_t done) {
    progress_.note(fmt::format("{} of {} candidates tried; {} kept of {} in all", done, all, kept(),
                               journal_->records().size()));
  }

  Result<SynthOutcome> conclude() {
    const auto& records = journal_->records();
    const Json manifest = manifest_of(header(), records);
    SynthOutcome outcome{
        .manifest = manifest.dump(1, ' ', false, Json::error_handler_t::replace) + "\n",
        .records = records,
        .kept = kept(),
        .interrupted = false};
    if (auto written = write_atomically(options_.out / "manifest.json", outcome.manifest, 0644);
        !written)
      return written.error();
    outcome.interrupted = guard_.interrupted();
    return outcome;
  }

  const SynthRequest& options_;
  ProgressSink& progress_;
  std::unique_ptr<Sandbox> sandbox_;
  InterruptGuard guard_;
  SynthSetting setting_;
  std::vector<GpuInfo> lanes_;  // empty: one device, without a lane
  int grammar_ = 0;             // 0: candidates come from files
  std::vector<ImportSource> sources_;
  std::unique_ptr<SynthesisJournal> journal_;
};

}  // namespace

Result<SynthOutcome> synthesize(const SynthRequest& request, const Installation& installation,
                                ProgressSink& progress) {
  if (request.devices)
    if (auto fine = check_devices(*request.devices); !fine) return fine.error();
  const auto complete = with_torch(installation, process_environment(), ask_for_torch);
  if (!complete) return complete.error();
  if (complete->python.empty()) {
    return Error{ErrorCode::kInfrastructure, complete->python_reason,
                 "synthesis needs a Python with torch 2.9 or newer; KBENCH_TORCH names one"};
  }
  return SynthSession(request, *complete, progress).run();
}

}  // namespace kbench
