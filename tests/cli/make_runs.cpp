// make_runs FILE < SCRIPT: a kbench database of several runs with known speed-ups, written by the
// store itself, for the tests of runs, tag, compare and history. The script is one JSON list:
//   [{"id", "started_at", "device", "threads", "quick", "torch", "choices", "rows":
//   [{"task", "agent",
//     "variant", "submission_ns" or "state", "source", "files": {path: text}, "profile", "labels",
//     "eager_ns", "compiled_ns", "message", "hint"}], "environment", "command_line",
//     "episodes": [{"id", "task", "model", "started_at", "stop",
//     "turns": [[{"tool", "arguments", "result", "error", "before", "after", "row"}]]}]}]
// where "row" is the number of one of the run's rows;
// with defaults for all but ids and rows; see tests/fakes/stored_runs.hpp.
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "runner/store/store.hpp"
#include "tests/fakes/stored_episodes.hpp"
#include "tests/fakes/stored_runs.hpp"

namespace {

using kbench::Evaluation;
using kbench::Json;

Evaluation make_row(const std::string& run_id, const Json& row) {
  const std::string task = row.value("task", "level1/019_relu");
  const std::string agent = row.value("agent", "alice");
  Evaluation evaluation =
      row.contains("state")
          ? kbench::test::failed_evaluation(
                run_id, task, agent,
                kbench::state_from_string(row.at("state").get<std::string>()).value())
          : kbench::test::timed_evaluation(run_id, task, agent,
                                           row.value("submission_ns", std::int64_t{1'000'000}),
                                           row.value("variant", ""));
  // Levels are where the task says, times as asked for.
  evaluation.level = task.at(5) - '0';
  evaluation.profile = row.value("profile", evaluation.profile);
  for (auto& sample : evaluation.samples) {
    if (sample.side == kbench::Side::kEager) sample.time_ns = row.value("eager_ns", sample.time_ns);
    if (sample.side == kbench::Side::kCompiled)
      sample.time_ns = row.value("compiled_ns", sample.time_ns);
  }
  evaluation.labels = row.value("labels", "");
  evaluation.message = row.value("message", evaluation.message);
  evaluation.hint = row.value("hint", evaluation.hint);
  if (row.contains("source")) evaluation.submission->source_hash = row.at("source");
  if (row.contains("submission")) evaluation.submission->name = row.at("submission");
  return evaluation;
}

std::vector<kbench::Blob> add_files(const Json& row, Evaluation& evaluation) {
  std::vector<kbench::Blob> blobs;
  const Json files = row.value("files", Json::object());
  for (const auto& [path, text] : files.items()) {
    blobs.push_back(kbench::pack(text.get<std::string>()));
    evaluation.sources.push_back({path, blobs.back().hash, blobs.back().bytes});
  }
  evaluation.tree_hash = kbench::hash_tree(evaluation.sources);
  return blobs;
}

kbench::test::PlannedCall planned_call(const Json& call, const std::vector<std::string>& keys) {
  kbench::test::PlannedCall planned;
  planned.tool = call.value("tool", planned.tool);
  planned.arguments = call.value("arguments", planned.arguments);
  planned.result = call.value("result", planned.result);
  planned.before = call.value("before", planned.before);
  planned.after = call.value("after", planned.after);
  planned.error = kbench::call_error_from_string(call.value("error", "")).value();
  if (call.contains("row")) planned.evaluation = keys.at(call.at("row").get<std::size_t>());
  return planned;
}

kbench::Status put_episode(kbench::Store& store, const std::string& run_id, const Json& episode,
                           const std::vector<std::string>& keys) {
  kbench::test::EpisodeMaker maker(episode.at("id").get<std::string>(), run_id);
  kbench::Episode& made = maker.episode();
  made.task = episode.value("task", made.task);
  made.model = episode.value("model", made.model);
  made.started_at = episode.value("started_at", made.started_at);
  for (const Json& turn : episode.at("turns")) {
    std::vector<kbench::test::PlannedCall> calls;
    for (const Json& call : turn) calls.push_back(planned_call(call, keys));
    maker.turn(calls);
  }
  const auto reason = kbench::stop_reason_from_string(episode.value("stop", "submit"));
  if (reason) maker.end(*reason);  // else it has not ended
  return kbench::test::put_episode(store, made, maker.contents());
}

int complain(const kbench::Error& error) {
  std::fprintf(stderr, "make_runs: %s\n", error.message.c_str());
  return 1;
}

int make(const char* file, const Json& script) {
  auto store = kbench::Store::open(file, kbench::Store::Mode::kReadWrite);
  if (!store) return complain(store.error());
  for (const Json& run : script) {
    kbench::test::RunSpec spec;
    spec.id = run.at("id");
    spec.started_at = run.value("started_at", spec.started_at);
    spec.device = run.value("device", spec.device);
    spec.threads = run.value("threads", spec.threads);
    spec.quick = run.value("quick", spec.quick);
    spec.torch = run.value("torch", spec.torch);
    spec.commit = run.value("commit", spec.commit);
    spec.choices = run.value("choices", spec.choices);
    kbench::Run stored = kbench::test::stored_run(spec);
    stored.command_line = run.value("command_line", stored.command_line);
    Json environment = Json::parse(stored.environment);
    environment.update(run.value("environment", Json::object()));
    stored.environment = environment.dump();
    if (const auto begun = store->begin_run(stored); !begun) return complain(begun.error());
    std::vector<std::string> keys;
    for (const Json& row : run.at("rows")) {
      Evaluation evaluation = make_row(spec.id, row);
      keys.push_back(evaluation.key);
      const auto blobs = add_files(row, evaluation);
      if (const auto added = store->add(evaluation, blobs); !added) return complain(added.error());
    }
    for (const Json& episode : run.value("episodes", Json::array()))
      if (const auto put = put_episode(*store, spec.id, episode, keys); !put)
        return complain(put.error());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  try {
    return make(argv[1], Json::parse(text));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "make_runs: %s\n", problem.what());
    return 1;
  }
}
