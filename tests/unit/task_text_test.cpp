#include "runner/print/task_text.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/sanitize.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Terminal kNoColour;
constexpr TableStyle kNarrow{.columns = 80};

TEST(TaskText, ATaskIsShownAtTheSizesThatAreMeant) {
  const auto entries = list_tasks(test::kTinySuites);
  ASSERT_TRUE(entries.ok());
  const std::string list = task_list_text(*entries, {});
  EXPECT_THAT(list, StartsWith("Task "));
  EXPECT_THAT(list, ContainsRegex("\nlevel1/019_relu +activation +small"));
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
  TaskEntry longer = usual;
  longer.id = "level1/058_conv_transposed_3d__asymmetric_input__asymmetric";
  const std::string list = task_list_text({usual, longer, lengthy}, kNarrow);
  EXPECT_THAT(list, HasSubstr(usual.id + "   matmul       Square matrix"));
  EXPECT_THAT(list, HasSubstr(longer.id + "  convolution  Squar…\n")) << "the title is cut first";
  EXPECT_THAT(list, HasSubstr("\nlevel1/050_xxx"));
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
  EXPECT_THAT(task_list_text({usual, lengthy}, {}), HasSubstr(lengthy.id + "  "));
}

TEST(TaskText, ColumnsOfTheListAreChosenByName) {
  TaskEntry task;
  task.id = "level2/076_gemm_add_relu";
  task.title = "Product, sum, rectifier.";
  EXPECT_EQ(task_list_text({task}, {}, {"title", "task"}),
            "Title                     Task\n"
            "────────────────────────  ────────────────────────\n"
            "Product, sum, rectifier.  level2/076_gemm_add_relu\n");
  EXPECT_THAT(task_list_text({task}, {}), HasSubstr("  matmul,activation  "));
  EXPECT_THAT(task_list_text({task}, kNarrow), HasSubstr("  matmul +1  ")) << "there is less room";
  EXPECT_THAT(task_list_text({task}, kNarrow, {"sizes"}), StartsWith("Sizes\n"));
  EXPECT_EQ(task_list_text({}, {}), "");
  EXPECT_THAT(task_columns(), ElementsAre("task", "family", "sizes", "title"));
}

TEST(TaskText, AFileThatCannotBeReadIsInTheList) {
  TaskEntry broken;
  broken.id = "level1/001_x";
  broken.problem = "no JSON";
  EXPECT_THAT(task_list_text({broken}, {}), HasSubstr("level1/001_x  –       –      unreadable: "
                                                      "no JSON\n"));
  EXPECT_EQ(task_list_words({broken}), "1 task, 1 of them unreadable");
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
