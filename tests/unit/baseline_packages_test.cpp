// Compiled baselines of a run, with a builder that speaks the protocol and compiles nothing.
#include "runner/run/baseline_packages.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include "runner/run/confined_programs.hpp"
#include "runner/run/run_session.hpp"
#include "tests/fakes/fake_python.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A builder whose packages hold the request that they were made by.
constexpr const char* kBuilds =
    "echo '{\"ready\": true, \"torch\": \"2.11.0\"}'\n"
    "while read -r line; do\n"
    "  id=$(printf %s \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')\n"
    "  output=$(printf %s \"$line\" | sed 's/.*\"output\":\"\\([^\"]*\\)\".*/\\1/')\n"
    "  printf %s \"$line\" >\"$output\"\n"
    "  echo \"{\\\"id\\\": $id, \\\"output\\\": \\\"$output\\\"}\"\n"
    "done\n";

class CountedProgress final : public ProgressSink {
 public:
  void begin(std::string, std::vector<double> seconds) override { expected = std::move(seconds); }
  void item(std::size_t, std::string_view) override {}
  void step(std::string_view) override {}
  void tick() override {}
  void item_done(std::string_view text) override { done.emplace_back(text); }
  void end() override {}
  void note(std::string_view) override {}
  void detail(std::string_view text) override { details.emplace_back(text); }
  void warn(std::string_view) override {}

  std::vector<double> expected;
  std::vector<std::string> done, details;
};

class BaselinePackages : public RunTest {
 protected:
  BaselinePackages() {
    benches_.place.python = python_.program();
    benches_.place.cache = folder_ / "cache";
    benches_.place.aot_builder = fs::path(kSource) / "baselines/aot_builder.py";
    request_.all_tasks = true;
    request_.levels = {1};
    oracle_.torch = "2.11.0";
    oracle_.facts.threads = 2;
    oracle_.facts.cpu_features = "avx512";
    fs::create_directories(benches_.place.cache);
    submit("anna/level1/019_relu.cpp");
    auto plan = plan_run(request_, terms_, benches_.place);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    plan_ = std::move(*plan);
  }

  std::map<std::size_t, PackageResult> build(const std::set<std::size_t>& tasks) {
    progress_ = CountedProgress();
    auto built = build_baseline_packages(
        plan_, tasks, benches_.place, oracle_,
        {.precision = "torch-default", .jobs = 1, .interrupted = [] { return false; }}, *sandbox_,
        progress_);
    EXPECT_TRUE(built.ok()) << built.error().message;
    return built ? std::move(*built) : std::map<std::size_t, PackageResult>();
  }
  bool is_cached(std::size_t task = 1) {
    return has_cached_package(plan_.tasks[task], plan_.target, benches_.place, oracle_, precision_);
  }
  static std::string contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  FakePython python_{folder_};
  std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  OracleHello oracle_;
  std::string precision_ = "torch-default";
  Plan plan_;
  CountedProgress progress_;
};

TEST_F(BaselinePackages, EachTaskHasThePackageOfItsGraph) {
  python_.runs(kBuilds);
  ASSERT_THAT(plan_.tasks, SizeIs(3));
  const auto built = build({0, 2});
  ASSERT_THAT(built, SizeIs(2));
  for (const std::size_t task : {0u, 2u}) {
    ASSERT_TRUE(built.contains(task));
    ASSERT_EQ(built.at(task).reason, "");
    const Json asked = Json::parse(contents(built.at(task).file), nullptr, false);
    ASSERT_TRUE(asked.is_object());
    EXPECT_EQ(asked.at("task"), contents(plan_.tasks[task].file));
    EXPECT_EQ(asked.at("size"), "small");
    EXPECT_EQ(asked.at("device"), "cpu");
    EXPECT_EQ(asked.at("precision"), "torch-default");
    EXPECT_EQ(asked.at("threads"), 2);
    EXPECT_TRUE(fs::equivalent(built.at(task).file.parent_path(), folder_ / "cache/packages"));
  }
  EXPECT_THAT(progress_.expected, SizeIs(2));
  EXPECT_THAT(progress_.done, SizeIs(2));
  EXPECT_THAT(progress_.done[0], HasSubstr(plan_.tasks[0].id + ": compiled in"));
}

TEST_F(BaselinePackages, WhatLiesInTheCacheIsNotBuiltAgain) {
  python_.runs(kBuilds);
  const auto first = build({1});
  python_.runs("exit 1\n");
  const auto again = build({1});
  EXPECT_EQ(again.at(1).file, first.at(1).file);
  EXPECT_EQ(again.at(1).seconds, 0);
  EXPECT_THAT(progress_.expected, SizeIs(0));
  EXPECT_THAT(progress_.done, SizeIs(0));
  EXPECT_THAT(progress_.details, Contains("compiled baselines: 1 built before"));
}

TEST_F(BaselinePackages, AKeyHasAllThatAPackageIsSpecialisedFor) {
  python_.runs(kBuilds);
  EXPECT_FALSE(is_cached());
  build({1});
  EXPECT_TRUE(is_cached());
  EXPECT_FALSE(is_cached(0)) << "another task";
  const auto differs = [&](auto& value, auto other) {
    const auto before = value;
    value = other;
    EXPECT_FALSE(is_cached());
    value = before;
    EXPECT_TRUE(is_cached());
  };
  differs(oracle_.facts.threads, 3);
  differs(oracle_.facts.cpu_features, "avx2");
  differs(oracle_.torch, "2.12.0");
  differs(precision_, "fp32");
  differs(plan_.target.size, "full");
  differs(plan_.target.device, "cuda");
  differs(benches_.place.cache, folder_ / "elsewhere");
  oracle_.facts.compute_capability = 90;
  EXPECT_TRUE(is_cached()) << "of which a CPU has none";
}

TEST_F(BaselinePackages, OnAGpuThePackageIsOfItsArchitecture) {
  benches_.place.python.clear();
  plan_.target.device = "cuda";
  oracle_.facts.compute_capability = 90;
  const std::string key = build({1}).at(1).key;
  oracle_.facts.threads = 7;
  oracle_.facts.cpu_features = "none";
  EXPECT_EQ(build({1}).at(1).key, key) << "which knows nothing of the CPU";
  oracle_.facts.compute_capability = 100;
  EXPECT_NE(build({1}).at(1).key, key);
}

TEST_F(BaselinePackages, WithoutATorchThereIsAReasonInPlaceOfAPackage) {
  benches_.place.python.clear();
  EXPECT_EQ(build({1}).at(1).reason, "no Python with torch");
  benches_.place.python = python_.program();
  const FakePython none(folder_, false);
  EXPECT_EQ(build({1}).at(1).reason, "no Python with torch");
}

TEST_F(BaselinePackages, AnInterruptedBuildIsNoPackage) {
  // A builder that never answers, so that the interrupt comes first.
  python_.runs("echo '{\"ready\": true, \"torch\": \"2.11.0\"}'\nexec cat >/dev/null\n");
  const auto built = build_baseline_packages(
      plan_, {1}, benches_.place, oracle_,
      {.precision = "fp32", .jobs = {}, .interrupted = [] { return true; }}, *sandbox_, progress_);
  ASSERT_TRUE(built.ok());
  EXPECT_EQ(built->at(1).reason, "interrupted");
}

TEST_F(BaselinePackages, ATaskWithoutThatSizeIsAnError) {
  plan_.target.size = "gigantic";
  const auto built = build_baseline_packages(
      plan_, {1}, benches_.place, oracle_,
      {.precision = "fp32", .jobs = {}, .interrupted = [] { return false; }}, *sandbox_, progress_);
  EXPECT_FALSE(built.ok());
  EXPECT_FALSE(is_cached());
}

TEST_F(BaselinePackages, TheBuildersCommandSeesOneGpuOrNone) {
  const auto on_cpu = builder_command(benches_.place, plan_.target, folder_ / "scratch");
  ASSERT_TRUE(on_cpu.ok()) << on_cpu.error().message;
  EXPECT_THAT(on_cpu->argv, Contains(benches_.place.aot_builder.string()));
  EXPECT_THAT(on_cpu->argv, Contains(python_.program().string()));
  EXPECT_FALSE(on_cpu->needs_cuda);
  plan_.target.device = "cuda";
  plan_.target.device_index = 3;
  const auto on_gpu = builder_command(benches_.place, plan_.target, folder_ / "scratch");
  ASSERT_TRUE(on_gpu.ok());
  EXPECT_TRUE(on_gpu->needs_cuda);
  EXPECT_EQ(on_gpu->env.at("CUDA_VISIBLE_DEVICES"), "3");
  benches_.place.python.clear();
  benches_.place.python_reason = "there is no python3";
  EXPECT_EQ(builder_command(benches_.place, plan_.target, folder_ / "scratch").error().message,
            "no Python with torch: there is no python3");
}

TEST_F(BaselinePackages, WhatIsConfinedIsThereWhereItsProgramIs) {
  ConfinedPrograms programs = confined_programs(benches_.place, -1);
  EXPECT_FALSE(programs.oracle) << "which was not built";
  ASSERT_TRUE(programs.builder);
  EXPECT_FALSE(programs.builder(folder_ / "scratch")->needs_cuda);
  benches_.place.oracle_cuda = python_.program();
  EXPECT_FALSE(confined_programs(benches_.place, -1).oracle);
  programs = confined_programs(benches_.place, 2);
  EXPECT_TRUE(programs.oracle);
  const auto command = programs.builder(folder_ / "scratch");
  EXPECT_TRUE(command->needs_cuda);
  EXPECT_EQ(command->env.at("CUDA_VISIBLE_DEVICES"), "2");
  benches_.place.python.clear();
  EXPECT_FALSE(confined_programs(benches_.place, -1).builder);
}

}  // namespace
}  // namespace kbench::test
