// Requests to rooms, made of options that are all at something else than their default. The lists
// of fields are complete: a new field does not compile until it is here.
#include "runner/cli/requests.hpp"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/cli/serve_surroundings.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;

class RequestsTest : public ::testing::Test {
 protected:
  [[nodiscard]] EndpointWords endpoint() const {
    const auto key = folder_.write("key", "secret\n");
    ::chmod(key.c_str(), 0600);
    return {
        .address = "http://host:81/v1", .key_env = std::nullopt, .key_file = key, .timeout_s = 9};
  }
  [[nodiscard]] static CommonOptions common() {
    CommonOptions common;
    common.suite = "mine";
    common.trust = {.estimates = true, .unchecked = false};
    return common;
  }

  TemporaryFolder folder_;
};

TEST_F(RequestsTest, AgentRun) {
  AgentRunOptions options;
  options.words = endpoint();
  options.common = common();
  options.feedback = "profiler,error";
  options.model = "m";
  const auto request = request_of(options, find_reward("kevin").value());
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->endpoint.host, "host");
  EXPECT_EQ(request->key, "secret");
  EXPECT_EQ(request->timeout, std::chrono::seconds(9));
  EXPECT_EQ(request->run.suite, "mine");
  ASSERT_TRUE(request->sampling.feedback);
  EXPECT_THAT(*request->sampling.feedback, ::testing::UnorderedElementsAre("error", "profiler"));
  EXPECT_EQ(request->reward.name, "kevin");
  EXPECT_TRUE(request->trust.estimates);
  EXPECT_FALSE(request->trust.unchecked);
  EXPECT_EQ(request->model, "m") << "and all else as it was typed";
  options.feedback = "";
  EXPECT_FALSE(request_of(options, {})->sampling.feedback) << "not said is not none";
  options.feedback = "none";
  EXPECT_THAT(request_of(options, {})->sampling.feedback,
              ::testing::Optional(::testing::IsEmpty()));
  options.feedback = "nobody";
  EXPECT_FALSE(request_of(options, {}).ok());
  options.words.key_file = folder_ / "no key";
  EXPECT_FALSE(request_of(options, {}).ok());
}

TEST_F(RequestsTest, Study) {
  StudyOptions options;
  options.endpoint = endpoint();
  options.common = common();
  options.plan = folder_.write("plan.json", "a plan");
  options.device = "cuda:1";
  options.database = "a.db";
  options.command_line = "typed";
  options.study_run.resume = true;
  options.study_run.parallel = 7;
  const auto made = request_of(options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto& [plan, resume, suite, device, parallel, endpoint, key, timeout, strong, trust,
               database, command_line] = *made;
  EXPECT_EQ(plan, "a plan");
  EXPECT_TRUE(resume);
  EXPECT_EQ(suite, "mine");
  EXPECT_EQ(device, "cuda:1");
  EXPECT_EQ(parallel, 7);
  EXPECT_EQ(endpoint.host, "host");
  EXPECT_EQ(key, "secret");
  EXPECT_EQ(timeout, std::chrono::seconds(9));
  EXPECT_FALSE(strong);
  EXPECT_TRUE(trust.estimates);
  EXPECT_FALSE(trust.unchecked);
  EXPECT_EQ(database, "a.db");
  EXPECT_EQ(command_line, "typed");
  options.strong.address = "http://other:1/v1";
  const auto lent = request_of(options);
  ASSERT_TRUE(lent.ok() && lent->strong);
  EXPECT_EQ(lent->strong->endpoint.host, "other");
  EXPECT_EQ(lent->strong->key, "");
  options.plan = folder_ / "missing.json";
  const auto missing = request_of(options);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kUsage);
}

TEST_F(RequestsTest, Workspace) {
  WorkspaceOptions options;
  options.ask = WorkspaceAsk::kSubmit;
  options.folder = "dir";
  options.agent = "anna";
  options.reward = "kevin";
  options.common = common();
  options.database = "a.db";
  const WorkspaceJudging made = request_of(options);
  const auto& [ask, folder, agent, reward, trust, database] = made;
  EXPECT_EQ(ask, WorkspaceAsk::kSubmit);
  EXPECT_EQ(folder, "dir");
  EXPECT_EQ(agent, "anna");
  ASSERT_TRUE(reward);
  EXPECT_EQ(reward->name, "kevin");
  EXPECT_TRUE(trust.estimates);
  EXPECT_FALSE(trust.unchecked);
  EXPECT_EQ(database, "a.db");
}

TEST_F(RequestsTest, WhatServes) {
  ServeOptions options;
  options.common = common();
  options.device = "cpu";
  options.size = "full";
  options.allow_torch = "all";
  options.precision = "tf32";
  options.vendor = true;
  options.database = "a.db";
  options.exchange = "pool";
  options.group = "judges";
  options.devices = "all";
  Installation installation;
  installation.state = "state";
  ServeSurroundings around(options, installation);
  const ServeJudging made = around.judging();
  const auto& [place, device, size, allow_torch, precision, vendor, database, exchange, group,
               devices, trust, sink, quiet] = made;
  EXPECT_EQ(place.suite, "mine");
  EXPECT_EQ(place.device.installation().state, "state");
  EXPECT_EQ(device, "cpu");
  EXPECT_EQ(size, "full");
  EXPECT_EQ(allow_torch, "all");
  EXPECT_EQ(precision, "tf32");
  EXPECT_TRUE(vendor);
  EXPECT_EQ(database, "a.db");
  EXPECT_EQ(exchange, "pool");
  EXPECT_EQ(group, "judges");
  EXPECT_EQ(devices, "all");
  EXPECT_TRUE(trust.estimates);
  EXPECT_FALSE(trust.unchecked);
  EXPECT_NE(&sink, &quiet) << "those that nobody keeps are told to nobody";
}

}  // namespace
}  // namespace kbench::test
