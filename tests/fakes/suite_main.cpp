// The main() of our test programs, each of which CTest calls once per suite: GoogleTest's own, and
// a look at what it did. A suite of which nothing was tested has not passed.
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

// CTest's SKIP_RETURN_CODE: every test of the suite was skipped.
constexpr int kAllSkipped = 77;
constexpr int kNothingToRun = 78;

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const ::testing::UnitTest& tests = *::testing::UnitTest::GetInstance();
  if (failed != 0) return failed;
  if (tests.test_to_run_count() == 0) {
    std::fputs("no test has this name\n", stderr);
    return kNothingToRun;
  }
  return tests.skipped_test_count() == tests.test_to_run_count() ? kAllSkipped : 0;
}
