// Clients that may ask, by a file of tokens.
#include "runner/serve/token.hpp"

#include <sys/stat.h>

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kToken(64, 'a');

TEST(Tokens, ALineIsANameScopesAndAToken) {
  const auto tokens = parse_tokens("# comment\n\n ann read,evaluate " + kToken + "\n");
  ASSERT_TRUE(tokens.ok()) << tokens.error().message;
  ASSERT_EQ(tokens->size(), 1U);
  EXPECT_EQ(tokens->front().name, "ann");
  EXPECT_EQ(tokens->front().scopes, (Scopes{.read = true, .evaluate = true}));
  EXPECT_EQ(tokens->front().hash, sha256(kToken));
}

TEST(Tokens, WhatIsNoneIsRefusedByItsLineAndNotRepeated) {
  for (const std::string& line :
       {"ann read " + kToken.substr(1), "ann read " + kToken + "b", "ann read A" + kToken.substr(1),
        "ann all " + kToken, std::string("ann read"), "1ann read " + kToken,
        "level1 read " + kToken, "ann/x read " + kToken, "ann read " + kToken + " more"}) {
    const auto tokens = parse_tokens("# one\n" + line + "\n");
    ASSERT_FALSE(tokens.ok()) << line;
    EXPECT_THAT(tokens.error().message, HasSubstr("line 2")) << line;
    EXPECT_THAT(tokens.error().message + tokens.error().hint, Not(HasSubstr("aaaa"))) << line;
  }
  EXPECT_FALSE(parse_tokens("").ok());
}

TEST(Tokens, NamesAndTokensAreThereOnce) {
  const std::string other(64, 'b');
  EXPECT_FALSE(parse_tokens("ann read " + kToken + "\nann read " + other).ok());
  EXPECT_FALSE(parse_tokens("ann read " + kToken + "\nbob read " + kToken).ok());
  EXPECT_TRUE(parse_tokens("ann read " + kToken + "\nbob read " + other).ok());
}

TEST(Tokens, AFileIsMadeOnceForItsOwnerAlone) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "tokens";
  ASSERT_TRUE(make_tokens(file).ok());
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  const auto tokens = read_tokens(file);
  ASSERT_TRUE(tokens.ok()) << tokens.error().message;
  EXPECT_EQ(to_string(tokens->front().scopes), "read,evaluate,workspace");
  EXPECT_FALSE(make_tokens(file).ok()) << "nothing is written over";
}

TEST(Tokens, AFileThatOthersMayReadIsRefused) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("tokens", "ann read " + kToken + "\n");
  ::chmod(file.c_str(), 0640);
  const auto open = read_tokens(file);
  ASSERT_FALSE(open.ok());
  EXPECT_THAT(open.error().message, HasSubstr("read by others"));
  ::chmod(file.c_str(), 0600);
  EXPECT_TRUE(read_tokens(file).ok());
  std::filesystem::create_symlink(file, folder.path() / "link");
  EXPECT_THAT(read_tokens(folder.path() / "link").error().message, HasSubstr("a link"));
  EXPECT_FALSE(read_tokens(folder.path() / "none").ok());
}

}  // namespace
}  // namespace kbench
