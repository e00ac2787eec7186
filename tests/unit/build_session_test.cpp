// Kernels that are compiled for a GPU that is not here.
#include "runner/run/build_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/run/run_builds.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/compiler.hpp"
#include "tests/fakes/submission_fixture.hpp"
#include "tests/unit/paths.hpp"

namespace kbench::test {
namespace {

using ::testing::HasSubstr;

class BuildSession : public ::testing::Test {
 protected:
  // The key of a kernel that is compiled for that target.
  std::string key_for(const Target& target) {
    folder_.write("ann/level1/019_relu.cu", "int answer;\n");
    const auto found = find_submissions(folder_.path());
    const Submission& submission = found->submissions.at(0);
    Toolchain tools = find_toolchain();
    tools.nvcc = "/usr/bin/true";  // nothing is compiled
    const Compiler compiler(*sandbox_, toolchain_for(target, tools), folder_.path() / "cache",
                            kAbi);
    const auto key = compiler.key_of(submission, *read_source_files(submission), "");
    EXPECT_TRUE(key.ok()) << key.error().message;
    return key ? *key : "";
  }
  static Target named(const std::string& architecture) {
    BuildRequest request;
    request.architecture = architecture;
    const auto target = named_target(request);
    EXPECT_TRUE(target.ok() && *target);
    return **target;
  }
  // As a machine with such a GPU finds it.
  static Target on_gpu(int compute_capability) {
    return {.device = "cuda",
            .gpu = GpuInfo{.index = 1, .name = "a GPU", .compute_capability = compute_capability},
            .size = "full"};
  }

  SubmissionFolder folder_;
  std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
};

TEST_F(BuildSession, AnArchitectureGivesTheKeysOfItsGpus) {
  EXPECT_EQ(key_for(named("90a")), key_for(on_gpu(90)));
  EXPECT_EQ(key_for(named("80")), key_for(on_gpu(80)));
  EXPECT_NE(key_for(named("90a")), key_for(on_gpu(100)));
  EXPECT_EQ(named("90a").size, on_gpu(90).size);
}

TEST_F(BuildSession, AnArchitectureIsOfAGpu) {
  BuildRequest request;
  request.run.device = "cpu";
  EXPECT_TRUE(named_target(request).ok());
  request.architecture = "90a";
  EXPECT_THAT(named_target(request).error().message, HasSubstr("--device is cpu"));
  request.run.device = "cuda:1";
  request.run.size = "small";
  EXPECT_EQ((*named_target(request))->size, "small");
}

}  // namespace
}  // namespace kbench::test
