// The library as a worker loads it, on whatever machine: without a device it says what is missing.
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/vendor/plan.hpp"
#include "runner/abi/kbench.h"
#include "runner/core/vendor_words.hpp"

namespace kbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Forward = int (*)(const void*, const void*, const void*, kb_context*);

class VendorLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    handle_ = ::dlopen(KBENCH_VENDOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle_, nullptr) << ::dlerror();
    forward_ = reinterpret_cast<Forward>(::dlsym(handle_, "kbench_forward"));
    ASSERT_NE(forward_, nullptr) << ::dlerror();
  }
  void TearDown() override {
    ::unsetenv(kPlanVariable);
    ::unsetenv(kCublasLtVariable);
    if (handle_ != nullptr) ::dlclose(handle_);
  }

  // The words that it prints in a call that has to fail.
  std::string failure() {
    const std::array<std::uint64_t, 3> tensors{};
    kb_context context{};
    testing::internal::CaptureStdout();
    const int status = forward_(tensors.data(), tensors.data(), tensors.data(), &context);
    std::string printed = testing::internal::GetCapturedStdout();
    EXPECT_NE(status, 0);
    return printed;
  }

  void* handle_ = nullptr;
  Forward forward_ = nullptr;
};

TEST_F(VendorLibrary, SaysThatItHasNoPlan) {
  EXPECT_THAT(failure(), AllOf(StartsWith(kFailureWord), HasSubstr(kPlanVariable)));
  ::setenv(kPlanVariable, "{", 1);
  EXPECT_THAT(failure(), StartsWith(kFailureWord)) << "no exception leaves the call";
}

// With a driver, which other machines have, it goes on to cuBLASLt.
TEST_F(VendorLibrary, SaysWhichLibraryDoesNotLoad) {
  VendorPlan plan;
  plan.call = VendorProduct{.m = 1, .n = 1, .k = 1};
  ::setenv(kPlanVariable, vendor_plan_json(plan).dump().c_str(), 1);
  ::setenv(kCublasLtVariable, "/nowhere/libcublasLt.so", 1);
  EXPECT_THAT(failure(), AllOf(StartsWith(kFailureWord),
                               ::testing::AnyOf(HasSubstr("libcuda.so.1"), HasSubstr("/nowhere"),
                                                HasSubstr("cuEventCreate"))));
}

}  // namespace
}  // namespace kbench
