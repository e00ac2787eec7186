// Which requests are looked at at all.
#include "runner/gate/shapes/http_rules.hpp"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::HasSubstr;

const std::array<std::string, 1> kNames{"judge.example.org"};

TEST(HttpRules, ThisHostIsCalledByLoopbackOrAGivenName) {
  for (const char* own : {"127.0.0.1", "127.0.0.1:8377", "localhost", "LOCALHOST:1", "[::1]",
                          "[::1]:8377", "judge.example.org", "Judge.Example.org:443"})
    EXPECT_TRUE(is_own_host(own, kNames)) << own;
  for (const char* foreign :
       {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1:",
        "127.0.0.1:x", "127.0.0.1:123456", "127.0.0.1:80:80", "localhost@evil.example",
        "evil.example:8377", "[::1", "[::1]x", "::1", "judge.example.org.evil"})
    EXPECT_FALSE(is_own_host(foreign, kNames)) << foreign;
}

TEST(HttpRules, PagesOfOtherOriginsAreForeign) {
  for (const char* own : {"http://localhost:3000", "https://judge.example.org", "http://[::1]:1"})
    EXPECT_TRUE(is_own_origin(own, kNames)) << own;
  for (const char* foreign : {"null", "", "http://evil.example", "file://", "http://",
                              "chrome-extension://abc", "http://localhost.evil.example"})
    EXPECT_FALSE(is_own_origin(foreign, kNames)) << foreign;
}

TEST(HttpRules, AnAddressIsAPathAndAQuery) {
  const auto target = split_target("/v1/evaluations/a%2Fb?wait_s=5&reward=fast_p%3A1.5&x=a+b&y");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->path, "/v1/evaluations/a/b");
  EXPECT_EQ(target->query.at("wait_s"), "5");
  EXPECT_EQ(target->query.at("reward"), "fast_p:1.5");
  EXPECT_EQ(target->query.at("x"), "a b");
  EXPECT_EQ(target->query.at("y"), "");
  EXPECT_EQ(split_target("/").value().path, "/");
  for (const char* none : {"", "v1", "http://x/", "/%", "/%2", "/%zz", "/?a=%f"})
    EXPECT_FALSE(split_target(none).ok()) << none;
}

HttpRequest post(const std::string& body, const std::string& type = "application/json") {
  return {.method = "POST", .target = "/", .headers = {{"content-type", type}}, .body = body};
}

TEST(HttpRules, ABodyIsAnObjectOfBoundedDepth) {
  EXPECT_TRUE(read_json_body(post("{\"a\": [1]}")).ok());
  EXPECT_TRUE(read_json_body(post("{}", "Application/JSON; charset=utf-8")).ok());
  EXPECT_EQ(read_json_body(post("{}", "text/plain")).error().code, ErrorCode::kUsage);
  EXPECT_EQ(read_json_body(post("{}", "")).error().code, ErrorCode::kUsage);
  for (const std::string& bad :
       {std::string(""), std::string("[]"), std::string("{\"a\": 1, \"a\": 2}"),
        std::string("{\"a\": NaN}"), std::string("{} x"), std::string(100'000, '[')})
    EXPECT_EQ(read_json_body(post(bad)).error().code, ErrorCode::kBadInput) << bad.substr(0, 20);
  const auto nested = [](int depth) {
    return "{\"a\": " + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}";
  };
  EXPECT_TRUE(read_json_body(post(nested(30))).ok());
  EXPECT_FALSE(read_json_body(post(nested(33))).ok());
}

}  // namespace
}  // namespace kbench
