// Which engines cuDNN has for the shipped tasks on an H200. cuDNN plans for a device that is only
// described, so that no device is needed; what it plans is not run here.
#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/vendor/plan.hpp"
#include "runner/core/json.hpp"
#include "runner/core/vendor_words.hpp"
#include "runner/run/vendor_baseline.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/task/graph.hpp"
#include "runner/task/task.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// An H200 as cudaGetDeviceProperties describes one, under cuDNN's names.
constexpr const char* kH200 =
    R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
        "regsPerBlock": 65536, "multiProcessorCount": 132, "warpSize": 32,
        "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,
        "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32,
        "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0,
        "supportCoopLaunch": 1, "totalGlobalMem": 150754820096, "smClockRateKHz": 1980000,
        "memClockRateKHz": 3201000, "l2CacheSize": 62914560, "cudaDeviceId": 0, "deviceVer": 900,
        "driverVer": 13000, "deviceName": "NVIDIA H200"})";

struct Engines {
  int count = 0;
  std::string words;  // a line for each, or the failure
};

class VendorEngines : public ::testing::Test {
 protected:
  void SetUp() override {
    // cuDNN asks the loader for a driver by its name; a stub has it as well.
    if (::dlopen(KBENCH_CUDA_DRIVER, RTLD_NOW | RTLD_GLOBAL) == nullptr ||
        ::dlopen(KBENCH_CUDNN, RTLD_NOW | RTLD_LOCAL) == nullptr)
      GTEST_SKIP() << ::dlerror();
    library_ = ::dlopen(KBENCH_VENDOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << ::dlerror();
  }

  [[nodiscard]] Engines engines_of(const VendorPlan& plan, int prepared) const {
    const auto ask = reinterpret_cast<int (*)(const char*, const char*, const char*, int)>(
        ::dlsym(library_, "kbench_vendor_engines"));
    testing::internal::CaptureStdout();
    const int count = ask(KBENCH_CUDNN, vendor_plan_json(plan).dump().c_str(), kH200, prepared);
    return {count, testing::internal::GetCapturedStdout()};
  }

  static VendorPlan plan_of(const fs::path& file, const std::string& precision) {
    const auto task = load_task(file);
    const auto graph = load_graph(file, "full");
    EXPECT_TRUE(task && graph) << file;
    const auto plan = make_vendor_plan(*graph, *task->find_size("full"), precision);
    EXPECT_TRUE(plan) << file << ": " << plan.error().message;
    return *plan;
  }

  [[nodiscard]] Engines engines_of(const std::string& task,
                                   const std::string& precision = "torch-default",
                                   int prepared = 0) const {
    return engines_of(plan_of(fs::path(test::kSuites) / (task + ".json"), precision), prepared);
  }

  void* library_ = nullptr;
};

// Engines of the tensor cores round to TF32, which eager's products do not.
TEST_F(VendorEngines, AreThereForLinearLayersInFullPrecision) {
  for (const char* task :
       {"level2/012_gemm_multiply_leakyrelu", "level2/029_matmul_mish_mish",
        "level2/053_gemm_scaling_hardtanh_gelu", "level2/059_matmul_swish_scaling",
        "level2/068_matmul_min_subtract", "level2/070_gemm_sigmoid_scaling_residualadd",
        "level2/081_gemm_swish_divide_clamp_tanh_clamp", "level2/086_matmul_divide_gelu",
        "level2/095_matmul_add_swish_tanh_gelu_hardtanh"}) {
    const Engines engines = engines_of(task);
    EXPECT_GE(engines.count, 1) << task << ": " << engines.words;
  }
  const std::string layer = "level2/086_matmul_divide_gelu";
  EXPECT_GT(engines_of(layer, "tf32").count, engines_of(layer).count);
}

// They are compiled on the spot. A stub of the driver takes no kernel; so far it has to come.
TEST_F(VendorEngines, AreCompiled) {
  const Engines engines = engines_of("level2/086_matmul_divide_gelu", "torch-default", 1);
  EXPECT_THAT(engines.words, Not(HasSubstr("nvrtc")));
  EXPECT_THAT(engines.words, ::testing::AnyOf(HasSubstr("cuLibraryLoadData"), HasSubstr(" \n")));
}

TEST_F(VendorEngines, AreThereForConvolutionsWithABias) {
  EXPECT_GE(engines_of("level1/050_conv_standard_2d__square_input__square_kernel").count, 1);
  EXPECT_GE(engines_of("level1/061_conv_transposed_3d__square_input__square_kernel").count, 1);
}

TEST_F(VendorEngines, AreNoneForMoreStepsOnAnImageAndCudnnSaysWhy) {
  const Engines engines = engines_of("level2/004_conv2d_mish_mish");
  EXPECT_EQ(engines.count, 0);
  EXPECT_THAT(engines.words, ::testing::StartsWith(std::string(kFailureWord) +
                                                   "cuDNN has no engine for this graph"));
  EXPECT_THAT(engines.words, HasSubstr("CUDNN_STATUS_NOT_SUPPORTED_LAYOUT"));
}

// The compiler lies beside cuDNN: its worker may read it, and finds it.
TEST_F(VendorEngines, AreTheSameInTheSandboxOfTheWorker) {
  if (::getenv("KBENCH_IN_SANDBOX") != nullptr) GTEST_SKIP() << "the sandboxed run itself";
  Installation installation;
  installation.vendor_library = KBENCH_VENDOR_LIBRARY;
  installation.oracle_cuda = fs::path(KBENCH_VENDOR_LIBRARY).parent_path() / "kbench-oracle-cuda";
  const std::unique_ptr<Sandbox> sandbox = make_sandbox();
  const VendorBaseline vendor(installation, {.device = "cuda"}, *sandbox, "torch-default");
  const NativeSurroundings around = vendor.surroundings(VendorPlan{});
  const std::string self = fs::read_symlink("/proc/self/exe");
  SandboxCommand command{.argv = {self, "--gtest_filter=VendorEngines.*-*Sandbox*"},
                         .env = around.environment,
                         .readable = around.readable};
  command.env["KBENCH_IN_SANDBOX"] = "1";
  command.readable.insert(command.readable.end(), {self, test::kSuites, KBENCH_VENDOR_LIBRARY});
  const auto ended = run_to_end(*sandbox, command, std::chrono::minutes{5});
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->exit.code, 0) << ended->out << ended->err;
  EXPECT_THAT(ended->out, HasSubstr("[  PASSED  ] 4 tests")) << ended->err;
}

}  // namespace
}  // namespace kbench
