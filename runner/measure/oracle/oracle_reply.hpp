// Reads what an oracle says as data: an oracle executes what a task file says, so its replies may
// have any shape. What cannot be understood is an error of ours that names the oracle, and nothing
// that a submission did.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/oracle/protocol.hpp"

namespace kbench {

// The error for a reply to the request `what` that makes no sense: kInfrastructure.
[[nodiscard]] Error not_understood(const std::string& what);

// The error that a reply consists of; nothing where it is none. Its text is safe to show. Its code
// is one that an oracle may give: what a submission is to blame for, an oracle does not decide.
[[nodiscard]] std::optional<Error> error_in(const Json& body, const std::string& what);

// The reply as `read` reads it. Errors: kInfrastructure where it throws, as conversions of JSON do.
template <class T>
[[nodiscard]] Result<T> understood(const Json& body, const std::string& what,
                                   const std::function<T(const Json&)>& read) {
  try {
    return read(body);
  } catch (const std::exception&) {
    return not_understood(what);
  }
}

// The arenas of all seats, in threes, and that slots lie within them. Errors: kInfrastructure.
[[nodiscard]] Status check_arenas(const PlaceRequest& request, const PlaceReply& geometry,
                                  std::span<const UniqueFd> arenas, bool on_cpu);

}  // namespace kbench
