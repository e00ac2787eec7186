// Compiled baselines that one machine of a pool has, and another takes instead of building them.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/exchange/exchange.hpp"
#include "runner/run/baseline_packages.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;

// Nothing is built: there is no Python.
class NoSandbox final : public Sandbox {
 public:
  Result<std::unique_ptr<SandboxedProcess>> start(const SandboxCommand&) override {
    return Error{ErrorCode::kInfrastructure, "no sandbox", ""};
  }
  [[nodiscard]] const SandboxLevel& level(bool) const override { return level_; }
  [[nodiscard]] int undead() const override { return 0; }

 private:
  SandboxLevel level_;
};

class SharedPackagesTest : public RunTest {
 protected:
  SharedPackagesTest() {
    submit("a/level1/019_relu.cpp");
    benches_.place.aot_builder = fs::path(kSource) / "baselines/aot_builder.py";
  }

  // The package of the task on a machine with a cache of that name.
  PackageResult package_on(const std::string& machine) {
    benches_.place.cache = folder_ / machine;
    const auto plan = plan_run(request_, terms_, benches_.place);
    EXPECT_TRUE(plan.ok());
    auto packages = build_baseline_packages(*plan, {0}, benches_.place, OracleHello{},
                                            {.precision = "torch-default",
                                             .jobs = 1,
                                             .interrupted = [] { return false; },
                                             .shared = exchange_.cache(kCachedPackages)},
                                            sandbox_, progress_);
    EXPECT_TRUE(packages.ok()) << packages.error().message;
    return packages->at(0);
  }
  static std::string contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  Exchange exchange_ =
      Exchange::make(folder_ / "shared", pool_key_of(std::string(32, 'p'))).value();
  NoSandbox sandbox_;
  KeptProgress progress_;
};

TEST_F(SharedPackagesTest, WhatOneMachineHasAnotherDoesNotBuild) {
  const std::string key = package_on("here").key;
  ASSERT_FALSE(key.empty());
  EXPECT_TRUE(package_on("there").file.empty()) << "nobody has it";
  folder_.write("here/packages/" + key + ".pt2", "a package");
  EXPECT_FALSE(package_on("here").file.empty());
  const PackageResult taken = package_on("there");
  ASSERT_FALSE(taken.file.empty()) << taken.reason;
  EXPECT_EQ(contents(taken.file), "a package");
  EXPECT_TRUE(fs::equivalent(taken.file.parent_path(), folder_ / "there/packages"));
}

TEST_F(SharedPackagesTest, APackageThatNobodyOfThePoolSignedIsNotTaken) {
  const std::string key = package_on("here").key;
  const CacheEntries theirs(folder_ / "shared/cache", kCachedPackages,
                            pool_key_of(std::string(32, 'x')));
  ASSERT_TRUE(theirs.put(key, {{key + ".pt2", "a worse package"}}).ok());
  EXPECT_TRUE(package_on("there").file.empty());
  EXPECT_FALSE(fs::exists(folder_ / ("there/packages/" + key + ".pt2")));
}

}  // namespace
}  // namespace kbench::test
