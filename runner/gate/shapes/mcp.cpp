#include "runner/gate/shapes/mcp.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/core/lone_surrogates.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/serve/client_limits.hpp"
#include "runner/serve/tools.hpp"

namespace kbench {
namespace {

using Pointer = Json::json_pointer;

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kHeaderMismatch = -32020;
constexpr int kUnsupportedVersion = -32022;

constexpr std::array<const char*, 2> kSessionVersions{"2025-11-25", "2025-06-18"};
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";
constexpr int kCacheMs = 3'600'000;

constexpr const char* kInstructions =
    "Write a kernel for a task: list_tasks, open_workspace, read TASK.md and SKILL.md, write into "
    "kernels/, compile, verify, debug, analyze, profile, submit. Only what is submitted counts.";

// A request that is one.
struct McpRequest {
  Json id;  // null: a notification
  std::string method;
  Json params = Json::object();
  bool stateless = false;
};

McpReply failure(int status, const Json& id, int code, const std::string& message,
                 Json data = nullptr) {
  Json error = {{"code", code}, {"message", message}};
  if (!data.is_null()) error["data"] = std::move(data);
  return {status, {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}}};
}

// The status of HTTP tells of the request only since there are no sessions.
McpReply refused(const McpRequest& request, int status, int code, const std::string& message,
                 Json data = nullptr) {
  return failure(request.stateless ? status : 200, request.id, code, message, std::move(data));
}

Json server_info(const std::string& version) {
  return {{"name", "kbench"}, {"title", "kbench"}, {"version", version}};
}

McpReply success(const Json& id, bool stateless, Json result, const std::string& version) {
  if (stateless) {
    result["resultType"] = "complete";
    result["_meta"] = {{kServerKey, server_info(version)}};
  }
  return {200, {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}};
}

bool is_session_version(const std::string& version) {
  return std::find(kSessionVersions.begin(), kSessionVersions.end(), version) !=
         kSessionVersions.end();
}

Json supported(const std::string& requested) {
  return {{"supported", {kStatelessMcp, kSessionVersions[0], kSessionVersions[1]}},
          {"requested", clean_name(requested, 64)}};
}

// An id is a text or a whole number, and is answered as it came.
bool is_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

std::variant<McpReply, McpRequest> read_request(const std::string& text) {
  if (text.size() > limits::kMostBodyBytes)
    return failure(413, nullptr, kInvalidRequest,
                   fmt::format("the message has more than {} bytes", limits::kMostBodyBytes));
  const auto json =
      parse_strict_json(without_lone_surrogates(text), "the message",
                        {.max_bytes = limits::kMostBodyBytes, .max_depth = limits::kMostJsonDepth});
  if (!json) return failure(400, nullptr, kParseError, json.error().message);
  if (json->is_array())
    return failure(400, nullptr, kInvalidRequest, "several messages at once are not served");
  if (!json->is_object()) return failure(400, nullptr, kInvalidRequest, "the message is no object");
  McpRequest request;
  const auto id = json->find("id");
  if (id != json->end() && is_id(*id)) request.id = *id;
  if (json->value("jsonrpc", Json()) != "2.0")
    return failure(400, request.id, kInvalidRequest, "\"jsonrpc\" is not \"2.0\"");
  if (id != json->end() && !is_id(*id))
    return failure(400, nullptr, kInvalidRequest, "\"id\" is neither a text nor a whole number");
  const auto method = json->find("method");
  if (method == json->end() && (json->contains("result") || json->contains("error")))
    return McpReply{202, nullptr};  // an answer to no question
  if (method == json->end() || !method->is_string())
    return failure(400, request.id, kInvalidRequest, "\"method\" is missing, or no text");
  request.method = method->get<std::string>();
  if (const auto params = json->find("params"); params != json->end() && !params->is_null()) {
    if (!params->is_object())
      return failure(400, request.id, kInvalidParams, "\"params\" is no object");
    request.params = *params;
  }
  return request;
}

// --- versions ---

// Checks what the request says of itself (_meta); nothing where it is in order.
std::optional<McpReply> check_meta(McpRequest& request, const HttpRequest* headers) {
  const std::string header = headers == nullptr ? "" : header_of(*headers, "mcp-protocol-version");
  const auto meta = request.params.find("_meta");
  const bool has_meta = meta != request.params.end() && !meta->is_null();
  if (has_meta && !meta->is_object())
    return failure(400, request.id, kInvalidParams, "\"_meta\" is no object");
  const Json version = has_meta ? meta->value(kVersionKey, Json()) : Json();
  request.stateless = !version.is_null() || header == kStatelessMcp;
  if (!request.stateless) {
    if (header.empty() || is_session_version(header)) return std::nullopt;
    return failure(400, request.id, kUnsupportedVersion, "this version is not served",
                   supported(header));
  }
  if (!version.is_string())
    return failure(400, request.id, kInvalidParams,
                   fmt::format("\"_meta\" has no {}", kVersionKey));
  const auto wanted = version.get<std::string>();
  if (wanted != kStatelessMcp)
    return failure(400, request.id, kUnsupportedVersion, "this version is not served",
                   supported(wanted));
  if (!meta->value(kCapabilitiesKey, Json()).is_object())
    return failure(400, request.id, kInvalidParams,
                   fmt::format("\"_meta\" has no {}", kCapabilitiesKey));
  return std::nullopt;
}

// Headers must repeat what the body says.
std::optional<McpReply> check_headers(const McpRequest& request, const HttpRequest* headers) {
  if (headers == nullptr || !request.stateless) return std::nullopt;
  const auto mismatch = [&](const char* name) {
    return failure(400, request.id, kHeaderMismatch,
                   fmt::format("the header {} is not what the body says", name));
  };
  if (header_of(*headers, "mcp-protocol-version") != kStatelessMcp)
    return mismatch("MCP-Protocol-Version");
  if (header_of(*headers, "mcp-method") != request.method) return mismatch("Mcp-Method");
  if (request.method != "tools/call") return std::nullopt;
  const Json name = request.params.value("name", Json());
  if (!name.is_string() || header_of(*headers, "mcp-name") != name.get<std::string>())
    return mismatch("Mcp-Name");
  return std::nullopt;
}

// --- methods ---

McpReply initialize(const McpRequest& request, McpPeer& peer, const std::string& version) {
  const Json wanted = request.params.value("protocolVersion", Json());
  if (!wanted.is_string())
    return refused(request, 400, kInvalidParams, "\"protocolVersion\" is missing, or no text");
  if (!request.params.value("capabilities", Json()).is_object())
    return refused(request, 400, kInvalidParams, "\"capabilities\" is missing, or no object");
  peer.initialized = true;
  const auto asked = wanted.get<std::string>();
  return success(request.id, false,
                 {{"protocolVersion", is_session_version(asked) ? asked : kSessionVersions[0]},
                  {"capabilities", {{"tools", {{"listChanged", false}}}}},
                  {"serverInfo", server_info(version)},
                  {"instructions", kInstructions}},
                 version);
}

McpReply discover(const McpRequest& request, const std::string& version) {
  return success(request.id, true,
                 {{"supportedVersions", Json::array({kStatelessMcp})},
                  {"capabilities", {{"tools", Json::object()}}},
                  {"instructions", kInstructions},
                  {"ttlMs", kCacheMs},
                  {"cacheScope", "public"}},
                 version);
}

McpReply list_of_tools(const McpRequest& request, const std::string& version) {
  if (!request.params.value("cursor", Json()).is_null())
    return refused(request, 400, kInvalidParams, "there is one page only: no cursor is known");
  Json list = Json::array();
  for (const Tool& tool : tools()) list.push_back(mcp_tool(tool));
  Json result = {{"tools", std::move(list)}};
  if (request.stateless) {
    result["ttlMs"] = kCacheMs;
    result["cacheScope"] = "public";
  }
  return success(request.id, request.stateless, std::move(result), version);
}

Json text_result(const Json& value, bool is_error) {
  return {{"content",
           Json::array({{{"type", "text"},
                         {"text", value.dump(-1, ' ', false, Json::error_handler_t::replace)}}})},
          {"isError", is_error}};
}

// Clients fill what they leave out with null.
Json given_arguments(const Tool& tool, Json arguments) {
  if (arguments.is_null()) return Json::object();
  if (!arguments.is_object()) return arguments;
  Json given = Json::object();
  for (const auto& [name, value] : arguments.items()) {
    const bool required =
        std::any_of(tool.arguments.begin(), tool.arguments.end(),
                    [&](const ToolArgument& one) { return one.required && one.name == name; });
    if (required || !value.is_null()) given[name] = value;
  }
  return given;
}

std::variant<McpReply, McpCall> call_of_tool(const McpRequest& request,
                                             const std::string& version) {
  const Json name = request.params.value("name", Json());
  if (!name.is_string())
    return refused(request, 400, kInvalidParams, "\"name\" is missing, or no text");
  const Tool* tool = find_tool(name.get<std::string>());
  if (tool == nullptr) {
    std::vector<std::string> known;
    for (const Tool& one : tools()) known.emplace_back(one.name);
    const auto guess = nearest(name.get<std::string>().substr(0, 64), known);
    return refused(request, 400, kInvalidParams,
                   guess ? fmt::format("there is no such tool, did you mean {}?", *guess)
                         : "there is no such tool");
  }
  const Json arguments = given_arguments(*tool, request.params.value("arguments", Json()));
  if (!arguments.is_object())
    return refused(request, 400, kInvalidParams, "\"arguments\" is no object");
  // The model's fault, and for the model to read.
  if (const auto right = check_arguments(*tool, arguments); !right)
    return success(
        request.id, request.stateless,
        text_result({{"error", {{"message", right.error().message}, {"hint", right.error().hint}}}},
                    true),
        version);
  return McpCall{request.id, request.stateless, std::string(tool->name), arguments};
}

std::variant<McpReply, McpCall> dispatch(const McpRequest& request, McpPeer& peer,
                                         const std::string& version) {
  const std::string& method = request.method;
  // Notifications get no answer, whatever they say.
  if (request.id.is_null()) return McpReply{202, nullptr};
  if (method == "tools/list") return list_of_tools(request, version);
  if (method == "tools/call") return call_of_tool(request, version);
  if (request.stateless && method == "server/discover") return discover(request, version);
  if (!request.stateless && method == "initialize") return initialize(request, peer, version);
  if (!request.stateless && method == "ping")
    return success(request.id, false, Json::object(), version);
  return refused(request, 404, kMethodNotFound, "there is no such method");
}

}  // namespace

std::variant<McpReply, McpCall> take_mcp(const std::string& text, const HttpRequest* headers,
                                         McpPeer& peer, const std::string& version) {
  auto read = read_request(text);
  if (auto* reply = std::get_if<McpReply>(&read)) return std::move(*reply);
  McpRequest request = std::get<McpRequest>(std::move(read));
  if (auto wrong = check_meta(request, headers)) return std::move(*wrong);
  if (auto wrong = check_headers(request, headers)) return std::move(*wrong);
  const bool opens = request.method == "initialize" || request.method == "ping";
  if (!peer.over_http && !request.stateless && !peer.initialized && !opens && !request.id.is_null())
    return failure(400, request.id, kInvalidRequest,
                   "initialize comes first, or \"_meta\" with a protocolVersion in each request");
  return dispatch(request, peer, version);
}

McpReply answer_mcp(const McpCall& call, const OrderOutcome& outcome, const std::string& version) {
  switch (outcome.kind) {
    case OrderOutcome::Kind::kDone: {
      const Json& body = outcome.body;
      const Json value = body.contains("result") ? body.at("result") : body;
      return success(call.id, call.stateless, text_result(value, value.contains("error")), version);
    }
    case OrderOutcome::Kind::kPending: {
      Json value = outcome.body;
      value["message"] = fmt::format(
          "not ready yet: call {} again with the same arguments, nothing is done twice", call.tool);
      return success(call.id, call.stateless, text_result(value, false), version);
    }
    case OrderOutcome::Kind::kRefused: break;
  }
  return success(call.id, call.stateless, text_result(outcome.body, true), version);
}

}  // namespace kbench
