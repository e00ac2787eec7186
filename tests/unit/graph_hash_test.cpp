#include "runner/task/graph_hash.hpp"

#include <gtest/gtest.h>

#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

std::string hash_of(const Json& task) {
  const test::TemporaryFolder suite;
  const auto loaded = load_task(suite.write("level1/007_line.json", task.dump()));
  if (!loaded) return loaded.error().message;
  const auto hash = graph_hash(*loaded, "small");
  return hash ? *hash : hash.error().message;
}

TEST(GraphHash, DoesNotDependOnHowValuesAreDrawn) {
  Json redrawn = test::valid_task();
  redrawn["sizes"]["small"]["inputs"][0]["draw"] = {{"kind", "normal"}, {"a", 0.0}, {"b", 2.0}};
  redrawn["title"] = "another title";
  EXPECT_EQ(hash_of(redrawn), hash_of(test::valid_task()));
}

TEST(GraphHash, ChangesWithAShape) {
  Json wider = test::valid_task();
  wider["sizes"]["small"]["inputs"][0]["shape"][0] = 9;
  EXPECT_EQ(hash_of(wider).size(), 64u);
  EXPECT_NE(hash_of(wider), hash_of(test::valid_task()));
}

TEST(GraphHash, ChangesWithAnArgumentOfANode) {
  Json with_bias = test::valid_task();
  with_bias["sizes"]["small"]["nodes"][0]["args"].back() = {{"v", "weight"}};
  EXPECT_EQ(hash_of(with_bias).size(), 64u);
  EXPECT_NE(hash_of(with_bias), hash_of(test::valid_task()));
}

TEST(GraphHash, NamesAMissingSize) {
  const test::TemporaryFolder suite;
  const auto loaded = load_task(suite.write("level1/007_line.json", test::valid_task().dump()));
  ASSERT_TRUE(loaded);
  const auto hash = graph_hash(*loaded, "huge");
  ASSERT_FALSE(hash);
  EXPECT_NE(hash.error().message.find("has no size huge"), std::string::npos);
}

}  // namespace
}  // namespace kbench
