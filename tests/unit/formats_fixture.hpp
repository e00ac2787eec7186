// One run for the formats: every way in which a row may end that they write differently. A quick
// one on a GPU, with a row of another device among them.
#pragma once

#include <limits>
#include <string>

#include "tests/unit/report_fixture.hpp"

namespace kbench::test {

inline Evaluation gpu_evaluation(const std::string& task, int level, const std::string& agent) {
  Evaluation e = base_evaluation(task, level);
  e.device = "cuda";
  e.size = "full";
  e.task_hash = "hash of " + task;
  e.calibration = Calibration{0.001, 0.001, "2026-11-20T10:00:00Z"};
  if (!agent.empty()) set_submission(e, agent, "");
  return e;
}

inline Evaluation failed_evaluation(const std::string& task, const std::string& agent, State state,
                                    const std::string& message, const std::string& hint) {
  Evaluation e = gpu_evaluation(task, 1, agent);
  e.state = state;
  e.message = message;
  e.hint = hint;
  return e;
}

inline Evaluation timed_evaluation(const std::string& task, int level, const std::string& agent) {
  Evaluation e = gpu_evaluation(task, level, agent);
  add_checks(e, 1.5e-7);
  add_samples(e, Side::kEager, 2'000'000);
  add_samples(e, Side::kCompiled, 1'500'000);
  add_samples(e, Side::kSubmission, 1'000'000);
  return e;
}

inline ReportData make_formats_data() {
  ReportData data;
  data.run = {
      .id = "fedcba9876543210fedcba9876543210",
      .started_at = "2026-11-21T13:00:00Z",
      .finished_at = "2026-11-21T13:02:00Z",
      .command_line = "kbench run --quick",
      .configuration = R"({"device":"cuda","quick":true,"submissions":"/home/ci/repo/subs"})",
      .environment = R"({"kbench":"0.1.0","device":{"name":"NVIDIA H200"},)"
                     R"("host":{"threads":16}})"};
  data.device_name = "NVIDIA H200";
  data.quick = true;
  data.files =
      R"({"evaluated":9,"ignored":[{"path":"a/b.cu","why":"no such task","mistaken":true}],)"
      R"("not_selected":0,"other_device":1})";
  data.chain = {ChainFinding::State::kUnchecked, "the key is on another machine"};
  data.trust.unchecked = true;

  Evaluation ok = timed_evaluation("level1/019_relu", 1, "alice");
  ok.floor_ns = 41;  // less than a microsecond shows as well
  data.evaluations.push_back(ok);

  Evaluation wrong = failed_evaluation("level1/019_relu", "bob", State::kWrongResult,
                                       "output 0 is 0.5 off at [0, 3]\n17 of 4096 are wrong",
                                       "Is every element written?");
  wrong.correct = false;
  wrong.checks = {{.passed = false, .max_error = 0.5, .tolerance = 2e-5, .wrong_elements = 17}};
  data.evaluations.push_back(wrong);

  Evaluation nan = failed_evaluation("level1/019_relu", "carol", State::kWrongResult,
                                     "output 0 is NaN at [0, 0]", "");
  nan.correct = false;
  nan.checks = {{.passed = false,
                 .max_error = std::numeric_limits<double>::quiet_NaN(),
                 .tolerance = 2e-5,
                 .wrong_elements = 4096}};
  data.evaluations.push_back(nan);

  data.evaluations.push_back(
      failed_evaluation("level1/023_softmax", "alice", State::kCrash,
                        "SIGSEGV in kbench_forward | stderr: 100 %,\n=> \x1b[31m]]> ::error::no",
                        "Check its bounds, then run it again."));
  data.evaluations.push_back(failed_evaluation("level1/023_softmax", "bob", State::kSkipped,
                                               "it is for cpu, this run is on cuda",
                                               "use --device cpu"));
  data.evaluations.push_back(failed_evaluation("level1/023_softmax", "carol",
                                               State::kInfrastructureError,
                                               "the oracle does not answer", "See dmesg."));

  Evaluation uncalibrated = timed_evaluation("level2/055_matmul_sum", 2, "alice");
  uncalibrated.calibration.reset();
  data.evaluations.push_back(uncalibrated);

  Evaluation unranked = timed_evaluation("level2/080_gemm_max", 2, "alice");
  unranked.unranked = "zeros pass";
  data.evaluations.push_back(unranked);

  Evaluation alone = gpu_evaluation("level3/007_lenet5", 3, "");
  alone.state = State::kNoSubmission;
  alone.compiled_reason = "no Python with torch";
  add_samples(alone, Side::kEager, 800'000);
  data.evaluations.push_back(alone);

  Evaluation elsewhere = timed_evaluation("level3/007_lenet5", 3, "dave");
  elsewhere.device = "cpu";
  data.evaluations.push_back(elsewhere);
  return data;
}

}  // namespace kbench::test
