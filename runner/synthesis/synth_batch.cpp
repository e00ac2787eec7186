#include "runner/synthesis/synth_batch.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/lint/graph_facts.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/run/baseline_packages.hpp"
#include "runner/synthesis/operator_sequence.hpp"
#include "runner/synthesis/synth_sources.hpp"
#include "runner/synthesis/synth_trial.hpp"
#include "runner/task/graph.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr int kMostProcesses = 16;  // each takes about half a GiB
constexpr std::size_t kMostWords = 400;
// How lowering refuses what it cannot make an input of (suites/lowering/convert.py).
constexpr const char* kRandomWords = "draws random numbers";

std::string trial_seed(const SynthSetting& setting, const Candidate& candidate) {
  return sha256(fmt::format("{}/{}", setting.options.seed, candidate.record.candidate));
}

Result<MeasuringLock> lock_device(SynthSetting& setting) {
  return take_measuring_lock({.installation = &setting.installation,
                              .target = &*setting.target,
                              .what = "synth",
                              .progress = &setting.progress});
}

}  // namespace

void Candidate::reject(CandidateFault fault, const std::string& message) {
  record.fault = fault;
  record.message = clean_text(message, kMostWords);
  done = true;
}

Status SynthBatch::run() {
  std::vector<Candidate*> wanted = open();
  while (!wanted.empty()) {
    if (auto composed = compose(wanted); !composed) return composed;
    if (auto lowered = lower(wanted); !lowered) return lowered;
    if (setting_.stop()) return Done{};
    std::erase_if(wanted, [](const Candidate* candidate) { return candidate->done; });
    if (!setting_.target) break;
    auto again = time(wanted);
    if (!again) return again.error();
    if (setting_.stop()) return Done{};
    wanted = std::move(*again);
  }
  drop_copies();
  if (setting_.target) {
    if (auto judged = judge(); !judged || setting_.stop()) return judged;
    if (!setting_.options.no_packages)
      if (auto built = build_packages(); !built || setting_.stop()) return built;
  }
  for (Candidate* candidate : open()) candidate->done = true;
  return Done{};
}

std::vector<Candidate*> SynthBatch::open() const {
  std::vector<Candidate*> found;
  for (Candidate& candidate : candidates_)
    if (!candidate.done) found.push_back(&candidate);
  return found;
}

// Composes the text of the grammar's candidates, at the scale that is to be tried.
Status SynthBatch::compose(const std::vector<Candidate*>& wanted) {
  const SynthRequest& options = setting_.options;
  CompositionRequest request{options.seed, options.least, options.most, {}};
  std::vector<Candidate*> composed;
  for (Candidate* candidate : wanted) {
    if (!candidate->search) continue;
    request.candidates.emplace_back(candidate->record.candidate, candidate->search->scale());
    composed.push_back(candidate);
  }
  if (composed.empty()) return Done{};
  const auto composition = compose_modules(setting_.sandbox, setting_.lowering, request);
  if (!composition) return composition.error();
  for (std::size_t i = 0; i < composed.size(); ++i) {
    Candidate& candidate = *composed[i];
    const ComposedModule& module = composition->modules[i];
    candidate.source.text = module.source;
    candidate.source.name = module.name;
    candidate.source.level = module.level;
    candidate.record.drawn = module.operators;
    candidate.record.scale = candidate.search->scale();
  }
  return Done{};
}

Status SynthBatch::lower(const std::vector<Candidate*>& wanted) {
  ImportRequest request{{}, setting_.work, 1};
  for (Candidate* candidate : wanted) {
    candidate->task.reset();
    candidate->record.source_sha256 = sha256(candidate->source.text);
    request.sources.push_back(candidate->source);
  }
  LoweringOptions lowering;
  lowering.mode = setting_.options.mode == "eval" ? "eval" : "batch-stats";
  lowering.processes = processes_for(wanted.size(), std::min(usable_threads(), kMostProcesses));
  lowering.tick = [&] { setting_.progress.tick(); };
  lowering.stop = setting_.stop;
  setting_.progress.begin("lowering", std::vector<double>(wanted.size(), 0));
  std::size_t ended = 0;
  const auto outcomes = import_tasks(setting_.sandbox, setting_.lowering, request, lowering,
                                     [&](std::size_t, const ImportOutcome& outcome) {
                                       setting_.progress.item(ended++, outcome.where);
                                     });
  setting_.progress.end();
  if (!outcomes) return outcomes.error();
  for (std::size_t i = 0; i < wanted.size(); ++i) take_lowered(*wanted[i], (*outcomes)[i]);
  return Done{};
}

void SynthBatch::take_lowered(Candidate& candidate, const ImportOutcome& outcome) {
  candidate.record.task = outcome.task;
  if (outcome.state == ImportOutcome::State::kInterrupted) return;
  if (outcome.error) {
    const int line = outcome.error->line;
    const bool random = outcome.error->what.find(kRandomWords) != std::string::npos;
    return candidate.reject(random ? CandidateFault::kRandom : CandidateFault::kLowering,
                            (line > 0 ? fmt::format("line {}: ", line) : "") + outcome.error->what);
  }
  auto task = load_task(setting_.work / (outcome.task + ".json"));
  if (!task) return candidate.reject(CandidateFault::kLowering, task.error().message);
  const bool small = setting_.target && setting_.target->device == "cpu";
  const TaskSize* size = small ? task->find_size("small") : task->find_size("full");
  if (size == nullptr) size = &task->sizes.front();
  candidate.size = size->name;
  candidate.task = std::move(*task);
  read_graph(candidate);
}

// Checks of the graph, which need no run.
void SynthBatch::read_graph(Candidate& candidate) {
  CandidateRecord& record = candidate.record;
  const auto facts = read_graph_facts(candidate.task->file, candidate.size);
  if (!facts) return candidate.reject(CandidateFault::kLowering, facts.error().message);
  std::vector<std::string> operators;
  for (const GraphNodeFacts& node : facts->nodes) operators.push_back(node.op);
  record.operators = operator_sequence(operators);
  record.fingerprint = facts->fingerprint;
  record.similar_to.clear();
  record.similarity = 0;
  if (!facts->random_operators.empty()) {
    return candidate.reject(CandidateFault::kRandom,
                            facts->random_operators.front() + " draws random numbers");
  }
  if (const auto near = find_contamination(record.operators, setting_.held_out)) {
    record.similar_to = near->task;
    record.similarity = near->similarity;
    if (near->same) {
      return candidate.reject(CandidateFault::kContaminated,
                              "the same operators as the held-out " + near->task);
    }
  }
}

Status SynthBatch::restart_oracle() {
  if (auto restarted = setting_.oracle->restart(); !restarted) return restarted;
  if (auto hello = setting_.oracle->hello(); !hello) return hello.error();
  return Done{};
}

Status SynthBatch::on_device(const char* phase, const std::vector<Candidate*>& wanted,
                             const std::function<Status(Candidate&, SynthTrial&)>& act) {
  if (wanted.empty()) return Done{};
  const auto lock = lock_device(setting_);
  if (!lock) return lock.error();
  setting_.progress.begin(phase, std::vector<double>(wanted.size(), 0));
  for (std::size_t i = 0; i < wanted.size() && !setting_.stop(); ++i) {
    Candidate& candidate = *wanted[i];
    setting_.progress.item(i, candidate.record.task);
    SynthTrial trial(*setting_.oracle, setting_.target->device, trial_seed(setting_, candidate));
    if (auto acted = act(candidate, trial); !acted) return acted;
  }
  setting_.progress.end();
  return Done{};
}

// Times eager. Returns the candidates that have to be made again, at another size.
Result<std::vector<Candidate*>> SynthBatch::time(const std::vector<Candidate*>& wanted) {
  std::vector<Candidate*> again;
  const Status timed =
      on_device("timing eager", wanted, [&](Candidate& candidate, SynthTrial& trial) -> Status {
        auto ms = trial.eager_ms(*candidate.task, *candidate.task->find_size(candidate.size));
        ++candidate.record.tries;
        if (!ms && ms.error().code != ErrorCode::kDoesNotFit) {
          candidate.reject(CandidateFault::kEager, ms.error().message);
          return restart_oracle();
        }
        candidate.record.eager_ms = ms ? *ms : 0;
        const double took = ms ? *ms : std::numeric_limits<double>::infinity();
        const TimeBand band;
        const auto next = candidate.search   ? candidate.search->took(took)
                          : band.holds(took) ? SizeSearch::Next::kFits
                                             : SizeSearch::Next::kGiveUp;
        if (next == SizeSearch::Next::kTryAgain) again.push_back(&candidate);
        if (next == SizeSearch::Next::kGiveUp) {
          candidate.reject(CandidateFault::kTime,
                           ms ? fmt::format("eager takes {:.3g} ms, not {:g} to {:g}", took,
                                            band.shortest_ms, band.longest_ms)
                              : ms.error().message);
        }
        return Done{};
      });
  if (!timed) return timed.error();
  return again;
}

void SynthBatch::drop_copies() {
  for (Candidate* candidate : open()) {
    if (!setting_.fingerprints.insert(candidate->record.fingerprint).second)
      candidate->reject(CandidateFault::kDuplicate, "the same graph as a candidate before it");
  }
}

Status SynthBatch::judge() {
  return on_device(
      "trying mutations", open(), [&](Candidate& candidate, SynthTrial& trial) -> Status {
        const auto finding =
            trial.judge(*candidate.task, *candidate.task->find_size(candidate.size));
        if (!finding) return Done{};
        candidate.reject(finding->fault, finding->message);
        return finding->fault == CandidateFault::kEager ? restart_oracle() : Status(Done{});
      });
}

Status SynthBatch::build_packages() {
  std::set<std::string> sizes;
  for (const Candidate* candidate : open()) sizes.insert(candidate->size);
  for (const std::string& size : sizes)
    if (auto built = build_packages(size); !built || setting_.stop()) return built;
  return Done{};
}

Status SynthBatch::build_packages(const std::string& size) {
  std::vector<Candidate*> wanted = open();
  std::erase_if(wanted, [&](const Candidate* candidate) { return candidate->size != size; });
  Plan plan;
  plan.target = *setting_.target;
  plan.target.size = size;
  std::set<std::size_t> all;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    plan.tasks.push_back(*wanted[i]->task);
    all.insert(i);
  }
  const auto packages =
      build_baseline_packages(plan, all, setting_.installation, setting_.hello,
                              {.precision = kSynthPrecision, .interrupted = setting_.stop},
                              setting_.sandbox, setting_.progress);
  if (!packages) return packages.error();
  if (setting_.stop()) return Done{};
  const auto lock = lock_device(setting_);
  if (!lock) return lock.error();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const PackageResult& package = packages->at(i);
    if (package.file.empty()) {
      wanted[i]->reject(CandidateFault::kPackage, package.reason);
      continue;
    }
    SynthTrial trial(*setting_.oracle, setting_.target->device, trial_seed(setting_, *wanted[i]));
    const auto finding = trial.compare(plan.tasks[i], *plan.tasks[i].find_size(size), package.file);
    if (!finding) continue;
    wanted[i]->reject(finding->fault, finding->message);
    if (finding->fault == CandidateFault::kDisagrees) continue;
    if (auto restarted = restart_oracle(); !restarted) return restarted;
  }
  return Done{};
}

}  // namespace kbench
