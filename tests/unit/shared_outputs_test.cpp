#include "runner/task/shared_outputs.hpp"

#include <gtest/gtest.h>

#include "runner/core/json.hpp"

namespace kbench {
namespace {

// Which outputs may share, of a graph with the input x.
std::vector<bool> may_share(const char* nodes, const char* outputs) {
  const Json size = Json::parse(std::string(R"({"inputs": [{"name": "x"}], "parameters": [],
      "nodes": )") + nodes + R"(, "outputs": )" +
                                outputs + "}");
  const auto graph = parse_size_graph(size);
  EXPECT_TRUE(graph) << graph.error().message;
  return graph ? outputs_that_may_share(*graph) : std::vector<bool>();
}

constexpr const char* kNodes = R"([
  {"op": "aten::relu", "overload": "", "args": [{"v": "x"}], "outs": ["own"]},
  {"op": "aten::relu_", "overload": "", "args": [{"v": "own"}], "outs": ["written"]},
  {"op": "aten::transpose", "overload": "int", "args": [{"v": "written"}, 0, 1], "outs": ["view"]}])";

TEST(SharedOutputs, AreViewsAndGivenTensorsAndWhatIsThereTwice) {
  EXPECT_EQ(may_share(kNodes, R"([{"value": "written"}])"), std::vector<bool>{false});
  EXPECT_EQ(may_share(kNodes, R"([{"value": "view"}, {"value": "x"}])"),
            (std::vector<bool>{true, true}));
  EXPECT_EQ(may_share(kNodes, R"([{"value": "written"}, {"value": "written"}])"),
            (std::vector<bool>{true, true}));
}

}  // namespace
}  // namespace kbench
