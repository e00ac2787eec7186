// The cost of a study and its precision, before anything is asked: requests, tokens, US$,
// half-widths. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/study/study_plan.hpp"
#include "runner/trajectory/injection.hpp"

namespace kbench {

// How a model counts and how much it says, by stored turns or, without any, as assumed.
struct TokenRates {
  double prompt_per_byte = 0.25;  // tokens for a byte of the messages as JSON
  double reply = 2500;            // tokens of a kernel
  double plan = 400;              // tokens of a plan
  std::size_t turns = 0;          // stored turns behind these numbers; 0: assumed
};

// US$ a million tokens.
struct Price {
  double in = 0;
  double out = 0;
};
// "3,15". Errors: kUsage.
[[nodiscard]] Result<Price> parse_price(const std::string& text);

// A planned state as far as its prompts are known: where a component has not spoken yet, a text of
// kAssumedReport bytes stands for its report.
struct StateToPrice {
  StateContext context;
  Reports reports;
};
inline constexpr std::size_t kAssumedReport = 600;

struct Cost {
  std::int64_t cells = 0;
  std::int64_t requests = 0;
  double tokens_in = 0;
  double tokens_out = 0;

  [[nodiscard]] double usd(const Price& price) const {
    return (tokens_in * price.in + tokens_out * price.out) / 1e6;
  }
};
// Requests that look at how the endpoint samples, before the first cell.
inline constexpr int kProbes = 3;

// The cost of one state in one replicate. Errors: those of rendering.
[[nodiscard]] Result<Cost> cost_of(const StudyPlan& plan, const PlannedState& state,
                                   const StateToPrice& known, const InjectionTemplate& with,
                                   const TokenRates& rates);
// The cost of the whole study; `states` has those of the plan in its order, each in one replicate.
[[nodiscard]] Cost total_cost(const std::vector<Cost>& states, int replicates);

struct Affordable {
  std::size_t states = 0;
  int replicates = 0;
};
// How much of the plan so many US$ pay for: first fewer replicates than planned, then, with one,
// fewer states; a beginning of the plan's states is balanced. Errors: kUsage, not even one complete
// state once, with what that takes.
[[nodiscard]] Result<Affordable> afford(const std::vector<Cost>& states, int replicates,
                                        const Price& price, double usd);

// The precision of an index of so many components (1: an effect), in 95 %.
struct Precision {
  double half_width = 0;
  double seen = 0;  // the smallest effect that is seen in 80 %
};
// `samples`: cells of the states that have all of the components. Assumes outcomes of 0 and 1 at a
// rate of 0.3, and effects that differ between states by SD 0.08. Nothing for fewer states
// than an interval takes (kLeastUnits).
[[nodiscard]] std::optional<Precision> precision_of(std::size_t components, std::size_t states,
                                                    std::int64_t samples);

}  // namespace kbench
