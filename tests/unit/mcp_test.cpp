// The Model Context Protocol, both eras; and forty requests that are none.
#include "runner/gate/shapes/mcp.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/serve/client_limits.hpp"
#include "runner/serve/tools.hpp"
#include "tests/unit/desk_fixture.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

Json meta(const std::string& version = kStatelessMcp) {
  return {{kVersionKey, version}, {kCapabilitiesKey, Json::object()}};
}

// A request since 2026-07-28.
Json modern(const std::string& method, Json params = Json::object()) {
  params["_meta"] = meta();
  return {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", std::move(params)}};
}
// One before.
Json older(const std::string& method, Json params = Json::object()) {
  return {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", std::move(params)}};
}

HttpRequest headers_of(const Json& request) {
  HttpRequest headers{.method = "POST", .target = "/mcp"};
  headers.headers["mcp-protocol-version"] = kStatelessMcp;
  headers.headers["mcp-method"] = request.at("method").get<std::string>();
  if (request.at("params").contains("name"))
    headers.headers["mcp-name"] = request.at("params").at("name").get<std::string>();
  return headers;
}

McpReply reply_to(const std::string& text, const HttpRequest* headers = nullptr,
                  bool initialized = true) {
  McpPeer peer{.over_http = headers != nullptr, .initialized = initialized};
  auto taken = take_mcp(text, headers, peer, "1.2.3");
  if (auto* reply = std::get_if<McpReply>(&taken)) return std::move(*reply);
  ADD_FAILURE() << "a tool was called: " << text;
  return {};
}
McpReply reply_to(const Json& request) {
  const HttpRequest headers = headers_of(request);
  return reply_to(request.dump(), &headers);
}

// --- what is in order ---

TEST(Mcp, EachRequestSaysWhoItIsSince2026) {
  const McpReply discovered = reply_to(modern("server/discover"));
  EXPECT_EQ(discovered.status, 200);
  const Json& result = discovered.body.at("result");
  EXPECT_EQ(result.at("supportedVersions"), Json::array({"2026-07-28"}));
  EXPECT_EQ(result.at("resultType"), "complete");
  EXPECT_TRUE(result.at("capabilities").contains("tools"));
  EXPECT_GT(result.at("ttlMs"), 0);
  EXPECT_EQ(result.at("cacheScope"), "public");
  EXPECT_EQ(result.at("_meta").at("io.modelcontextprotocol/serverInfo").at("name"), "kbench");
  EXPECT_EQ(discovered.body.at("id"), 7);

  const Json tools = reply_to(modern("tools/list")).body.at("result");
  EXPECT_EQ(tools.at("resultType"), "complete");
  EXPECT_EQ(tools.at("cacheScope"), "public");
  EXPECT_EQ(tools.at("tools").size(), kbench::tools().size());
  // A tool that compiles or runs what the agent wrote is not one that only reads.
  for (const Json& tool : tools.at("tools")) {
    const auto name = tool.at("name").get<std::string>();
    const bool reads = name == "list_tasks" || name == "read" || name == "glob" || name == "grep";
    EXPECT_EQ(tool.at("annotations").at("readOnlyHint"), reads) << name;
  }
}

TEST(Mcp, BeforeThatThereIsASession) {
  McpPeer peer;
  const Json hello = older("initialize", {{"protocolVersion", "2025-06-18"},
                                          {"capabilities", Json::object()},
                                          {"clientInfo", {{"name", "x"}, {"version", "1"}}}});
  auto taken = take_mcp(hello.dump(), nullptr, peer, "1.2.3");
  const Json result = std::get<McpReply>(taken).body.at("result");
  EXPECT_EQ(result.at("protocolVersion"), "2025-06-18");
  EXPECT_EQ(result.at("serverInfo").at("version"), "1.2.3");
  EXPECT_FALSE(result.contains("resultType"));
  EXPECT_TRUE(peer.initialized);
  EXPECT_EQ(reply_to(older("ping").dump()).body.at("result"), Json::object());
  const Json tools = reply_to(older("tools/list").dump()).body.at("result");
  EXPECT_FALSE(tools.contains("ttlMs"));
  EXPECT_EQ(tools.at("tools").size(), kbench::tools().size());
}

TEST(Mcp, AVersionThatIsNotServedGetsTheNewestSession) {
  const auto version = [](const std::string& asked) {
    return reply_to(
               older("initialize", {{"protocolVersion", asked}, {"capabilities", Json::object()}})
                   .dump())
        .body.at("result")
        .at("protocolVersion");
  };
  EXPECT_EQ(version("2025-11-25"), "2025-11-25");
  EXPECT_EQ(version("2024-11-05"), "2025-11-25");
  EXPECT_EQ(version("2026-07-28"), "2025-11-25");
}

TEST(Mcp, NotificationsAndAnswersGetNone) {
  for (const Json& message :
       {Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}},
        Json{{"jsonrpc", "2.0"}, {"method", "anything"}},
        Json{{"jsonrpc", "2.0"}, {"id", 3}, {"result", Json::object()}},
        Json{{"jsonrpc", "2.0"}, {"id", 3}, {"error", {{"code", 1}, {"message", ""}}}}}) {
    const McpReply reply = reply_to(message.dump());
    EXPECT_EQ(reply.status, 202) << message;
    EXPECT_TRUE(reply.body.is_null()) << message;
  }
}

TEST(Mcp, AToolIsCalledWithItsArguments) {
  const Json request = modern(
      "tools/call", {{"name", "read"}, {"arguments", {{"workspace", "w"}, {"path", "TASK.md"}}}});
  const HttpRequest headers = headers_of(request);
  McpPeer peer{.over_http = true};
  const auto taken = take_mcp(request.dump(), &headers, peer, "1");
  const McpCall& call = std::get<McpCall>(taken);
  EXPECT_EQ(call.tool, "read");
  EXPECT_EQ(call.arguments.at("path"), "TASK.md");
  EXPECT_TRUE(call.stateless);

  const auto result = [&](const OrderOutcome& outcome) {
    return answer_mcp(call, outcome, "1").body.at("result");
  };
  const Json done = result({OrderOutcome::Kind::kDone, 200, {{"result", {{"text", "x\n"}}}}});
  EXPECT_EQ(done.at("isError"), false);
  EXPECT_EQ(done.at("resultType"), "complete");
  EXPECT_EQ(Json::parse(done.at("content")[0].at("text").get<std::string>()),
            (Json{{"text", "x\n"}}));
  EXPECT_EQ(
      result({OrderOutcome::Kind::kRefused, 404, {{"error", {{"message", "no"}}}}}).at("isError"),
      true);
  const Json waits =
      result({OrderOutcome::Kind::kPending, 202, {{"id", "i"}, {"state", "running"}}});
  EXPECT_EQ(waits.at("isError"), false);
  EXPECT_THAT(waits.dump(), HasSubstr("call read again"));
}

// A fault of the arguments is for the model to read, and no error of the protocol.
TEST(Mcp, NullIsWhatAClientLeavesOut) {
  McpPeer peer{.over_http = false, .initialized = true};
  const auto taken = [&peer](const std::string& rest) {
    return take_mcp(R"({"jsonrpc": "2.0", "id": 1, )" + rest + "}", nullptr, peer, "1.2.3");
  };
  const auto listed = taken(R"("method": "tools/list", "params": null)");
  ASSERT_TRUE(std::holds_alternative<McpReply>(listed));
  EXPECT_TRUE(std::get<McpReply>(listed).body.contains("result"));
  for (const char* arguments : {R"(, "arguments": null)", R"(, "_meta": null)", ""}) {
    const auto call = taken(R"("method": "tools/call", "params": {"name": "list_tasks")" +
                            std::string(arguments) + "}");
    ASSERT_TRUE(std::holds_alternative<McpCall>(call)) << arguments;
    EXPECT_EQ(std::get<McpCall>(call).arguments, Json::object());
  }
  const auto opened = taken(R"("method": "tools/call", "params": {"name": "open_workspace",
      "arguments": {"task": "level1/019_relu", "size": null, "device": null}})");
  ASSERT_TRUE(std::holds_alternative<McpCall>(opened));
  EXPECT_EQ(std::get<McpCall>(opened).arguments, (Json{{"task", "level1/019_relu"}}));
  const auto missing = taken(R"("method": "tools/call", "params": {"name": "open_workspace",
      "arguments": {"task": null}})");
  ASSERT_TRUE(std::holds_alternative<McpReply>(missing)) << "what is required is no null";
}

TEST(Mcp, WrongArgumentsAreAResult) {
  for (const Json& arguments : {Json{{"workspace", "w"}}, Json{{"workspace", 3}, {"path", "x"}},
                                Json{{"workspace", "w"}, {"path", "x"}, {"more", "y"}},
                                Json{{"workspace", "w"}, {"path", "x"}, {"lines", -1}},
                                Json{{"workspace", "w"}, {"path", "x"}, {"lines", 1.5}}}) {
    const McpReply reply =
        reply_to(modern("tools/call", {{"name", "read"}, {"arguments", arguments}}));
    EXPECT_EQ(reply.status, 200) << arguments;
    EXPECT_EQ(reply.body.at("result").at("isError"), true) << arguments;
  }
}

// --- what is not ---

struct Malformed {
  const char* what;
  std::string text;
  int status;  // over HTTP
  int code;
  Json id = 7;
  std::optional<std::map<std::string, std::string>> headers{};  // none: as they should be
};

std::vector<Malformed> malformed_messages() {
  const auto with = [](Json request, const char* field, Json value) {
    request[field] = std::move(value);
    return request.dump();
  };
  const auto without = [](Json request, const char* field) {
    request.erase(field);
    return request.dump();
  };
  const auto with_meta = [](Json value) {
    Json request = older("tools/list");
    request["params"]["_meta"] = std::move(value);
    return request.dump();
  };
  const Json list = modern("tools/list");
  const Json call = modern("tools/call", {{"name", "glob"}, {"arguments", {{"workspace", "w"}}}});
  const auto call_with = [&](const char* field, Json value) {
    Json request = call;
    request["params"][field] = std::move(value);
    return request.dump();
  };
  const std::map<std::string, std::string> right = {
      {"mcp-protocol-version", kStatelessMcp}, {"mcp-method", "tools/call"}, {"mcp-name", "glob"}};
  const auto headers_with = [&](const char* name, const char* value) {
    auto headers = right;
    headers[name] = value;
    return headers;
  };
  const auto headers_without = [&](const char* name) {
    auto headers = right;
    headers.erase(name);
    return headers;
  };
  const std::map<std::string, std::string> none;
  const auto deep = [](int depth) {
    return "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"tools/list\", \"params\": {\"x\": " +
           std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}}";
  };
  return {
      // no JSON
      {"nothing", "", 400, -32700, nullptr, none},
      {"words", "hello", 400, -32700, nullptr, none},
      {"half of it", list.dump().substr(0, 30), 400, -32700, nullptr, none},
      {"two of them", list.dump() + list.dump(), 400, -32700, nullptr, none},
      {"NaN", "{\"jsonrpc\": \"2.0\", \"id\": NaN}", 400, -32700, nullptr, none},
      {"a name twice", "{\"jsonrpc\": \"2.0\", \"id\": 7, \"id\": 8}", 400, -32700, nullptr, none},
      {"a depth bomb", std::string(200'000, '['), 400, -32700, nullptr, none},
      {"too deep", deep(40), 400, -32700, nullptr, none},
      {"bytes that are no UTF-8", "{\"jsonrpc\": \"2.0\", \"id\": \"\xff\"}", 400, -32700, nullptr,
       none},
      // no request
      {"a list", "[" + list.dump() + "]", 400, -32600, nullptr, none},
      {"an empty list", "[]", 400, -32600, nullptr, none},
      {"a number", "3", 400, -32600, nullptr, none},
      {"null", "null", 400, -32600, nullptr, none},
      {"no version of JSON-RPC", without(list, "jsonrpc"), 400, -32600},
      {"another version of JSON-RPC", with(list, "jsonrpc", "1.0"), 400, -32600},
      {"a number for it", with(list, "jsonrpc", 2.0), 400, -32600},
      {"an id that is null", with(list, "id", nullptr), 400, -32600, nullptr},
      {"an id that is a list", with(list, "id", Json::array()), 400, -32600, nullptr},
      {"an id that is a fraction", with(list, "id", 1.5), 400, -32600, nullptr},
      {"an id that is a truth", with(list, "id", true), 400, -32600, nullptr},
      {"no method", without(list, "method"), 400, -32600, 7, none},
      {"a method that is a number", with(list, "method", 3), 400, -32600, 7, none},
      // unknown methods
      {"no such method", modern("tools/lost").dump(), 404, -32601},
      {"one that is gone", modern("ping").dump(), 404, -32601},
      {"a handshake that is gone", modern("initialize").dump(), 404, -32601},
      {"one of later times", older("server/discover").dump(), 200, -32601, 7, none},
      {"resources", modern("resources/list").dump(), 404, -32601},
      // wrong parameters
      {"parameters that are a list", with(list, "params", Json::array()), 400, -32602},
      {"meta that is a text", with_meta("x"), 400, -32602},
      {"meta without a version", with_meta({{kCapabilitiesKey, Json::object()}}), 400, -32602},
      {"meta without capabilities", with_meta({{kVersionKey, kStatelessMcp}}), 400, -32602},
      {"a version that is a number", with_meta({{kVersionKey, 3}}), 400, -32602},
      {"no such tool", call_with("name", "shell"), 400, -32602, 7,
       headers_with("mcp-name", "shell")},
      {"arguments that are a text", call_with("arguments", "x"), 400, -32602},
      {"a page that there is not", modern("tools/list", {{"cursor", "2"}}).dump(), 400, -32602},
      {"initialize without a version",
       older("initialize", {{"capabilities", Json::object()}}).dump(), 200, -32602, 7, none},
      // headers that contradict the body
      {"another method in the headers", call.dump(), 400, -32020, 7,
       headers_with("mcp-method", "tools/list")},
      {"no method in the headers", call.dump(), 400, -32020, 7, headers_without("mcp-method")},
      {"another name in the headers", call.dump(), 400, -32020, 7,
       headers_with("mcp-name", "read")},
      {"no version in the headers", call.dump(), 400, -32020, 7,
       headers_without("mcp-protocol-version")},
      // unknown versions
      {"an unknown version", with_meta(meta("2027-01-01")), 400, -32022},
      {"one of before in the place of the new one", with_meta(meta("2025-11-25")), 400, -32022},
      {"an unknown one in the headers", older("tools/list").dump(), 400, -32022, 7,
       std::map<std::string, std::string>{{"mcp-protocol-version", "1900-01-01"}}},
  };
}

TEST(Mcp, FortyMalformedRequestsGetTheirErrors) {
  const auto all = malformed_messages();
  EXPECT_GE(all.size(), 40U);
  for (const Malformed& one : all) {
    HttpRequest headers{.method = "POST", .target = "/mcp"};
    const Json json = Json::parse(one.text, nullptr, false);
    if (one.headers) {
      headers.headers = *one.headers;
    } else if (json.is_object() && json.contains("method") && json.at("method").is_string()) {
      headers.headers["mcp-protocol-version"] = kStatelessMcp;
      headers.headers["mcp-method"] = json.at("method").get<std::string>();
      headers.headers["mcp-name"] = "glob";
    }
    const McpReply reply = reply_to(one.text, &headers);
    EXPECT_EQ(reply.status, one.status) << one.what;
    ASSERT_TRUE(reply.body.contains("error")) << one.what << ": " << reply.body;
    EXPECT_EQ(reply.body.at("error").at("code"), one.code) << one.what << ": " << reply.body;
    EXPECT_EQ(reply.body.at("id"), one.id) << one.what;
    EXPECT_EQ(reply.body.at("jsonrpc"), "2.0") << one.what;
    EXPECT_FALSE(reply.body.at("error").at("message").get<std::string>().empty()) << one.what;
  }
}

TEST(Mcp, AnUnknownVersionNamesThoseThatAreServed) {
  Json request = older("tools/list");
  request["params"]["_meta"] = meta("2027-01-01");
  const Json data = reply_to(request.dump()).body.at("error").at("data");
  EXPECT_EQ(data.at("requested"), "2027-01-01");
  EXPECT_EQ(data.at("supported"), (Json{"2026-07-28", "2025-11-25", "2025-06-18"}));
}

TEST(Mcp, OnStandardInputASessionBeginsWithInitialize) {
  const McpReply early = reply_to(older("tools/list").dump(), nullptr, /*initialized=*/false);
  EXPECT_EQ(early.body.at("error").at("code"), -32600);
  EXPECT_EQ(reply_to(modern("tools/list").dump(), nullptr, false).body.count("result"), 1U);
  EXPECT_EQ(reply_to(older("ping").dump(), nullptr, false).body.count("result"), 1U);
}

// --- through the desk ---

class McpDeskTest : public test::DeskTest {
 protected:
  Answer call(const std::string& tool, Json arguments) {
    const Json body = modern("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
    HttpRequest made = request("POST", "/mcp");
    made.body = body.dump();
    for (const auto& [name, value] : headers_of(body).headers) made.headers[name] = value;
    return send(made);
  }
};

TEST_F(McpDeskTest, ToolsAreUsedByTheSupervisor) {
  const Answer reply = call("glob", {{"workspace", "w"}});
  EXPECT_EQ(question().at("what"), "tool");
  EXPECT_EQ(question().at("tool"), "glob");
  EXPECT_EQ(question().at("agent"), "ann");
  answer_last(200, {{"result", {{"files", Json::array()}}}});
  EXPECT_EQ(reply.status(), 200);
  EXPECT_EQ(reply.body().at("result").at("isError"), false);
}

TEST_F(McpDeskTest, WhatTakesTimeIsWaitedForAndThenToldToComeAgain) {
  const std::string id(64, '1');
  const Answer reply = call("submit", {{"workspace", "w"}, {"reward", "log"}});
  EXPECT_EQ(question().at("reward"), "log");
  answer_last(202, {{"id", id}, {"state", "queued"}});
  pass(55s);
  EXPECT_THAT(reply.body().dump(), HasSubstr("call submit again"));
  const Answer again = call("submit", {{"workspace", "w"}, {"reward", "log"}});
  answer_last(202, {{"id", id}, {"state", "running"}});
  event("done", id);
  answer_last(200, row(id));
  EXPECT_THAT(again.body().dump(), HasSubstr("speedup"));
}

TEST_F(McpDeskTest, NotificationsAreTakenWithoutAWord) {
  HttpRequest made = request("POST", "/mcp");
  made.body = "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}";
  const Answer reply = send(made);
  EXPECT_EQ(reply.status(), 202);
  EXPECT_TRUE((*reply.response)->body.empty());
  EXPECT_EQ(post("/mcp", Json::object(), kReadOnly).status(), 403);
  made.headers["content-type"] = "text/plain";
  EXPECT_EQ(send(made).status(), 415);
  EXPECT_EQ(get("/mcp").status(), 405);
}

// --- the table ---

TEST(Tools, OneTableMakesAllForms) {
  for (const Tool& tool : tools()) {
    const Json mcp = mcp_tool(tool);
    const Json function = openai_function(tool).at("function");
    EXPECT_EQ(mcp.at("name"), function.at("name"));
    EXPECT_EQ(mcp.at("inputSchema"), function.at("parameters"));
    EXPECT_EQ(mcp.at("inputSchema").at("type"), "object");
    EXPECT_EQ(mcp.at("inputSchema").at("additionalProperties"), false);
    EXPECT_EQ(mcp.at("inputSchema").at("properties").size(), tool.arguments.size());
    EXPECT_THAT(tools_help(), HasSubstr(std::string(tool.name)));
    EXPECT_EQ(find_tool(tool.name), &tool);
  }
  EXPECT_EQ(find_tool("shell"), nullptr);
}

TEST(McpRequest, OneThatIsTooLongIsToldSoInAFewWords) {
  const McpReply reply = reply_to(R"({"jsonrpc": "2.0", "id": 1, "method": ")" +
                                  std::string(limits::kMostBodyBytes, 'a'));
  EXPECT_EQ(reply.status, 413);
  EXPECT_EQ(reply.body.at("error").at("code"), -32600);
  EXPECT_THAT(reply.body.at("error").at("message").get<std::string>(), HasSubstr("more than"));
  EXPECT_LT(reply.body.dump().size(), 200u);
}

}  // namespace
}  // namespace kbench
