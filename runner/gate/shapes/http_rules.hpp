// Which requests are looked at at all, and what their address and body say. Pure functions.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/gate/shapes/http_message.hpp"

namespace kbench {

// Whether a Host header names this machine by a name of loopback, or by one that it was given. A
// foreign page, whose name was made to lead here, sends that name.
[[nodiscard]] bool is_own_host(std::string_view host, std::span<const std::string> names);
// Whether an Origin header, which browsers send, is of a page from here.
[[nodiscard]] bool is_own_origin(std::string_view origin, std::span<const std::string> names);

struct HttpTarget {
  std::string path;
  std::map<std::string, std::string> query;
};
// "/v1/evaluations/ID?wait_s=5". Errors: kBadInput, no path, or a %-sign that begins nothing.
[[nodiscard]] Result<HttpTarget> split_target(std::string_view target);

// The body, which is an object, at most kMostJsonDepth deep, no name twice. Errors: kUsage, its
// Content-Type is another one; kBadInput.
[[nodiscard]] Result<Json> read_json_body(const HttpRequest& request);

}  // namespace kbench
