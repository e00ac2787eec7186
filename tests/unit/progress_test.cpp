#include "runner/print/progress.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

// A stream into memory, and a clock that only moves when told to.
class ProgressTest : public ::testing::Test {
 protected:
  ProgressTest() : stream_(::open_memstream(&text_, &size_)) {}
  ~ProgressTest() override {
    std::fclose(stream_);
    std::free(text_);
  }
  ProgressTest(const ProgressTest&) = delete;
  ProgressTest& operator=(const ProgressTest&) = delete;

  std::unique_ptr<Progress> make(bool is_tty, int verbosity = 0, std::size_t columns = 80) {
    Terminal terminal;
    terminal.is_tty = is_tty;
    terminal.columns = columns;
    return std::make_unique<Progress>(stream_, terminal, verbosity, [this] { return now_; });
  }

  std::string written() {
    std::fflush(stream_);
    return {text_, size_};
  }

  // The line as it is at the end.
  std::string last_line() {
    const auto text = written();
    return text.substr(text.rfind("\x1b[K") + 3);
  }

  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
  std::chrono::steady_clock::time_point now_{seconds{1000}};
};

TEST_F(ProgressTest, ElsewhereOnlyPlainLines) {
  const auto progress = make(false);
  progress->begin("evaluating", {10, 20});
  progress->item(0, "level1/019_relu");
  progress->step("timing");
  now_ += seconds{9};
  progress->tick();
  progress->item_done("level1/019_relu ok");
  progress->end();
  EXPECT_EQ(written(), "evaluating: 2 items, about 30 s\n[1/2] level1/019_relu ok\n");
}

TEST_F(ProgressTest, VerboseSaysTheSteps) {
  const auto progress = make(false, 1);
  progress->begin("evaluating", {0});
  progress->item(0, "a");
  progress->step("timing");
  progress->detail("more");
  EXPECT_EQ(written(), "evaluating: 1 item\n  a: timing\nmore\n");
}

TEST_F(ProgressTest, QuietSaysOnlyWarnings) {
  const auto progress = make(true, -1);
  progress->begin("evaluating", {10});
  progress->item(0, "a");
  progress->step("timing");
  progress->item_done("ok");
  progress->note("note");
  progress->warn("careful");
  progress->end();
  EXPECT_EQ(written(), "warning: careful\n");
}

TEST_F(ProgressTest, TerminalLineErasesItself) {
  auto progress = make(true);
  progress->begin("evaluating", {10, 20});
  progress->item(0, "a");
  progress->end();
  const auto text = written();
  EXPECT_THAT(text, HasSubstr("evaluating 1/2  a  about 30 s left"));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  EXPECT_TRUE(text.ends_with("\r\x1b[K"));
}

TEST_F(ProgressTest, LastingLinesStandAboveTheProgressLine) {
  const auto progress = make(true);
  progress->begin("evaluating", {10});
  progress->item(0, "a");
  progress->note("note");
  const auto text = written();
  EXPECT_THAT(text, HasSubstr("\r\x1b[Knote\n\r\x1b[Kevaluating 1/1  a"));
}

TEST_F(ProgressTest, LineFitsTheTerminal) {
  const auto progress = make(true, 0, 20);
  progress->begin("evaluating", {10});
  progress->item(0, "ein-\xc3\xbc" + std::string(100, 'x'));
  EXPECT_LT(display_width(last_line()), 20U);
  EXPECT_THAT(last_line(), HasSubstr("evaluating 1/1"));
}

TEST_F(ProgressTest, TheTimeThatIsLeftSurvivesANarrowTerminal) {
  const std::string name = "level1/063_conv_standard_2d__square_input__square_kernel";
  for (const std::size_t columns : {120U, 80U, 60U, 40U}) {
    const auto progress = make(true, 0, columns);
    progress->begin("evaluating", {4000, 20});
    progress->item(0, name);
    progress->step("timing: block 12 of 34");
    const std::string line = last_line();
    EXPECT_THAT(line, ::testing::EndsWith("  about 1 h 07 min left")) << columns;
    EXPECT_THAT(line, ::testing::StartsWith("evaluating 1/2")) << columns;
    EXPECT_LT(display_width(line), columns) << line;
  }
}

TEST_F(ProgressTest, ANameIsShortenedBeforeTheStep) {
  const auto progress = make(true);
  progress->begin("evaluating", {4000});
  progress->item(0, "level1/063_conv_standard_2d__square_input__square_kernel");
  progress->step("timing, block 12");
  EXPECT_EQ(last_line(),
            "evaluating 1/1  level1/063_conv_stand…: timing, block 12  about 1 h 06 min left");
}

TEST_F(ProgressTest, RedrawsAtMostTenTimesASecond) {
  const auto progress = make(true);
  progress->begin("evaluating", {10});
  const auto before = written().size();
  now_ += milliseconds{50};
  progress->tick();
  EXPECT_EQ(written().size(), before);
  now_ += milliseconds{60};
  progress->tick();
  EXPECT_GT(written().size(), before);
}

TEST_F(ProgressTest, RemainingTimeCountsWhatIsLeft) {
  const auto progress = make(false, -1);
  progress->begin("evaluating", {10, 0, 30});  // the unknown one counts as the mean, 20
  EXPECT_DOUBLE_EQ(progress->remaining_seconds(), 60);
  progress->item(0, "a");
  now_ += seconds{4};
  EXPECT_DOUBLE_EQ(progress->remaining_seconds(), 56);
  now_ += seconds{100};  // late, but the others take as long as they take
  EXPECT_DOUBLE_EQ(progress->remaining_seconds(), 50);
  progress->item_done("ok");
  EXPECT_DOUBLE_EQ(progress->remaining_seconds(), 50 * (15 + 104.0) / (15 + 10)) << "it learns";
  progress->item(2, "c");
  EXPECT_DOUBLE_EQ(progress->remaining_seconds(), 30 * (15 + 104.0) / (15 + 10));
}

TEST_F(ProgressTest, WhereNothingIsKnownTheFirstItemTells) {
  const auto progress = make(false, -1);
  progress->begin("evaluating", {0, 0, 0});
  EXPECT_DOUBLE_EQ(progress->remaining_seconds(), 0);
  progress->item(0, "a");
  now_ += seconds{7};
  progress->item_done("ok");
  EXPECT_DOUBLE_EQ(progress->remaining_seconds(), 14);
}

// Was: a compile error of half a second made the rest of a phase look that short.
TEST_F(ProgressTest, AnItemThatFailedSaysNothingOfThoseToCome) {
  auto progress = make(false, -1);
  progress->begin("evaluating", {10, 10, 30});
  progress->item(0, "a");
  now_ += seconds{1};
  progress->item_failed("compile error");
  EXPECT_DOUBLE_EQ(progress->remaining_seconds(), 40);
  progress = make(false, -1);
  progress->begin("evaluating", {0, 0, 0});
  progress->item(0, "a");
  now_ += seconds{1};
  progress->item_failed("compile error");
  EXPECT_DOUBLE_EQ(progress->remaining_seconds(), 0) << "nothing is known yet";
  progress->item(1, "b");
  now_ += seconds{7};
  progress->item_done("ok");
  EXPECT_DOUBLE_EQ(progress->remaining_seconds(), 7);
}

TEST_F(ProgressTest, ForeignNamesCannotSteerTheTerminal) {
  const auto progress = make(true);
  progress->begin("evaluating", {1});
  progress->item(0, "evil\x1b[2J\nname");
  EXPECT_THAT(written(), HasSubstr("evil?[2J name"));
}

TEST(DurationText, UsesTheUnitThatFits) {
  EXPECT_EQ(duration_text(-1), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(125), "2 min 05 s");
  EXPECT_EQ(duration_text(3720), "1 h 02 min");
}

TEST_F(ProgressTest, HowManyAreDoneIsAPhase) {
  const auto progress = make(true);
  const auto tell = counting(*progress, "checking runs");
  tell(0, 3);
  EXPECT_THAT(written(), HasSubstr("checking runs 1/3"));
  tell(2, 3);
  EXPECT_THAT(written(), HasSubstr("checking runs 3/3"));
}

}  // namespace
}  // namespace kbench
