#include "runner/lint/linter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/measure/secret.hpp"
#include "runner/task/hard_draws.hpp"
#include "runner/task/large_biases.hpp"
#include "runner/task/working_type.hpp"
#include "runner/verify/acceptance.hpp"

namespace kbench {
namespace {

using Weight = LintFinding::Weight;

// Below this, float64 itself cannot tell the mutated graph from the right one: the part left out
// has no effect in exact arithmetic (a bias before a norm, say), and leaving it out is right.
constexpr double kNoEffect = 1e-9;

// The same for graphs in `type`. In 16 bits what changes the output by less than its rounding does
// (2^-8 in bfloat16) cannot be told apart from outputs alone.
double no_effect(DType type) {
  return type == DType::kFloat32 ? kNoEffect : std::ldexp(1.0, -significand_bits(type));
}

// The largest error of eager that makes a yardstick, in units of the output's root mean square: an
// element may be wrong by four times as much (AcceptanceRule::c). On an H100 at `full`, TF32 off,
// 248 of the 250 tasks are below 0.0085, half of them below 3.3e-6; the others are at 0.059
// (level3/045_unetsoftmax) and 3.5 (level3/024_efficientnetb2, norms over one element). At `small`
// on a CPU all are below 9.0e-4.
constexpr double kLargestEagerError = 1.0 / 64;

// design limits of `full` on CUDA and of `small` on CPU
constexpr double kShortestMs = 1;
constexpr double kLongestMs = 100;
constexpr double kLongestSmallMs = 500;
constexpr std::uint64_t kMostSmallTensorBytes = 64u << 20;
constexpr std::uint64_t kMostSmallParameterBytes = 600u << 20;

struct Candidate {
  MutationRequest request;
  std::string subject;
  bool tried = false;
  bool rejected = false;
};

// `most` of `count` indices, spread evenly, the first and the last among them.
std::vector<std::size_t> spread(std::size_t count, int most) {
  const auto wanted = static_cast<std::size_t>(std::max(most, 1));
  std::vector<std::size_t> chosen;
  if (count <= wanted) {
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  for (std::size_t i = 0; i < wanted; ++i)
    chosen.push_back(wanted == 1 ? 0 : i * (count - 1) / (wanted - 1));
  return chosen;
}

std::string sentence(const Candidate& candidate, bool in_half) {
  const std::string& what = candidate.subject;
  switch (candidate.request.kind) {
    case MutationKind::kNone: return "eager's own output is rejected: the rule is broken here";
    case MutationKind::kStale: return fmt::format("{} passes when nothing writes it", what);
    case MutationKind::kZeros: return fmt::format("{} passes when it is all zero", what);
    case MutationKind::kConstant: return fmt::format("{} passes when it is one everywhere", what);
    case MutationKind::kMean: return fmt::format("{} passes when its mean is everywhere", what);
    case MutationKind::kIdentity: return fmt::format("{}, copied, passes as the output", what);
    case MutationKind::kPrevious:
      return fmt::format("{} of the previous input passes for the next one", what);
    case MutationKind::kHalf: return fmt::format("{} passes after rounding to float16", what);
    case MutationKind::kElement:
      return fmt::format("{} passes with one element wrong by {} % of its scale", what,
                         in_half ? 25 : 1);
    case MutationKind::kOperator: return fmt::format("the graph passes without {}", what);
    case MutationKind::kParameter:
      return fmt::format("the graph passes with {} replaced by its mean", what);
  }
  return "";
}

class Linting {
 public:
  Linting(const LintRequest& request, const LintSettings& settings, const GraphFacts& graph,
          Oracle& oracle, MutationSource& mutations, LintOutcome& outcome)
      : request_(request),
        settings_(settings),
        rule_(for_task(settings.acceptance, *request.size)),
        graph_(graph),
        oracle_(oracle),
        mutations_(mutations),
        outcome_(outcome),
        record_(outcome.record),
        keys_(request.seed) {}

  Status run() {
    check_statically();
    if (auto prepared = prepare(); !prepared) return prepared;
    for (int draw = 0; draw < settings_.draws && draw_needed(draw); ++draw) {
      if (auto begun = begin_draw({}); !begun) return begun;
      if (draw == 0)
        if (auto collected = collect(); !collected) return collected;
      if (auto tried = try_all(); !tried) return tried;
      if (auto remembered = mutations_.remember(); !remembered) return remembered;
    }
    check_precision();
    if (!settings_.only_whether_it_ranks || any_survivor())
      if (auto tried = try_hard_draws(); !tried) return tried;
    if (auto explained = explain_survivors(); !explained) return explained;
    return settings_.only_whether_it_ranks ? Status(Done{}) : time_eager();
  }

 private:
  void add(Weight weight, std::string kind, std::string subject, std::string message) {
    record_.findings.push_back({weight, std::move(kind), std::move(subject), std::move(message)});
  }

  // --- what needs no run ---

  void check_statically() {
    for (const std::string& op : graph_.random_operators)
      add(Weight::kFlaw, "random", op, op + " draws random numbers: no two runs agree");
    if (request_.size->name == "small") check_small_sizes();
  }

  void check_small_sizes() {
    std::uint64_t parameters = 0;
    for (const TensorSpec& tensor : request_.size->parameters) parameters += tensor.bytes();
    if (parameters > kMostSmallParameterBytes) {
      add(Weight::kFlaw, "size", "parameters",
          fmt::format("parameters take {} MiB, small allows 600", parameters >> 20));
    }
    for (const auto* list : {&request_.size->inputs, &request_.size->outputs}) {
      for (const TensorSpec& tensor : *list) {
        if (tensor.bytes() > kMostSmallTensorBytes) {
          add(Weight::kFlaw, "size", tensor.name,
              fmt::format("{} takes {} MiB, small allows 64", tensor.name, tensor.bytes() >> 20));
        }
      }
    }
  }

  // --- draws ---

  Status prepare() {
    if (auto loaded = oracle_.load(request_.task->file, request_.size->name, {}, -1); !loaded)
      return loaded.error();
    return place(keys_.key("parameters", 0));
  }

  Status place(std::uint64_t key) {
    PlaceRequest request;
    request.key = key;
    if (auto placed = oracle_.place(request); !placed) return placed.error();
    return Done{};
  }

  // The second draw always: only then is there a previous input.
  [[nodiscard]] bool draw_needed(int draw) const { return draw < 2 || any_survivor(); }

  [[nodiscard]] bool any_survivor() const {
    return std::any_of(candidates_.begin(), candidates_.end(),
                       [](const Candidate& c) { return c.tried && !c.rejected; });
  }

  [[nodiscard]] bool in_half() const { return settings_.type != DType::kFloat32; }

  void check_precision() {
    if (outcome_.eager_error <= (in_half() ? kLargestEagerErrorInHalf : kLargestEagerError)) return;
    add(Weight::kFlaw, std::string(kImprecise), "eager",
        fmt::format("eager itself is off by {:.1e} of {}, and a submission may be by {} times as "
                    "much",
                    outcome_.eager_error,
                    in_half() ? "an element or, where that is larger, the output's root mean square"
                              : "the output's root mean square",
                    in_half() ? "two" : "four"));
  }

  // A mutation that only hard inputs give away is found: every evaluation draws them as well.
  Status try_hard_draws() {
    for (const HardDrawRule& rule : request_.size->hard_draws) {
      if (!rule.applies()) continue;
      if (auto begun = begin_draw(rule.draw); !begun) return begun;
      if (!eager_is_finite()) {
        add(Weight::kNote, "hard_draw", std::string(to_string(rule.draw)),
            fmt::format("eager itself overflows on {}: left out of every evaluation",
                        describe(rule.draw)));
        continue;
      }
      if (auto tried = try_all(); !tried) return tried;
    }
    if (auto tried = try_large_biases(); !tried) return tried;
    // Effects are measured on the task's own distribution.
    return any_survivor() ? begin_draw({}) : Status(Done{});
  }

  // In 16 bits every evaluation draws these as well.
  Status try_large_biases() {
    if (!any_survivor() || !has_small_biases(*request_.size)) return Done{};
    if (auto placed = place(key_of_large_biases(keys_.key("parameters", 1))); !placed)
      return placed;
    if (auto begun = begin_draw({}, false); !begun) return begun;
    if (eager_is_finite())
      if (auto tried = try_all(); !tried) return tried;
    return place(keys_.key("parameters", 0));
  }

  Status try_all() {
    for (Candidate& candidate : candidates_) {
      if (!candidate.rejected)
        if (auto tried = try_on_this_draw(candidate); !tried) return tried;
    }
    return Done{};
  }

  Status begin_draw(std::optional<HardDraw> hard, bool own_parameters = true) {
    const bool own = !hard && own_parameters;
    const std::string name(hard ? to_string(*hard) : "");
    if (auto drawn = oracle_.inputs({{keys_.key("input", draws_++), 0, name}}); !drawn)
      return drawn;
    auto eager = oracle_.reference();
    if (!eager) return eager.error();
    eager_ = std::move(*eager);
    for (const EagerError& error : eager_)
      if (own && error.rms > 0)
        outcome_.eager_error = std::max(
            outcome_.eager_error, in_half() ? error.scaled_error : error.max_error / error.rms);
    if (auto armed = oracle_.arm(Seat::kSubmission, {{0, 0}}); !armed) return armed;
    const Candidate control;
    auto passed = passes(control);
    if (!passed) return passed.error();
    if (!*passed && own) add_rejected_control(sentence(control, in_half()) + ": " + why_);
    return Done{};
  }

  void add_rejected_control(std::string message) {
    if (eager_is_finite() || !in_half()) {
      add(Weight::kFlaw, "control", "", std::move(message));
    } else if (record_.findings.empty() || record_.findings.back().kind != kNotInHalf) {
      add(Weight::kFlaw, std::string(kNotInHalf), "eager",
          fmt::format("eager overflows in {}", to_string(settings_.type)));
    }
  }

  [[nodiscard]] bool eager_is_finite() const {
    return std::all_of(eager_.begin(), eager_.end(),
                       [](const EagerError& error) { return error.not_finite == 0; });
  }

  // Whether the verifier accepts the mutation; applies_ tells if there was one.
  Result<bool> passes(const Candidate& candidate) {
    auto reply = mutations_.mutate(candidate.request);
    if (!reply) return reply.error();
    applies_ = reply->applies;
    if (!applies_) return false;
    if (auto taken = oracle_.snapshot(0, {}); !taken) return taken.error();
    auto compared = oracle_.judge(Against::kReference, bounds(rule_, eager_, Against::kReference));
    if (!compared) return compared.error();
    const Check check =
        judge(rule_, request_.size->outputs, eager_, *compared, Against::kReference);
    why_ = check.message;
    return check.passed;
  }

  Status try_on_this_draw(Candidate& candidate) {
    auto passed = passes(candidate);
    if (!passed) return passed.error();
    if (!applies_) return Done{};
    candidate.tried = true;
    candidate.rejected = !*passed;
    return Done{};
  }

  // --- candidates ---

  Status collect() {
    const auto outputs = static_cast<int>(request_.size->outputs.size());
    for (const MutationKind kind :
         {MutationKind::kStale, MutationKind::kZeros, MutationKind::kConstant, MutationKind::kMean,
          MutationKind::kPrevious})
      for (int o = 0; o < outputs; ++o) add_output_mutation(kind, o);
    if (settings_.only_whether_it_ranks) return Done{};
    for (const MutationKind kind : {MutationKind::kHalf, MutationKind::kElement})
      for (int o = 0; o < outputs; ++o) add_output_mutation(kind, o);
    for (std::size_t i = 0; i < request_.size->inputs.size(); ++i) {
      const TensorSpec& input = request_.size->inputs[i];
      for (int o = 0; o < outputs; ++o) {
        candidates_.push_back(
            {{.kind = MutationKind::kIdentity, .output = o, .index = static_cast<std::int64_t>(i)},
             input.name});
      }
    }
    add_parameter_mutations();
    return add_operator_mutations();
  }

  void add_output_mutation(MutationKind kind, int output) {
    const TensorSpec& spec = request_.size->outputs[static_cast<std::size_t>(output)];
    MutationRequest mutation{.kind = kind, .output = output};
    if (kind == MutationKind::kElement)
      mutation.index = static_cast<std::int64_t>(keys_.key("element", 0) >> 1);
    candidates_.push_back({mutation, spec.name});
  }

  void add_parameter_mutations() {
    const auto& parameters = request_.size->parameters;
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Draw::Kind kind = parameters[i].draw.kind;
      if (kind == Draw::Kind::kUniform || kind == Draw::Kind::kNormal) drawn.push_back(i);
    }
    for (const std::size_t i : spread(drawn.size(), settings_.most_parameters)) {
      candidates_.push_back(
          {{.kind = MutationKind::kParameter, .index = static_cast<std::int64_t>(drawn[i])},
           parameters[drawn[i]].name});
    }
  }

  Status add_operator_mutations() {
    auto nodes = mutations_.bypassable();
    if (!nodes) return nodes.error();
    for (const std::size_t i : spread(nodes->size(), settings_.most_operators)) {
      const BypassableNode& node = (*nodes)[i];
      candidates_.push_back({{.kind = MutationKind::kOperator, .index = node.node},
                             fmt::format("node {} ({})", node.node, node.op)});
    }
    return Done{};
  }

  // --- verdict ---

  Status explain_survivors() {
    for (const Candidate& candidate : candidates_) {
      if (!candidate.tried) continue;
      ++record_.mutants;
      if (candidate.rejected) {
        ++record_.rejected;
        continue;
      }
      if (auto explained = explain(candidate); !explained) return explained;
    }
    return Done{};
  }

  Status explain(const Candidate& candidate) {
    const MutationKind kind = candidate.request.kind;
    const std::string name(to_string(kind));
    if (kind == MutationKind::kOperator || kind == MutationKind::kParameter) {
      MutationRequest exact = candidate.request;
      exact.exact = true;
      auto reply = mutations_.mutate(exact);
      if (!reply) return reply.error();
      if (has_no_effect(candidate, *reply)) {
        add(Weight::kNote, name, candidate.subject,
            candidate.subject + " has no effect in exact arithmetic: leaving it out is correct");
        return Done{};
      }
      add(Weight::kFlaw, name, candidate.subject,
          fmt::format("{}; in exact arithmetic it changes the output by {:.1e}, and eager is off "
                      "by {:.1e}",
                      sentence(candidate, in_half()), reply->effect, eager_relative_l2()));
      return Done{};
    }
    add(Weight::kFlaw, name, candidate.subject, sentence(candidate, in_half()));
    return Done{};
  }

  // A change to the last bits of float64 shows that the part took part, and cancelled. No change at
  // all shows that these values never reached it (a clamp that never clamps): that is a flaw.
  [[nodiscard]] bool has_no_effect(const Candidate& candidate, const MutationReply& reply) const {
    if (!reply.identical) return reply.effect < no_effect(settings_.type);
    if (candidate.request.kind != MutationKind::kOperator) return false;
    const auto node = static_cast<std::size_t>(candidate.request.index);
    return node < graph_.nodes.size() && graph_.nodes[node].redundant;
  }

  [[nodiscard]] double eager_relative_l2() const {
    double largest = 0;
    for (const EagerError& error : eager_) largest = std::max(largest, error.relative_l2);
    return largest;
  }

  Status time_eager() {
    std::optional<std::int64_t> shortest;
    for (int i = 0; i < (request_.device == "cpu" ? 1 : 5); ++i) {
      auto timed = oracle_.time(Side::kEager);
      if (!timed) return timed.error();
      shortest = std::min(shortest.value_or(timed->ns), timed->ns);
    }
    outcome_.eager_ms = static_cast<double>(*shortest) * 1e-6;
    const double ms = outcome_.eager_ms;
    const bool full_on_gpu =
        request_.device == "cuda" && request_.size->name == "full" && !in_half();
    if (full_on_gpu && (ms < kShortestMs || ms > kLongestMs))
      add(Weight::kFlaw, "time", "eager", fmt::format("eager takes {:.3g} ms, not 1 to 100", ms));
    if (request_.device == "cpu" && request_.size->name == "small" && ms > kLongestSmallMs)
      add(Weight::kNote, "time", "eager", fmt::format("eager took {:.3g} ms once", ms));
    return Done{};
  }

  const LintRequest& request_;
  const LintSettings& settings_;
  const AcceptanceRule rule_;
  const GraphFacts& graph_;
  Oracle& oracle_;
  MutationSource& mutations_;
  LintOutcome& outcome_;
  LintRecord& record_;
  KeySchedule keys_;
  std::uint64_t draws_ = 0;
  std::vector<EagerError> eager_;  // errors of the draw at hand
  std::vector<Candidate> candidates_;
  bool applies_ = false;
  std::string why_;  // the last mutation was rejected
};

}  // namespace

void settle(const Task& task, LintRecord& record) {
  for (LintFinding& finding : record.findings) {
    const auto accepted = task.lint_accepts.find(finding.kind);
    if (finding.weight != Weight::kFlaw || accepted == task.lint_accepts.end() ||
        finding.kind == kAgainstPython)
      continue;
    finding.weight = Weight::kAccepted;
    finding.message += "; accepted: " + accepted->second;
  }
  const auto has = [&](Weight weight) {
    return std::any_of(record.findings.begin(), record.findings.end(),
                       [&](const LintFinding& finding) { return finding.weight == weight; });
  };
  record.state = has(Weight::kFlaw)       ? LintState::kFailed
                 : has(Weight::kAccepted) ? LintState::kAccepted
                                          : LintState::kPassed;
}

LintOutcome lint_task(const LintRequest& request, const LintSettings& settings,
                      const GraphFacts& graph, Oracle& oracle, MutationSource& mutations) {
  LintOutcome outcome;
  outcome.record.task = request.task->id;
  outcome.record.task_hash = request.task->hash;
  outcome.record.size = request.size->name;
  outcome.record.device = request.device;
  const Status ran = Linting(request, settings, graph, oracle, mutations, outcome).run();
  if (ran) {
    settle(*request.task, outcome.record);
  } else if (settings.type != DType::kFloat32 && ran.error().code == ErrorCode::kNotFound) {
    // Eager has no kernel in the type: a run skips the task.
    outcome.record.findings.push_back(
        {Weight::kFlaw, std::string(kNotInHalf), "eager", ran.error().message});
    settle(*request.task, outcome.record);
  } else {
    outcome.record.findings.push_back(
        {Weight::kFlaw, "unable", "", ran.error().message + "; " + ran.error().hint});
    outcome.record.state = LintState::kUnable;
  }
  return outcome;
}

}  // namespace kbench
