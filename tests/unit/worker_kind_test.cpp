#include "runner/measure/players/worker_kind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(WorkerKind, AStatusOfANativeSubmissionIsItsOwnNumber) {
  const EarlyEnd end = native_worker().ended_with(700);
  EXPECT_EQ(end.state, State::kSubmissionError);
  EXPECT_THAT(end.message, HasSubstr("700"));
}

// Was: the number alone.
TEST(WorkerKind, AnErrorOfCudaHasItsNameAndOneOfMemoryASanitizer) {
  EXPECT_THAT(native_worker().ended_with(700).hint,
              AllOf(HasSubstr("cudaErrorIllegalAddress"), HasSubstr("kbench debug FILE")));
  EXPECT_THAT(native_worker().ended_with(9).hint,
              AllOf(HasSubstr("cudaErrorInvalidConfiguration"), Not(HasSubstr("sanitizers"))));
  EXPECT_THAT(native_worker().ended_with(12345).hint, Not(HasSubstr("12345")));
  EXPECT_THAT(python_worker().ended_with(716).message, HasSubstr("cudaErrorMisalignedAddress"));
  EXPECT_THAT(python_worker().ended_with(716).hint, HasSubstr("compute-sanitizer"));
}

TEST(WorkerKind, OfPythonWhatIsPositiveIsTheDevices) {
  const EarlyEnd error = python_worker().ended_with(700);
  EXPECT_EQ(error.state, State::kSubmissionError) << "as of a native submission";
  EXPECT_THAT(error.message, HasSubstr("CUDA error 700"));
  for (const int small : {1, 2}) {
    EXPECT_THAT(python_worker().ended_with(small).message, HasSubstr("CUDA error")) << small;
  }
}

TEST(WorkerKind, OfPythonWhatIsNegativeIsThePlayers) {
  EXPECT_EQ(python_worker().ended_with(-2).state, State::kWrongResult);
  const EarlyEnd raised = python_worker().ended_with(-1);
  EXPECT_EQ(raised.state, State::kSubmissionError);
  EXPECT_THAT(raised.message, HasSubstr("raised"));
  const EarlyEnd full = python_worker().ended_with(-4);
  EXPECT_EQ(full.state, State::kSubmissionError);
  EXPECT_THAT(full.message, HasSubstr("memory"));
  EXPECT_EQ(python_worker().ended_with(-77).state, State::kSubmissionError)
      << "its word may be any";
}

TEST(WorkerKind, OfACrashEachIsToldWhatItHas) {
  EXPECT_THAT(native_worker().crash_step, HasSubstr("kbench debug FILE"));
  EXPECT_THAT(native_worker().crash_causes, HasSubstr("task.h"));
  EXPECT_THAT(python_worker().crash_step, HasSubstr("-fsanitize=address"));
  EXPECT_THAT(python_worker().crash_step,
              HasSubstr("LD_PRELOAD=$(gcc -print-file-name=libasan.so)"))
      << "a Python without it refuses the library";
  EXPECT_THAT(python_worker().crash_step, HasSubstr("CUDA under compute-sanitizer"));
  EXPECT_THAT(python_worker().crash_causes, HasSubstr("inplace"));
  EXPECT_THAT(python_worker().crash_causes, Not(HasSubstr("task.h")));
}

}  // namespace
}  // namespace kbench
