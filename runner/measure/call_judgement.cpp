// The judgements of CallProtocol: torch's operators and time in libraries, mapped code, an idle
// device, the baselines beside the submission, the clocks.
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/analysis/keep.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/labels.hpp"
#include "runner/measure/call_protocol.hpp"
#include "runner/measure/watch/libraries.hpp"

namespace kbench {
namespace {

constexpr const char* kLeaveNothing =
    "a call leaves nothing behind, on the given stream or elsewhere; if another program used the "
    "device meanwhile, run again without it";
constexpr const char* kOtherPolicies =
    "--allow-torch data ranks such submissions apart, --allow-torch all with the others";

}  // namespace

EarlyEnd inconsistent(std::string message) {
  return {State::kTimingInconsistent, std::move(message),
          "all work of a call must be complete when it returns, on the given stream"};
}

std::optional<EarlyEnd> CallProtocol::judge_torch_use() {
  torch_use_known_ = true;
  torch_use_ = worker_->torch_use();
  record_.torch_operators = computing_operators(torch_use_);
  if (request_.torch_compiled)  // no hook sees compiled kernels
    record_.torch_operators = record_.torch_operators.empty()
                                  ? "torch.compile"
                                  : "torch.compile, " + record_.torch_operators;
  if (!torch_use_.hooks_stand) add_label("torch_unobserved");
  if (record_.torch_operators.empty()) return std::nullopt;
  add_label("uses_torch");
  if (settings_.allow_torch != AllowTorch::kNone) return std::nullopt;
  return EarlyEnd{
      State::kForbiddenLibrary,
      "the submission calls operators of torch that compute: " + record_.torch_operators,
      kOtherPolicies};
}

bool CallProtocol::profiles() const {
  return on_cpu() && worker_ && worker_->kind().observes && settings_.is_timed() &&
         settings_.allow_torch != AllowTorch::kAll && stands(Defence::kCodeProfiled);
}

// A submission whose call takes a second has nothing to hide, and is not called six times for that.
std::int64_t CallProtocol::least_first_looks() const { return takes_long() ? 1 : kLeastFirstLooks; }

bool CallProtocol::has_enough_looks() const {
  return code_profile_.all.looks >= kLeastLooks && code_profile_.first.looks >= least_first_looks();
}

// Under `none` nothing excuses time in torch. Else what its data operators take is not held against
// it, and what is listed already need not be listed again.
std::optional<EarlyEnd> CallProtocol::judge_code_profile() {
  if (!profiles()) return std::nullopt;
  if (!has_enough_looks()) {
    add_label("torch_unobserved");
    return std::nullopt;
  }
  constexpr double kTolerated = 0.05;
  constexpr double kSurelyMore = 0.25;  // limit where there are few looks
  const bool none = settings_.allow_torch == AllowTorch::kNone;
  const bool known = !record_.torch_operators.empty();
  const double excused = none ? 0 : known ? 1 : share_of_data_operators(torch_use_);
  const std::int64_t least = least_first_looks();
  std::string found = computing_libraries(code_profile_.all, kTolerated, excused);
  if (found.empty() && !stands(Defence::kFirstLooks)) return std::nullopt;
  if (found.empty()) found = computing_libraries(code_profile_.first, kSurelyMore, excused, least);
  if (found.empty()) {
    // The submission does something else once it was stopped.
    if (!computing_libraries(code_profile_.first, kTolerated, excused, least).empty())
      add_label("torch_unobserved");
    return std::nullopt;
  }
  record_.torch_operators += (known ? ", " : "") + found;
  add_label("uses_torch");
  if (!none) return std::nullopt;
  return EarlyEnd{State::kForbiddenLibrary,
                  "the submission spends its time in libraries that compute: " + found,
                  kOtherPolicies};
}

std::optional<EarlyEnd> CallProtocol::inspect() {
  if (!request_.submission || !worker_) return std::nullopt;
  if (auto end = worker_->check_written()) return end;
  if (!stands(Defence::kKnownCodeOnly)) return std::nullopt;
  const auto code = worker_->mapped_code();
  if (!code && code.error().code == ErrorCode::kSubmission)
    return EarlyEnd{State::kForbiddenLibrary, code.error().message, code.error().hint};
  if (!code) return from_error(code.error());
  CodeRules rules = worker_->kind().code;
  rules.vendor_libraries = request_.submission->vendor_library;
  const auto forbidden = forbidden_code(*code, rules);
  if (!forbidden.empty())
    return EarlyEnd{
        State::kForbiddenLibrary,
        fmt::format("the submission's process has mapped {}", fmt::join(forbidden, ", ")),
        std::string(worker_->kind().only_known_code)};
  for (const MappedCode& mapped : *code) {
    if (mapped.origin != CodeOrigin::kExposed) continue;
    return EarlyEnd{
        State::kInfrastructureError,
        fmt::format("others may write to {}, a part of the Python that plays "
                    "submissions: whose code that is cannot be told",
                    mapped.path),
        "its files belong to one user, and nobody else may write to them: chmod -R o-w; or name "
        "another Python by KBENCH_TORCH"};
  }
  return std::nullopt;
}

std::optional<EarlyEnd> CallProtocol::judge_idleness() {
  if (on_cpu() || !stands(Defence::kIdleDevice)) return std::nullopt;
  auto words = idle_.finding(record_.samples);
  if (!words) return std::nullopt;
  return EarlyEnd{State::kDeviceNotIdle, std::move(*words), kLeaveNothing};
}

// A submission that slows the baselines down looks fast. If they were slowed by little, their times
// without it count (analysis/speedup); if by more, something was at work that should not have been.
std::optional<EarlyEnd> CallProtocol::judge_baselines() {
  // Where the host's speed is in the time, the machine does more by itself: of 82 honest
  // submissions on a CPU one had eager 11 % slower beside it, in two measurements of two, and so
  // had an honest GRU of 6,000 launches on an H100.
  const bool host_shows = on_cpu() || launching_matters_;
  const double tolerated = host_shows ? 1.25 : 1.03;
  if (!stands(Defence::kBaselinesAlone)) return std::nullopt;
  for (const Side baseline : {Side::kEager, Side::kCompiled}) {
    const Slowdown slowed = slowdown_beside(record_, baseline);
    if (slowed.log_ratio > 0) add_label(fmt::format("{}_slowed", to_string(baseline)));
    if (slowed.at_least <= std::log(tolerated)) continue;
    return EarlyEnd{
        State::kDeviceNotIdle,
        fmt::format("{} took {:.3f} ms with no worker there and takes {:.3f} ms beside the "
                    "submission",
                    to_string(baseline), median_time_ns(record_.alone, baseline).value_or(0) * 1e-6,
                    median_time_ns(record_.samples, baseline).value_or(0) * 1e-6),
        kLeaveNothing};
  }
  return std::nullopt;
}

std::optional<EarlyEnd> CallProtocol::judge_clocks() {
  // The program that kept the machine busy slowed the baselines too, and a row without a verdict
  // gains nothing.
  if (machine_was_busy(record_)) {
    add_label("busy_machine");
    return std::nullopt;
  }
  if (auto end = judge_idleness()) return end;
  auto end = judge_baselines();
  if (!end)
    if (auto words = ledger().contradiction(record_.samples)) end = inconsistent(*words);
  return end && !on_cpu() ? unless_host_was_busy(std::move(*end)) : end;
}

}  // namespace kbench
