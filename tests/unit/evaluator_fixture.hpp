// A CUDA evaluation of one submission on the scripted device.
#pragma once

#include <gtest/gtest.h>

#include "runner/measure/evaluator.hpp"
#include "tests/fakes/fake_device.hpp"

namespace kbench {

class ScriptedEvaluation : public testing::Test {
 protected:
  ScriptedEvaluation() {
    size_.name = "small";
    size_.inputs = {{.name = "x", .shape = {4}}};
    size_.outputs = {{.name = "y", .shape = {4}}};
    task_.id = "level1/019_relu";
    task_.level = 1;
    request_.task = &task_;
    request_.size = &size_;
    request_.device = "cuda";
    request_.package = "/a/package.pt2";
    request_.submission = SubmissionId{.agent = "someone", .name = "019_relu.cu"};
    request_.library = [] { return std::filesystem::path("/builds/0123.so"); };
    request_.seed = "00";
    settings_.calibration = Calibration{};
    settings_.stop = stop_rule_for("cuda");
    settings_.stop.max_seconds = settings_.stop.longest_seconds = 3600;
    settings_.surroundings = fakes::scripted_surroundings(script_);
  }

  void use_cpu() {
    request_.device = "cpu";
    settings_.stop = stop_rule_for("cpu");
    settings_.stop.max_seconds = settings_.stop.longest_seconds = 3600;
    settings_.stop.min_seconds_a_side = 0;
  }

  Evaluation run() {
    fakes::FakeOracle oracle(script_);
    return evaluate(request_, settings_, oracle, fakes::worker_factory(script_));
  }

  Task task_;
  TaskSize size_;
  EvaluationRequest request_;
  EvaluationSettings settings_;
  fakes::Script script_;
};

}  // namespace kbench
