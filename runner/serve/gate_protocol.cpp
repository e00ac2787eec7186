#include "runner/serve/gate_protocol.hpp"

#include <chrono>
#include <cstdint>
#include <exception>

namespace kbench {
namespace {

Json token_json(const KnownToken& token) {
  return {{"name", token.name}, {"scopes", to_string(token.scopes)}, {"hash", token.hash}};
}

Error malformed(const std::string& why) {
  return {ErrorCode::kBadInput, "the supervisor's first message: " + why, ""};
}

}  // namespace

Json hello_json(const GateHello& hello) {
  Json tokens = Json::array();
  for (const KnownToken& token : hello.tokens) tokens.push_back(token_json(token));
  return {{"say", "hello"},
          {"version", hello.version},
          {"device", hello.device},
          {"device_name", hello.device_name},
          {"names", hello.names},
          {"tokens", std::move(tokens)},
          {"openapi", hello.openapi},
          {"header_seconds", hello.patience.headers.count()},
          {"body_seconds", hello.patience.body.count()}};
}

Result<GateHello> hello_from_json(const Json& json) {
  try {
    if (json.at("say") != "hello") return malformed("it is another one");
    GateHello hello;
    json.at("version").get_to(hello.version);
    json.at("device").get_to(hello.device);
    json.at("device_name").get_to(hello.device_name);
    json.at("names").get_to(hello.names);
    json.at("openapi").get_to(hello.openapi);
    hello.patience.headers = std::chrono::seconds(json.at("header_seconds").get<std::int64_t>());
    hello.patience.body = std::chrono::seconds(json.at("body_seconds").get<std::int64_t>());
    for (const Json& token : json.at("tokens")) {
      const auto scopes = scopes_from_string(token.at("scopes").get<std::string>());
      if (!scopes) return malformed(scopes.error().message);
      hello.tokens.push_back(
          {token.at("name").get<std::string>(), *scopes, token.at("hash").get<std::string>()});
    }
    return hello;
  } catch (const std::exception& problem) {
    return malformed(problem.what());
  }
}

Json refusal_json(const std::string& message, const std::string& hint, const std::string& fault) {
  return {{"error", {{"message", message}, {"hint", hint}, {"fault", fault}}}};
}

Refusal refusal_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound: return {404, refusal_json(error.message, error.hint)};
    case ErrorCode::kUsage:
    case ErrorCode::kBadInput: return {422, refusal_json(error.message, error.hint)};
    case ErrorCode::kSubmission:
      return {422, refusal_json(error.message, error.hint, "submission")};
    case ErrorCode::kDoesNotFit:
    case ErrorCode::kTimeout:
    case ErrorCode::kInterrupted:
    case ErrorCode::kInfrastructure:
      return {500, refusal_json(error.message, error.hint, "infrastructure")};
  }
  return {500, refusal_json(error.message, error.hint, "infrastructure")};
}

}  // namespace kbench
