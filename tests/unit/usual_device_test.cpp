// The device of a run where nobody names one.
#include <gtest/gtest.h>

#include "runner/plan/device_choice.hpp"

namespace kbench {
namespace {

TEST(UsualDevice, IsTheGpuIfThereIsOne) {
  const RunRequest request;
  EXPECT_EQ(usual_device(request, true), "cuda");
  EXPECT_EQ(usual_device(request, false), "cpu");
}

// It was skipped as one for another device: the first command that a newcomer types.
TEST(UsualDevice, OfASingleFileIsTheOneItIsFor) {
  RunRequest request;
  request.file = "my_relu.cpp";
  EXPECT_EQ(usual_device(request, true), "cpu");
  request.file = "my_relu.cu";
  EXPECT_EQ(usual_device(request, true), "cuda");
  request.file = "my_relu.py";
  EXPECT_EQ(usual_device(request, true), "cuda");
}

}  // namespace
}  // namespace kbench
