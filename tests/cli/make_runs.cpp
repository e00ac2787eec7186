// make_runs FILE < SCRIPT: a kbench database of several runs with known speed-ups, written by the
// store itself, for the tests of runs, tag, compare and history. The script is one JSON list:
//   [{"id", "started_at", "device", "threads", "quick", "torch", "rows": [{"task", "agent",
//     "variant", "submission_ns" or "state", "source", "files": {path: text}, "profile",
//     "eager_ns", "compiled_ns"}]}]
// with defaults for all but ids and rows; see tests/fakes/stored_runs.hpp.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "runner/store/store.hpp"
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
    if (const auto begun = store->begin_run(kbench::test::stored_run(spec)); !begun)
      return complain(begun.error());
    for (const Json& row : run.at("rows")) {
      Evaluation evaluation = make_row(spec.id, row);
      const auto blobs = add_files(row, evaluation);
      if (const auto added = store->add(evaluation, blobs); !added) return complain(added.error());
    }
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
