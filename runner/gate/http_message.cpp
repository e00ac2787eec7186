#include "runner/gate/http_message.hpp"

#include "runner/serve/gate_protocol.hpp"

namespace kbench {

HttpResponse json_response(int status, const Json& body) {
  HttpResponse response;
  response.status = status;
  response.body = body.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
  if (status == 429 || status == 503)
    response.headers.emplace_back("Retry-After", status == 429 ? "1" : "10");
  return response;
}

HttpResponse refuse(int status, const std::string& message, const std::string& hint) {
  return json_response(status, refusal_json(message, hint));
}

std::string header_of(const HttpRequest& request, const std::string& name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? "" : found->second;
}

}  // namespace kbench
