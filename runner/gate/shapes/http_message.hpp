// A request and its answer, without the library that carries them: so that all that decides can be
// tested with neither network nor Boost. Made and taken by server.cpp.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/json.hpp"

namespace kbench {

struct HttpRequest {
  std::string method;
  std::string target;                          // "/v1/evaluations/ID?wait_s=5"
  std::map<std::string, std::string> headers;  // key: the name in lower case; the last wins
  std::string body;
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
};

// Called once, now or later, by the one thread that the gate has.
using Respond = std::function<void(HttpResponse)>;

// A 429 or 503 has the body's error.retry_after_s as its header Retry-After, or kInAWhile.
[[nodiscard]] HttpResponse json_response(int status, const Json& body);
// {error: {message, hint, fault}}; of a 429 or 503 with the time after which the client is to come
// again.
inline constexpr std::chrono::seconds kAtOnce{1};     // the order is in hand
inline constexpr std::chrono::seconds kInAWhile{10};  // a server is started again, a device mends
[[nodiscard]] HttpResponse refuse(int status, const std::string& message,
                                  const std::string& hint = "",
                                  std::chrono::seconds retry_after = kInAWhile);

// The header of that name (in lower case); empty without one.
[[nodiscard]] std::string header_of(const HttpRequest& request, const std::string& name);

}  // namespace kbench
