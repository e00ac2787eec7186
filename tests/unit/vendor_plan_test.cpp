#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/vendor/plan.hpp"
#include "runner/core/json.hpp"
#include "runner/task/graph.hpp"
#include "runner/task/task.hpp"
#include "tests/unit/golden.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using Shape = std::vector<std::int64_t>;
using Activation = VendorProduct::Activation;

struct Given {
  std::string name;
  Shape shape;
  bool is_parameter = false;  // these come last
};

// The plan of a graph over these inputs, whose output is y.
Result<VendorPlan> plan_of(const std::vector<Given>& inputs, const std::vector<Json>& nodes,
                           const Shape& output, DType type = DType::kFloat32,
                           const std::string& precision = "torch-default") {
  TaskSize size;
  Json names = Json::array(), parameter_names = Json::array();
  for (const Given& one : inputs) {
    (one.is_parameter ? parameter_names : names).push_back({{"name", one.name}});
    (one.is_parameter ? size.parameters : size.inputs)
        .push_back({.name = one.name, .dtype = type, .shape = one.shape});
  }
  size.outputs = {{.name = "out", .dtype = type, .shape = output}};
  auto graph = parse_size_graph({{"inputs", names},
                                 {"parameters", parameter_names},
                                 {"nodes", nodes},
                                 {"outputs", {{{"name", "out"}, {"value", "y"}}}}});
  EXPECT_TRUE(graph) << graph.error().message;
  return graph ? make_vendor_plan(*graph, size, precision) : graph.error();
}

Json v(const std::string& name) { return {{"v", name}}; }
Json scalar(double number) { return {{"scalar", number}}; }
Json node(const std::string& op, const std::vector<Json>& args, const std::string& out = "y",
          const std::string& overload = "") {
  return {{"op", "aten::" + op}, {"overload", overload}, {"args", args}, {"outs", {out}}};
}

VendorProduct product_of(const std::vector<Given>& inputs, const std::vector<Json>& nodes,
                         const Shape& output) {
  const auto plan = plan_of(inputs, nodes, output);
  if (plan) return std::get<VendorProduct>(plan->call);
  ADD_FAILURE() << plan.error().message;
  return {};
}

std::string reason_of(const std::vector<Given>& inputs, const std::vector<Json>& nodes,
                      const Shape& output) {
  const auto plan = plan_of(inputs, nodes, output);
  return plan ? "" : plan.error().message;
}

const std::vector<Given> kLinear{{"x", {8, 16}}, {"w", {4, 16}, true}, {"b", {4}, true}};
const Json kMadeLinear = node("linear", {v("x"), v("w"), v("b")}, "p");

TEST(VendorPlanOfProducts, KnowsWhichSideLiesTheOtherWayRound) {
  const auto plain =
      product_of({{"a", {2, 3}}, {"b", {3, 5}}}, {node("matmul", {v("a"), v("b")})}, {2, 5});
  EXPECT_EQ((Shape{plain.m, plain.n, plain.k, plain.batch}), (Shape{2, 5, 3, 1}));
  EXPECT_FALSE(plain.a.transposed || plain.b.transposed);

  const auto turned =
      product_of({{"a", {3, 2}}, {"b", {3, 5}}},
                 {node("numpy_T", {v("a")}, "t"), node("matmul", {v("t"), v("b")})}, {2, 5});
  EXPECT_EQ((Shape{turned.m, turned.n, turned.k}), (Shape{2, 5, 3}));
  EXPECT_TRUE(turned.a.transposed);
  EXPECT_FALSE(turned.b.transposed);

  const auto linear = product_of(kLinear, {node("linear", {v("x"), v("w"), v("b")})}, {8, 4});
  EXPECT_EQ((Shape{linear.m, linear.n, linear.k}), (Shape{8, 4, 16}));
  EXPECT_TRUE(linear.b.transposed);
  ASSERT_EQ(linear.terms.size(), 1U);
  EXPECT_EQ(linear.terms[0].vector.index, 1U);
  EXPECT_TRUE(linear.terms[0].vector.is_parameter);
}

TEST(VendorPlanOfProducts, TakesDimensionsBeforeAMatrixAsRows) {
  const auto rows =
      product_of({{"a", {6, 7, 3}}, {"b", {3, 5}}}, {node("matmul", {v("a"), v("b")})}, {6, 7, 5});
  EXPECT_EQ((Shape{rows.m, rows.n, rows.k, rows.batch}), (Shape{42, 5, 3, 1}));

  const auto batch =
      product_of({{"a", {6, 2, 3}}, {"b", {6, 3, 5}}}, {node("bmm", {v("a"), v("b")})}, {6, 2, 5});
  EXPECT_EQ((Shape{batch.m, batch.n, batch.k, batch.batch}), (Shape{2, 5, 3, 6}));
  EXPECT_EQ(batch.a.batch_stride, 6);
  EXPECT_EQ(batch.b.batch_stride, 15);

  const auto repeated =
      product_of({{"a", {2, 3}}, {"b", {6, 3, 5}}}, {node("matmul", {v("a"), v("b")})}, {6, 2, 5});
  EXPECT_EQ(repeated.batch, 6);
  EXPECT_EQ(repeated.a.batch_stride, 0);

  const auto summed =
      product_of({{"a", {2, 6, 7, 3}}, {"b", {3, 5}}},
                 {node("einsum", {"bijl,lk->bijk", {v("a"), v("b")}, nullptr})}, {2, 6, 7, 5});
  EXPECT_EQ((Shape{summed.m, summed.n, summed.k}), (Shape{84, 5, 3}));
}

TEST(VendorPlanOfProducts, FoldsNumbersIntoTheScaleAndTheVector) {
  // 1.5 (x w + b - 2)
  const auto product =
      product_of(kLinear,
                 {kMadeLinear, node("sub", {v("p"), scalar(2), 1}, "q", "Tensor"),
                  node("mul", {v("q"), scalar(1.5)}, "r", "Tensor"), node("relu", {v("r")})},
                 {8, 4});
  EXPECT_EQ(product.scale, 1.5);
  EXPECT_EQ(product.shift, -3);
  EXPECT_EQ(product.terms.at(0).factor, 1.5);
  EXPECT_EQ(product.activation, Activation::kRelu);

  // x w + b and half of it
  const auto sum = product_of(kLinear,
                              {kMadeLinear, node("mul", {v("p"), scalar(0.5)}, "q", "Tensor"),
                               node("add", {v("q"), v("p"), 1}, "y", "Tensor")},
                              {8, 4});
  EXPECT_EQ(sum.scale, 1.5);
  EXPECT_EQ(sum.terms.size(), 2U);

  // A rectifier lets a positive factor through.
  const auto halved = product_of(
      kLinear,
      {kMadeLinear, node("relu", {v("p")}, "q"), node("div", {v("q"), scalar(2)}, "y", "Tensor")},
      {8, 4});
  EXPECT_EQ(halved.scale, 0.5);
  EXPECT_EQ(halved.activation, Activation::kRelu);
}

TEST(VendorPlanOfProducts, SaysWhatIsNoEpilogue) {
  const auto after = [](const std::vector<Json>& nodes) {
    std::vector<Json> all{node("addmm", {v("b"), v("x"), v("w"), 1, 1}, "p")};
    all.insert(all.end(), nodes.begin(), nodes.end());
    return reason_of({{"x", {8, 16}}, {"w", {16, 4}, true}, {"b", {4}, true}}, all, {8, 4});
  };
  EXPECT_EQ(after({node("tanh", {v("p")})}), "tanh is no epilogue of cuBLASLt");
  EXPECT_EQ(after({node("gelu", {v("p"), "tanh"})}), "");
  EXPECT_THAT(after({node("gelu", {v("p"), "none"})}), HasSubstr("the task's is exact"));
  EXPECT_THAT(after({node("relu", {v("p")}, "q"), node("gelu", {v("q"), "tanh"})}),
              HasSubstr("two activations"));
  EXPECT_THAT(
      after({node("relu", {v("p")}, "q"), node("mul", {v("q"), scalar(-1)}, "y", "Tensor")}),
      HasSubstr("behind the activation"));
  EXPECT_THAT(after({node("mul", {v("p"), v("b")}, "y", "Tensor")}),
              HasSubstr("multiplies the product by a tensor"));
  EXPECT_THAT(after({node("add", {v("p"), v("p"), 1}, "q", "Tensor"),
                     node("add", {v("q"), v("x"), 1}, "y", "Tensor")}),
              HasSubstr("shapes that do not fit"));
  EXPECT_EQ(reason_of({{"x", {8, 8}}, {"b", {8}}},
                      {node("mm", {v("x"), v("x")}, "p"),
                       node("add", {v("p"), v("b"), 2}, "y", "Tensor")},
                      {8, 8}),
            "the vector that is added is made of an input");
  EXPECT_EQ(reason_of({{"x", {8, 8}}},
                      {node("mm", {v("x"), v("x")}, "p"), node("mm", {v("p"), v("x")})}, {8, 8}),
            "2 matrix products");
  EXPECT_EQ(reason_of({{"x", {8, 4}}}, {node("gelu", {v("x"), "none"})}, {8, 4}),
            "no matrix product and no convolution, and gelu is no function of cuDNN's that is "
            "called here");
  EXPECT_THAT(reason_of({{"x", {8, 8}}},
                        {node("relu", {v("x")}, "r"), node("mm", {v("r"), v("x")})}, {8, 8}),
              HasSubstr("relu comes before the product"));
}

// A linear layer that cuBLASLt has no epilogue for is a convolution of 1 x 1 to cuDNN.
TEST(VendorPlanOfLayers, AreConvolutionsWithChannelsLast) {
  const auto plan = plan_of(
      kLinear, {kMadeLinear, node("mul", {v("p"), v("b")}, "q", "Tensor"), node("tanh", {v("q")})},
      {8, 4});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(library_of(*plan), "cuDNN");
  EXPECT_FALSE(plan->may_use_tf32) << "a product rounds only where the run says so";
  const auto& call = std::get<VendorConvolution>(plan->call);
  EXPECT_TRUE(call.channels_last);
  EXPECT_EQ(call.x_shape, (Shape{8, 16, 1, 1}));
  EXPECT_EQ(call.weight_shape, (Shape{4, 16, 1, 1}));
  EXPECT_EQ(call.y_shape, (Shape{8, 4, 1, 1}));
  EXPECT_EQ(call.padding, (Shape{0, 0}));
  ASSERT_EQ(call.steps.size(), 3U);  // bias, factor, tanh
  EXPECT_EQ(std::get<VendorStep::Tensor>(call.steps[1].right).shape, (Shape{1, 4, 1, 1}));
}

TEST(VendorPlanOfLayers, HaveBothReasonsWhereNeitherLibraryFusesThem) {
  EXPECT_THAT(
      reason_of(kLinear,
                {kMadeLinear, node("sum", {v("p"), {1}, true, nullptr}, "y", "dim_IntList")},
                {8, 1}),
      HasSubstr("cuBLASLt; sum is no pointwise operator"));
}

const std::vector<Given> kImage{
    {"x", {2, 3, 8, 8}}, {"w", {4, 3, 3, 3}}, {"b", {4}}, {"s", {4, 1, 1}}};
Json convolved(const std::string& out) {
  return node("conv2d", {v("x"), v("w"), v("b"), {1, 1}, {1, 1}, {1, 1}, 1}, out);
}

TEST(VendorPlanOfConvolutions, TakesPointwiseOperatorsAsSteps) {
  const auto plan = plan_of(
      kImage,
      {convolved("c"), node("mul", {v("c"), v("s")}, "m", "Tensor"), node("mish", {v("m")})},
      {2, 4, 8, 8});
  ASSERT_TRUE(plan) << plan.error().message;
  const auto& call = std::get<VendorConvolution>(plan->call);
  EXPECT_EQ(call.y_shape, (Shape{2, 4, 8, 8}));
  ASSERT_EQ(call.steps.size(), 5U);  // bias, scale, softplus, tanh, mul
  EXPECT_EQ(std::get<VendorStep::Tensor>(call.steps[0].right).shape, (Shape{1, 4, 1, 1}));
  EXPECT_EQ(std::get<VendorStep::Tensor>(call.steps[1].right).shape, (Shape{1, 4, 1, 1}));
  EXPECT_EQ(call.steps[4].mode, VendorStep::Mode::kMul);
  EXPECT_EQ(call.steps[4].left, 4U);
  EXPECT_EQ(std::get<std::size_t>(call.steps[4].right), 2U);
}

TEST(VendorPlanOfConvolutions, GivesASignalAHeight) {
  const auto plan = plan_of(
      {{"x", {2, 3, 10}}, {"w", {3, 4, 3}}},
      {node("conv_transpose1d", {v("x"), v("w"), nullptr, {2}, {1}, {0}, 1, {1}})}, {2, 4, 19});
  ASSERT_TRUE(plan) << plan.error().message;
  const auto& call = std::get<VendorConvolution>(plan->call);
  EXPECT_TRUE(call.is_transposed);
  EXPECT_EQ(call.x_shape, (Shape{2, 3, 1, 10}));
  EXPECT_EQ(call.y_shape, (Shape{2, 4, 1, 19}));
  EXPECT_EQ(call.stride, (Shape{1, 2}));
  EXPECT_EQ(call.padding, (Shape{0, 1}));
}

TEST(VendorPlanOfConvolutions, SaysWhatIsNoStep) {
  EXPECT_EQ(reason_of(kImage, {convolved("c"), node("softmax", {v("c"), 1, nullptr}, "y", "int")},
                      {2, 4, 8, 8}),
            "softmax is no pointwise operator of cuDNN's graphs");
  EXPECT_THAT(reason_of(kImage,
                        {node("relu", {v("x")}, "r"),
                         node("conv2d", {v("r"), v("w"), nullptr, {1, 1}, {1, 1}, {1, 1}, 1})},
                        {2, 4, 8, 8}),
              HasSubstr("relu comes before"));
}

VendorOperator operator_of(const std::vector<Given>& inputs, const std::vector<Json>& nodes,
                           const Shape& output) {
  const auto plan = plan_of(inputs, nodes, output);
  if (plan) return std::get<VendorOperator>(plan->call);
  ADD_FAILURE() << plan.error().message;
  return {};
}

using Kind = VendorOperator::Kind;
const std::vector<Given> kVolume{{"x", {2, 3, 5}}};

TEST(VendorPlanOfOperators, TakesOneOnOneTensor) {
  const auto relu = operator_of(kVolume, {node("relu", {v("x")})}, {2, 3, 5});
  EXPECT_EQ(relu.kind, Kind::kRelu);
  EXPECT_EQ(relu.x_shape, (Shape{2, 3, 5, 1}));
  const auto scale =
      operator_of(kVolume, {node("mul", {v("x"), scalar(3)}, "y", "Tensor")}, {2, 3, 5});
  EXPECT_EQ(scale.kind, Kind::kScale);
  EXPECT_EQ(scale.number, 3);
  EXPECT_EQ(operator_of(kVolume, {node("elu", {v("x"), 0.5, 1, 1})}, {2, 3, 5}).number, 0.5);
  for (const bool left : {true, false}) {
    const auto swish =
        operator_of(kVolume,
                    {node("sigmoid", {v("x")}, "s"),
                     node("mul", {v(left ? "s" : "x"), v(left ? "x" : "s")}, "y", "Tensor")},
                    {2, 3, 5});
    EXPECT_EQ(swish.kind, Kind::kSwish);
    EXPECT_EQ(swish.x.index, 0U);
  }
}

TEST(VendorPlanOfOperators, PutsASoftmaxIntoTheSecondOfFourDimensions) {
  const auto last =
      operator_of(kVolume, {node("softmax", {v("x"), -1, nullptr}, "y", "int")}, {2, 3, 5});
  EXPECT_EQ(last.x_shape, (Shape{6, 5, 1, 1}));
  const auto middle =
      operator_of(kVolume, {node("log_softmax", {v("x"), 1, nullptr}, "y", "int")}, {2, 3, 5});
  EXPECT_EQ(middle.kind, Kind::kLogSoftmax);
  EXPECT_EQ(middle.x_shape, (Shape{2, 3, 5, 1}));
}

TEST(VendorPlanOfOperators, ReducesWhetherDimensionsAreKeptOrNot) {
  for (const bool kept : {true, false}) {
    const auto sum =
        operator_of(kVolume, {node("sum", {v("x"), {-2}, kept, nullptr}, "y", "dim_IntList")},
                    kept ? Shape{2, 1, 5} : Shape{2, 5});
    EXPECT_EQ(sum.kind, Kind::kSum);
    EXPECT_EQ(sum.x_shape, (Shape{2, 3, 5, 1}));
    EXPECT_EQ(sum.y_shape, (Shape{2, 1, 5, 1}));
  }
}

TEST(VendorPlanOfOperators, PoolsSignalsAsImagesOfOneLine) {
  const auto pool = operator_of(
      {{"x", {2, 3, 10}}}, {node("avg_pool1d", {v("x"), {4}, {2}, {1}, false, false})}, {2, 3, 5});
  EXPECT_EQ(pool.kind, Kind::kAveragePoolWithin);
  EXPECT_EQ(pool.x_shape, (Shape{2, 3, 1, 10}));
  EXPECT_EQ(pool.y_shape, (Shape{2, 3, 1, 5}));
  EXPECT_EQ(pool.window, (Shape{1, 4}));
  EXPECT_EQ(pool.stride, (Shape{1, 2}));
  EXPECT_EQ(pool.padding, (Shape{0, 1}));
}

TEST(VendorPlanOfOperators, SaysWhatCudnnHasNot) {
  const std::vector<Given> image{{"x", {2, 3, 8, 8}}};
  EXPECT_EQ(reason_of(image, {node("max_pool2d", {v("x"), {2, 2}, {1, 1}, {0, 0}, {3, 3}, false})},
                      {2, 3, 5, 5}),
            "a window with gaps, which cuDNN's pooling has not");
  EXPECT_EQ(reason_of(image, {node("max_pool2d", {v("x"), {2, 2}, {2, 2}, {0, 0}, {1, 1}, true})},
                      {2, 3, 4, 4}),
            "a window that hangs over the end");
  EXPECT_EQ(reason_of(kVolume, {node("tanh", {v("x")}, "t"), node("relu", {v("t")})}, {2, 3, 5}),
            "no matrix product and no convolution, but several operators");
  EXPECT_EQ(reason_of(kVolume, {node("elu", {v("x"), 1, 2, 1})}, {2, 3, 5}), "an elu with a scale");
  EXPECT_EQ(reason_of({{"x", {2, 3}}, {"z", {2, 3}}},
                      {node("mul", {v("x"), v("z")}, "y", "Tensor")}, {2, 3}),
            "a product of two tensors, element by element");
}

TEST(VendorPlan, HasThePrecisionOfTheRun) {
  const std::vector<Given> inputs{{"a", {2, 3}}, {"b", {3, 5}}};
  const std::vector<Json> nodes{node("matmul", {v("a"), v("b")})};
  const auto tf32 = [&](const std::string& precision) {
    return plan_of(inputs, nodes, {2, 5}, DType::kFloat32, precision)->may_use_tf32;
  };
  EXPECT_FALSE(tf32("torch-default"));
  EXPECT_FALSE(tf32("fp32"));
  EXPECT_TRUE(tf32("tf32"));
  const auto image = [&](const std::string& precision) {
    return plan_of(kImage, {convolved("y")}, {2, 4, 8, 8}, DType::kFloat32, precision)
        ->may_use_tf32;
  };
  EXPECT_TRUE(image("torch-default"));
  EXPECT_FALSE(image("fp32"));
  const auto half = plan_of(inputs, nodes, {2, 5}, DType::kBFloat16, "bf16");
  EXPECT_EQ(half->type, DType::kBFloat16);
  EXPECT_FALSE(half->may_use_tf32);
  EXPECT_THAT(plan_of(inputs, nodes, {2, 5}, DType::kFloat64).error().message,
              HasSubstr("float64"));
}

std::string words(const VendorPlan& plan) {
  if (const auto* product = std::get_if<VendorProduct>(&plan.call))
    return fmt::format("cuBLASLt {} x {} x {}, batch {}, {} terms, scale {}, shift {}", product->m,
                       product->n, product->k, product->batch, product->terms.size(),
                       product->scale, product->shift);
  if (const auto* one = std::get_if<VendorOperator>(&plan.call))
    return fmt::format("cuDNN {} of {} to {}",
                       vendor_plan_json(plan).at("operator").at("kind").get<std::string>(),
                       fmt::join(one->x_shape, "x"), fmt::join(one->y_shape, "x"));
  const auto& call = std::get<VendorConvolution>(plan.call);
  return fmt::format("cuDNN {}{} * {} to {}, {} steps", call.is_transposed ? "transposed " : "",
                     fmt::join(call.x_shape, "x"), fmt::join(call.weight_shape, "x"),
                     fmt::join(call.y_shape, "x"), call.steps.size());
}

// Every task has a plan or a reason, both in words that are read.
TEST(VendorPlanOfShippedTasks, IsThereForNinetyAndOthersSayWhyNot) {
  std::string lines;
  int plans = 0;
  std::set<fs::path> files;
  for (const char* level : {"level1", "level2", "level3"})
    for (const auto& entry : fs::directory_iterator(fs::path(test::kSuites) / level))
      if (entry.path().extension() == ".json") files.insert(entry.path());
  for (const fs::path& file : files) {
    const auto task = load_task(file);
    const auto graph = load_graph(file, "full");
    ASSERT_TRUE(task && graph) << file;
    const auto plan = make_vendor_plan(*graph, *task->find_size("full"), "torch-default");
    lines += fmt::format("{}: {}\n", task->id, plan ? words(*plan) : plan.error().message);
    plans += plan ? 1 : 0;
    if (!plan) continue;
    const Json json = vendor_plan_json(*plan);
    EXPECT_EQ(vendor_plan_json(parse_vendor_plan(Json::parse(json.dump()))), json) << task->id;
  }
  EXPECT_EQ(files.size(), 250U);
  EXPECT_GE(plans, 90);
  lines += fmt::format("{} of {} tasks have a plan\n", plans, files.size());
  test::expect_golden("vendor_plans.txt", lines);
}

}  // namespace
}  // namespace kbench
