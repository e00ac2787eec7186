#include "runner/gate/shapes/http_message.hpp"

#include <cstdint>
#include <string>

#include "runner/serve/gate_protocol.hpp"

namespace kbench {
namespace {

std::int64_t retry_after_in(const Json& body) {
  const Json said =
      body.is_object() ? body.value(Json::json_pointer("/error/retry_after_s"), Json()) : Json();
  return said.is_number_integer() ? said.get<std::int64_t>() : kInAWhile.count();
}

}  // namespace

HttpResponse json_response(int status, const Json& body) {
  HttpResponse response;
  response.status = status;
  response.body = body.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
  if (status == 429 || status == 503)
    response.headers.emplace_back("Retry-After", std::to_string(retry_after_in(body)));
  return response;
}

HttpResponse refuse(int status, const std::string& message, const std::string& hint,
                    std::chrono::seconds retry_after) {
  Json body = refusal_json(message, hint);
  if (status == 429 || status == 503) body["error"]["retry_after_s"] = retry_after.count();
  return json_response(status, body);
}

std::string header_of(const HttpRequest& request, const std::string& name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? "" : found->second;
}

}  // namespace kbench
