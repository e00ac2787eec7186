// Labelled slow: builds real packages with the real builder, and compares them with eager.
#include "baselines/package.hpp"

#include <cstdlib>
#include <fstream>

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/builder_pool.hpp"
#include "baselines/executor.hpp"
#include "runner/core/json.hpp"
#include "runner/installation/python_facts.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Tensors = std::vector<at::Tensor>;

Json tensor(const char* name, const std::vector<int>& shape) {
  return {{"name", name}, {"dtype", "float32"}, {"shape", shape}};
}

Json task_of(const Json& inputs, const Json& parameters, const char* nodes, const Json& outputs) {
  return {{"schema", "kbench-task/1"},
          {"sizes",
           {{"small",
             {{"inputs", inputs},
              {"parameters", parameters},
              {"nodes", Json::parse(nodes)},
              {"outputs", outputs}}}}}};
}

Json linear_relu() {
  return task_of(Json::array({tensor("x", {8, 32})}), {tensor("w", {16, 32}), tensor("b", {16})},
                 R"([{"op": "aten::linear", "overload": "", "args": [{"v": "x"}, {"v": "w"},
                      {"v": "b"}], "outs": ["a"]},
                     {"op": "aten::relu", "overload": "", "args": [{"v": "a"}], "outs": ["y"]}])",
                 {{{"name", "out"}, {"value", "y"}}});
}

// Batch-first, so that the builder has to turn it round; pointwise work on both of its results.
Json lstm() {
  return task_of(
      {tensor("x", {2, 9, 6}), tensor("h", {1, 2, 4}), tensor("c", {1, 2, 4})},
      {tensor("wi", {16, 6}), tensor("wh", {16, 4}), tensor("bi", {16}), tensor("bh", {16})},
      R"([{"op": "aten::lstm", "overload": "input", "args": [{"v": "x"},
                      [{"v": "h"}, {"v": "c"}], [{"v": "wi"}, {"v": "wh"}, {"v": "bi"},
                      {"v": "bh"}], true, 1, 0.0, false, false, true],
                      "outs": ["o", "hn", "cn"]},
                     {"op": "aten::mul", "overload": "Tensor", "args": [{"v": "o"},
                      {"scalar": 0.5}], "outs": ["y"]},
                     {"op": "aten::add", "overload": "Tensor", "args": [{"v": "hn"},
                      {"v": "cn"}, 1], "outs": ["z"]}])",
      {{{"name", "out"}, {"value", "y"}}, {{"name", "state"}, {"value", "z"}}});
}

Json unknown_operator() {
  return task_of(Json::array({tensor("x", {8})}), Json::array(),
                 R"([{"op": "aten::nonesuch", "overload": "", "args": [{"v": "x"}],
                      "outs": ["y"]}])",
                 {{{"name", "out"}, {"value", "y"}}});
}

class Package : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kbench_package_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  PackageRequest request(const std::string& name, const Json& task) {
    const fs::path file = directory_ / (name + ".json");
    std::ofstream(file) << task.dump();
    return {.task = name,
            .task_file = file,
            .graph_hash = name,
            .size = "small",
            .device = "cpu",
            .precision = "torch-default",
            .threads = 1};
  }

  void expect_equal_to_eager(const PackageRequest& request, const PackageResult& result,
                             const Json& task) {
    ASSERT_THAT(result.reason, IsEmpty());
    const auto package = CompiledPackage::load(result.file);
    ASSERT_TRUE(package) << package.error().message;
    const auto eager = GraphExecutor::load(request.task_file, "small", "cpu");
    ASSERT_TRUE(eager) << eager.error().message;
    const Json& size = task["sizes"]["small"];
    const Tensors inputs = draw(size["inputs"]);
    const Tensors parameters = draw(size["parameters"]);
    const auto compiled = package->run(inputs, parameters);
    const auto expected = eager->run(inputs, parameters);
    ASSERT_EQ(compiled.size(), expected.size());
    for (std::size_t i = 0; i < compiled.size(); ++i) {
      EXPECT_EQ(compiled[i].strides(), expected[i].strides()) << "they lie as eager's do";
      EXPECT_TRUE(at::allclose(compiled[i], expected[i], 1e-5, 1e-6)) << request.task << " " << i;
    }
  }

  static Tensors draw(const Json& specs) {
    Tensors tensors;
    for (const Json& spec : specs)
      tensors.push_back(at::rand(spec["shape"].get<std::vector<std::int64_t>>()) - 0.5);
    return tensors;
  }

  fs::path directory_;
};

TEST_F(Package, ComputesWhatEagerComputes) {
  const std::vector<Json> tasks{linear_relu(), lstm(), unknown_operator()};
  std::vector<PackageRequest> requests{request("linear_relu", tasks[0]), request("lstm", tasks[1]),
                                       request("unknown", tasks[2])};
  const auto facts = ask_python(KBENCH_PYTHON);
  ASSERT_TRUE(facts) << facts.error().message;
  const auto sandbox = make_sandbox();
  const auto results =
      build_packages(requests,
                     {.sandbox = sandbox.get(),
                      .python = {KBENCH_PYTHON, facts->module_folders, facts->folders},
                      .script = KBENCH_AOT_BUILDER,
                      .cache_directory = directory_ / "cache",
                      .processes = 1},
                     {});
  ASSERT_TRUE(results) << results.error().message;
  expect_equal_to_eager(requests[0], (*results)[0], tasks[0]);
  expect_equal_to_eager(requests[1], (*results)[1], tasks[1]);
  EXPECT_THAT((*results)[2].reason, HasSubstr("nonesuch"));
  EXPECT_TRUE(fs::exists(directory_ / "cache" / ((*results)[2].key + ".failed")));
}

TEST_F(Package, SaysWhichFileIsNoPackage) {
  const fs::path file = directory_ / "broken.pt2";
  std::ofstream(file) << "not a package";
  const auto package = CompiledPackage::load(file);
  ASSERT_FALSE(package);
  EXPECT_THAT(package.error().message, HasSubstr("broken.pt2"));
}

}  // namespace
}  // namespace kbench
