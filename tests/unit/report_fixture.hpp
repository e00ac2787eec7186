// One fixed run for all reports: a good submission, one that is slower, baselines alone, a compile
// error, a wrong result with NaN, a missing compiled baseline, and names that try to break out of
// every format. Made of integers and sines only, so that each build writes the same bytes.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "reports/facts/model.hpp"

namespace kbench::test {

// Hostile in HTML, in a terminal, in a shell and in a spreadsheet.
inline const std::string kHostileAgent =
    "<script>document.title='owned'</script>\x1b[31m\"quo'ted\" \xe2\x80\xae txt";

inline Evaluation base_evaluation(const std::string& task, int level) {
  Evaluation e;
  e.run_id = "0123456789abcdef0123456789abcdef";
  e.task = task;
  e.level = level;
  e.size = "small";
  e.device = "cpu";
  e.precision = "torch-default";
  e.task_hash = "1111aaaa";
  e.package_key = "2222bbbb";
  e.sandbox_level = "uid+bwrap+netns+nnp";
  e.seed = "feedface";
  e.started_at = "2026-11-21T13:00:05Z";
  e.wall_seconds = 12.5;
  e.calibration = Calibration{0.02, 0.02, "2026-11-20T10:00:00Z"};
  return e;
}

inline void set_submission(Evaluation& e, const std::string& agent, const std::string& variant) {
  SubmissionId id;
  id.agent = agent;
  id.variant = variant;
  id.name = agent + "/" + e.task + (variant.empty() ? "" : "@" + variant) + ".cpp";
  id.source_hash = "3333cccc";
  id.precision = "fp32";
  e.submission = id;
  e.key = id.name;
}

// Adds samples of one side over six placements of two blocks. `time_ns` is the typical time.
inline void add_samples(Evaluation& e, Side side, std::int64_t time_ns) {
  for (int block = 0; block < 12; ++block) {
    for (int visit = 0; visit < 2; ++visit) {
      const double wave = std::sin(7.0 * block + 3.0 * visit + 11.0 * static_cast<double>(side));
      const auto noise = static_cast<std::int64_t>(std::lround(wave * 10)) * time_ns / 500;
      e.samples.push_back({.placement = block / 2,
                           .block = block,
                           .visit = visit,
                           .side = side,
                           .calls = 4,
                           .time_ns = 4 * (time_ns + noise + (block / 2) * time_ns / 200)});
    }
  }
}

inline void add_checks(Evaluation& e, double max_error) {
  for (int draw = 0; draw < 5; ++draw) {
    e.checks.push_back(
        {.draw = draw, .passed = true, .max_error = max_error / (1 << draw), .tolerance = 4e-6});
  }
  e.correct = true;
  e.state = State::kOk;
}

inline ReportData make_report_data() {
  ReportData data;
  data.run = {.id = "0123456789abcdef0123456789abcdef",
              .started_at = "2026-11-21T13:00:00Z",
              .finished_at = "2026-11-21T13:02:00Z",
              .command_line = "kbench run --level 1 --level 2",
              .configuration = R"({"device":"cpu"})",
              .environment = R"({"cpu":"Example CPU","torch":"2.11.0","threads":2})"};

  data.lint = {{.task = "level1/019_relu",
                .task_hash = "1111aaaa",
                .size = "full",
                .device = "cuda",
                .state = LintState::kPassed},
               {.task = "level2/076_gemm_add_relu",
                .task_hash = "4444dddd",
                .size = "small",
                .device = "cpu",
                .state = LintState::kFailed,
                .findings = {{.kind = "zeros", .message = "y passes when it is all zero"},
                             {.kind = "identity"},
                             {.kind = "zeros"}}}};
  data.chain = {ChainFinding::State::kHolds, "its rows are as they were stored"};

  Evaluation relu = base_evaluation("level1/019_relu", 1);
  set_submission(relu, "example", "");
  add_checks(relu, 1.5e-7);
  add_samples(relu, Side::kEager, 2'000'000);
  add_samples(relu, Side::kCompiled, 1'500'000);
  add_samples(relu, Side::kSubmission, 1'000'000);
  relu.samples[3].dropped = true;
  relu.samples[3].drop_reason = "involuntary context switch";
  relu.prepare_ns = 350'000;
  // One file that the report carries, and one that it does not.
  relu.sources = {{"include/wide.hpp", "7777", 5'000'000}, {"src/019_relu.cpp", "8888", 35}};
  relu.tree_hash = "9999";
  relu.task_source = "aaaa";
  data.contents = {{"8888", "int i = 1 < 2; // </script>\n"}, {"aaaa", "class Model: pass\n"}};
  data.database = "/data/kbench.sqlite";
  data.evaluations.push_back(relu);

  Evaluation slow = base_evaluation("level1/019_relu", 1);
  set_submission(slow, "example", "scalar");
  add_checks(slow, 0);
  add_samples(slow, Side::kEager, 2'000'000);
  add_samples(slow, Side::kCompiled, 1'500'000);
  add_samples(slow, Side::kSubmission, 5'000'000);
  data.evaluations.push_back(slow);

  Evaluation hostile = base_evaluation("level1/019_relu", 1);
  set_submission(hostile, kHostileAgent, "");
  hostile.state = State::kCompileError;
  add_samples(hostile, Side::kEager, 2'000'000);
  add_samples(hostile, Side::kCompiled, 1'500'000);
  hostile.message = "relu.cpp:3: error: expected ';' before '}'\n\x1b]0;owned\x07";
  for (int line = 4; line < 30; ++line) hostile.message += "\nrelu.cpp:" + std::to_string(line);
  hostile.hint = "Run `kbench tasks header level1/019_relu` & compile against it.";
  data.evaluations.push_back(hostile);

  Evaluation wrong = base_evaluation("level2/076_gemm_add_relu", 2);
  wrong.task_hash = "4444dddd";
  set_submission(wrong, "example", "");
  wrong.state = State::kWrongResult;
  wrong.correct = false;
  wrong.compiled_reason = "no Python with torch: set KBENCH_TORCH";
  wrong.package_key = "";
  wrong.checks.push_back({.passed = true, .max_error = 7, .tolerance = 8});
  wrong.checks.push_back({.draw = 1,
                          .passed = false,
                          .max_error = std::numeric_limits<double>::quiet_NaN(),
                          .tolerance = 2e-5,
                          .wrong_elements = 4096});
  wrong.message = "output 0 is NaN at [0, 0]; 4096 of 4096 elements are outside the tolerance";
  wrong.hint = "Is every element written?";
  add_samples(wrong, Side::kEager, 31'000'000);
  data.evaluations.push_back(wrong);

  Evaluation alone = base_evaluation("level3/007_lenet5", 3);
  alone.task_hash = "5555eeee";
  alone.state = State::kNoSubmission;
  add_samples(alone, Side::kEager, 800'000);
  add_samples(alone, Side::kCompiled, 790'000);
  data.evaluations.push_back(alone);

  Evaluation same = base_evaluation("level2/055_matmul_sum", 2);
  same.task_hash = "6666ffff";
  set_submission(same, "copycat", "");
  add_checks(same, 3e-6);
  add_samples(same, Side::kEager, 130'000'000);
  add_samples(same, Side::kCompiled, 129'000'000);
  add_samples(same, Side::kSubmission, 130'500'000);
  data.evaluations.push_back(same);
  return data;
}

}  // namespace kbench::test
