#include "runner/print/task_text.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/sanitize.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Terminal kNoColour;

TEST(TaskText, ATaskIsShownAtTheSizesThatAreMeant) {
  const auto entries = list_tasks(test::kTinySuites);
  ASSERT_TRUE(entries.ok());
  const std::string list = task_list_text(*entries, kNoColour);
  EXPECT_THAT(list, HasSubstr("level1/019_relu"));
  const auto relu = std::find_if(entries->begin(), entries->end(),
                                 [](const TaskEntry& one) { return one.name == "relu"; });
  ASSERT_NE(relu, entries->end());
  const auto task = load_task(relu->file);
  ASSERT_TRUE(task.ok());
  const std::string text = task_text(*task, {&task->sizes.front()}, kNoColour);
  EXPECT_THAT(text, HasSubstr("level1/019_relu  "));
  EXPECT_THAT(text, HasSubstr("\nsize " + task->sizes.front().name + "  "));
  EXPECT_THAT(text, HasSubstr("  inputs ("));
  EXPECT_THAT(text, HasSubstr("  outputs ("));
  EXPECT_THAT(text, Not(HasSubstr("  parameters ("))) << "it has none";
}

// Was: one name of 102 letters moved every title beyond the 80 columns of a terminal.
TEST(TaskText, TheListFitsATerminal) {
  TaskEntry usual;
  usual.id = "level1/001_square_matrix_multiplication";
  usual.title = "Square matrix product: C = A B, A and B of N x N.";
  TaskEntry lengthy = usual;
  lengthy.id = "level1/050_" + std::string(100, 'x');
  Terminal narrow;
  narrow.is_tty = true;
  narrow.columns = 80;
  std::istringstream lines(task_list_text({usual, lengthy}, narrow));
  std::string first;
  std::string second;
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_THAT(first, HasSubstr(usual.id + "  "));
  EXPECT_THAT(first, HasSubstr("Square matrix"));
  EXPECT_LE(display_width(first), 80U);
  EXPECT_LE(display_width(second), 80U);
  EXPECT_THAT(task_list_text({usual, lengthy}, kNoColour), HasSubstr(lengthy.id + "  "));
}

TEST(TaskText, AFileThatCannotBeReadIsInTheList) {
  TaskEntry broken;
  broken.id = "level1/001_x";
  broken.problem = "no JSON";
  EXPECT_EQ(task_list_text({broken}, kNoColour), "level1/001_x  unreadable: no JSON\n");
}

TEST(TaskText, NotesOfALintAreShownOnRequest) {
  LintRow row;
  row.outcome.record.task = "level1/019_relu";
  row.outcome.record.state = LintState::kPassed;
  row.outcome.record.mutants = row.outcome.record.rejected = 12;
  row.outcome.eager_ms = 1.5;
  LintFinding note;
  note.kind = "value";
  note.weight = LintFinding::Weight::kNote;
  note.message = "all positive";
  row.outcome.record.findings = {note};
  const std::string text = lint_text({row}, false, kNoColour);
  EXPECT_THAT(text, HasSubstr(" 12 of  12 mutations rejected  eager    1.500 ms\n"));
  EXPECT_THAT(text, Not(HasSubstr("all positive")));
  EXPECT_THAT(lint_text({row}, true, kNoColour), HasSubstr("value: all positive\n"));
}

TEST(TaskText, AnImportSaysWhoseFaultItIs) {
  ImportOutcome good;
  good.state = ImportOutcome::State::kImported;
  good.task = "level1/001_x";
  good.where = "x.py";
  ImportOutcome bad;
  bad.state = ImportOutcome::State::kFailed;
  bad.where = "dir/bad.py";
  bad.error.emplace();
  bad.error->line = 3;
  bad.error->what = "SyntaxError: invalid syntax";
  bad.error->fault = ImportError::Fault::kFile;
  bad.error->hint = "correct that line";
  const std::string text = import_text({good, bad}, kNoColour);
  EXPECT_THAT(text, HasSubstr("level1/001_x  x.py\n"));
  EXPECT_THAT(text, HasSubstr("dir/bad.py:3: SyntaxError: invalid syntax (the file's fault; "
                              "correct that line)\n"));
}

TEST(TaskText, ASynthesisCountsWhatWasKept) {
  SynthOutcome outcome;
  outcome.kept = 7;
  EXPECT_EQ(synthesis_text(outcome), "     7  kept\n");
}

}  // namespace
}  // namespace kbench
