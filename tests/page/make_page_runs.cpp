// make_page_runs FILE [TASKS AGENTS BLOCKS [KIND]]: a database with one run as people have them,
// for the tests of the page and for looking at it. KIND "hostile" has names that try to break out;
// "history" has eleven runs before it, of which some brought a change, and one of another device;
// "episodes" two episodes in which an agent got there, and one in which a hostile one did not;
// "single", "uncalibrated" and "failed" the one submission of one agent for relu; "estimates" is of
// a device that was never calibrated; in "vendor" every fourth task is a call of a vendor's
// library. Agents of falling quality; among their submissions are failures of several kinds, NaN, a
// suspect one, variants, and tasks that do not rank, were not calibrated or ran on a busy machine.
// Written by the store itself; the same arguments give the same rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "runner/store/store.hpp"
#include "tests/fakes/stored_episodes.hpp"
#include "tests/page/page_sources.hpp"

namespace {

using kbench::Calibration;
using kbench::Evaluation;
using kbench::Run;
using kbench::Sample;
using kbench::Side;
using kbench::State;

const std::string kRun = "5eed0123456789abcdef0123456789ab";

constexpr std::array<const char*, 40> kNames{"square_matrix_multiplication",
                                             "batched_matrix_multiplication",
                                             "matrix_vector_multiplication",
                                             "large_k_matrix_multiplication",
                                             "transposed_matrix_multiplication",
                                             "upper_triangular_product",
                                             "relu",
                                             "leaky_relu",
                                             "sigmoid",
                                             "tanh",
                                             "softmax",
                                             "log_softmax",
                                             "swish",
                                             "gelu",
                                             "batch_norm",
                                             "instance_norm",
                                             "group_norm",
                                             "rms_norm",
                                             "layer_norm",
                                             "max_pooling_2d",
                                             "conv2d_relu_bias_add",
                                             "conv2d_subtract_tanh",
                                             "gemm_add_relu",
                                             "matmul_scale_residual",
                                             "gemm_batch_norm_gelu",
                                             "conv3d_min_softmax",
                                             "matmul_swish_sum_group_norm",
                                             "conv_transpose2d_bias_clamp",
                                             "matmul_max_pool_sum",
                                             "gemm_sigmoid_log_sum_exp",
                                             "conv2d_group_norm_scale_max_pool_clamp",
                                             "matmul_sum",
                                             "gemm_max_subtract_gelu",
                                             "multilayer_perceptron",
                                             "lenet5",
                                             "alexnet",
                                             "mingpt_block",
                                             "vision_transformer",
                                             "squeeze_excitation",
                                             "unrolled_lstm"};

// The same on every machine, which <random>'s distributions are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  double uniform() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) / static_cast<double>(std::uint64_t{1} << 53);
  }
  // Roughly normal: enough for samples to look at.
  double normal() { return uniform() + uniform() + uniform() + uniform() - 2; }

 private:
  std::uint64_t state_;
};

struct Shape {
  int tasks = 40;
  int agents = 3;
  int blocks = 48;
  bool hostile = false;
  bool calibrated = true;
  bool vendor = false;
};

int level_of(int task, const Shape& shape) {
  const double share = static_cast<double>(task) / shape.tasks;
  return share < 0.5 ? 1 : share < 0.82 ? 2 : 3;
}

std::string task_name(int task, const Shape& shape) {
  char name[96];
  std::snprintf(name, sizeof name, "level%d/%03d_%s", level_of(task, shape), task + 1,
                kNames[static_cast<std::size_t>(task) % kNames.size()]);
  return name;
}

const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> kHostile = {
      "<img src=x onerror=\"document.title='owned'\">",
      "</script><script>document.title='owned'</script>", "=HYPERLINK(\"x\")",
      "a\nb|c\\d \xe2\x80\xae\xe2\x80\xa8\x1b[31m \xff", std::string(10'000, 'w')};
  return kHostile;
}

std::string agent_name(int agent, const Shape& shape) {
  if (shape.hostile)
    return hostile_names()[static_cast<std::size_t>(agent) % hostile_names().size()];
  return agent < 26 ? std::string("agent-") + static_cast<char>('a' + agent)
                    : "agent-" + std::to_string(agent + 1);
}

Run make_run() {
  Run run;
  run.id = kRun;
  run.started_at = "2026-11-20T09:30:00Z";
  run.finished_at = "2026-11-20T11:05:00Z";
  run.command_line = "kbench run --device cuda --submissions submissions";
  run.configuration =
      R"({"device":"cuda","device_index":1,"device_name":"Example GPU 80GB","size":"full",)"
      R"("precision":"torch-default","profile":"kbench","submissions":"submissions",)"
      R"("budget_seconds":180,"quick":false})";
  run.environment =
      R"-({"kbench":"kbench 1.0 (release)","torch":"2.11.0","device":{"name":"Example GPU 80GB",)-"
      R"-("memory_bytes":85899345920,"threads":16},"gpu":{"driver":"600.10"},)-"
      R"-("host_compiler":"g++ 12.2.0","nvcc":"13.0.48",)-"
      R"-("host":{"kernel":"6.12","machine":"x86_64","threads":16},"sandbox":"uid+bwrap+netns",)-"
      R"-("files":{"evaluated":112,"other_device":2,"not_selected":0,"ignored":[)-"
      R"-({"path":"agent-c/level1/07_relu.cu","mistaken":true,)-"
      R"-("why":"no such task; did you mean level1/007_relu?"},)-"
      R"-({"path":"agent-a/notes.md","why":"not a submission","mistaken":false}]}})-";
  return run;
}

Evaluation base(int task, const Shape& shape) {
  Evaluation e;
  e.run_id = kRun;
  e.task = task_name(task, shape);
  e.level = level_of(task, shape);
  e.size = "full";
  e.device = "cuda";
  e.precision = "torch-default";
  e.task_hash = "1111aaaa";
  e.package_key = "2222bbbb";
  e.sandbox_level = "uid+bwrap+netns";
  e.seed = "feedface";
  e.started_at = "2026-11-20T09:31:00Z";
  e.wall_seconds = 11.5;
  e.protocol = kbench::kProtocol;
  if (shape.calibrated) e.calibration = Calibration{0.001, 0.002, "2026-11-19T08:00:00Z"};
  if (task % 13 == 12) e.unranked = "its output does not depend on its inputs";
  return e;
}

void add_samples(Evaluation& e, Side side, double time_ns, double noise, int blocks, Dice& dice) {
  double session = 0;
  for (int block = 0; block < blocks; ++block) {
    const int placement = block / 8;
    if (block % 8 == 0) session = 0.4 * noise * dice.normal();
    for (int visit = 0; visit < 2; ++visit) {
      Sample sample;
      sample.placement = placement;
      sample.block = block;
      sample.visit = visit;
      sample.side = side;
      sample.time_ns = std::llround(time_ns * (1 + session + noise * dice.normal()));
      e.samples.push_back(sample);
    }
  }
}

// A few blocks in which the clock moved, so that they are dropped.
void add_blocks(Evaluation& e, int blocks, Dice& dice) {
  for (int block = 0; block < blocks; ++block) {
    kbench::Block conditions;
    conditions.block = block;
    conditions.start_khz = 1'980'000;
    conditions.end_khz = dice.uniform() < 0.05 ? 1'700'000 : 1'980'000;
    e.blocks.push_back(conditions);
  }
}

void add_checks(Evaluation& e, double error) {
  for (int draw = 0; draw < 5; ++draw) {
    kbench::Check check;
    check.draw = draw;
    check.passed = true;
    check.max_error = error / (1 << draw);
    check.tolerance = 4e-6;
    e.checks.push_back(check);
  }
  e.correct = true;
  e.state = State::kOk;
}

void fail(Evaluation& e, State state, const std::string& message, const std::string& hint) {
  e.state = state;
  e.message = message;
  e.hint = hint;
}

void fail_wrongly(Evaluation& e, bool nan) {
  fail(e, State::kWrongResult,
       nan ? "output 0 is NaN at [0, 0]; 4096 of 4096 elements are outside the tolerance"
           : "output 0 differs at [17, 3]: 0.98214 instead of 0.98401",
       "Is every element written, and the sum kept in fp32?");
  e.correct = false;
  kbench::Check check;
  check.draw = 1;
  check.max_error = nan ? std::numeric_limits<double>::quiet_NaN() : 1.9e-3;
  check.tolerance = nan ? 2e-5 : 1.2e-3;
  check.wrong_elements = nan ? 4096 : 12;
  e.checks.push_back(check);
}

void fail_somehow(Evaluation& e, int kind) {
  switch (kind % 5) {
    case 0:
      return fail(e, State::kCompileError,
                  "kernel.cu(31): error: identifier \"tile\" is undefined\n"
                  "1 error detected in the compilation of \"kernel.cu\".",
                  "Compile it against `kbench tasks header`.");
    case 1: return fail_wrongly(e, /*nan=*/true);
    case 2: return fail_wrongly(e, /*nan=*/false);
    case 3:
      return fail(e, State::kTimeout, "no answer within 20 s", "Does a block wait for another?");
    default:
      return fail(e, State::kCrash, "SIGSEGV while reading input 0",
                  "Check the last block's bounds.");
  }
}

void add_baselines(Evaluation& e, int task, const Shape& shape, double& eager) {
  Dice dice(static_cast<std::uint64_t>(task) + 7);
  eager = std::exp(std::log(40'000.0) + dice.uniform() * std::log(400.0));
  const double compiled = eager / (0.95 + 0.9 * dice.uniform());
  e.floor_ns = std::floor(0.28 * std::min(eager, compiled));
  add_blocks(e, shape.blocks, dice);
  add_samples(e, Side::kEager, eager, 0.012, shape.blocks, dice);
  if (task % 11 == 5)
    e.compiled_reason = "torch.compile refused: data-dependent control flow";
  else
    add_samples(e, Side::kCompiled, compiled, 0.010, shape.blocks, dice);
}

void add_vendor(Evaluation& e, int task, double eager, const Shape& shape) {
  Dice dice(static_cast<std::uint64_t>(task) + 11);
  if (task % 4 != 0) {
    e.vendor_reason = "it is no call of a vendor's library";
    return;
  }
  e.vendor_algorithm = "cuBLASLt algorithm 66";
  add_samples(e, Side::kVendor, eager / (1 + 0.5 * dice.uniform()), 0.01, shape.blocks, dice);
}

Evaluation make_submission(int task, int agent, int variant, const Shape& shape) {
  Dice dice(static_cast<std::uint64_t>(task * 1009 + agent * 31 + variant));
  Evaluation e = base(task, shape);
  kbench::SubmissionId id;
  id.agent = agent_name(agent, shape);
  id.variant = variant == 0 ? "" : "tiled";
  id.name = id.agent + "/" + e.task + (id.variant.empty() ? "" : "@" + id.variant) + ".cu";
  id.source_hash = "3333cccc";
  id.precision = "fp32";
  e.submission = id;
  e.key = id.name;
  double eager = 0;
  add_baselines(e, task, shape, eager);
  const double skill = 1.0 - 0.6 * agent / shape.agents;
  if (dice.uniform() > 0.55 + 0.42 * skill) {
    fail_somehow(e, task + agent);
    return e;
  }
  const double ratio = std::exp(std::log(0.45) + (0.4 + skill) * dice.uniform() * std::log(5.0));
  const double noise = dice.uniform() < 0.12 ? 0.2 : 0.014;
  if (shape.vendor) add_vendor(e, task, eager, shape);
  add_samples(e, Side::kSubmission, eager / ratio, noise, shape.blocks, dice);
  add_checks(e, 3e-7 * (1 + dice.uniform()));
  e.prepare_ns = 350'000;
  if (task % 17 == 3 && agent == 1) {
    e.state = State::kSuspect;
    e.repeats = 2;
    e.message = "faster than the device's own copy of its inputs";
  }
  if (task % 19 == 8) e.calibration.reset();
  if (task % 23 == 9) e.labels = "busy_machine";
  return e;
}

Evaluation make_alone(int task, const Shape& shape) {
  Evaluation e = base(task, shape);
  e.key = "alone/" + e.task;
  e.state = State::kNoSubmission;
  e.submission_reason = "no submission";
  double eager = 0;
  Shape few = shape;
  few.blocks = 1;  // both times, too few for an interval
  add_baselines(e, task, few, eager);
  return e;
}

std::vector<Evaluation> make_task(int task, const Shape& shape) {
  std::vector<Evaluation> made;
  if (task % 20 == 19) return {make_alone(task, shape)};
  for (int agent = 0; agent < shape.agents; ++agent) {
    if ((task * 7 + agent * 5) % 29 == 0) continue;  // nothing submitted
    made.push_back(make_submission(task, agent, 0, shape));
    if (task % 9 == 2 && agent == 0) made.push_back(make_submission(task, agent, 1, shape));
  }
  return made;
}

constexpr int kEarlier = 11;
constexpr int kFasterSince = 4;  // the run in which the first agent's second task of four gained
constexpr int kSlowerSince = 8;  // and the one in which the second agent's third task lost

// Factor by which an earlier run's submission took longer than the newest one's, by what changed
// since.
double longer_in(int run, int task, int agent) {
  if (agent == 0 && task % 4 == 1 && run < kFasterSince) return 1.4;
  if (agent == 1 && task % 4 == 2 && run < kSlowerSince) return 0.8;
  return 1;
}

Run make_earlier_run(int number) {
  Run run = make_run();
  run.id = std::string(1, "01234a6789b"[number]) + run.id.substr(1);
  char day[8];
  std::snprintf(day, sizeof day, "%02d", number + 5);
  run.started_at = std::string("2026-11-") + day + "T09:30:00Z";
  run.finished_at = std::string("2026-11-") + day + "T11:05:00Z";
  if (number == 0) {  // the oldest is of another machine
    const std::string name = "Example GPU 80GB";
    for (std::string* text : {&run.configuration, &run.environment})
      text->replace(text->find(name), name.size(), "Another GPU 24GB");
  }
  return run;
}

std::optional<kbench::Error> add_earlier_run(kbench::Store& store, int number, const Shape& shape) {
  const Run run = make_earlier_run(number);
  if (const auto begun = store.begin_run(run); !begun) return begun.error();
  for (int task = 0; task < shape.tasks; ++task) {
    Dice dice(static_cast<std::uint64_t>(task * 97 + number));
    for (Evaluation& e : make_task(task, shape)) {
      e.run_id = run.id;
      if (!e.submission) continue;
      const int agent = e.submission->agent.back() - 'a';
      const double factor = longer_in(number, task, agent) * (1 + 0.002 * dice.normal());
      for (Sample& sample : e.samples)
        if (sample.side == Side::kSubmission)
          sample.time_ns = std::llround(static_cast<double>(sample.time_ns) * factor);
      if (const auto added = store.add(e); !added) return added.error();
    }
  }
  if (const auto done = store.finish_run(run.id, run.finished_at); !done) return done.error();
  return std::nullopt;
}

// Every seventh task is from before sources were kept.
std::vector<kbench::Blob> add_sources(Evaluation& e, int task, const Shape& shape) {
  if (task % 7 == 6) return {};
  if (!e.submission) return kbench::test::attach_page_sources(e, "");
  const auto& [agent, name, variant, hash, precision, vendor] = *e.submission;
  const auto& hostile = hostile_names();
  const auto which = std::find(hostile.begin(), hostile.end(), agent) - hostile.begin();
  return kbench::test::attach_page_sources(
      e, shape.hostile ? kbench::test::hostile_source(static_cast<int>(which) + task)
                       : kbench::test::page_source(e.task, agent, variant));
}

// Adds an episode of the run's second task. The row of agent-a is its last submission.
kbench::Status add_episode(kbench::Store& store, const Evaluation& row, int number) {
  kbench::test::EpisodeMaker maker("e" + std::to_string(number) + "e0123456789abcdef", row.run_id);
  maker.episode().task = row.task;
  maker.episode().device = row.device;
  maker.episode().size = row.size;
  maker.episode().model = "scripted-" + std::to_string(number);
  const std::string code = "// try " + std::to_string(number) + "\nextern \"C\" int f();\n";
  const std::string arguments = kbench::Json{{"path", "k.cpp"}, {"content", code}}.dump();
  maker.turn({{.tool = "write", .arguments = arguments, .before = "", .after = "aaaa1111"}});
  maker.turn(
      {{.tool = "compile", .before = "aaaa1111", .result = R"({"state": "compile_error"})"}});
  maker.turn({{.tool = "write", .arguments = arguments, .before = "aaaa1111", .after = "bbbb2222"},
              {.tool = "verify", .before = "bbbb2222", .result = R"({"state": "ok"})"}});
  maker.turn({{.tool = "submit", .before = "bbbb2222", .evaluation = row.key}});
  maker.end(kbench::StopReason::kSubmit);
  return kbench::test::put_episode(store, maker.episode(), maker.contents());
}

kbench::Status add_hostile_episode(kbench::Store& store, const Evaluation& row) {
  kbench::test::EpisodeMaker maker("e9e0123456789abcdef", row.run_id);
  maker.episode().task = row.task;
  maker.episode().device = row.device;
  maker.episode().size = row.size;
  maker.episode().model = hostile_names()[0];
  for (const std::string& name : hostile_names()) {
    const std::string text =
        kbench::Json(name).dump(-1, ' ', true, kbench::Json::error_handler_t::replace);
    maker.turn({{.tool = text,
                 .arguments = text,
                 .before = "",
                 .error = kbench::CallError::kUnknownTool,
                 .result = name}});
  }
  maker.end(kbench::StopReason::kTurns);
  return kbench::test::put_episode(store, maker.episode(), maker.contents());
}

// A run of one file.
Evaluation make_single(const Shape& shape, const std::string& kind) {
  constexpr int kRelu = 6;
  Evaluation e = make_submission(kRelu, 0, 0, shape);
  e.submission->name = "v1.cu";
  if (kind == "uncalibrated") e.calibration.reset();
  if (kind == "failed") {  // to compile, so nothing was checked or timed
    fail_somehow(e, 0);
    e.correct.reset();
    e.checks.clear();
    std::erase_if(e.samples, [](const Sample& one) { return one.side == Side::kSubmission; });
  }
  return e;
}

int complain(const kbench::Error& error) {
  std::fprintf(stderr, "make_page_runs: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 1 && words.size() != 4 && words.size() != 5) return 2;
  Shape shape;
  if (words.size() >= 4)
    shape = {std::atoi(words[1].c_str()),
             std::atoi(words[2].c_str()),
             std::atoi(words[3].c_str()),
             words.size() == 5 && words[4] == "hostile",
             words.size() != 5 || words[4] != "estimates",
             words.size() == 5 && words[4] == "vendor"};
  auto store = kbench::Store::open(words[0], kbench::Store::Mode::kReadWrite);
  if (!store) return complain(store.error());
  if (words.size() == 5 && words[4] == "history")
    for (int number = 0; number < kEarlier; ++number)
      if (const auto failed = add_earlier_run(*store, number, shape)) return complain(*failed);
  if (const auto begun = store->begin_run(make_run()); !begun) return complain(begun.error());
  const std::string kind = words.size() == 5 ? words[4] : "";
  if (kind == "single" || kind == "uncalibrated" || kind == "failed") {
    if (const auto added = store->add(make_single(shape, kind)); !added)
      return complain(added.error());
    shape.tasks = 0;
  }
  for (int task = 0; task < shape.tasks; ++task) {
    for (Evaluation& evaluation : make_task(task, shape)) {
      const auto blobs = add_sources(evaluation, task, shape);
      if (const auto added = store->add(evaluation, blobs); !added) return complain(added.error());
      if (words.size() != 5 || words[4] != "episodes" || task != 1 || !evaluation.submission ||
          evaluation.submission->agent != "agent-a" || !evaluation.submission->variant.empty())
        continue;
      for (int number : {1, 2})
        if (const auto put = add_episode(*store, evaluation, number); !put)
          return complain(put.error());
      if (const auto put = add_hostile_episode(*store, evaluation); !put)
        return complain(put.error());
    }
  }
  const auto finished = store->finish_run(kRun, "2026-11-20T11:05:00Z");
  return finished ? 0 : complain(finished.error());
}
