// The sender of a request.
#include "runner/gate/credentials.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"

namespace kbench {
namespace {

TEST(Credentials, ATokenComesAsBearerOrAsAPassword) {
  EXPECT_EQ(presented_token("Bearer abc"), "abc");
  EXPECT_EQ(presented_token("bEARER   abc"), "abc");
  EXPECT_EQ(presented_token("Basic a2JlbmNoOmFiYw=="), "abc");  // kbench:abc
  EXPECT_EQ(presented_token("Basic OmFiYzpk"), "abc:d");        // :abc:d
  for (const char* none :
       {"", "Bearer", "abc", "Bearerabc", "Basic abc", "Basic !!!!", "Digest x", "Basic a2JlbmNo"})
    EXPECT_EQ(presented_token(none), std::nullopt) << none;
  EXPECT_EQ(presented_token("Bearer " + std::string(600, 'a')), std::nullopt);
}

TEST(Credentials, Base64IsReadAsItIsWritten) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9vYmE="), "fooba");
  EXPECT_EQ(decode_base64("/+8="), "\xff\xef");
  EXPECT_EQ(decode_base64("Zg==="), "f");
  EXPECT_EQ(decode_base64("Z g="), std::nullopt);
}

TEST(Credentials, OnlyTheWholeTokenIsOne) {
  const std::string token(64, 'a');
  const std::vector<KnownToken> tokens{{"bob", {}, sha256("other")}, {"ann", {}, sha256(token)}};
  ASSERT_NE(find_token(tokens, token), nullptr);
  EXPECT_EQ(find_token(tokens, token)->name, "ann");
  EXPECT_EQ(find_token(tokens, token.substr(1)), nullptr);
  EXPECT_EQ(find_token(tokens, token + "a"), nullptr);
  EXPECT_EQ(find_token(tokens, ""), nullptr);
  EXPECT_EQ(find_token(tokens, sha256(token)), nullptr) << "its hash is no token";
}

TEST(Credentials, ComparesToTheEnd) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("xbc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

}  // namespace
}  // namespace kbench
