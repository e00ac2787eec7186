#include "baselines/executor.hpp"

#include <unistd.h>

#include <fstream>

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/gru.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Tensors = std::vector<at::Tensor>;

class Executor : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove(file_); }

  // Inputs x and z, parameter w, the given nodes and output values.
  Result<GraphExecutor> load(const std::string& nodes, const std::vector<std::string>& outputs,
                             DType type = DType::kFloat32) {
    Json size = {{"inputs", {{{"name", "x"}}, {{"name", "z"}}}},
                 {"parameters", {{{"name", "w"}}}},
                 {"nodes", Json::parse("[" + nodes + "]")},
                 {"outputs", Json::array()}};
    for (const std::string& output : outputs)
      size["outputs"].push_back({{"name", "out_" + output}, {"value", output}});
    const Json task = {{"schema", "kbench-task/1"}, {"sizes", {{"small", size}}}};
    std::ofstream(file_) << task.dump();
    return GraphExecutor::load(file_, "small", "cpu", type);
  }

  Tensors run(const std::string& nodes, const std::vector<std::string>& outputs,
              c10::ScalarType dtype = c10::ScalarType::Float, DType type = DType::kFloat32) {
    const auto executor = load(nodes, outputs, type);
    EXPECT_TRUE(executor) << executor.error().message;
    if (!executor) return {};
    x_ = at::arange(-3, 5, dtype).view({2, 4});
    z_ = at::ones({2, 4}, dtype) / 3;
    w_ = at::ones({4}, dtype) * 2;
    return executor->run({x_, z_}, {w_});
  }

  std::string load_error(const std::string& nodes) {
    const auto executor = load(nodes, {"y"});
    return executor ? "loaded" : executor.error().message;
  }

  fs::path file_ = fs::temp_directory_path() / ("executor_" + std::to_string(::getpid()) + ".json");
  at::Tensor x_, z_, w_;
};

constexpr auto kThird = 1.0 / 3;

TEST_F(Executor, RunsNodesInOrder) {
  const auto out =
      run(R"({"op": "aten::mul", "overload": "Tensor", "args": [{"v": "x"}, {"v": "w"}],
                           "outs": ["a"]},
                          {"op": "aten::relu", "overload": "", "args": [{"v": "a"}],
                           "outs": ["y"]})",
          {"y"});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(at::equal(out[0], (x_ * 2).relu()));
}

TEST_F(Executor, PutsANumberIntoATensorSlotWithoutRoundingIt) {
  const std::string nodes =
      R"({"op": "aten::mul", "overload": "Tensor", "args": [{"v": "x"}, {"scalar": 0.1}],
          "outs": ["y"]})";
  const auto out = run(nodes, {"y"}, c10::ScalarType::Double);
  EXPECT_EQ(out[0].scalar_type(), c10::ScalarType::Double);
  EXPECT_EQ(out[0][1][3].item<double>(), 4 * 0.1);  // 4 * double(0.1f) differs
  // And the number does not widen a float32 graph.
  EXPECT_EQ(run(nodes, {"y"})[0].scalar_type(), c10::ScalarType::Float);
}

TEST_F(Executor, RealMeansTheWorkingPrecision) {
  const std::string nodes =
      R"({"op": "aten::full", "overload": "",
          "args": [[2], 0.5, {"dtype": "real"}, {"layout": "strided"}, {"device": true}, false],
          "outs": ["y"]},
         {"op": "aten::to", "overload": "dtype", "args": [{"v": "x"}, {"dtype": "int64"}, false,
          false, null], "outs": ["i"]})";
  EXPECT_EQ(run(nodes, {"y"})[0].scalar_type(), c10::ScalarType::Float);
  const auto out = run(nodes, {"y", "i"}, c10::ScalarType::Double);
  EXPECT_EQ(out[0].scalar_type(), c10::ScalarType::Double);
  EXPECT_EQ(out[1].scalar_type(), c10::ScalarType::Long);
}

TEST_F(Executor, AnotherTypeStandsInThePlaceOfFloat32) {
  const std::string nodes =
      R"({"op": "aten::full", "overload": "",
          "args": [[2], 0.5, {"dtype": "real"}, {"layout": "strided"}, {"device": true}, false],
          "outs": ["y"]},
         {"op": "aten::to", "overload": "dtype", "args": [{"v": "x"}, {"dtype": "float32"}, false,
          false, null], "outs": ["f"]},
         {"op": "aten::to", "overload": "dtype", "args": [{"v": "x"}, {"dtype": "float64"}, false,
          false, null], "outs": ["d"]})";
  for (const auto& [type, scalar] : {std::pair{DType::kBFloat16, c10::ScalarType::BFloat16},
                                     std::pair{DType::kFloat16, c10::ScalarType::Half}}) {
    const auto out = run(nodes, {"y", "f", "d"}, scalar, type);
    EXPECT_EQ(out[0].scalar_type(), scalar);
    EXPECT_EQ(out[1].scalar_type(), scalar);
    EXPECT_EQ(out[2].scalar_type(), c10::ScalarType::Double);
    EXPECT_EQ(run(nodes, {"y"}, c10::ScalarType::Double, type)[0].scalar_type(),
              c10::ScalarType::Double)
        << "the reference";
  }
}

TEST_F(Executor, TakesAndReturnsListsOfTensors) {
  const auto out = run(R"({"op": "aten::split", "overload": "Tensor", "args": [{"v": "x"}, 2, 1],
                           "outs": ["a", "b"]},
                          {"op": "aten::cat", "overload": "",
                           "args": [[{"v": "b"}, {"v": "a"}, {"v": "b"}], 1], "outs": ["y"]})",
                       {"y", "a"});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].sizes(), (std::vector<std::int64_t>{2, 6}));
  EXPECT_TRUE(at::equal(out[0].narrow(1, 0, 2), x_.narrow(1, 2, 2)));
  EXPECT_TRUE(at::equal(out[1], x_.narrow(1, 0, 2)));
  EXPECT_FALSE(out[1].is_contiguous()) << "a copy of this view would be timed as eager's";
}

TEST_F(Executor, RoundsTheOperandsOfConvolutionsAloneToTf32) {
  const auto executor = load(
      R"({"op": "aten::view", "overload": "", "args": [{"v": "x"}, [1, 1, 4]], "outs": ["a"]},
         {"op": "aten::view", "overload": "", "args": [{"v": "z"}, [1, 1, 1]], "outs": ["b"]},
         {"op": "aten::conv1d", "overload": "",
          "args": [{"v": "a"}, {"v": "b"}, {"v": "w"}, [1], [0], [1], 1], "outs": ["y"]},
         {"op": "aten::mul", "overload": "Tensor", "args": [{"v": "y"}, {"v": "z"}],
          "outs": ["p"]})",
      {"y", "p"});
  ASSERT_TRUE(executor) << executor.error().message;
  EXPECT_TRUE(executor->has_convolutions());
  // Units of TF32 are 2^-10 here: less than a half, a half above an even one and an odd one.
  const float values[] = {1 + 0x1p-12f, 1 + 0x1p-11f, 1 + 0x3p-11f, -(1 + 0x1p-10f + 0x1p-11f)};
  const at::Tensor x = at::empty({4}, c10::ScalarType::Float);
  for (int i = 0; i < 4; ++i) x[i].fill_(values[i]);
  const at::Tensor z = at::ones({1}) + 0x1p-12, w = at::ones({1}) * 0x1p-20;

  const auto out = executor->run_with_tf32_convolutions({x, z}, {w});
  const float rounded[] = {1, 1, 1 + 0x1p-9f, -(1 + 0x1p-9f)};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(out[0][0][0][i].item<float>(), rounded[i] + 0x1p-20f) << "the bias is not rounded";
    EXPECT_EQ(out[1][0][0][i].item<float>(), (rounded[i] + 0x1p-20f) * (1 + 0x1p-12f));
    EXPECT_NE(executor->run({x, z}, {w})[0][0][0][i].item<float>(), rounded[i] + 0x1p-20f);
  }
}

TEST_F(Executor, TakesListsWithGaps) {
  const auto out = run(R"({"op": "aten::gt", "overload": "Scalar", "args": [{"v": "x"}, 0],
                           "outs": ["m"]},
                          {"op": "aten::index", "overload": "Tensor",
                           "args": [{"v": "x"}, [{"v": "m"}]], "outs": ["y"]},
                          {"op": "aten::argmax", "overload": "", "args": [{"v": "x"}, 1, false],
                           "outs": ["j"]},
                          {"op": "aten::index", "overload": "Tensor",
                           "args": [{"v": "x"}, [null, {"v": "j"}]], "outs": ["c"]})",
                       {"y", "c"});
  EXPECT_TRUE(at::equal(out[0], at::arange(1, 5, c10::ScalarType::Float)));
  EXPECT_TRUE(at::equal(out[1], x_.narrow(1, 3, 1).expand({2, 2})));
}

TEST_F(Executor, TakesFloatsFromIntegers) {
  const auto out = run(R"({"op": "aten::view", "overload": "", "args": [{"v": "x"}, [1, 1, 2, 4]],
              "outs": ["v"]},
             {"op": "aten::max_pool2d", "overload": "",
              "args": [{"v": "v"}, [2], [2], [0], [1], false], "outs": ["p"]},
             {"op": "aten::linspace", "overload": "",
              "args": [0, 1.0, 5, {"dtype": "real"}, null, null, null], "outs": ["l"]},
             {"op": "aten::upsample_nearest2d", "overload": "vec",
              "args": [{"v": "v"}, null, [2, 2.0]], "outs": ["u"]})",
                       {"p", "l", "u"});
  EXPECT_EQ(out[0].sizes(), (std::vector<std::int64_t>{1, 1, 1, 2}));
  EXPECT_TRUE(at::equal(out[1], at::linspace(0, 1, 5)));
  EXPECT_EQ(out[2].sizes(), (std::vector<std::int64_t>{1, 1, 4, 8}));
}

TEST_F(Executor, LeavesInputsAloneAndMayReturnThem) {
  const auto out = run(R"({"op": "aten::add", "overload": "Tensor",
                           "args": [{"v": "x"}, {"v": "x"}, 1], "outs": ["y"]})",
                       {"y", "x", "z", "y"});
  EXPECT_TRUE(at::equal(out[0], x_ * 2));
  EXPECT_TRUE(at::equal(out[1], x_));
  EXPECT_NEAR(out[2][0][0].item<double>(), kThird, 1e-7);
  EXPECT_TRUE(at::equal(out[3], out[0]));
}

TEST_F(Executor, WithoutANodeItWritesNoInputEither) {
  const auto executor = load(R"({"op": "aten::relu", "overload": "", "args": [{"v": "x"}],
                                 "outs": ["a"]},
                                {"op": "aten::add_", "overload": "Tensor",
                                 "args": [{"v": "a"}, {"v": "z"}, 1], "outs": ["y"]})",
                             {"y"});
  ASSERT_TRUE(executor) << executor.error().message;
  const at::Tensor x = at::arange(-3, 5, c10::ScalarType::Float).view({2, 4});
  const at::Tensor before = x + 0;
  const at::Tensor z = at::ones({2, 4});
  const auto out = executor->run_without(0, {x, z}, {z});
  EXPECT_TRUE(at::equal(out[0], before + 1));
  EXPECT_TRUE(at::equal(x, before));
}

TEST_F(Executor, RunsARecurrentLayerAsOneNode) {
  constexpr int kInput = 3;
  constexpr int kHidden = 5;
  Tensors parameters{at::rand({3 * kHidden, kInput}), at::rand({3 * kHidden, kHidden}),
                     at::rand({3 * kHidden}), at::rand({3 * kHidden})};
  const auto named = [](const char* name) { return Json{{"name", name}}; };
  const Json size = {{"inputs", {named("x"), named("h")}},
                     {"parameters", {named("wi"), named("wh"), named("bi"), named("bh")}},
                     {"nodes", Json::parse(R"([{"op": "aten::gru", "overload": "input",
          "args": [{"v": "x"}, {"v": "h"}, [{"v": "wi"}, {"v": "wh"}, {"v": "bi"}, {"v": "bh"}],
                   true, 1, 0.0, false, false, true], "outs": ["y", null]}])")},
                     {"outputs", {{{"name", "out"}, {"value", "y"}}}}};
  std::ofstream(file_) << Json{{"schema", "kbench-task/1"}, {"sizes", {{"small", size}}}}.dump();
  const auto executor = GraphExecutor::load(file_, "small", "cpu");
  ASSERT_TRUE(executor) << executor.error().message;

  const at::Tensor x = at::rand({2, 7, kInput});
  const at::Tensor h = at::rand({1, 2, kHidden});
  executor->adopt_parameters(parameters);
  const auto out = executor->run({x, h}, parameters);
  const c10::NoGradGuard no_grad;
  const auto expected = at::gru(x, h, parameters, true, 1, 0.0, false, false, true);
  EXPECT_TRUE(at::equal(out[0], std::get<0>(expected)));
}

// at::matmul asks a weight, and views of it, whether they require grad.
TEST_F(Executor, ParametersAndTheirViewsAreWhatAModulesAre) {
  const auto executor =
      load(R"({"op": "aten::t", "overload": "", "args": [{"v": "w"}], "outs": ["y"]})", {"y"});
  ASSERT_TRUE(executor) << executor.error().message;
  Tensors parameters{at::rand({1, 3}), at::ones({1}, at::kLong)};
  executor->adopt_parameters(parameters);
  EXPECT_TRUE(parameters[0].requires_grad());
  EXPECT_FALSE(parameters[1].requires_grad());
  // A view that is contiguous comes out as it is.
  const at::Tensor any = at::rand({1});
  EXPECT_TRUE(executor->run({any, any}, {parameters[0]})[0].requires_grad());
}

// The graph was held against the list of operators before LibTorch is asked: graph_test.
TEST_F(Executor, NamesTheNodeThatDoesNotFitTheOperator) {
  EXPECT_THAT(load_error(R"({"op": "aten::from_file", "overload": "", "args": ["/etc/passwd",
                             true, 1, null, null, null, null], "outs": ["y"]})"),
              HasSubstr("node 0 (\"aten::from_file\"): it is none of the"));
  EXPECT_THAT(load_error(R"({"op": "aten::relu", "overload": "", "args": [{"v": "x"}, 1],
                             "outs": ["y"]})"),
              HasSubstr("2 arguments, but the operator takes 1"));
}

TEST_F(Executor, NamesTheNodeThatThrows) {
  const auto executor =
      load(R"({"op": "aten::mm", "overload": "", "args": [{"v": "x"}, {"v": "z"}], "outs": ["y"]})",
           {"y"});
  ASSERT_TRUE(executor);
  const at::Tensor x = at::ones({2, 4});
  try {
    (void)executor->run({x, x}, {x});
    FAIL() << "the shapes do not fit";
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("node 0 (aten::mm)"));
  }
  EXPECT_THROW((void)executor->run({x}, {x}), c10::Error);
}

}  // namespace
}  // namespace kbench
