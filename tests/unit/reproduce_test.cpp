#include "reports/reproduce.hpp"

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
  return row;
}

Run run_with(const std::string& configuration) {
  Run run;
  run.configuration = configuration;
  return run;
}

const std::string kStart = "kbench run --task level1/019_relu --size small --device cpu";

TEST(Reproduce, TakesTheFolderAndTheAgent) {
  EXPECT_EQ(reproduce_command(run_with(R"({"submissions":"my subs"})"), row_of_agent()),
            kStart + " --precision fp32 --submissions 'my subs' --agent agent-a");
}

TEST(Reproduce, SaysAllThatChangesARow) {
  ResultRow row = row_of_agent();
  row.device = "cuda";
  row.profile = "kernelbench";
  EXPECT_EQ(reproduce_command(run_with(R"({"device_index":2,"submissions":"s","suite":"t",
                                           "quick":true,"budget_seconds":60})"),
                              row),
            "kbench run --task level1/019_relu --size small --device cuda:2 --precision fp32 "
            "--profile kernelbench --suite t --submissions s --agent agent-a --budget 60 --quick");
}

TEST(Reproduce, ASingleFileIsNamedInPlaceOfAFolder) {
  EXPECT_EQ(
      reproduce_command(run_with(R"({"file":"a/relu.cpp","submissions":null})"), row_of_agent()),
      "kbench run a/relu.cpp --task level1/019_relu --size small --device cpu "
      "--precision fp32");
}

TEST(Reproduce, BaselinesNeedNoSubmission) {
  ResultRow row = row_of_agent();
  row.has_submission = false;
  EXPECT_EQ(reproduce_command(run_with(R"({"submissions":"s","file":"f"})"), row),
            kStart + " --precision fp32 --baselines-only");
}

TEST(Reproduce, AConfigurationOfAnotherOriginIsNotBelieved) {
  for (const char* text : {"", "[]", "{", "3", R"({"submissions":7,"quick":"yes","file":[]})"})
    EXPECT_EQ(reproduce_command(run_with(text), row_of_agent()),
              kStart + " --precision fp32 --agent agent-a");
}

TEST(Reproduce, NamesAreQuotedForAShell) {
  ResultRow row = row_of_agent();
  row.agent = "a; rm -rf '~'";
  EXPECT_EQ(reproduce_command(run_with("{}"), row),
            kStart + " --precision fp32 --agent 'a; rm -rf '\\''~'\\'''");
}

}  // namespace
}  // namespace kbench
