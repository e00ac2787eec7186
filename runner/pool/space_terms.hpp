// The terms of a space: what its runs have agreed on, because their rows answer for each other.
#pragma once

#include <optional>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/exchange/exchange.hpp"

namespace kbench {

// Has the space agree on terms, which are those of a run, but for where things lie and which part
// of the tasks the run has. Errors: kUsage where others agreed on other ones, with the first that
// differs; kBadInput, kInfrastructure.
[[nodiscard]] Status agree_on_terms(const ExchangeSpace& space, const std::string& name,
                                    const Json& terms);

// The terms that lie there; none where no run has been there, or where no machine of the pool
// signed them.
[[nodiscard]] std::optional<Json> agreed_terms(const Exchange& exchange, const std::string& space);

}  // namespace kbench
