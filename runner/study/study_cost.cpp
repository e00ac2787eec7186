#include "runner/study/study_cost.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "runner/attribution/estimate.hpp"

namespace kbench {
namespace {

constexpr double kAssumedRate = 0.3;
constexpr double kAssumedSpread = 0.08;
constexpr double kTail = 0.025;
constexpr double kMiss = 0.2;

double bytes_of(const Json& messages) {
  return static_cast<double>(
      messages.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace).size());
}

bool parse_number(std::string_view text, double& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size() && number >= 0 && number < 1e9;
}

Status add_cell(const CellPlace& cell, const ArmTreatment& treatment, const StateToPrice& known,
                const InjectionTemplate& with, const TokenRates& rates, Cost& cost) {
  const Injection injection{with, known.context, treatment, cell.coalition, known.reports};
  std::string plan;
  if (treatment.planner) {
    const auto messages = planner_messages(injection);
    if (!messages) return messages.error();
    cost.tokens_in += bytes_of(*messages) * rates.prompt_per_byte;
    cost.tokens_out += rates.plan;
    plan.assign(static_cast<std::size_t>(rates.plan / rates.prompt_per_byte), 'x');
    ++cost.requests;
  }
  const auto messages = coder_messages(injection, plan);
  if (!messages) return messages.error();
  cost.tokens_in += bytes_of(*messages) * rates.prompt_per_byte;
  cost.tokens_out += rates.reply;
  ++cost.requests;
  ++cost.cells;
  return Done{};
}

}  // namespace

Result<Price> parse_price(const std::string& text) {
  const std::size_t comma = text.find(',');
  Price price;
  const std::string_view all = text;
  if (comma != text.npos && parse_number(all.substr(0, comma), price.in) &&
      parse_number(all.substr(comma + 1), price.out))
    return price;
  return Error{ErrorCode::kUsage, "--price is not IN,OUT",
               "US$ a million tokens of prompts and of replies, as --price 3,15"};
}

Result<Cost> cost_of(const StudyPlan& plan, const PlannedState& state, const StateToPrice& known,
                     const InjectionTemplate& with, const TokenRates& rates) {
  Cost cost;
  for (const CellPlace& cell : cells_of(plan, state, 0)) {
    const auto treatment = treatment_of(cell.arm, injection_mode(plan));
    if (!treatment) return treatment.error();
    if (auto added = add_cell(cell, *treatment, known, with, rates, cost); !added)
      return added.error();
  }
  return cost;
}

Cost total_cost(const std::vector<Cost>& states, int replicates) {
  Cost total;
  for (const Cost& one : states) {
    total.cells += one.cells * replicates;
    total.requests += one.requests * replicates;
    total.tokens_in += one.tokens_in * replicates;
    total.tokens_out += one.tokens_out * replicates;
  }
  if (total.cells == 0) return total;
  // The probes are of the first state's prompt.
  const double requests = static_cast<double>(total.requests);
  total.tokens_in += kProbes * total.tokens_in / requests;
  total.tokens_out += kProbes * total.tokens_out / requests;
  total.requests += kProbes;
  return total;
}

Result<Affordable> afford(const std::vector<Cost>& states, int replicates, const Price& price,
                          double usd) {
  std::vector<Cost> some = states;
  Affordable fits{states.size(), replicates};
  while (fits.replicates > 1 && total_cost(some, fits.replicates).usd(price) > usd)
    --fits.replicates;
  while (some.size() > 1 && total_cost(some, fits.replicates).usd(price) > usd) some.pop_back();
  fits.states = some.size();
  const double least = total_cost(some, fits.replicates).usd(price);
  if (least <= usd) return fits;
  return Error{ErrorCode::kUsage,
               fmt::format("US$ {:.4g} do not pay for one state under all of its coalitions once: "
                           "that takes US$ {:.4g}",
                           usd, least),
               fmt::format("--usd {:.4g}, or fewer components", std::ceil(least * 1e4) / 1e4)};
}

std::optional<Precision> precision_of(std::size_t components, std::size_t states,
                                      std::int64_t samples) {
  if (states < kLeastUnits || samples < 1) return std::nullopt;
  const double scale = std::pow(2.0, static_cast<double>(components));
  const double within =
      scale * scale * kAssumedRate * (1 - kAssumedRate) / static_cast<double>(samples);
  const double between =
      components == 1 ? kAssumedSpread * kAssumedSpread / static_cast<double>(states) : 0;
  const double error = std::sqrt(within + between);
  const double freedom = static_cast<double>(states) - 1;
  const double half = student_quantile(freedom, kTail) * error;
  return Precision{half, half + student_quantile(freedom, kMiss) * error};
}

}  // namespace kbench
