#include "reports/formats/console_report.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/sanitize.hpp"
#include "tests/unit/golden.hpp"
#include "tests/unit/report_fixture.hpp"

namespace kbench {
namespace {

using test::make_report_data;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ConsoleReport, MatchesItsGolden) {
  test::expect_golden("reports/report.txt", render_console(make_report_data()));
}

// Without its colour codes the coloured report is the plain one.
TEST(ConsoleReport, ColourChangesNothingElse) {
  std::string coloured = render_console(make_report_data(), {.colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[32m"));
  for (const char* code : {"\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[0m"}) {
    for (std::size_t at = coloured.find(code); at != std::string::npos; at = coloured.find(code))
      coloured.erase(at, std::string_view(code).size());
  }
  EXPECT_THAT(coloured, Not(HasSubstr("\x1b"))) << "a name or message smuggled its own";
  const auto without_trailing_spaces = [](const std::string& text) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    return out;
  };
  EXPECT_EQ(without_trailing_spaces(coloured), render_console(make_report_data()));
}

TEST(ConsoleReport, ColumnsAreAligned) {
  const std::string report = render_console(make_report_data());
  std::istringstream lines(report);
  std::string heading;
  std::getline(lines, heading);
  const std::size_t state = display_width(heading.substr(0, heading.find("State")));
  std::string line;
  std::getline(lines, line);
  for (int row = 0; row < 6; ++row) {
    std::getline(lines, line);
    std::size_t at = std::string::npos;
    for (const char* glyph : {"✓ ", "✗ ", "· "}) at = std::min(at, line.find(glyph));
    ASSERT_NE(at, std::string::npos) << line;
    EXPECT_EQ(display_width(line.substr(0, at)), state) << line;
  }
}

// An accusation of the submission is no fault of the baselines', which were not timed because of
// it.
TEST(ConsoleReport, WhatTheRowSaysIsNotToldAgainAsAReason) {
  auto data = make_report_data();
  Evaluation& evaluation = data.evaluations.front();
  evaluation.samples.clear();
  evaluation.state = State::kTimingInconsistent;
  evaluation.message = "measured twice, and both times: its threads ran for 3 ms";
  evaluation.eager_reason = evaluation.compiled_reason = "its threads ran for 3 ms";
  EXPECT_THAT(render_console(data), Not(HasSubstr("eager: its threads")));
  evaluation.message = "it is late";
  EXPECT_THAT(render_console(data), HasSubstr("eager: its threads"));
}

TEST(ConsoleReport, ANarrowTerminalLosesWhatMattersLeast) {
  const auto heading = [](std::size_t columns) {
    const std::string report = render_console(make_report_data(), {.columns = columns});
    return report.substr(0, report.find('\n'));
  };
  const std::string wide = heading(0);
  EXPECT_THAT(wide, HasSubstr("Max error"));
  EXPECT_THAT(wide, HasSubstr("Compiled (ms)"));
  const std::string narrow = heading(100);
  EXPECT_LE(display_width(narrow), 100U);
  EXPECT_THAT(narrow, Not(HasSubstr("Max error")));
  for (const char* kept : {"Task", "Submission", "State", "vs eager", "Verdict"})
    EXPECT_THAT(narrow, HasSubstr(kept));
}

TEST(ConsoleReport, LongMessagesAreCutAndSaySo) {
  const std::string report = render_console(make_report_data(), {.message_lines = 5});
  EXPECT_THAT(report, HasSubstr("… 23 more lines"));
  EXPECT_THAT(report, Not(HasSubstr("relu.cpp:20")));
}

TEST(ConsoleReport, AWrongSubmissionShowsNoSpeedup) {
  Evaluation e = make_report_data().evaluations[0];
  e.state = State::kWrongResult;
  e.correct = false;
  EXPECT_THAT(format_row_line(derive(e)), Not(HasSubstr("vs eager")));
  EXPECT_THAT(render_console({{}, {e}}), Not(HasSubstr("FASTER")));
}

TEST(ConsoleReport, AFailureSaysWhoseFaultItIs) {
  Evaluation e = make_report_data().evaluations[0];
  const auto told = [&](State state) {
    e.state = state;
    e.message = "it ended";
    Evaluation other = e;
    other.task = "level1/023_softmax";
    return std::vector{format_row_line(derive(e)), render_console({{}, {e}}),
                       render_console({{}, {e, other}})};
  };
  for (const std::string& text : told(State::kCrash)) {
    EXPECT_THAT(text, HasSubstr("crash · the submission's fault"));
    EXPECT_THAT(text, Not(HasSubstr("machine's fault")));
  }
  for (const std::string& text : told(State::kInfrastructureError)) {
    EXPECT_THAT(text, HasSubstr(" · kbench's or the machine's fault"));
    EXPECT_THAT(text, Not(HasSubstr("submission's fault")));
  }
  for (const std::string& text : told(State::kOk)) EXPECT_THAT(text, Not(HasSubstr("fault")));
}

// Every other format has it as the row's hint.
TEST(ConsoleReport, ACompileErrorSaysWhatToDoNext) {
  Evaluation e = make_report_data().evaluations[0];
  e.state = State::kCompileError;
  const auto told = [&](const std::string& message) {
    e.message = message;
    return render_console({{}, {e}});
  };
  const std::string step =
      " and run it again: what does not compile is told in seconds, without a device\n";
  EXPECT_THAT(told("bad.cpp does not compile\n./bad.cpp:3:84: error: expected ';'"),
              HasSubstr("      → correct line 3 of bad.cpp" + step));
  EXPECT_THAT(told("bad.cu does not compile\n./bad.cu(17): error: expected a \";\""),
              HasSubstr("      → correct line 17 of bad.cu" + step));
  EXPECT_THAT(told("/usr/include/c++/x.h:9:1: error: no\n./task.h:3:1: error: x\n"
                   "./inner/a.hpp:5:2: fatal error: y.hpp: No such file"),
              HasSubstr("      → correct line 5 of inner/a.hpp" + step));
  EXPECT_THAT(told("./bad.cpp:2:10: fatal error: mine.hpp: No such file or directory\n  2 | #in"),
              HasSubstr("      → a single file is compiled alone: a header of yours goes into"));
  EXPECT_THAT(told("./bad.cu:1:10: fatal error: torch/extension.h: No such file or directory"),
              HasSubstr("      → a C++ or CUDA file has no headers of PyTorch or Python"));
  EXPECT_THAT(told("bad.cpp does not compile\ncollect2: error: ld returned 1 exit status"),
              HasSubstr("      → correct the submission" + step));
  e.hint = "to find it: `kbench debug FILE --task TASK` calls it";
  e.submission->name = "alice/level1/bad.cpp";
  EXPECT_THAT(told("x"), HasSubstr("`kbench debug alice/level1/bad.cpp --task " + e.task + "`"));
  const auto told_of = [&](const char* command) {
    ReportData data;
    data.run.command_line = command;
    data.evaluations = {e};
    return render_console(data);
  };
  const std::string in_folder = "`kbench debug tries/alice/level1/bad.cpp --task ";
  EXPECT_THAT(told_of("kbench run --submissions tries/ --quick"), HasSubstr(in_folder));
  EXPECT_THAT(told_of("kbench run --submissions=./tries"), HasSubstr(in_folder));
  for (const char* leaves : {"kbench run --submissions ../tries", "kbench run --submissions /tries",
                             "kbench run --submissions a/../../tries"})
    EXPECT_THAT(told_of(leaves), HasSubstr("`kbench debug alice/level1/bad.cpp --task ")) << leaves;
  e.submission->name = "bad.cpp";
  EXPECT_THAT(told_of("kbench run old/bad.cpp --task x"),
              HasSubstr("`kbench debug old/bad.cpp --task "));
  e.submission->name = "$(touch x).cpp";
  EXPECT_THAT(told("x"), HasSubstr("`kbench debug FILE --task TASK`"));
  e.hint = "Do that.";
  EXPECT_THAT(told("./bad.cpp:3:84: error: x"), HasSubstr("      → Do that.\n"));
  EXPECT_THAT(told("./bad.cpp:3:84: error: x"), Not(HasSubstr("line 3 of")));
}

TEST(ConsoleReport, OneLineForEachRow) {
  const ReportData data = make_report_data();
  EXPECT_THAT(format_row_line(derive(data.evaluations[0])),
              StartsWith("✓ level1/019_relu  example  ok  1."));
  EXPECT_THAT(format_row_line(derive(data.evaluations[0])), HasSubstr("▲ FASTER"));
  for (const Evaluation& evaluation : data.evaluations) {
    const std::string line = format_row_line(derive(evaluation));
    EXPECT_THAT(line, Not(HasSubstr("\n")));
    EXPECT_THAT(line, Not(HasSubstr("\x1b")));
  }
}

// Both were called "example": one was right, and one an import error.
TEST(ConsoleReport, TwoFilesOfAnAgentForATaskAreToldApart) {
  ReportData data = make_report_data();
  data.evaluations.resize(1);
  data.evaluations.push_back(data.evaluations[0]);
  Evaluation& other = data.evaluations[1];
  other.submission->name = "example/level1/019_relu.py";
  other.state = State::kImportError;
  other.message = "it cannot be imported";
  const std::string report = render_console(data);
  EXPECT_THAT(report, HasSubstr("level1/019_relu  example (.py)"));
  EXPECT_THAT(report, HasSubstr("✗ level1/019_relu  example (.py)  import error"));
  other.submission->name = "example/level1/019_relu@a.py";
  EXPECT_THAT(render_console(data), HasSubstr("  example (019_relu@a.py)")) << "the stems differ";
  other.submission->name = data.evaluations[0].submission->name;
  EXPECT_THAT(render_console(data), Not(HasSubstr("example ("))) << "shards may have it twice";
}

// The name was cut where it told the two apart: "alice (001_square_matrix_multip…" were both.
TEST(ConsoleReport, WhatTellsTwoFilesApartIsNotCutOff) {
  ReportData data = make_report_data();
  data.evaluations.resize(1);
  data.evaluations[0].submission->name = "a/level1/001_square_matrix_multiplication_by_tiles.cpp";
  data.evaluations.push_back(data.evaluations[0]);
  Evaluation& other = data.evaluations[1];
  other.submission->name = "a/level1/001_square_matrix_multiplication_by_tiles.py";
  std::string report = render_console(data);
  EXPECT_THAT(report, HasSubstr("  example (.cpp)"));
  EXPECT_THAT(report, HasSubstr("  example (.py)"));
  for (Evaluation& evaluation : data.evaluations)
    evaluation.submission->agent = "an_agent_with_a_name_of_many_letters";
  report = render_console(data);
  EXPECT_THAT(report, HasSubstr("  an_agent_with_a_name_of_… (.cpp)  "));
  EXPECT_THAT(report, HasSubstr("  an_agent_with_a_name_of_m… (.py)  "));
  other.submission->name = "a/level1/001_square_matrix_multiplication_by_rows.cpp";
  report = render_console(data);
  EXPECT_THAT(report, HasSubstr("  an_agen… (…ication_by_tiles.cpp)  "));
  EXPECT_THAT(report, HasSubstr("  an_agen… (…lication_by_rows.cpp)  "));
}

// An agent's other file was right, and left out on purpose: "0/2 correct" was not true.
TEST(ConsoleReport, OfAPartThatWasRunAgainNothingElseCountsAsUnsolved) {
  ReportData data = make_report_data();
  EXPECT_THAT(summary_line(data), HasSubstr(" correct, "));
  data.run.configuration = R"({"rerun": {"run": "0123456789abcdef", "states": ["failed"]}})";
  EXPECT_THAT(summary_line(data),
              ::testing::ContainsRegex(": [0-9] of the [0-9] run again correct"));
  EXPECT_THAT(summary_line(data), Not(HasSubstr("unsolved")));
}

TEST(ConsoleReport, AnEmptyRunIsOneSentence) {
  EXPECT_EQ(summary_line({}), "0 tasks");
  EXPECT_THAT(render_console({}), HasSubstr("0 tasks\n"));
}

}  // namespace
}  // namespace kbench
