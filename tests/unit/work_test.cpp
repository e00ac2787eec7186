#include "runner/task/work.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/json.hpp"
#include "runner/task/graph.hpp"
#include "runner/task/task.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

using Shape = std::vector<std::int64_t>;

struct Given {
  std::string name;
  Shape shape;
  DType dtype = DType::kFloat32;
};

struct Made {
  Graph graph;
  TaskSize size;
};

// A graph of these inputs; its results are y, and z where it has two.
Made make(const std::vector<Given>& inputs, const std::string& nodes, const Shape& output) {
  Made made;
  Json names = Json::array();
  for (const Given& one : inputs) {
    names.push_back({{"name", one.name}});
    made.size.inputs.push_back({.name = one.name, .dtype = one.dtype, .shape = one.shape});
  }
  made.size.outputs = {{.name = "out", .shape = output}};
  auto graph = parse_size_graph({{"inputs", names},
                                 {"parameters", Json::array()},
                                 {"nodes", Json::parse("[" + nodes + "]")},
                                 {"outputs", {{{"name", "out"}, {"value", "y"}}}}});
  EXPECT_TRUE(graph) << graph.error().message;
  if (graph) made.graph = std::move(*graph);
  return made;
}

Work count(const std::vector<Given>& inputs, const std::string& nodes, const Shape& output) {
  const Made made = make(inputs, nodes, output);
  return count_work(made.graph, made.size, 0);
}

std::string node(const std::string& op, const std::string& overload, const std::string& args,
                 const std::string& outs = R"("y")") {
  return R"({"op": "aten::)" + op + R"(", "overload": ")" + overload + R"(", "args": [)" + args +
         R"(], "outs": [)" + outs + "]}";
}

// One operator by itself against its closed form. Elements are floats: bytes are four times these.
struct Form {
  std::string op;
  std::string overload;
  std::string args;
  std::vector<Given> inputs;
  Shape output;
  double read = 0;  // elements
  double products = 0;
  double transcendental = 0;
  std::string outs = R"("y")";
};

constexpr const char* kX = R"({"v": "x"})";
constexpr const char* kXZ = R"({"v": "x"}, {"v": "z"})";

std::vector<Form> closed_forms() {
  const std::string x = kX;
  const std::string xz = kXZ;
  const std::vector<Given> one{{"x", {6, 10}}};
  const std::vector<Given> two{{"x", {6, 10}}, {"z", {6, 10}}};
  const std::vector<Given> image{{"x", {2, 3, 8, 8}}};
  std::vector<Form> forms;
  // One element in, one out.
  struct Unary {
    const char* op;
    const char* more;
    double functions;
  };
  for (const Unary& u : {Unary{"relu", "", 0},
                         {"abs", "", 0},
                         {"neg", "", 0},
                         {"sqrt", "", 0},
                         {"square", "", 0},
                         {"exp", "", 1},
                         {"log", "", 1},
                         {"sin", "", 1},
                         {"tanh", "", 1},
                         {"sigmoid", "", 1},
                         {"silu", "", 1},
                         {"gelu", R"(, "none")", 1},
                         {"mish", "", 3},
                         {"hardswish", "", 0},
                         {"hardsigmoid", "", 0},
                         {"relu6", "", 0},
                         {"leaky_relu", ", 0.01", 0},
                         {"elu", ", 1.0, 1, 1", 1},
                         {"softplus", ", 1, 20", 2},
                         {"clamp", ", 0, null", 0},
                         {"hardtanh", ", -1.0, 1.0", 0}})
    forms.push_back({u.op, "", x + u.more, one, {6, 10}, 60, 0, 60 * u.functions});
  forms.push_back({"add", "Tensor", xz + ", 1", two, {6, 10}, 120});
  forms.push_back({"sub", "Tensor", xz + ", 1", two, {6, 10}, 120});
  forms.push_back({"mul", "Tensor", xz, two, {6, 10}, 120});
  forms.push_back({"div", "Tensor", xz, two, {6, 10}, 120});
  forms.push_back({"minimum", "", xz, two, {6, 10}, 120});
  forms.push_back({"add", "Tensor", xz + ", 1", {{"x", {6, 10}}, {"z", {10}}}, {6, 10}, 70});
  forms.push_back({"pow", "Tensor_Scalar", x + ", 2", one, {6, 10}, 60});
  forms.push_back({"softmax", "int", x + ", 1, null", one, {6, 10}, 60, 0, 60});
  forms.push_back({"log_softmax", "int", x + ", 1, null", one, {6, 10}, 60, 0, 120});
  forms.push_back({"cumsum", "", x + ", 1, null", one, {6, 10}, 60});
  forms.push_back({"flip", "", x + ", [1]", one, {6, 10}, 60});
  forms.push_back({"roll", "", x + ", [3], [1]", one, {6, 10}, 60});
  // Below the diagonal of six by ten: 1 + 2 + … + 6.
  forms.push_back({"tril", "", x + ", 0", one, {6, 10}, 21});
  forms.push_back({"triu", "", x + ", 0", one, {6, 10}, 60 - 15});
  forms.push_back({"sum", "dim_IntList", x + ", [1], false, null", one, {6}, 60});
  forms.push_back({"sum", "dim_IntList", x + ", [1], true, null", one, {6, 1}, 60});
  forms.push_back({"mean", "", x + ", null", one, {}, 60});
  forms.push_back({"mean", "dim", x + ", [0], false, null", one, {10}, 60});
  forms.push_back({"max", "dim", x + ", 1, false", one, {6}, 60, 0, 0, R"("y", null)"});
  forms.push_back({"logsumexp", "", x + ", [1], false", one, {6}, 60, 0, 120});
  forms.push_back({"linalg_vector_norm", "", x + ", 2, [1], true, null", one, {6, 1}, 60});
  forms.push_back({"layer_norm", "", x + ", [10], null, null, 1e-05, true", one, {6, 10}, 60});
  forms.push_back({"batch_norm",
                   "",
                   x + ", null, null, null, null, true, 0.1, 1e-05, true",
                   image,
                   {2, 3, 8, 8},
                   384});
  forms.push_back({"group_norm", "", x + ", 3, null, null, 1e-05, true", image, {2, 3, 8, 8}, 384});
  forms.push_back({"mse_loss", "", xz + ", 1", two, {}, 120});
  forms.push_back({"smooth_l1_loss", "", xz + ", 1, 1.0", two, {}, 120});
  forms.push_back(
      {"max_pool2d", "", x + ", [2, 2], [2, 2], [0, 0], [1, 1], false", image, {2, 3, 4, 4}, 384});
  // Every second row and column is all that a window of one reads.
  forms.push_back(
      {"max_pool2d", "", x + ", [1, 1], [2, 2], [0, 0], [1, 1], false", image, {2, 3, 4, 4}, 96});
  forms.push_back({"avg_pool2d",
                   "",
                   x + ", [3, 3], [1, 1], [1, 1], false, true, null",
                   image,
                   {2, 3, 8, 8},
                   384});
  forms.push_back({"adaptive_avg_pool2d", "", x + ", [1, 1]", image, {2, 3, 1, 1}, 384});
  // 2 M N K.
  forms.push_back(
      {"matmul", "", xz, {{"x", {6, 10}}, {"z", {10, 4}}}, {6, 4}, 100, 2 * 6 * 4 * 10});
  forms.push_back({"mm", "", xz, {{"x", {6, 10}}, {"z", {10, 4}}}, {6, 4}, 100, 480});
  forms.push_back({"matmul", "", xz, {{"x", {6, 10}}, {"z", {10}}}, {6}, 70, 2 * 6 * 10});
  forms.push_back(
      {"matmul", "", xz, {{"x", {5, 6, 10}}, {"z", {10, 4}}}, {5, 6, 4}, 340, 2 * 5 * 6 * 4 * 10});
  forms.push_back(
      {"bmm", "", xz, {{"x", {5, 6, 10}}, {"z", {5, 10, 4}}}, {5, 6, 4}, 500, 2 * 5 * 6 * 4 * 10});
  forms.push_back(
      {"linear", "", xz + ", null", {{"x", {6, 10}}, {"z", {4, 10}}}, {6, 4}, 100, 480});
  forms.push_back({"einsum",
                   "",
                   R"("bik,kj->bij", [{"v": "x"}, {"v": "z"}], null)",
                   {{"x", {5, 6, 10}}, {"z", {10, 4}}},
                   {5, 6, 4},
                   340,
                   2 * 5 * 6 * 4 * 10});
  // 2 · places · channels out · channels in · window.
  forms.push_back({"conv2d",
                   "",
                   xz + ", null, [1, 1], [1, 1], [1, 1], 1",
                   {{"x", {2, 3, 8, 8}}, {"z", {5, 3, 3, 3}}},
                   {2, 5, 8, 8},
                   384 + 135,
                   2 * 2 * 5 * 64 * 27});
  // One by one, and every second row and column: a quarter is read.
  forms.push_back({"conv2d",
                   "",
                   xz + ", null, [2, 2], [0, 0], [1, 1], 1",
                   {{"x", {2, 3, 8, 8}}, {"z", {5, 3, 1, 1}}},
                   {2, 5, 4, 4},
                   96 + 15,
                   2 * 2 * 5 * 16 * 3});
  forms.push_back({"conv2d",
                   "",
                   xz + ", null, [1, 1], [1, 1], [1, 1], 3",
                   {{"x", {2, 3, 8, 8}}, {"z", {3, 1, 3, 3}}},
                   {2, 3, 8, 8},
                   384 + 27,
                   2 * 2 * 3 * 64 * 9});
  forms.push_back({"conv1d",
                   "",
                   xz + ", null, [1], [0], [2], 1",
                   {{"x", {2, 3, 20}}, {"z", {5, 3, 3}}},
                   {2, 5, 16},
                   120 + 45,
                   2 * 2 * 5 * 16 * 9});
  forms.push_back({"conv3d",
                   "",
                   xz + ", null, [1, 1, 1], [0, 0, 0], [1, 1, 1], 1",
                   {{"x", {1, 2, 4, 4, 4}}, {"z", {3, 2, 2, 2, 2}}},
                   {1, 3, 3, 3, 3},
                   128 + 48,
                   2 * 3 * 27 * 16});
  forms.push_back({"conv_transpose2d",
                   "input",
                   xz + ", null, [2, 2], [0, 0], [0, 0], 1, [1, 1]",
                   {{"x", {2, 3, 4, 4}}, {"z", {3, 5, 2, 2}}},
                   {2, 5, 8, 8},
                   96 + 60,
                   2 * 2 * 3 * 16 * 20});
  forms.push_back({"scaled_dot_product_attention",
                   "",
                   R"({"v": "x"}, {"v": "x"}, {"v": "x"}, null, 0.0, false, null, false)",
                   {{"x", {2, 4, 16, 8}}},
                   {2, 4, 16, 8},
                   1024,
                   2 * 2.0 * 8 * 16 * 16 * 8,
                   1024});
  // Views, and what they leave unread.
  forms.push_back({"transpose", "int", x + ", 0, 1", one, {10, 6}, 60});
  forms.push_back({"permute", "", x + ", [1, 0]", one, {10, 6}, 60});
  forms.push_back({"reshape", "", x + ", [-1]", one, {60}, 60});
  forms.push_back({"slice", "Tensor", x + ", 1, 0, 4, 1", one, {6, 4}, 24});
  forms.push_back({"select", "int", x + ", 0, 2", one, {10}, 10});
  forms.push_back({"narrow", "", x + ", 1, 2, 3", one, {6, 3}, 18});
  forms.push_back({"unsqueeze", "", x + ", 0", one, {1, 6, 10}, 60});
  forms.push_back({"expand", "", x + ", [3, 6, 10], false", one, {3, 6, 10}, 60});
  forms.push_back({"split", "Tensor", x + ", 5, 1", one, {6, 5}, 30, 0, 0, R"("y", null)"});
  forms.push_back({"unbind", "int", x + ", 1", {{"x", {6, 2}}}, {6}, 6, 0, 0, R"(null, "y")"});
  forms.push_back({"cat", "", R"([{"v": "x"}, {"v": "z"}], 1)", two, {6, 20}, 120});
  forms.push_back({"stack", "", R"([{"v": "x"}, {"v": "z"}], 0)", two, {2, 6, 10}, 120});
  forms.push_back({"pad", "", x + R"(, [1, 1], "constant", null)", one, {6, 12}, 60});
  forms.push_back({"repeat", "", x + ", [2, 1]", one, {12, 10}, 60});
  return forms;
}

double elements(const Shape& shape) {
  double product = 1;
  for (const std::int64_t extent : shape) product *= static_cast<double>(extent);
  return product;
}

TEST(Work, EqualsTheClosedFormOfEachOperator) {
  const auto forms = closed_forms();
  EXPECT_GE(forms.size(), 60u);
  for (const Form& form : forms) {
    SCOPED_TRACE(form.op + "." + form.overload + "(" + form.args + ")");
    const Work work =
        count(form.inputs, node(form.op, form.overload, form.args, form.outs), form.output);
    EXPECT_EQ(work.uncounted, "");
    EXPECT_DOUBLE_EQ(work.read_bytes, 4 * form.read);
    EXPECT_DOUBLE_EQ(work.written_bytes, 4 * elements(form.output));
    EXPECT_DOUBLE_EQ(work.products, form.products);
    EXPECT_DOUBLE_EQ(work.transcendental, form.transcendental);
  }
}

TEST(Work, UnfusedEveryOperatorReadsAndWrites) {
  const Work work =
      count({{"x", {100}}}, node("exp", "", kX, R"("a")") + "," + node("neg", "", R"({"v": "a"})"),
            {100});
  EXPECT_DOUBLE_EQ(work.least_bytes(), 800);
  EXPECT_DOUBLE_EQ(work.unfused_bytes, 1600);
}

TEST(Work, ATransposedTensorIsCopiedWhereItIsReshaped) {
  const auto nodes = [](const char* first) {
    return std::string(first) + "," + node("reshape", "", R"({"v": "a"}, [-1])");
  };
  const std::string turned = node("transpose", "int", R"({"v": "x"}, 0, 1)", R"("a")");
  const std::string plain = node("unsqueeze", "", R"({"v": "x"}, 0)", R"("a")");
  EXPECT_DOUBLE_EQ(count({{"x", {6, 10}}}, nodes(turned.c_str()), {60}).unfused_bytes, 480);
  EXPECT_DOUBLE_EQ(count({{"x", {6, 10}}}, nodes(plain.c_str()), {60}).unfused_bytes, 0);
}

// The logits of a loss are read, the classes as well; of a table of embeddings nobody knows which.
TEST(Work, OfATableOnlyTheIndicesAreSureToBeRead) {
  const Work work =
      count({{"x", {1000, 16}}, {"z", {5}, DType::kInt64}},
            node("embedding", "", R"({"v": "x"}, {"v": "z"}, -1, false, false)"), {5, 16});
  EXPECT_EQ(work.uncounted, "");
  EXPECT_DOUBLE_EQ(work.read_bytes, 5 * 8);
}

TEST(Work, ClassesOfALossAreNoIndicesThatPick) {
  const Work work =
      count({{"x", {32, 10}}, {"z", {32}, DType::kInt64}},
            node("cross_entropy_loss", "", R"({"v": "x"}, {"v": "z"}, null, 1, -100, 0.0)"), {});
  EXPECT_DOUBLE_EQ(work.read_bytes, 4 * 320 + 8 * 32);
}

TEST(Work, OnlyTheRowsThatAreUsedLaterAreNeeded) {
  const std::string nodes = node("linear", "", R"({"v": "x"}, {"v": "z"}, null)", R"("a")") + "," +
                            node("relu", "", R"({"v": "a"})", R"("b")") + "," +
                            node("slice", "Tensor", R"({"v": "b"}, 0, 0, 2, 1)");
  const Work work = count({{"x", {8, 10}}, {"z", {4, 10}}}, nodes, {2, 4});
  EXPECT_DOUBLE_EQ(work.products, 2 * 8 * 4 * 10);
  EXPECT_DOUBLE_EQ(work.needed_products, 2 * 2 * 4 * 10);
}

TEST(Work, ACausalAttentionNeedsHalf) {
  const Work work =
      count({{"x", {2, 4, 16, 8}}},
            node("scaled_dot_product_attention", "",
                 R"({"v": "x"}, {"v": "x"}, {"v": "x"}, null, 0.0, true, null, false)"),
            {2, 4, 16, 8});
  EXPECT_DOUBLE_EQ(work.needed_products, work.products / 2);
}

TEST(Work, WinogradMayLeaveThreeQuartersOfAConvolutionByThree) {
  const auto convolution = [](const char* stride) {
    return count({{"x", {2, 3, 9, 9}}, {"z", {5, 3, 3, 3}}},
                 node("conv2d", "", std::string(kXZ) + ", null, " + stride + ", [1, 1], [1, 1], 1"),
                 {2, 5, 9, 9});
  };
  const Work plain = convolution("[1, 1]");
  EXPECT_DOUBLE_EQ(plain.least_products, plain.products / 4);
  EXPECT_DOUBLE_EQ(plain.direct_products, plain.products);
  EXPECT_DOUBLE_EQ(plain.direct_tf32_products, plain.products);
  const Work strided = convolution("[2, 2]");
  EXPECT_DOUBLE_EQ(strided.least_products, strided.products);
}

// Products that cuDNN computes may be TF32 by default; those of cuBLAS may not.
TEST(Work, ConvolutionsAreTheProductsThatMayBeTf32ByDefault) {
  const auto tf32 = [](const std::vector<Given>& inputs, const std::string& nodes,
                       const Shape& output) {
    const Work work = count(inputs, nodes, output);
    return work.least_tf32_products / work.least_products;
  };
  const std::string strides = ", null, [2, 2], [1, 1], ";
  const std::vector<Given> images{{"x", {2, 3, 9, 9}}, {"z", {5, 3, 3, 3}}};
  EXPECT_EQ(
      tf32(images, node("conv2d", "", std::string(kXZ) + strides + "[1, 1], 1"), {2, 5, 5, 5}), 1);
  EXPECT_EQ(tf32(images, node("conv2d", "", std::string(kXZ) + ", null, [1, 1], [1, 1], [1, 1], 1"),
                 {2, 5, 9, 9}),
            1);
  EXPECT_EQ(
      tf32({{"x", {2, 3, 4, 4}}, {"z", {3, 5, 3, 3}}},
           node("conv_transpose2d", "input", std::string(kXZ) + strides + "[0, 0], 1, [1, 1]"),
           {2, 5, 7, 7}),
      1);
  EXPECT_EQ(tf32({{"x", {8, 10}}, {"z", {10, 6}}}, node("matmul", "", kXZ), {8, 6}), 0);
  EXPECT_EQ(tf32({{"x", {8, 10}}, {"z", {6, 10}}}, node("linear", "", std::string(kXZ) + ", null"),
                 {8, 6}),
            0);
  EXPECT_EQ(tf32({{"x", {2, 4, 16, 8}}},
                 node("scaled_dot_product_attention", "",
                      R"({"v": "x"}, {"v": "x"}, {"v": "x"}, null, 0.0, false, null, false)"),
                 {2, 4, 16, 8}),
            0);
  // Half of each: 2 images of 9x9 by 27, and a product as large.
  const Work both =
      count({{"x", {1, 4, 8, 8}}, {"z", {4, 4, 1, 1}}, {"w", {8, 8}}},
            node("conv2d", "", std::string(kXZ) + ", null, [1, 1], [0, 0], [1, 1], 1", R"("a")") +
                "," + node("matmul", "", R"({"v": "a"}, {"v": "w"})"),
            {1, 4, 8, 8});
  EXPECT_DOUBLE_EQ(both.least_tf32_products, 2.0 * 4 * 64 * 4);
  EXPECT_DOUBLE_EQ(both.least_products, 2.0 * 4 * 64 * 4 + 2.0 * 4 * 8 * 8 * 8);
}

// Was suspect: a product of triangular matrices that leaves the zeros out takes a sixth.
TEST(Work, TrianglesAreReadByHalfAndMultipliedByASixth) {
  Made made = make({{"x", {8, 8}}, {"z", {8, 8}}}, node("matmul", "", kXZ), {8, 8});
  made.size.inputs[0].draw.keep = Draw::Keep::kUpper;
  made.size.inputs[1].draw.kind = Draw::Kind::kTriu;
  const Work work = count_work(made.graph, made.size, 0);
  EXPECT_DOUBLE_EQ(work.read_bytes, 2 * 4 * 32);
  EXPECT_DOUBLE_EQ(work.needed_products, work.products / 6);
}

TEST(Work, WhatEveryCallGetsAlikeNeedNotBeRead) {
  Made made = make({{"x", {10}}, {"z", {10}}}, node("mul", "Tensor", kXZ), {10});
  made.size.inputs[1].draw.kind = Draw::Kind::kConstant;
  EXPECT_DOUBLE_EQ(count_work(made.graph, made.size, 0).read_bytes, 40);
}

// Bytes of its tensors and the operations that its file says are left for the floor.
TEST(Work, AnOperatorThatNobodyCountsLeavesNoLimit) {
  const Made made = make({{"x", {6, 6}}}, node("linalg_inv", "", kX), {6, 6});
  const Work work = count_work(made.graph, made.size, 123);
  EXPECT_FALSE(work.is_counted());
  EXPECT_THAT(work.uncounted, HasSubstr("linalg_inv"));
  EXPECT_DOUBLE_EQ(work.least_bytes(), 2 * 4 * 36);
  EXPECT_EQ(work.products, 123);
}

TEST(Work, AnUncountedTaskWithIndicesIsBoundByItsOutputsOnly) {
  const Made made =
      make({{"x", {6, 6}}, {"z", {6}, DType::kInt64}}, node("linalg_inv", "", kX), {6, 6});
  EXPECT_DOUBLE_EQ(count_work(made.graph, made.size, 0).least_bytes(), 4 * 36);
}

// The floor asks for nothing there; the limit only leaves out the product that is summed.
TEST(Work, AProductThatIsOnlySummedIsNoPartOfTheLimit) {
  const std::string both = node("linear", "", R"({"v": "x"}, {"v": "z"}, null)", R"("a")") + "," +
                           node("relu", "", R"({"v": "a"})", R"("b")") + "," +
                           node("linear", "", R"({"v": "b"}, {"v": "z"}, null)", R"("c")");
  const std::vector<Given> given{{"x", {8, 10}}, {"z", {10, 10}}};
  const Work summed =
      count(given, both + "," + node("sum", "dim_IntList", R"({"v": "c"}, [1], false, null)"), {8});
  EXPECT_DOUBLE_EQ(summed.products, 3200);
  EXPECT_DOUBLE_EQ(summed.least_products, 1600);
  EXPECT_EQ(summed.needed_products, 0);
  const Work kept = count(given, both + "," + node("relu", "", R"({"v": "c"})"), {8, 10});
  EXPECT_DOUBLE_EQ(kept.least_products, 3200);
}

TEST(Work, TheLastStepOfARecurrentLayerNeedsAllBefore) {
  const std::string nodes =
      node("lstm", "input",
           R"({"v": "x"}, [{"v": "h"}, {"v": "h"}], [{"v": "w"}, {"v": "u"}], false, 1, 0.0, false,
              false, true)",
           R"("a", null, null)") +
      "," + node("select", "int", R"({"v": "a"}, 1, -1)");
  const Work work = count({{"x", {2, 50, 8}}, {"h", {1, 2, 16}}, {"w", {64, 8}}, {"u", {64, 16}}},
                          nodes, {2, 16});
  EXPECT_EQ(work.uncounted, "");
  EXPECT_DOUBLE_EQ(work.products, 2.0 * 100 * (64 * 8 + 64 * 16));
  EXPECT_DOUBLE_EQ(work.needed_products, work.products);
  EXPECT_DOUBLE_EQ(work.read_bytes, 4 * (800 + 32 + 64 * 24));
}

// The lowered files say what PyTorch counted: the same, but for an LSTM, of which it counts
// nothing.
TEST(Work, OfTheShippedTasksAllButAFewAreCountedAsTheirFilesSay) {
  std::vector<std::string> uncounted;
  std::set<std::string> other;
  int tasks = 0;
  for (const char* level : {"level1", "level2", "level3"}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(kbench::test::kSuites) / level)) {
      if (entry.path().extension() != ".json") continue;
      const auto task = load_task(entry.path());
      ASSERT_TRUE(task) << task.error().message;
      ++tasks;
      const Json file = Json::parse(std::ifstream(entry.path()));
      for (const TaskSize& size : task->sizes) {
        const Work& work = size.work;
        if (!work.is_counted()) uncounted.push_back(task->id + ": " + work.uncounted);
        const double written = file.at("sizes").at(size.name).at("flops").get<double>();
        if (work.is_counted() && work.products != written) other.insert(task->id);
        EXPECT_LE(work.needed_products, work.products) << task->id;
        EXPECT_LE(work.least_products, work.products) << task->id;
        EXPECT_LE(work.parameter_bytes, work.read_bytes) << task->id;
        if (task->id == "level2/014_gemm_divide_sum_scaling") {
          EXPECT_EQ(work.needed_products, 0);
          EXPECT_GT(work.parameter_bytes, work.read_bytes / 2);
        }
        EXPECT_LE(work.read_bytes, work.unfused_bytes) << task->id;
        EXPECT_GT(work.least_bytes(), 0) << task->id;
      }
    }
  }
  EXPECT_EQ(tasks, 250);
  EXPECT_THAT(uncounted, ::testing::IsEmpty());
  EXPECT_THAT(other, ::testing::ElementsAre("level3/035_lstm", "level3/036_lstmhn",
                                            "level3/037_lstmcn", "level3/038_lstmbidirectional"));
}

}  // namespace
}  // namespace kbench
