#include "runner/synthesis/synth_batch.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/usable_cores.hpp"
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

// Rejects each candidate of which a trial found something.
void reject_found(const std::vector<Candidate*>& wanted, const TrialAnswers& answers) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (answers[i] && answers[i]->finding)
      wanted[i]->reject(answers[i]->finding->fault, answers[i]->finding->message);
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

TrialOrder SynthBatch::order_for(const Candidate& candidate, TrialKind kind) const {
  return {.kind = kind,
          .task = candidate.record.task,
          .file = fs::absolute(candidate.task->file),
          .size = candidate.size,
          .seed = trial_seed(setting_, candidate)};
}

Result<TrialAnswers> SynthBatch::try_each(const std::vector<Candidate*>& wanted, TrialKind kind) {
  std::vector<TrialOrder> orders;
  for (const Candidate* candidate : wanted) orders.push_back(order_for(*candidate, kind));
  return setting_.devices->try_all(orders, setting_.stop);
}

// Times eager. Returns the candidates that have to be made again, at another size.
Result<std::vector<Candidate*>> SynthBatch::time(const std::vector<Candidate*>& wanted) {
  const auto answers = try_each(wanted, TrialKind::kTime);
  if (!answers) return answers.error();
  std::vector<Candidate*> again;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if ((*answers)[i] && take_time(*wanted[i], *(*answers)[i])) again.push_back(wanted[i]);
  return again;
}

// True where the candidate is to be made at another size.
bool SynthBatch::take_time(Candidate& candidate, const TrialAnswer& answer) {
  ++candidate.record.tries;
  const auto& finding = answer.finding;
  if (finding && finding->fault != CandidateFault::kTime) {
    candidate.reject(finding->fault, finding->message);
    return false;
  }
  candidate.record.eager_ms = finding ? 0 : answer.eager_ms;
  const double took = finding ? std::numeric_limits<double>::infinity() : answer.eager_ms;
  const TimeBand band;
  const auto next = candidate.search   ? candidate.search->took(took)
                    : band.holds(took) ? SizeSearch::Next::kFits
                                       : SizeSearch::Next::kGiveUp;
  if (next == SizeSearch::Next::kGiveUp)
    candidate.reject(CandidateFault::kTime,
                     finding ? finding->message
                             : fmt::format("eager takes {:.3g} ms, not {:g} to {:g}", took,
                                           band.shortest_ms, band.longest_ms));
  return next == SizeSearch::Next::kTryAgain;
}

void SynthBatch::drop_copies() {
  for (Candidate* candidate : open()) {
    if (!setting_.fingerprints.insert(candidate->record.fingerprint).second)
      candidate->reject(CandidateFault::kDuplicate, "the same graph as a candidate before it");
  }
}

Status SynthBatch::judge() {
  const std::vector<Candidate*> wanted = open();
  const auto answers = try_each(wanted, TrialKind::kJudge);
  if (!answers) return answers.error();
  reject_found(wanted, *answers);
  return Done{};
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
      build_baseline_packages(plan, all, setting_.installation, setting_.devices->hello(),
                              {.precision = kSynthPrecision,
                               .interrupted = setting_.stop,
                               .gpus = setting_.devices->gpus()},
                              setting_.sandbox, setting_.progress);
  if (!packages) return packages.error();
  if (setting_.stop()) return Done{};
  std::vector<Candidate*> built;
  std::vector<TrialOrder> orders;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const PackageResult& package = packages->at(i);
    if (package.file.empty()) {
      wanted[i]->reject(CandidateFault::kPackage, package.reason);
      continue;
    }
    built.push_back(wanted[i]);
    orders.push_back(order_for(*wanted[i], TrialKind::kCompare));
    orders.back().package = fs::absolute(package.file);
  }
  const auto answers = setting_.devices->try_all(orders, setting_.stop);
  if (!answers) return answers.error();
  reject_found(built, *answers);
  return Done{};
}

}  // namespace kbench
