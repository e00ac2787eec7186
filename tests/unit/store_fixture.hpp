// Full-featured records and child processes for the store's tests.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/store/rows/blob.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {

// Runs `work` in a forked child, whose exit code is what `work` returns.
template <class Work>
pid_t start_child(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(std::forward<Work>(work)());
  return child;
}

// The exit code, or minus the signal that ended the child.
inline int wait_for(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

inline Run make_run(const std::string& id) {
  return {.id = id,
          .started_at = "2026-11-21T13:00:00Z",
          .finished_at = "",
          .command_line = "kbench run --level 1",
          .configuration = R"({"device":"cpu"})",
          .environment = R"({"cpu":"EPYC"})"};
}

// An evaluation with every member away from its default, its size depending on `number`.
inline Evaluation make_evaluation(const std::string& run_id, int number, int sample_count = 60) {
  using namespace std::string_literals;  // keeps the zero byte below
  Evaluation e;
  e.run_id = run_id;
  e.key = "key-" + std::to_string(number);
  e.task = "level1/019_relu";
  e.level = 1;
  e.size = "small";
  e.device = "cpu";
  e.precision = "torch-default";
  e.profile = "kernelbench";
  e.submission = SubmissionId{.agent = "example",
                              .name = "example/level1/019_relu@tiled.cpp",
                              .variant = "tiled",
                              .source_hash = "5c0f",
                              .precision = "fp32",
                              .vendor_library = true};
  e.worker_kind = "native";
  e.state = State::kOk;
  e.correct = true;
  e.message = "two\nlines \xc3\xa9 \x1b[31m and a \0 byte"s;
  e.hint = "'); DROP TABLE run; --";
  e.compiled_reason = "no Python with torch";
  e.vendor_algorithm = "cuBLASLt algorithm 66, tile 20";
  e.prepare_ns = 123456789012345;
  e.null_call_ns = 5400;
  e.null_strict_ns = 6400;
  e.copy_ns = 2100;
  e.floor_ns = 1234.5;
  e.limit_ns = 2345.5;
  e.unfused_limit_ns = 3456.5;
  e.limit_basis = "bytes, measured beside it";
  e.repeats = 1;
  e.labels = "stream dlopen";
  e.rule_c = 4.25;
  e.rule_k = 1.0 / 3;
  e.rule_allclose = 1e-4;
  e.task_hash = "aa11";
  e.package_key = "bb22";
  e.sandbox_level = "uid+bwrap+netns+nnp";
  e.seed = "00ff";
  e.started_at = "2026-11-21T13:01:02Z";
  e.wall_seconds = 0.1 * number;
  for (int draw = 0; draw < 5; ++draw) {
    e.checks.push_back({.draw = draw,
                        .distribution = draw == 4 ? "wide" : "task",
                        .passed = draw != 3,
                        .max_error = 1e-7 * draw,
                        .tolerance = 3.1e-6,
                        .eager_max_error = 5e-324,
                        .relative_l2 = 0.1 + 0.2,
                        .eager_relative_l2 = 1e-9,
                        .wrong_elements = draw == 3 ? ~0ull : 0,
                        .message = draw == 3 ? "output 0 [7]" : ""});
  }
  for (int i = 0; i < sample_count; ++i) {
    e.samples.push_back(
        {.placement = i / 12,
         .block = i / 6,
         .visit = i % 2,
         .side = i % 6 == 4 ? Side::kVendor : static_cast<Side>(i % 3),
         .calls = 1 + i % 4,
         .time_ns = 9'000'000'000'000 + i,
         .wall_ns = i % 3 == 2 ? std::optional<std::int64_t>(i) : std::nullopt,
         .claimed_ns = i % 3 == 2 ? std::optional<std::int64_t>(i - 1) : std::nullopt,
         .strict_ns = i % 3 == 2 ? std::optional<std::int64_t>(i + 1) : std::nullopt,
         .sm_clock_khz = i % 5 == 0 ? std::optional<std::int64_t>(1'980'000 + i) : std::nullopt,
         .dropped = i == 7,
         .drop_reason = i == 7 ? "context switch" : ""});
  }
  for (const Side side : {Side::kEager, Side::kCompiled})
    e.alone.push_back({.block = kAlone, .side = side, .time_ns = 1'000'000});
  e.protocol = 2;
  e.calibration = Calibration{0.015, 0.021, "2026-11-24T09:00:00Z"};
  e.torch_operators = "aten::mm 2, aten::relu 1";
  e.allow_torch = "all";
  e.build_seconds = 31.25;
  e.device_uuid = "GPU-4f1a";
  e.attempts = {{.reason = "first", .seed = "00ff", .state = State::kOk, .null_call_ns = 5400},
                {.reason = "below the floor",
                 .seed = "01fe",
                 .state = State::kTimingInconsistent,
                 .message = "it claims less",
                 .counts = false,
                 .null_strict_ns = 6400,
                 .wall_seconds = 2.5}};
  for (int block = 0; block < 3; ++block)
    e.blocks.push_back({.attempt = block / 2,
                        .block = block,
                        .start_khz = 1'980'000,
                        .end_khz = 1'965'000,
                        .stolen_ns = 70 + block,
                        .involuntary_switches = 8,
                        .strangers = 9,
                        .sentinel_ns = 40'000 + block,
                        .cpu_pressure_ns = 90 + block,
                        .memory_pressure_ns = 110 + block,
                        .clock_limits = 1ULL << 63 | 4,
                        .baselines_waited_ns = 130 + block,
                        .submission_waited_ns = 150 + block});
  e.set_aside = {{.attempt = 1, .block = kAlone, .time_ns = 3},
                 {.attempt = 1, .block = 2, .side = Side::kSubmission, .time_ns = 4}};
  return e;
}

inline const std::string kSharedHeader(3000, 'h');

// As of a submission of one file and a shared header, for a task with a source of its own. Returns
// the blobs of header, file and task.
inline std::vector<Blob> add_sources(Evaluation& e, const std::string& text) {
  std::vector<Blob> blobs = {pack(kSharedHeader), pack(text), pack("class Model")};
  e.sources = {{"include/tile.hpp", blobs[0].hash, blobs[0].bytes},
               {"src/019_relu.cpp", blobs[1].hash, blobs[1].bytes}};
  e.tree_hash = hash_tree(e.sources);
  e.task_source = blobs[2].hash;
  return blobs;
}

}  // namespace kbench::test
