#include "runner/task/graph.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::HasSubstr;

// A task with input x, parameter w, the given nodes, and one output.
Json task(const char* nodes, const char* output = "y") {
  return {{"schema", "kbench-task/1"},
          {"sizes",
           {{"small",
             {{"inputs", {{{"name", "x"}}}},
              {"parameters", {{{"name", "w"}}}},
              {"nodes", Json::parse(nodes)},
              {"outputs", {{{"name", "out"}, {"value", output}}}}}}}}};
}

std::string message(const Json& json, const char* size = "small") {
  const auto graph = parse_graph(json, size);
  return graph ? "parsed" : graph.error().message;
}

const GraphValue& value(const GraphArg& arg) { return std::get<GraphValue>(arg.value); }

TEST(Graph, MarksTheLastUseOfEachValue) {
  const auto graph = parse_graph(task(R"([
      {"op": "aten::mul", "overload": "Tensor", "args": [{"v": "x"}, {"v": "x"}], "outs": ["a"]},
      {"op": "aten::cat", "overload": "", "args": [[{"v": "a"}, {"v": "w"}, {"v": "a"}], 0],
       "outs": ["b"]},
      {"op": "aten::add", "overload": "Tensor", "args": [{"v": "b"}, {"v": "w"}, 1], "outs": ["y"]}
      ])"),
                                 "small");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->inputs, 1u);
  EXPECT_TRUE(graph->is_parameter(1));
  EXPECT_FALSE(graph->is_parameter(2));
  const auto& square = graph->nodes[0].args;
  EXPECT_FALSE(value(square[0]).last_use);
  EXPECT_TRUE(value(square[1]).last_use);
  const auto& list = std::get<GraphList>(graph->nodes[1].args[0].value);
  EXPECT_FALSE(value(list[0]).last_use);
  EXPECT_FALSE(value(list[1]).last_use);  // w is read once more below
  EXPECT_TRUE(value(list[2]).last_use);
  EXPECT_TRUE(value(graph->nodes[2].args[1]).last_use);
  EXPECT_TRUE(graph->outputs[0].last_use);
}

TEST(Graph, KeepsAnOutputToTheEnd) {
  const auto graph = parse_graph(task(R"([
      {"op": "aten::clone", "overload": "", "args": [{"v": "x"}, null], "outs": ["y"]},
      {"op": "aten::relu_", "overload": "", "args": [{"v": "y"}], "outs": ["unread"]}])"),
                                 "small");
  ASSERT_TRUE(graph) << graph.error().message;
  ASSERT_EQ(graph->nodes.size(), 2u) << "it writes what is returned";
  EXPECT_FALSE(value(graph->nodes[1].args[0]).last_use);
  EXPECT_EQ(graph->nodes[1].outs[0], GraphNode::kUnread);
}

TEST(Graph, LeavesOutWhatNobodyReads) {
  const auto graph = parse_graph(task(R"([
      {"op": "aten::exp", "overload": "", "args": [{"v": "x"}], "outs": ["a"]},
      {"op": "aten::sort", "overload": "", "args": [{"v": "a"}, -1, false], "outs": ["b", "c"]},
      {"op": "aten::relu", "overload": "", "args": [{"v": "x"}], "outs": ["y"]}])"),
                                 "small");
  ASSERT_TRUE(graph) << graph.error().message;
  ASSERT_EQ(graph->nodes.size(), 1u);
  EXPECT_EQ(graph->nodes[0].op, "aten::relu");
  EXPECT_TRUE(value(graph->nodes[0].args[0]).last_use);
}

TEST(Graph, ReadsEveryKindOfArgument) {
  const auto graph = parse_graph(task(R"([
      {"op": "aten::clamp", "overload": "", "args": [{"v": "x"}, {"float": "-inf"}, 3.0],
       "outs": ["a"]},
      {"op": "aten::gelu", "overload": "", "args": [{"v": "a"}, "tanh"], "outs": ["b"]},
      {"op": "aten::mul", "overload": "Tensor", "args": [{"v": "b"}, {"scalar": 2}], "outs": ["c"]},
      {"op": "aten::to", "overload": "dtype_layout", "args": [{"v": "c"}, {"dtype": "int64"},
       {"layout": "strided"}, {"device": true}, null, true, false,
       {"memory_format": "contiguous"}], "outs": ["d"]},
      {"op": "aten::sum", "overload": "dim_IntList", "args": [{"v": "d"}, [1, 2], true,
       {"dtype": "real"}], "outs": ["y"]}])"),
                                 "small");
  ASSERT_TRUE(graph) << graph.error().message;
  const auto args = [&](std::size_t node) { return graph->nodes[node].args; };
  EXPECT_EQ(graph->nodes[3].full_name(), "aten::to.dtype_layout");
  EXPECT_TRUE(std::isinf(std::get<double>(args(0)[1].value)));
  EXPECT_EQ(std::get<double>(args(0)[2].value), 3.0);
  EXPECT_EQ(std::get<std::string>(args(1)[1].value), "tanh");
  EXPECT_EQ(std::get<std::int64_t>(std::get<GraphScalar>(args(2)[1].value).number), 2);
  EXPECT_EQ(std::get<GraphDType>(args(3)[1].value).name, "int64");
  EXPECT_EQ(std::get<GraphLayout>(args(3)[2].value).name, "strided");
  EXPECT_TRUE(std::holds_alternative<GraphDevice>(args(3)[3].value));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(args(3)[4].value));
  EXPECT_EQ(std::get<bool>(args(3)[5].value), true);
  EXPECT_EQ(std::get<GraphMemoryFormat>(args(3)[7].value).name, "contiguous");
  EXPECT_EQ(std::get<GraphList>(args(4)[1].value).size(), 2u);
  EXPECT_TRUE(std::holds_alternative<GraphWorkingDType>(args(4)[3].value));
}

TEST(Graph, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(message(task(R"([{"op": "aten::relu", "overload": "", "args": [{"v": "z"}],
                                "outs": ["y"]}])")),
              HasSubstr("node 0 (\"aten::relu\"): value \"z\" is read before"));
  EXPECT_THAT(message(task(R"([{"op": "aten::relu", "overload": "", "args": [{"v": "x"}],
                                "outs": ["w"]}])")),
              HasSubstr("value \"w\" is defined twice"));
  EXPECT_THAT(message(task(R"([{"op": "aten::relu", "args": [], "outs": ["y"]}])")),
              HasSubstr("there is no \"overload\""));
  EXPECT_THAT(
      message(task(R"([{"op": "t::a", "overload": "", "args": [{"weird": 1}], "outs": []}])")),
      HasSubstr("unknown argument"));
  EXPECT_THAT(message(task(R"([{"op": "t::a", "overload": "", "args": [{"float": "1"}],
                                "outs": []}])")),
              HasSubstr("none of inf"));
  EXPECT_THAT(message(task("[]")), HasSubstr("value \"y\" is read before"));
  EXPECT_THAT(message(task("[3]", "x")), HasSubstr("node 0"));
  EXPECT_THAT(message(task("[]", "x"), "full"), HasSubstr("no size \"full\""));
  EXPECT_THAT(message(Json::parse(R"({"schema": "kbench-task/9", "sizes": {}})")),
              HasSubstr("kbench-task/9"));
  EXPECT_THAT(message(Json::parse("[]")), HasSubstr("there is no \"schema\""));
}

}  // namespace
}  // namespace kbench
