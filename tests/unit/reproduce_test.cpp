#include "reports/facts/reproduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

ResultRow row_of_agent() {
  ResultRow row;
  row.task = "level1/019_relu";
  row.size = "small";
  row.device = "cpu";
  row.precision = "fp32";
  row.profile = "kbench";
  row.has_submission = true;
  row.agent = "agent-a";
  row.submission = "agent-a/level1/019_relu.cpp";
  return row;
}

ResultRow row_with_sources() {
  ResultRow row = row_of_agent();
  row.sources = {{"src/019_relu.cpp", "abc", 3}};
  return row;
}

ReportData run_with(const std::string& configuration) {
  ReportData data;
  data.run.id = "0123456789abcdef";
  data.run.configuration = configuration;
  data.database = "/data/kbench.sqlite";
  return data;
}

std::string reproduce_command(const ReportData& data, const ResultRow& row) {
  return RowCommands(data).reproduce(row);
}

const std::string kStart = "kbench run --task level1/019_relu --size small --device cpu";
const std::string kStored =
    "kbench reproduce 0123456789ab --db kbench.sqlite --task level1/019_relu";

TEST(Reproduce, NamesTheRowInItsDatabase) {
  const ReportData data = run_with("{}");
  ResultRow row = row_with_sources();
  EXPECT_EQ(reproduce_command(data, row), kStored + " --agent agent-a");
  row.variant = "v2";
  EXPECT_EQ(reproduce_command(data, row), kStored + " --agent agent-a --variant v2");
  EXPECT_EQ(RowCommands(data).write_sources(row),
            "kbench sources 0123456789ab --db kbench.sqlite --task level1/019_relu --agent "
            "agent-a --variant v2 --out sources");
}

TEST(Reproduce, NamesTheSubmissionWhereAgentAndVariantHaveTwo) {
  ReportData data = run_with("{}");
  Evaluation other;
  other.task = "level1/019_relu";
  other.submission = SubmissionId{.agent = "agent-a", .name = "agent-a/level1/019_relu"};
  data.evaluations.assign(2, other);
  EXPECT_EQ(reproduce_command(data, row_with_sources()),
            kStored + " --agent agent-a --submission agent-a/level1/019_relu.cpp");
  data.evaluations.pop_back();
  EXPECT_EQ(reproduce_command(data, row_with_sources()), kStored + " --agent agent-a");
}

TEST(Reproduce, BaselinesNeedNoSubmission) {
  ResultRow row = row_of_agent();
  row.has_submission = false;
  row.agent = "";
  EXPECT_EQ(reproduce_command(run_with(R"({"submissions":"s","file":"f"})"), row), kStored);
}

TEST(Reproduce, WithoutStoredSourcesItTakesTheFolderAndTheAgent) {
  EXPECT_EQ(reproduce_command(run_with(R"({"submissions":"my subs"})"), row_of_agent()),
            kStart + " --precision fp32 --submissions 'my subs' --agent agent-a");
}

TEST(Reproduce, ThenItSaysAllThatChangesARow) {
  ResultRow row = row_of_agent();
  row.device = "cuda";
  row.profile = "kernelbench";
  EXPECT_EQ(reproduce_command(run_with(R"({"device_index":2,"submissions":"s","suite":"t",
                                           "quick":true,"budget_seconds":60,
                                           "allow_torch":"all"})"),
                              row),
            "kbench run --task level1/019_relu --size small --device cuda:2 --precision fp32 "
            "--profile kernelbench --allow-torch all --suite t --submissions s --agent agent-a "
            "--budget 60 --quick");
}

TEST(Reproduce, ThenASingleFileIsNamedInPlaceOfAFolder) {
  EXPECT_EQ(
      reproduce_command(run_with(R"({"file":"a/relu.cpp","submissions":null})"), row_of_agent()),
      "kbench run a/relu.cpp --name agent-a --task level1/019_relu --size small --device cpu "
      "--precision fp32");
}

TEST(Reproduce, AConfigurationOfAnotherOriginIsNotBelieved) {
  for (const char* text : {"", "[]", "{", "3", R"({"submissions":7,"quick":"yes","file":[]})"})
    EXPECT_EQ(reproduce_command(run_with(text), row_of_agent()),
              kStart + " --precision fp32 --agent agent-a");
}

TEST(Reproduce, NamesAreQuotedForAShell) {
  ResultRow row = row_with_sources();
  row.agent = "a; rm -rf '~'";
  EXPECT_EQ(reproduce_command(run_with("{}"), row), kStored + " --agent 'a; rm -rf '\\''~'\\'''");
}

}  // namespace
}  // namespace kbench
