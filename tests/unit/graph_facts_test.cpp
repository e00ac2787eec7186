#include "runner/lint/graph_facts.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

// A task file with two inputs of the given shape and the given nodes.
std::string file_with(const std::string& nodes, const std::string& x = "x",
                      const std::string& shape = "[4, 8]") {
  const std::string tensor = R"(", "dtype": "float32", "shape": )" + shape + "}";
  return R"({"sizes": {"small": {"inputs": [{"name": ")" + x + tensor + R"(, {"name": "z)" +
         tensor + R"(], "parameters": [], "nodes": [)" + nodes +
         R"(], "outputs": [{"name": "y", "value": "out"}]}}})";
}

// The overload that takes these arguments.
std::string overload_of(const std::string& op, const std::string& args) {
  if (op == "aten::add" || op == "aten::mul") return "Tensor";
  if (op == "aten::sum") return "dim_IntList";
  if (op == "aten::mean" || op == "aten::max") return "dim";
  const bool of_tensors = args.find(R"({"v")") != args.rfind(R"({"v")");
  return op == "aten::clamp" && of_tensors ? "Tensor" : "";
}

std::string node(const std::string& op, const std::string& args, const std::string& out) {
  const std::string more = op == "aten::max" ? ", null" : "";
  return R"({"op": ")" + op + R"(", "overload": ")" + overload_of(op, args) + R"(", "args": [)" +
         args + R"(], "outs": [")" + out + R"(")" + more + "]}";
}

class GraphFactsTest : public ::testing::Test {
 protected:
  GraphFacts facts(const std::string& text) {
    auto read = read_graph_facts(folder_.write("task.json", text), "small");
    EXPECT_TRUE(read.ok()) << read.error().message;
    return read ? *read : GraphFacts{};
  }

  test::TemporaryFolder folder_;
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

TEST_F(GraphFactsTest, AnOperatorThatDrawsNumbersIsNoneThatATaskMayUse) {
  const auto read = read_graph_facts(
      folder_.write("task.json", file_with(node("aten::rand_like", R"({"v": "x"})", "out"))),
      "small");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr("operators that a task may use"));
}

// The second of two nodes, each on the result before it.
struct Pair {
  const char* first;
  const char* first_args;
  const char* second;
  const char* second_args;
};

// "relu_after_sigmoid"; pairs of the same operators are told apart by their number.
std::string pair_name(const ::testing::TestParamInfo<Pair>& info) {
  const auto plain = [](const std::string& op) { return op.substr(op.find("::") + 2); };
  return plain(info.param.second) + "_after_" + plain(info.param.first) + "_" +
         std::to_string(info.index);
}
void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.first << pair.first_args << ", then " << pair.second << pair.second_args;
}

class RedundantTest : public GraphFactsTest, public ::testing::WithParamInterface<Pair> {
 protected:
  bool second_is_redundant() {
    const auto& [first, first_args, second, second_args] = GetParam();
    const auto read =
        facts(file_with(node(first, std::string(R"({"v": "x"})") + first_args, "s") + "," +
                        node(second, std::string(R"({"v": "s"})") + second_args, "out")));
    EXPECT_EQ(read.nodes.size(), 2U);
    EXPECT_FALSE(read.nodes.at(0).redundant);
    return read.nodes.at(1).redundant;
  }
};

class LeavesItsOperandAlone : public RedundantTest {};
TEST_P(LeavesItsOperandAlone, IsRedundant) { EXPECT_TRUE(second_is_redundant()); }
INSTANTIATE_TEST_SUITE_P(
    Pairs, LeavesItsOperandAlone,
    ::testing::Values(Pair{"aten::sigmoid", "", "aten::relu", ""},
                      Pair{"aten::relu", "", "aten::leaky_relu", ", 0.01"},
                      Pair{"aten::tanh", "", "aten::clamp", ", -1.0, 1.0"},
                      Pair{"aten::hardtanh", ", 0.0, 6.0", "aten::clamp", ", null, 6.0"},
                      Pair{"aten::sin", "", "aten::mul", R"(, {"scalar": 1.0})"},
                      Pair{"aten::mean", ", [2, 3], true, null", "aten::logsumexp", ", [3], true"},
                      Pair{"aten::sum", ", [1], true, null", "aten::max", ", 1, true"},
                      Pair{"aten::tanh", "", "aten::hardtanh", R"(, {"float": "-inf"}, 1)"},
                      Pair{"aten::tril", ", 0", "aten::tril", ", 0"},
                      Pair{"aten::linalg_vector_norm", ", 2, null, false, null", "aten::clamp_min",
                           ", 1e-12"}),
    pair_name);

class DoesWork : public RedundantTest {};
TEST_P(DoesWork, IsNot) { EXPECT_FALSE(second_is_redundant()); }
INSTANTIATE_TEST_SUITE_P(
    Pairs, DoesWork,
    ::testing::Values(
        Pair{"aten::tanh", "", "aten::relu", ""},
        Pair{"aten::gelu", R"(, "none")", "aten::clamp", ", -0.1, null"},
        Pair{"aten::clamp", ", 0.0, 2.0", "aten::clamp", ", 0.0, 1.0"},
        Pair{"aten::sigmoid", "", "aten::clamp", R"(, {"v": "z"}, null)"},
        Pair{"aten::sin", "", "aten::mul", R"(, {"scalar": 2.0})"},
        Pair{"aten::relu", "", "aten::mul", R"(, {"v": "z"})"},
        Pair{"aten::hardtanh", R"(, {"float": "-inf"}, 1)", "aten::clamp_min", ", -1"},
        Pair{"aten::tril", ", 0", "aten::triu", ", 0"},
        Pair{"aten::tril", ", 0", "aten::tril", ", -1"},
        Pair{"aten::linalg_vector_norm", ", 2, null, false, null", "aten::clamp_min", ", 1.0"},
        Pair{"aten::sin", "", "aten::clamp_min", ", 1e-12"},
        Pair{"aten::mean", ", [2], true, null", "aten::mean", ", [2, 3], true, null"},
        Pair{"aten::mean", ", [1], false, null", "aten::sum", ", [1], true, null"}),
    pair_name);

TEST_F(GraphFactsTest, WhichOfSeveralResultsIsUsedCounts) {
  const auto last_state = [](const std::string& outs) {
    return R"({"op": "aten::lstm", "overload": "input", "args": [{"v": "x"}, [{"v": "z"}], )"
           R"([{"v": "z"}], false, 1, 0.0, false, false, false], "outs": [)" +
           outs + "]}";
  };
  EXPECT_NE(facts(file_with(last_state(R"(null, "out", null)"))).fingerprint,
            facts(file_with(last_state(R"(null, null, "out")"))).fingerprint);
}

TEST_F(GraphFactsTest, AProductOfTriangularMatricesIsTriangular) {
  const std::string kept = R"([4, 4], "draw": {"kind": "normal", "keep": "triu", "diagonal": 0})";
  const std::string nodes = node("aten::matmul", R"({"v": "x"}, {"v": "z"})", "p") + "," +
                            node("aten::triu", R"({"v": "p"}, 0)", "out");
  EXPECT_TRUE(facts(file_with(nodes, "x", kept)).nodes.at(1).redundant);
  EXPECT_FALSE(facts(file_with(nodes, "x", "[4, 4]")).nodes.at(1).redundant);
}

TEST_F(GraphFactsTest, WhatIsKnownReachesThroughSeveralNodes) {
  const auto read = facts(file_with(node("aten::tanh", R"({"v": "x"})", "t") + "," +
                                    node("aten::gelu", R"({"v": "t"}, "none")", "g") + "," +
                                    node("aten::hardtanh", R"({"v": "g"}, -1, 1)", "out")));
  ASSERT_EQ(read.nodes.size(), 3U);
  EXPECT_FALSE(read.nodes[1].redundant);
  EXPECT_TRUE(read.nodes[2].redundant);
}

TEST_F(GraphFactsTest, AMissingSizeIsNamed) {
  const auto read = read_graph_facts(folder_.write("task.json", R"({"sizes": {}})"), "small");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kbench
