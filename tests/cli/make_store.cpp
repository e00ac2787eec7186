// make_store FILE [RUN_ID]...: a kbench database for the report tests, written by the store itself.
// Each run has one task without a submission. Without run ids the database is empty.
// make_store FILE --agents RUN_ID HEX...: one run of crashed submissions, by agents whose names,
// given as hexadecimal digits since they may hold any byte, are their messages and hints as well.
#include <cstdio>
#include <string>
#include <vector>

#include "runner/store/store.hpp"

namespace {

using kbench::Evaluation;
using kbench::Run;
using kbench::Side;
using kbench::State;

Run make_run(const std::string& id) {
  Run run;
  run.id = id;
  run.started_at = "2026-01-01T00:00:00Z";
  run.finished_at = "2026-01-01T00:01:00Z";
  run.command_line = "kbench run --task level1/019_relu";
  run.configuration = "{}";
  run.environment = "{}";
  return run;
}

Evaluation make_evaluation(const std::string& run_id) {
  Evaluation evaluation;
  evaluation.run_id = run_id;
  evaluation.key = "relu";
  evaluation.task = "level1/019_relu";
  evaluation.level = 1;
  evaluation.size = "small";
  evaluation.device = "cpu";
  evaluation.precision = "torch-default";
  evaluation.state = State::kNoSubmission;
  evaluation.compiled_reason = "no Python with torch";
  evaluation.submission_reason = "no submission";
  for (int block = 0; block < 8; ++block) {
    kbench::Sample sample;
    sample.placement = block / 2;
    sample.block = block;
    sample.side = Side::kEager;
    sample.time_ns = 1000000 + block;
    evaluation.samples.push_back(sample);
  }
  return evaluation;
}

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

Evaluation make_crash(const std::string& run_id, const std::string& agent) {
  Evaluation evaluation = make_evaluation(run_id);
  evaluation.key = agent;
  kbench::SubmissionId id;
  id.agent = agent;
  id.name = agent + "/level1/019_relu.cpp";
  evaluation.submission = id;
  evaluation.state = State::kCrash;
  evaluation.message = evaluation.hint = agent;
  return evaluation;
}

int complain(const kbench::Error& error) {
  std::fprintf(stderr, "make_store: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return 2;
  auto store = kbench::Store::open(words[0], kbench::Store::Mode::kReadWrite);
  if (!store) return complain(store.error());
  if (words.size() > 2 && words[1] == "--agents") {
    if (const auto begun = store->begin_run(make_run(words[2])); !begun)
      return complain(begun.error());
    for (std::size_t i = 3; i < words.size(); ++i) {
      if (const auto added = store->add(make_crash(words[2], from_hex(words[i]))); !added)
        return complain(added.error());
    }
    return 0;
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (const auto begun = store->begin_run(make_run(words[i])); !begun) {
      return complain(begun.error());
    }
    if (const auto added = store->add(make_evaluation(words[i])); !added) {
      return complain(added.error());
    }
  }
  return 0;
}
