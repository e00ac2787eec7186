#include "runner/task/avoidable.hpp"

#include <gtest/gtest.h>

#include "runner/task/task.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

// Judges a graph of input x and parameter w; the output is y.
bool avoidable(const char* nodes) {
  const auto graph = parse_size_graph({{"inputs", {{{"name", "x"}}}},
                                       {"parameters", {{{"name", "w"}}}},
                                       {"nodes", Json::parse(nodes)},
                                       {"outputs", {{{"name", "y"}, {"value", "y"}}}}});
  EXPECT_TRUE(graph);
  return graph && has_avoidable_products(*graph);
}

TEST(Avoidable, AMeanOfAScaledConvolutionIsOneOfSums) {
  EXPECT_TRUE(avoidable(R"([
    {"op": "aten::conv2d", "overload": "", "args": [{"v": "x"}, {"v": "w"}, null, [1, 1], [0, 0],
     [1, 1], 1], "outs": ["c"]},
    {"op": "aten::mul", "overload": "Tensor", "args": [{"v": "c"}, {"scalar": 2}], "outs": ["m"]},
    {"op": "aten::mean", "overload": "dim", "args": [{"v": "m"}, [2, 3], false, null], "outs": ["y"]}])"));
}

TEST(Avoidable, AProductOfAProductMayBeMultipliedInAnotherOrder) {
  EXPECT_TRUE(avoidable(R"([
    {"op": "aten::linear", "overload": "", "args": [{"v": "x"}, {"v": "w"}, null], "outs": ["a"]},
    {"op": "aten::cat", "overload": "", "args": [[{"v": "x"}, {"v": "a"}], 0], "outs": ["b"]},
    {"op": "aten::linear", "overload": "", "args": [{"v": "b"}, {"v": "w"}, null], "outs": ["y"]}])"));
}

TEST(Avoidable, NothingIsWhatPassesANonLinearOperatorFirst) {
  EXPECT_FALSE(avoidable(R"([
    {"op": "aten::conv2d", "overload": "", "args": [{"v": "x"}, {"v": "w"}, null, [1, 1], [0, 0],
     [1, 1], 1], "outs": ["c"]},
    {"op": "aten::relu", "overload": "", "args": [{"v": "c"}], "outs": ["r"]},
    {"op": "aten::mean", "overload": "dim", "args": [{"v": "r"}, [2, 3], false, null], "outs": ["y"]}])"));
}

TEST(Avoidable, ASumBeforeTheProductSavesNothing) {
  EXPECT_FALSE(avoidable(R"([
    {"op": "aten::sum", "overload": "dim_IntList", "args": [{"v": "x"}, [1], false, null], "outs": ["s"]},
    {"op": "aten::linear", "overload": "", "args": [{"v": "s"}, {"v": "w"}, null], "outs": ["y"]}])"));
}

TEST(Avoidable, OfTheShippedTasksAFewAreSo) {
  const auto size_of = [](const char* name) {
    const auto task = load_task(std::filesystem::path(kbench::test::kSuites) / name);
    EXPECT_TRUE(task);
    return task->find_size("full")->work.needed_products == 0;
  };
  EXPECT_TRUE(size_of("level2/044_convtranspose2d_multiply_globalavgpool_globalavgpool_mean.json"));
  EXPECT_FALSE(size_of("level3/009_resnet18.json"));
}

}  // namespace
}  // namespace kbench
