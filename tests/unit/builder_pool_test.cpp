#include "baselines/builder_pool.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/await.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

PackageRequest request(const std::string& behaviour, const std::string& hash = "hash") {
  return {.task = "level1/019_relu",
          .task_file = "/nowhere/019_relu.json",
          .graph_hash = hash + behaviour,
          .size = behaviour,
          .device = "cpu",
          .precision = "torch-default",
          .torch_version = "2.11.0",
          .threads = 2,
          .cpu_features = "avx512"};
}

class BuilderPool : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kbench_pool_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    options_.script = kbench::test::kFakeBuilder;
    options_.cache_directory = pattern;
    options_.devices[0].environment = {{"NOTES", pattern}};
    fs::create_directories(task_file().parent_path());
    write_task("{}");
    // The tests' Python may be without torch, which a builder is not started without.
    const fs::path modules = options_.cache_directory / "modules";
    fs::create_directories(modules / "torch");
    std::ofstream(modules / "torch/__init__.py").put('\n');
    ::setenv("PYTHONPATH", modules.c_str(), 1);
    options_.python = {kbench::test::kPython, {modules}, {modules}};
    // A virtual environment, and what it is made of.
    for (const fs::path& program :
         {fs::path(kbench::test::kPython), fs::canonical(kbench::test::kPython)})
      if (const fs::path home = program.parent_path().parent_path(); home != "/usr")
        options_.python.readable.push_back(home);
  }
  void TearDown() override {
    ::unsetenv("PYTHONPATH");
    fs::remove_all(options_.cache_directory);
  }

  [[nodiscard]] fs::path task_file() const {
    return options_.cache_directory / "suite/level1/019_relu.json";
  }
  void write_task(const std::string& text) const { std::ofstream(task_file()) << text; }

  std::vector<PackageResult> build(std::vector<PackageRequest> requests) {
    for (PackageRequest& request : requests) request.task_file = task_file();
    auto results = build_packages(requests, options_, [this](std::size_t i, const auto& result) {
      EXPECT_TRUE(done_.insert(i).second) << "reported twice";
      EXPECT_EQ(result.file.empty(), !result.reason.empty());
    });
    EXPECT_TRUE(results);
    EXPECT_EQ(done_.size(), requests.size());
    done_.clear();
    return results ? *results : std::vector<PackageResult>(requests.size());
  }

  [[nodiscard]] bool remembered_as_failed(const PackageResult& result) const {
    return fs::exists(options_.cache_directory / (result.key + ".failed"));
  }

  // Processes that the fake noted in "pids" and "hang": two of each.
  [[nodiscard]] std::vector<pid_t> noted() const {
    std::ifstream stream(options_.cache_directory / "pids");
    return {std::istream_iterator<pid_t>(stream), {}};
  }
  // Waits until none of them runs.
  void expect_no_survivors() const {
    const auto pids = noted();
    EXPECT_FALSE(pids.empty());
    const auto all_are_gone = [&] { return std::none_of(pids.begin(), pids.end(), test::lives); };
    EXPECT_TRUE(test::await(all_are_gone, "the builders and their children to end"));
  }

  BuilderPoolOptions options_;
  std::set<std::size_t> done_;
};

TEST_F(BuilderPool, BuildsOnceAndThenTakesItFromTheCache) {
  const auto first = build({request("ok")});
  EXPECT_TRUE(fs::exists(first[0].file));
  EXPECT_EQ(first[0].file, package_file(options_.cache_directory, first[0].key));
  EXPECT_GT(first[0].seconds, 0);

  options_.python.python = "/nonexistent/python";  // needed by nobody now
  const auto second = build({request("ok")});
  EXPECT_EQ(second[0].file, first[0].file);
  EXPECT_EQ(second[0].seconds, 0);
}

TEST_F(BuilderPool, KeepsTheOrderOfRequestsAndSharesEqualKeys) {
  options_.processes = 2;
  const auto results =
      build({request("ok", "a"), request("refuse"), request("ok", "b"), request("ok", "a")});
  EXPECT_EQ(results[0].key, results[3].key);
  EXPECT_EQ(results[0].file, results[3].file);
  EXPECT_NE(results[0].file, results[2].file);
  EXPECT_EQ(results[1].reason, "no such operator");
}

TEST_F(BuilderPool, IgnoresNoiseOnStandardOutput) {
  EXPECT_THAT(build({request("noise")})[0].reason, IsEmpty());
}

TEST_F(BuilderPool, RemembersARefusalButNotAPassingOne) {
  const auto results = build({request("refuse"), request("transient")});
  EXPECT_TRUE(remembered_as_failed(results[0]));
  EXPECT_FALSE(remembered_as_failed(results[1]));
  EXPECT_EQ(results[1].reason, "out of memory");

  options_.python.python = "/nonexistent/python";
  EXPECT_EQ(build({request("refuse")})[0].reason, "no such operator");
}

TEST_F(BuilderPool, WhatRanOutOfMemoryBesideOthersIsTriedAgainAlone) {
  options_.processes = 2;
  const auto results = build({request("crowded"), request("ok"), request("transient")});
  EXPECT_THAT(results[0].reason, IsEmpty());
  EXPECT_TRUE(fs::exists(results[0].file));
  EXPECT_EQ(results[2].reason, "out of memory");
}

TEST_F(BuilderPool, GoesOnAfterABuilderDies) {
  const auto results = build({request("crash"), request("killed"), request("ok")});
  EXPECT_THAT(results[0].reason, HasSubstr("exited with status 1"));
  EXPECT_THAT(results[0].reason, HasSubstr("stumbled over a stone"));
  EXPECT_THAT(results[1].reason, HasSubstr("killed by signal 9"));
  EXPECT_THAT(results[2].reason, IsEmpty());
  EXPECT_FALSE(remembered_as_failed(results[0]));
  EXPECT_FALSE(remembered_as_failed(results[1]));
}

TEST_F(BuilderPool, GoesOnAfterAReplyThatMakesNoSense) {
  const auto results = build({request("garbage"), request("lie"), request("ok")});
  EXPECT_THAT(results[0].reason, HasSubstr("makes no sense"));
  EXPECT_THAT(results[1].reason, HasSubstr("makes no sense"));
  EXPECT_THAT(results[2].reason, IsEmpty());
}

TEST_F(BuilderPool, KillsABuilderThatTakesTooLong) {
  const std::chrono::seconds first{1};
  EXPECT_TRUE(test::with_longer_limits(first, [this](std::chrono::milliseconds limit) {
    options_.time_limit = std::chrono::duration_cast<std::chrono::seconds>(limit);
    const auto results = build({request("hang"), request("ok")});
    EXPECT_THAT(results[0].reason,
                HasSubstr(fmt::format("no answer after {} s", options_.time_limit.count())));
    EXPECT_FALSE(remembered_as_failed(results[0]));
    return !noted().empty() && results[1].reason.empty();
  }));
  expect_no_survivors();
}

TEST_F(BuilderPool, LeavesNoProcessBehind) {
  options_.processes = 2;
  build({request("pids", "a"), request("pids", "b"), request("pids", "c")});
  expect_no_survivors();
}

TEST_F(BuilderPool, StopsWhenInterrupted) {
  options_.interrupted = [this] { return noted().size() == 2; };
  const auto results = build({request("hang"), request("ok")});
  EXPECT_EQ(results[0].reason, "interrupted");
  EXPECT_EQ(results[1].reason, "interrupted");
  EXPECT_FALSE(remembered_as_failed(results[0]));
  expect_no_survivors();
}

TEST_F(BuilderPool, SaysWhyThereIsNoBuilder) {
  options_.python.python = "";
  EXPECT_EQ(build({request("ok")})[0].reason, "no Python with torch");
  options_.python.python = "/nonexistent/python";
  EXPECT_THAT(build({request("ok"), request("refuse")})[1].reason,
              HasSubstr("could not be executed"));
  options_.python.python = kbench::test::kPython;
  options_.script = "/nonexistent/builder.py";
  EXPECT_THAT(build({request("ok")})[0].reason, HasSubstr("/nonexistent/builder.py"));
}

TEST_F(BuilderPool, RefusesAnotherTorch) {
  PackageRequest other = request("ok");
  other.torch_version = "2.9.1";
  const auto results = build({other, request("ok")});
  EXPECT_THAT(results[0].reason, HasSubstr("has torch 2.11.0, LibTorch is 2.9.1"));
  EXPECT_FALSE(remembered_as_failed(results[0]));
  EXPECT_THAT(results[1].reason, IsEmpty());
}

TEST_F(BuilderPool, GivesBuildersAnEnvironmentOfTheirOwn) {
  ::setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  ::setenv("TORCHINDUCTOR_MAX_AUTOTUNE", "1", 1);
  ::setenv("CUDA_VISIBLE_DEVICES", "0,2", 1);
  options_.devices[0].environment = {{"CUDA_VISIBLE_DEVICES", "2"}};  // the GPU that is measured
  options_.processes = 1000;  // each has one core at most: no helpers
  const auto results = build({request("environment")});
  ::unsetenv("NVIDIA_TF32_OVERRIDE");
  ::unsetenv("TORCHINDUCTOR_MAX_AUTOTUNE");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_THAT(results[0].reason, AllOf(StartsWith("- /"), EndsWith("/inductor - 1 2")));
}

TEST_F(BuilderPool, TakesThePackageThatItOrderedAndNothingElse) {
  const auto results = build({request("link"), request("elsewhere"), request("ok")});
  for (const auto& result : {results[0], results[1]}) {
    EXPECT_THAT(result.reason, HasSubstr("makes no sense"));
    EXPECT_FALSE(fs::exists(package_file(options_.cache_directory, result.key)));
  }
  EXPECT_THAT(results[2].reason, IsEmpty());
}

// Nothing that a task file, or what Inductor makes of it, reaches for is there.
TEST_F(BuilderPool, ABuilderIsInTheSandbox) {
  const fs::path secret = options_.cache_directory / "secret";
  std::ofstream(secret) << "of the operator";
  const fs::path foreign = options_.cache_directory / "foreign.pt2";
  write_task("[\"" + secret.string() + "\", \"" + foreign.string() + "\"]");
  const auto sandbox = make_sandbox();
  options_.sandbox = sandbox.get();
  const auto inside = build({request("reach"), request("ok")});
  EXPECT_EQ(inside[0].reason.find("written"), std::string::npos) << inside[0].reason;
  EXPECT_THAT(inside[0].reason, HasSubstr("Error"));
  EXPECT_EQ(fs::file_size(secret), std::string("of the operator").size());
  EXPECT_FALSE(fs::exists(foreign));
  EXPECT_THAT(inside[1].reason, IsEmpty());
  EXPECT_TRUE(fs::exists(inside[1].file));

  options_.sandbox = nullptr;
  EXPECT_EQ(build({request("reach", "again")})[0].reason, "written written");
}

TEST_F(BuilderPool, ABuilderTunesUnderTheLockOfItsDevice) {
  const auto sandbox = make_sandbox();
  options_.sandbox = sandbox.get();
  EXPECT_EQ(build({request("tune", "a")})[0].reason, "there is no lock");
  options_.devices[0].tuning_lock = options_.cache_directory / "tuning-one";
  EXPECT_EQ(build({request("tune", "b")})[0].reason, "nobody tunes");
  const int held = ::open(options_.devices[0].tuning_lock.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  EXPECT_EQ(build({request("tune", "c")})[0].reason, "somebody tunes");
  options_.devices[0].tuning_lock = options_.cache_directory / "tuning-two";
  EXPECT_EQ(build({request("tune", "d")})[0].reason, "nobody tunes") << "on another device";
  ::close(held);
}

// Was: all GPUs of a host waited while their packages were tuned on the first one.
TEST_F(BuilderPool, BuildersTuneOnAllDevices) {
  const auto sandbox = make_sandbox();
  options_.sandbox = sandbox.get();
  options_.devices[0].tuning_lock = options_.cache_directory / "tuning-one";
  options_.devices.push_back({{}, options_.cache_directory / "tuning-two"});
  const int held =
      ::open(options_.devices[0].tuning_lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  // A builder that crashed has a successor, on the next device.
  const auto packages =
      build({request("tune", "a"), request("crash"), request("tune", "b"), request("tune", "c")});
  EXPECT_EQ(packages[0].reason, "somebody tunes");
  EXPECT_EQ(packages[2].reason, "nobody tunes");
  EXPECT_EQ(packages[3].reason, "nobody tunes");
  ::close(held);
}

TEST_F(BuilderPool, NeedsACacheDirectory) {
  BuilderPoolOptions options = options_;
  options.cache_directory = "/dev/null/cache";
  const auto results = build_packages({request("ok")}, options, {});
  ASSERT_FALSE(results);
  EXPECT_THAT(results.error().message, StartsWith("cannot make the package cache"));
}

TEST(PackageKey, DependsOnEveryFieldThatThePackageIsSpecialisedFor) {
  const fs::path script = kbench::test::kFakeBuilder;
  std::set<std::string> keys{package_key(request("ok"), script)};
  const auto changed = [&](auto change) {
    PackageRequest other = request("ok");
    change(other);
    return keys.insert(package_key(other, script)).second;
  };
  EXPECT_TRUE(changed([](auto& r) { r.graph_hash = "other"; }));
  EXPECT_TRUE(changed([](auto& r) { r.size = "full"; }));
  EXPECT_TRUE(changed([](auto& r) { r.device = "cuda"; }));
  EXPECT_TRUE(changed([](auto& r) { r.precision = "fp32"; }));
  EXPECT_TRUE(changed([](auto& r) { r.torch_version = "2.12.0"; }));
  EXPECT_TRUE(changed([](auto& r) { r.threads = 4; }));
  EXPECT_TRUE(changed([](auto& r) { r.cpu_features = "avx2"; }));
  EXPECT_TRUE(changed([](auto& r) { r.compute_capability = 90; }));
  // Where a task lies and what it is called decides nothing.
  EXPECT_FALSE(changed([](auto& r) { r.task = "level9/999_other"; }));
  EXPECT_FALSE(changed([](auto& r) { r.task_file = "/elsewhere.json"; }));
}

TEST(PackageKey, DependsOnTheBuilderAndOnTheGraphModule) {
  const fs::path root = fs::temp_directory_path() / ("kbench_key_" + std::to_string(::getpid()));
  const fs::path script = root / "baselines" / "aot_builder.py";
  const fs::path graph = root / "suites" / "lowering" / "graph.py";
  fs::create_directories(script.parent_path());
  fs::create_directories(graph.parent_path());
  const auto key = [&] { return package_key(request("ok"), script); };

  std::ofstream(script) << "one";
  std::ofstream(graph) << "one";
  const std::string first = key();
  EXPECT_EQ(first.size(), 64u);
  std::ofstream(script) << "two";
  const std::string second = key();
  EXPECT_NE(second, first);
  std::ofstream(graph) << "two";
  EXPECT_NE(key(), second);
  fs::remove_all(root);
}

}  // namespace
}  // namespace kbench
