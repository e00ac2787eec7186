#include "runner/pool/space_terms.hpp"

#include <array>

#include <fmt/format.h>

#include "runner/pool/fingerprint.hpp"

namespace kbench {
namespace {

// Runs of a space differ in where things lie, in which part of the tasks they have, and in which of
// several equal GPUs it was.
Json terms_of(Json configuration) {
  constexpr std::array kMayDiffer = {"shard", "suite", "submissions", "device_index"};
  for (const char* name : kMayDiffer) configuration.erase(name);
  return configuration;
}

Json parsed(std::string_view text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

Status agree_on_terms(const ExchangeSpace& space, const std::string& name, const Json& terms) {
  const Json ours = terms_of(terms);
  const auto agreed = space.agree(ours.dump());
  if (!agreed) return agreed.error();
  const std::string other = difference_of_terms(parsed(*agreed), ours);
  if (other.empty()) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("the runs of {} in this exchange differ from this one: {}", name, other),
               "Rows of one group answer for each other: give the same options on equal machines, "
               "or take another --group."};
}

std::optional<Json> agreed_terms(const Exchange& exchange, const std::string& space) {
  const auto text = exchange.space(space).agreed();
  return text ? std::optional(parsed(*text)) : std::nullopt;
}

}  // namespace kbench
