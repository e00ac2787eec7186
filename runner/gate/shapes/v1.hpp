// kbench's own requests: POST /v1/evaluations, GET /v1/evaluations/ID, POST /v1/batch. Pure
// functions.
#pragma once

#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/gate/shapes/errand.hpp"
#include "runner/gate/shapes/http_rules.hpp"

namespace kbench {

// {task | reference, files, size?, device?, reward?, wait_s?, profile?} → 200 {id, run_id, row}, or
// 202 {id, state} once wait_s is over. With `profile` nothing is judged, and 200 has {state,
// message, hint, profile}. Errors: kBadInput.
[[nodiscard]] Result<Errand> evaluation_errand(const Json& body, const Client& client);

// {evaluations: [as above, without wait_s], reward?, wait_s?} → 200 {evaluations: [{status, …}]},
// in their order; what one of them got wrong is in its place.
[[nodiscard]] Result<Errand> batch_errand(const Json& body, const Client& client);

// Query: wait_s, reward. Errors: kBadInput.
[[nodiscard]] Result<Errand> lookup_errand(const std::string& id, const HttpTarget& target);

}  // namespace kbench
