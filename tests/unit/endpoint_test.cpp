#include "runner/agent/endpoint.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/episode/endpoint_key.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

TEST(Endpoint, IsReadInItsParts) {
  const auto plain = parse_endpoint("http://127.0.0.1:8000/v1");
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  EXPECT_EQ(plain->host, "127.0.0.1");
  EXPECT_EQ(plain->port, 8000);
  EXPECT_EQ(plain->authority, "127.0.0.1:8000");
  EXPECT_EQ(plain->target, "/v1/chat/completions");
  EXPECT_EQ(parse_endpoint("http://models.lan")->target, "/chat/completions");
  EXPECT_EQ(parse_endpoint("http://models.lan")->port, 80);
  EXPECT_EQ(parse_endpoint("http://h/v1/chat/completions/")->target, "/v1/chat/completions");
  EXPECT_FALSE(plain->tls);
  const auto secure = parse_endpoint("https://api.example.org/v1");
  ASSERT_TRUE(secure.ok()) << secure.error().message;
  EXPECT_TRUE(secure->tls);
  EXPECT_EQ(secure->port, 443);
  EXPECT_EQ(secure->authority, "api.example.org");
  EXPECT_EQ(parse_endpoint("https://h:8443/v1")->port, 8443);
  const auto six = parse_endpoint("http://[::1]:9000/v1/");
  ASSERT_TRUE(six.ok()) << six.error().message;
  EXPECT_EQ(six->host, "::1");
  EXPECT_EQ(six->port, 9000);
  EXPECT_EQ(six->authority, "[::1]:9000");
}

TEST(Endpoint, WhatIsNoneIsRefusedWithWhatToDo) {
  EXPECT_THAT(parse_endpoint("http://me:word@h/v1").error().hint, HasSubstr("--key-env"));
  for (const char* url : {"", "h", "ftp://h", "http://", "http://:80", "http://h:0",
                          "http://h:65536", "http://h:8x", "http://h/a b", "http://h/\r\nX: y",
                          "http://[::1", "http://h/#there", "https://", "https:/h"}) {
    const auto parsed = parse_endpoint(url);
    ASSERT_FALSE(parsed.ok()) << url;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
  }
}

class EndpointKey : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text, mode_t mode) {
    const auto file = folder_ / "key";
    std::ofstream(file) << text;
    ::chmod(file.c_str(), mode);
    return file;
  }
  test::TemporaryFolder folder_;
};

TEST_F(EndpointKey, IsTakenOutOfAVariableAndThatOutOfTheEnvironment) {
  ::setenv("KEY_OF_A_TEST", "sk-secret\n", 1);
  EXPECT_EQ(*read_endpoint_key("KEY_OF_A_TEST", {}), "sk-secret");
  EXPECT_EQ(std::getenv("KEY_OF_A_TEST"), nullptr);
  EXPECT_FALSE(read_endpoint_key("KEY_OF_A_TEST", {}).ok()) << "it is empty now";
  EXPECT_EQ(*read_endpoint_key({}, {}), "");
}

TEST_F(EndpointKey, IsReadFromAFileThatNobodyElseMayRead) {
  EXPECT_EQ(*read_endpoint_key({}, write("sk-file\n", 0600)), "sk-file");
  const auto open = read_endpoint_key({}, write("sk-file\n", 0644));
  ASSERT_FALSE(open.ok());
  EXPECT_THAT(open.error().hint, HasSubstr("chmod 600"));
  EXPECT_FALSE(read_endpoint_key({}, write("two words", 0600)).ok());
  EXPECT_FALSE(read_endpoint_key({}, write("", 0600)).ok());
  EXPECT_FALSE(read_endpoint_key({}, folder_ / "none").ok());
  EXPECT_FALSE(read_endpoint_key({}, folder_.path()).ok());
  std::filesystem::create_symlink(write("sk", 0600), folder_ / "link");
  EXPECT_FALSE(read_endpoint_key({}, folder_ / "link").ok());
  EXPECT_FALSE(read_endpoint_key("A", folder_ / "key").ok()) << "one of the two";
}

}  // namespace
}  // namespace kbench
