#include "runner/task/family.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/task/graph.hpp"
#include "runner/task/suite.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> families(const std::string& name,
                                  const std::vector<std::string>& operators) {
  return families_of(name, operators);
}

TEST(Family, OperatorsSayWhatATaskIsMadeOf) {
  EXPECT_THAT(families("conv2d_relu_biasadd", {"aten::conv2d", "aten::relu", "aten::add"}),
              ElementsAre("convolution", "activation"));
  EXPECT_THAT(families("x", {"aten::linear", "aten::group_norm", "aten::hardtanh"}),
              ElementsAre("matmul", "normalization", "activation"));
  EXPECT_THAT(families("x", {"aten::adaptive_avg_pool3d", "aten::logsumexp"}),
              ElementsAre("pooling", "reduction"));
  EXPECT_THAT(families("x", {"aten::cumprod"}), ElementsAre("scan"));
  EXPECT_THAT(families("x", {"aten::mul"}), ElementsAre("elementwise"));
  EXPECT_THAT(families("resnetbasicblock", {"aten::conv2d", "aten::add_", "aten::relu_"}),
              ElementsAre("convolution", "activation"));
}

TEST(Family, AttentionThatIsWrittenOutIsFound) {
  EXPECT_THAT(families("x", {"aten::matmul", "aten::softmax", "aten::matmul"}),
              ElementsAre("matmul", "attention", "activation"));
  EXPECT_THAT(families("x", {"aten::matmul", "aten::softmax"}), Not(Contains("attention")));
}

TEST(Family, TheNameSaysWhatOperatorsAreComposedTo) {
  EXPECT_THAT(families("level1/094_mseloss", {"aten::sub", "aten::pow", "aten::mean"}),
              ElementsAre("reduction", "loss"));
  EXPECT_THAT(families("036_rmsnorm", {"aten::pow", "aten::mean", "aten::sqrt", "aten::div"}),
              ElementsAre("normalization", "reduction"));
}

TEST(Family, OperatorsAreBelievedBeforeTheName) {
  EXPECT_THAT(families("088_mingptnewgelu", {"aten::mul", "aten::tanh"}),
              Not(Contains("attention")))
      << "minGPT's GELU";
  EXPECT_THAT(families("050_reluselfattention", {"aten::matmul", "aten::relu", "aten::matmul"}),
              Contains("attention"))
      << "without a softmax";
  EXPECT_THAT(families("matmul_by_name_alone", {"aten::mul"}), ElementsAre("elementwise"));
}

TEST(Family, WithoutOperatorsTheNameIsAllThereIs) {
  EXPECT_THAT(families("level2/031_Conv2d_Min_Add", {}), ElementsAre("convolution", "reduction"));
  EXPECT_THAT(families("gemm_batch_norm_gelu", {}),
              ElementsAre("matmul", "normalization", "activation"));
  EXPECT_THAT(families("mingpt_block", {}), ElementsAre("attention")) << "no minimum";
  EXPECT_THAT(families("something", {}), IsEmpty());
  EXPECT_THAT(families("", {}), IsEmpty());
}

TEST(Family, EveryTaskOfTheSuiteHasOne) {
  const auto entries = list_tasks(kbench::test::kSuites);
  ASSERT_TRUE(entries.ok());
  int elementwise = 0;
  for (const TaskEntry& entry : *entries) {
    if (entry.level == 3) continue;  // large files, whose families are many
    const auto graph = load_graph(entry.file, "small");
    ASSERT_TRUE(graph.ok()) << entry.id;
    std::vector<std::string> operators;
    for (const GraphNode& node : graph->nodes) operators.push_back(node.op);
    const auto found = families_of(entry.id, operators);
    EXPECT_THAT(found, Not(IsEmpty())) << entry.id;
    elementwise += found == std::vector<std::string>{"elementwise"} ? 1 : 0;
  }
  EXPECT_LE(elementwise, 4) << "what is so common deserves a family";
}

}  // namespace
}  // namespace kbench
