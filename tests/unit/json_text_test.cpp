#include "reports/facts/json_text.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(JsonText, IsAsciiAndLosesNothing) {
  const Json value = {{"name", "\xff\xc3\xa9\x1b\xe2\x80\xae"}};
  EXPECT_EQ(json_text(value), R"({"name":"\\xff\u00e9\u001b\u202e"})");
  EXPECT_EQ(json_text({{"list", {"\xfe"}}}, 1), "{\n \"list\": [\n  \"\\\\xfe\"\n ]\n}");
}

TEST(JsonText, NamesThatDifferInABadByteStayTwo) {
  EXPECT_NE(json_text("a\xfe"), json_text("a\xff"));
}

}  // namespace
}  // namespace kbench
