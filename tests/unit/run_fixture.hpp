// Runs on a scripted bench, over tests/tiny, in a folder of their own.
#pragma once

#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/run/run_session.hpp"
#include "runner/store/run_name.hpp"
#include "tests/fakes/kept_progress.hpp"
#include "tests/fakes/scripted_bench.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {

// Keeps what a run tells.
class KeptRun final : public RunSink {
 public:
  ProgressSink& progress() override { return told; }
  Status begin(const Plan& plan) override {
    census = plan.census;
    return refusal ? Status(*refusal) : Status(Done{});
  }
  void row(const Evaluation& evaluation, std::span<const Blob> sources) override {
    rows.push_back(evaluation);
    blobs.emplace_back(sources.begin(), sources.end());
  }
  Status done(const Store&, const kbench::Run&) override {
    ++ended;
    return report_fails ? Status(*report_fails) : Status(Done{});
  }

  KeptProgress told;
  std::optional<Census> census;
  std::optional<Error> refusal, report_fails;
  std::vector<Evaluation> rows;
  std::vector<std::vector<Blob>> blobs;
  int ended = 0;
};

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    benches_.place.suites = kTinySuites;
    benches_.place.examples = folder_ / "examples";
    benches_.place.state = folder_ / "state";
    benches_.place.locks = folder_ / "locks";
    request_.device = "cpu";
    request_.submissions = folder_ / "subs";
    terms_.database = folder_ / "kbench.sqlite";
  }

  // A submission for the CPU that is its agent's alone.
  void submit(const std::string& path) const {
    folder_.write("subs/" + path, "// " + path + "\nint nothing;\n");
  }

  // A run of request_ on terms_, told to `kept_`, of which nothing is left of an earlier run.
  Result<RunOutcome> run() {
    begin_with_tables();
    kept_ = KeptRun();
    benches_.measured.clear();
    return RunSession(benches_, request_, terms_, kept_).run();
  }
  RunOutcome good_run() {
    auto outcome = run();
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome ? std::move(*outcome) : RunOutcome();
  }
  Error refused_run() {
    auto outcome = run();
    EXPECT_FALSE(outcome.ok());
    return outcome ? Error{} : outcome.error();
  }
  // The last run goes on as if nothing more was said.
  RunOutcome resumed() {
    request_ = RunRequest();
    terms_.resume = "latest";
    return good_run();
  }

  // "level1/019_relu alice ok", as the sink was told.
  [[nodiscard]] std::vector<std::string> told() const { return lines_of(kept_.rows); }
  [[nodiscard]] static std::vector<std::string> lines_of(const std::vector<Evaluation>& rows) {
    std::vector<std::string> lines;
    for (const Evaluation& row : rows)
      lines.push_back(row.task + " " + (row.submission ? row.submission->agent : "-") + " " +
                      std::string(to_string(row.state)));
    return lines;
  }
  [[nodiscard]] std::vector<Evaluation> stored(const std::string& run = "latest") const {
    const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
    if (!store) return {};
    const auto found = find_run_named(*store, run);
    if (!found) return {};
    auto rows = store->evaluations(found->id);
    return rows ? std::move(*rows) : std::vector<Evaluation>();
  }
  [[nodiscard]] kbench::Run stored_run(const std::string& id) const {
    const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
    return store.value().find_run(id).value().value();
  }

  // Making the tables of a new database takes longer than such a run: it is done once.
  void begin_with_tables() const {
    static const std::string empty = [] {
      const TemporaryFolder folder;
      const auto file = folder / "empty.sqlite";
      EXPECT_TRUE(Store::open(file, Store::Mode::kReadWrite).ok());
      std::ostringstream bytes;
      bytes << std::ifstream(file, std::ios::binary).rdbuf();
      return bytes.str();
    }();
    if (terms_.database != folder_ / "kbench.sqlite" || std::filesystem::exists(terms_.database))
      return;
    std::ofstream(terms_.database, std::ios::binary) << empty;
  }

  TemporaryFolder folder_;
  ScriptedBenches benches_;
  RunRequest request_;
  RunTerms terms_;
  KeptRun kept_;
};

}  // namespace kbench::test
