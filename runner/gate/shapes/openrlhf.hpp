// The reward model that OpenRLHF asks over HTTP (--remote_rm_url):
//
//   POST /get_reward?reward=NAME&size=SIZE {query[], prompts[], labels[]}
//     → {rewards[], scores[], extra_logs: {name: []}}
//
// A label is the task. The answer is what `query` has behind `prompts`. A client gives up after 180
// seconds and asks again, up to five times: so after 170 it is told 503, and the next try finds the
// row. An outcome by a fault of ours is a 503 as well: a number would be a lie.
#pragma once

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/gate/shapes/errand.hpp"
#include "runner/gate/shapes/http_rules.hpp"

namespace kbench {

// Errors: kBadInput.
[[nodiscard]] Result<Errand> openrlhf_errand(const Json& body, const HttpTarget& target,
                                             const Client& client);

}  // namespace kbench
