#include "runner/again/remeasure.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/unit/paths.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;

// Hears who would be measured in which order, and refuses the run before anything starts.
class HeardPlan final : public RunSink {
 public:
  ProgressSink& progress() override { return told_; }
  Status begin(const Plan& plan) override {
    for (const PlannedRow& unit : plan.units) agents.push_back(unit.id.agent);
    return Error{ErrorCode::kUsage, "heard enough", ""};
  }
  void row(const Evaluation&, std::span<const Blob>) override {}

  std::vector<std::string> agents;

 private:
  KeptProgress told_;
};

// The run that is measured first is warmer or colder than the second: over the pairs of a
// comparison that has to even out.
TEST(Remeasurement, TheOrderOfAPairChangesFromRoundToRound) {
  const TemporaryFolder folder;
  folder.write("subs/alice/level1/019_relu.cpp", "int after;\n");
  folder.write("old/alice/level1/019_relu.cpp", "int before;\n");
  const auto submission = [&](const char* where) {
    return find_submissions(folder / where).value().submissions.at(0);
  };
  ScriptedBenches benches;
  benches.place.suites = kbench::test::kTinySuites;
  benches.place.state = folder / "state";
  benches.place.locks = folder / "locks";
  RunRequest like;
  like.device = "cpu";
  like.layout = "kernelbench";  // of the run: what is measured again lies as in a folder of ours
  HeardPlan sink;
  Remeasurement again({}, like, benches, sink, {.database = folder / "again.sqlite"}, "test");
  const std::vector<SourcePair> pairs{{"level1/019_relu", submission("old"), submission("subs")},
                                      {"level1/019_relu", {}, submission("subs")}};
  for (const auto& order : {ElementsAre("000-1-before", "000-2-after", "001-2-after"),
                            ElementsAre("000-1-after", "000-2-before", "001-1-after"),
                            ElementsAre("000-1-before", "000-2-after", "001-2-after")}) {
    sink.agents.clear();
    EXPECT_EQ(again.measure(pairs).error().message, "measuring again: heard enough");
    EXPECT_THAT(sink.agents, order);
  }
}

}  // namespace
}  // namespace kbench::test
