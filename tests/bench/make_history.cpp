// make_history FILE RUNS [STATE]: a database as years make it, written by the store itself: RUNS
// runs of 250 tasks and 10 agents, 20 samples a row. What is there already stays, so that it can be
// made in parts. Chained with the key of the folder STATE where one is named. For measuring how
// long reports take; on a disk that syncs, a million rows take half an hour, in /dev/shm some
// minutes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "runner/store/store.hpp"

namespace {

using kbench::Evaluation;
using kbench::Json;
using kbench::Sample;
using kbench::Side;

constexpr int kTasks = 250;
constexpr int kAgents = 10;
constexpr int kBlocks = 6;  // blocks of three samples; two more are of the baselines alone

kbench::Run make_run(int number) {
  kbench::Run run;
  run.id = kbench::sha256(fmt::format("run {}", number)).substr(0, 32);
  // Five a week, more or less.
  run.started_at = fmt::format("20{:02}-{:02}-{:02}T03:00:00Z", 25 + number / 264,
                               1 + number % 264 / 22, 1 + number % 22);
  run.command_line = "kbench run --submissions agents";
  run.configuration = Json{
      {"device", "cuda"},       {"device_name", "NVIDIA H200"},
      {"device_index", 0},      {"threads", 0},
      {"size", "full"},         {"precision", "torch-default"},
      {"profile", "kbench"},    {"levels", Json::array()},
      {"tasks", Json::array()}, {"quick", false},
      {"torch", "2.11.0"}}.dump();
  run.environment =
      Json{{"kbench", "0.1.0 (0123456789ab), release"},
           {"device",
            {{"kind", "cuda"}, {"name", "NVIDIA H200"}, {"threads", 0}, {"memory", 1LL << 37}}},
           {"gpu", {{"driver", "580.159"}, {"max_sm_clock_khz", 1980000}}},
           {"torch", "2.11.0"},
           {"host", {{"kernel", "6.1.0"}, {"machine", "x86_64"}, {"threads", 96}}},
           {"host_compiler", "g++ 12.2.0"},
           {"nvcc", "13.0"},
           {"sandbox", "uid+bwrap+netns+landlock+seccomp+cgroup"}}
          .dump();
  return run;
}

void add_samples(Evaluation& evaluation, double eager_ns, double submission_ns,
                 std::mt19937_64& random) {
  std::normal_distribution<double> noise(1.0, 0.002);
  const auto sample = [&](int block, Side side) {
    const double of[] = {eager_ns, 0.8 * eager_ns, submission_ns};
    Sample one;
    one.placement = block < 0 ? 0 : block;
    one.block = block;
    one.side = side;
    one.time_ns = static_cast<std::int64_t>(of[static_cast<int>(side)] * noise(random));
    one.sm_clock_khz = 1'980'000;
    if (side == Side::kSubmission) {
      one.wall_ns = one.time_ns + 20'000;
      one.claimed_ns = one.time_ns;
      one.strict_ns = one.time_ns + 60'000;
    }
    return one;
  };
  for (int block = 0; block < kBlocks; ++block)
    for (const Side side : {Side::kEager, Side::kCompiled, Side::kSubmission})
      evaluation.samples.push_back(sample(block, side));
  for (const Side side : {Side::kEager, Side::kCompiled})
    evaluation.alone.push_back(sample(kbench::kAlone, side));
}

Evaluation make_evaluation(const kbench::Run& run, int number, int task, int agent,
                           std::mt19937_64& random) {
  Evaluation e;
  e.run_id = run.id;
  e.task = fmt::format("level{}/{:03}_task_of_a_usual_name", 1 + task / 100, task % 100 + 1);
  e.key = kbench::sha256(fmt::format("{} {}", e.task, agent));
  e.level = 1 + task / 100;
  e.size = "full";
  e.device = "cuda";
  e.precision = "torch-default";
  e.submission =
      kbench::SubmissionId{.agent = fmt::format("agent-{}", agent),
                           .name = fmt::format("agent-{}/{}.cu", agent, e.task),
                           .variant = {},
                           .source_hash = kbench::sha256(fmt::format("source {}", agent)),
                           .precision = "fp32"};
  const bool fails = (task * 7 + agent * 13) % 11 == 0;
  e.state = fails ? kbench::State::kWrongResult : kbench::State::kOk;
  e.correct = !fails;
  if (fails) e.message = "output 0: element 17 is 0.25, not 0.5";
  e.null_call_ns = 5'400;
  e.null_strict_ns = 6'400;
  e.floor_ns = 100'000;
  e.task_hash = kbench::sha256(e.task);
  e.package_key = kbench::sha256("package " + e.task);
  e.sandbox_level = "uid+bwrap+netns+landlock+seccomp+cgroup";
  e.seed = e.key;
  e.started_at = run.started_at;
  e.wall_seconds = 4.5;
  e.protocol = kbench::kProtocol;
  e.calibration = kbench::Calibration{0.001, 0.002, "2026-01-01T00:00:00Z"};
  for (int draw = 0; draw < 10; ++draw)
    e.checks.push_back({.draw = draw,
                        .distribution = draw < 5 ? "task" : "wide",
                        .passed = !fails || draw > 0,
                        .max_error = 1e-7,
                        .tolerance = 3e-6,
                        .eager_max_error = 1e-7,
                        .relative_l2 = 1e-8,
                        .eager_relative_l2 = 1e-8,
                        .wrong_elements = 0,
                        .message = {}});
  e.attempts = {{.reason = "first", .seed = e.key, .state = e.state, .message = {}}};
  for (int block = 0; block < kBlocks; ++block)
    e.blocks.push_back({.block = block, .start_khz = 1'980'000, .end_khz = 1'980'000});
  if (fails) return e;
  // Each agent is somewhat faster than the one before, and all become faster half way.
  const double eager_ns = 1e6 * (1 + task % 17);
  const double speedup = (0.8 + 0.1 * agent) * (number < 200 ? 1 : 1.1);
  add_samples(e, eager_ns, eager_ns / speedup, random);
  return e;
}

int complain(const kbench::Error& error) {
  fmt::print(stderr, "make_history: {}\n", error.message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  auto store = kbench::Store::open(argv[1], kbench::Store::Mode::kReadWrite);
  if (!store) return complain(store.error());
  if (argc == 4) {
    auto key = kbench::keep_chain_key(argv[3]);
    if (!key) return complain(key.error());
    store->use(std::move(*key));
  }
  const auto there = store->runs();
  if (!there) return complain(there.error());
  for (int number = static_cast<int>(there->size()); number < std::atoi(argv[2]); ++number) {
    std::mt19937_64 random(static_cast<std::uint64_t>(number));
    const kbench::Run run = make_run(number);
    if (const auto begun = store->begin_run(run); !begun) return complain(begun.error());
    for (int task = 0; task < kTasks; ++task)
      for (int agent = 0; agent < kAgents; ++agent)
        if (const auto added = store->add(make_evaluation(run, number, task, agent, random));
            !added)
          return complain(added.error());
    if (const auto ended = store->finish_run(run.id, run.started_at); !ended)
      return complain(ended.error());
    fmt::print("{} runs\n", number + 1);
    std::fflush(stdout);
  }
  return 0;
}
