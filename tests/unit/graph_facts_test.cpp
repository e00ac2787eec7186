#include "runner/lint/graph_facts.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A task file with two inputs of the given shape and the given nodes.
std::string file_with(const std::string& nodes, const std::string& x = "x",
                      const std::string& shape = "[4, 8]") {
  const std::string tensor = R"(", "dtype": "float32", "shape": )" + shape + "}";
  return R"({"sizes": {"small": {"inputs": [{"name": ")" + x + tensor + R"(, {"name": "z)" +
         tensor + R"(], "parameters": [], "nodes": [)" + nodes +
         R"(], "outputs": [{"name": "y", "value": "out"}]}}})";
}

std::string node(const std::string& op, const std::string& args, const std::string& out) {
  return R"({"op": ")" + op + R"(", "overload": "", "args": [)" + args + R"(], "outs": [")" + out +
         R"("]})";
}

class GraphFactsTest : public ::testing::Test {
 protected:
  GraphFacts facts(const std::string& text) {
    auto read = read_graph_facts(folder_.write("task.json", text), "small");
    EXPECT_TRUE(read.ok()) << read.error().message;
    return read ? *read : GraphFacts{};
  }

  testing::TemporaryFolder folder_;
};

TEST_F(GraphFactsTest, NamesDoNotCount) {
  const auto a = facts(file_with(node("aten::sin", R"({"v": "x"})", "s") + "," +
                                 node("aten::add", R"({"v": "s"}, {"v": "z"}, 1)", "out")));
  const auto b = facts(file_with(node("aten::sin", R"({"v": "u"})", "t") + "," +
                                     node("aten::add", R"({"v": "t"}, {"v": "z"}, 1)", "out"),
                                 "u"));
  EXPECT_EQ(a.fingerprint, b.fingerprint);
}

TEST_F(GraphFactsTest, ShapesConstantsAndWiringCount) {
  const auto add = [](const std::string& args) { return node("aten::add", args, "out"); };
  const auto base = facts(file_with(add(R"({"v": "x"}, {"v": "z"}, 1)")));
  const auto scaled = facts(file_with(add(R"({"v": "x"}, {"v": "z"}, 2)")));
  const auto swapped = facts(file_with(add(R"({"v": "z"}, {"v": "x"}, 1)")));
  const auto larger = facts(file_with(add(R"({"v": "x"}, {"v": "z"}, 1)"), "x", "[4, 9]"));
  for (const GraphFacts* other : {&scaled, &swapped, &larger}) {
    EXPECT_NE(base.fingerprint, other->fingerprint);
    EXPECT_EQ(base.sequence, other->sequence);
  }
}

TEST_F(GraphFactsTest, RandomOperatorsAreSeen) {
  const std::string v = R"({"v": "x"})";
  EXPECT_THAT(facts(file_with(node("aten::rand_like", v, "out"))).random_operators,
              ElementsAre("aten::rand_like"));
  EXPECT_THAT(facts(file_with(node("aten::dropout", v + ", 0.5, true", "out"))).random_operators,
              ElementsAre("aten::dropout"));
  EXPECT_THAT(facts(file_with(node("aten::dropout", v + ", 0.5, false", "out"))).random_operators,
              IsEmpty());
}

TEST_F(GraphFactsTest, AReluOfWhatIsNeverNegativeIsRedundant) {
  const auto read = facts(file_with(node("aten::sigmoid", R"({"v": "x"})", "s") + "," +
                                    node("aten::relu", R"({"v": "s"})", "out")));
  ASSERT_EQ(read.nodes.size(), 2U);
  EXPECT_FALSE(is_redundant(read.nodes[0]));
  EXPECT_TRUE(is_redundant(read.nodes[1]));
}

TEST_F(GraphFactsTest, AMissingSizeIsNamed) {
  const auto read = read_graph_facts(folder_.write("task.json", R"({"sizes": {}})"), "small");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kbench
