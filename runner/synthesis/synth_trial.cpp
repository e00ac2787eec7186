#include "runner/synthesis/synth_trial.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/lint/graph_facts.hpp"
#include "runner/lint/linter.hpp"
#include "runner/measure/secret.hpp"
#include "runner/task/task.hpp"
#include "runner/verify/acceptance.hpp"

namespace kbench {
namespace {

// The first call chooses algorithms.
constexpr int kTimedCalls = 3;

TrialFinding eager_fails(const Error& error) { return {CandidateFault::kEager, error.message}; }

// The first flaw of a lint, and how many more there are.
std::string flaws_of(const LintRecord& record) {
  std::string first;
  int more = -1;
  for (const LintFinding& finding : record.findings) {
    if (finding.weight == LintFinding::Weight::kNote) continue;
    if (first.empty()) first = finding.kind + ": " + finding.message;
    ++more;
  }
  return more > 0 ? fmt::format("{}; and {} more", first, more) : first;
}

class SynthTrial {
 public:
  SynthTrial(OracleProcess& oracle, std::string device, std::string seed)
      : oracle_(oracle), device_(std::move(device)), seed_(std::move(seed)) {}

  // Errors: the oracle's, kDoesNotFit among them.
  Result<double> eager_ms(const Task& task, const TaskSize& size);
  std::optional<TrialFinding> judge(const Task& task, const TaskSize& size);
  std::optional<TrialFinding> compare(const Task& task, const TaskSize& size,
                                      const std::filesystem::path& package);

 private:
  Status load(const Task& task, const TaskSize& size, const std::filesystem::path& package);
  Result<std::optional<TrialFinding>> run_twice(const Task& task, const TaskSize& size);

  OracleProcess& oracle_;
  std::string device_;
  std::string seed_;
};

Status SynthTrial::load(const Task& task, const TaskSize& size,
                        const std::filesystem::path& package) {
  auto loaded = oracle_.load(task.file, size.name, package);
  if (!loaded) return loaded.error();
  if (!package.empty() && !loaded->empty())
    return Error{ErrorCode::kBadInput, "the package cannot be loaded: " + *loaded, ""};
  const KeySchedule keys(seed_);
  PlaceRequest place;
  place.key = keys.key("parameters", 0);
  if (auto placed = oracle_.place(place); !placed) return placed.error();
  return oracle_.inputs({{keys.key("input", 0), 0, ""}});
}

Result<double> SynthTrial::eager_ms(const Task& task, const TaskSize& size) {
  if (auto loaded = load(task, size, {}); !loaded) return loaded.error();
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int call = 0; call < kTimedCalls; ++call) {
    auto timed = oracle_.time(Side::kEager);
    if (!timed) return timed.error();
    shortest = std::min(shortest, timed->ns);
  }
  return static_cast<double>(shortest) * 1e-6;
}

// The outputs of one run are played as a submission's, and held against those of another one, to
// the bit.
Result<std::optional<TrialFinding>> SynthTrial::run_twice(const Task& task, const TaskSize& size) {
  if (auto loaded = load(task, size, {}); !loaded) return loaded.error();
  const auto eager = oracle_.reference();
  if (!eager) return eager.error();
  for (std::size_t o = 0; o < eager->size(); ++o) {
    if ((*eager)[o].not_finite == 0) continue;
    return std::optional(
        TrialFinding{CandidateFault::kEager,
                     fmt::format("{} of {} elements of {} are no numbers", (*eager)[o].not_finite,
                                 size.outputs.at(o).elements(), size.outputs.at(o).name)});
  }
  if (auto armed = oracle_.arm(Seat::kSubmission, {{0, 0}}); !armed) return armed.error();
  if (auto played = oracle_.mutate({.kind = MutationKind::kNone}); !played) return played.error();
  if (auto taken = oracle_.snapshot(0, {}); !taken) return taken.error();
  if (auto again = oracle_.time(Side::kEager); !again) return again.error();
  const auto compared =
      oracle_.judge(Against::kEager, std::vector<OutputBound>(size.outputs.size()));
  if (!compared) return compared.error();
  for (std::size_t o = 0; o < compared->size(); ++o) {
    if ((*compared)[o].wrong == 0) continue;
    return std::optional(TrialFinding{
        CandidateFault::kUnequalRuns,
        fmt::format("{} of {} elements of {} are others in the second run", (*compared)[o].wrong,
                    size.outputs.at(o).elements(), size.outputs.at(o).name)});
  }
  return std::optional<TrialFinding>();
}

std::optional<TrialFinding> SynthTrial::judge(const Task& task, const TaskSize& size) {
  auto unequal = run_twice(task, size);
  if (!unequal) return eager_fails(unequal.error());
  if (*unequal) return *unequal;
  const auto facts = read_graph_facts(task.file, size.name);
  if (!facts) return eager_fails(facts.error());
  const LintRequest request{&task, &size, device_, sha256(seed_ + "/lint")};
  const LintOutcome outcome = lint_task(request, {}, *facts, oracle_, oracle_);
  if (outcome.record.state == LintState::kPassed) return std::nullopt;
  const bool unable = outcome.record.state == LintState::kUnable;
  return TrialFinding{unable ? CandidateFault::kEager : CandidateFault::kMutant,
                      flaws_of(outcome.record)};
}

std::optional<TrialFinding> SynthTrial::compare(const Task& task, const TaskSize& size,
                                                const std::filesystem::path& package) {
  const auto fails = [](const Error& error) {
    return TrialFinding{CandidateFault::kPackage, error.message};
  };
  if (auto loaded = load(task, size, package); !loaded) return fails(loaded.error());
  const auto eager = oracle_.reference();
  if (!eager) return eager_fails(eager.error());
  const AcceptanceRule rule = for_task({}, size);
  const auto compared =
      oracle_.judge_baseline(Side::kCompiled, bounds(rule, *eager, Against::kEager));
  if (!compared) return fails(compared.error());
  const Check check = kbench::judge(rule, size.outputs, *eager, *compared, Against::kEager,
                                    Whose::kCompiledBaselines);
  if (check.passed) return std::nullopt;
  return TrialFinding{CandidateFault::kDisagrees, check.message};
}

TrialAnswer time_eager(SynthTrial& trial, const Task& task, const TaskSize& size) {
  const auto ms = trial.eager_ms(task, size);
  if (ms) return {.eager_ms = *ms, .finding = std::nullopt};
  const bool too_large = ms.error().code == ErrorCode::kDoesNotFit;
  return {.finding = TrialFinding{too_large ? CandidateFault::kTime : CandidateFault::kEager,
                                  ms.error().message}};
}

}  // namespace

Result<TrialAnswer> make_trial(OracleProcess& oracle, const std::string& device,
                               const TrialOrder& order) {
  const auto task = load_task(order.file);
  if (!task) return task.error();
  const TaskSize* size = task->find_size(order.size);
  if (size == nullptr)
    return Error{ErrorCode::kNotFound, fmt::format("{} has no size {}", task->id, order.size), ""};
  SynthTrial trial(oracle, device, order.seed);
  switch (order.kind) {
    case TrialKind::kTime: return time_eager(trial, *task, *size);
    case TrialKind::kJudge: return TrialAnswer{.finding = trial.judge(*task, *size)};
    case TrialKind::kCompare:
      return TrialAnswer{.finding = trial.compare(*task, *size, order.package)};
  }
  return TrialAnswer{};
}

Status renew_oracle(OracleProcess& oracle) {
  if (auto restarted = oracle.restart(); !restarted) return restarted;
  if (auto hello = oracle.hello(); !hello) return hello.error();
  return Done{};
}

}  // namespace kbench
