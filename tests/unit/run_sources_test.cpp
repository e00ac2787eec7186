#include "runner/again/run_sources.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/json.hpp"
#include "runner/installation/git_state.hpp"
#include "runner/os/files.hpp"
#include "runner/os/run_trusted.hpp"
#include "runner/store/rows/blob.hpp"
#include "runner/store/store.hpp"
#include "tests/fakes/await.hpp"
#include "tests/unit/store_fixture.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kTask = "level1/019_relu";
constexpr const char* kNoDatabase = "gone.sqlite";
constexpr const char* kFile = "subs/alice/level1/019_relu.cpp";

class RunSourcesTest : public ::testing::Test {
 protected:
  // Runs git as somebody who has a name and nothing configured.
  bool git(std::vector<std::string> words) const {
    std::vector<std::string> argv{"/usr/bin/env",
                                  "GIT_CONFIG_GLOBAL=/dev/null",
                                  "GIT_AUTHOR_NAME=a",
                                  "GIT_AUTHOR_EMAIL=a@b",
                                  "GIT_COMMITTER_NAME=a",
                                  "GIT_COMMITTER_EMAIL=a@b",
                                  "git",
                                  "-C",
                                  folder_.path().string()};
    argv.insert(argv.end(), words.begin(), words.end());
    return run_trusted(argv, test::kPatience).ok();
  }

  [[nodiscard]] fs::path subs() const { return folder_.path() / "subs"; }

  // A run of what lies there now.
  kbench::Run run_now() const {
    kbench::Run run;
    run.configuration = Json{{"submissions", subs().string()}}.dump();
    const auto state = git_state(subs());
    if (state) run.environment = Json{{"submissions", {{"commit", state->commit}}}}.dump();
    return run;
  }
  SubmissionId id_now(const fs::path& folder) const {
    return find_submissions(folder).value().submissions.front().id;
  }

  static std::string text_of(const Result<Submission>& found) {
    if (!found) return found.error().message;
    return read_file(found->sources.front()).value_or("unreadable");
  }

  test::TemporaryFolder folder_;
};

TEST_F(RunSourcesTest, TakesThemFromWhereTheRunDid) {
  folder_.write(kFile, "// first");
  RunSources sources(run_now(), std::nullopt, kNoDatabase, "none");
  EXPECT_EQ(text_of(sources.find(kTask, id_now(subs()))), "// first");
}

TEST_F(RunSourcesTest, TakesThemFromTheDatabaseWhereTheFilesAreGone) {
  folder_.write(kFile, "// first");
  const SubmissionId id = id_now(subs());
  kbench::Run run = run_now();
  run.id = "0123456789abcdef";
  const std::string kept = "// first";
  Evaluation evaluation = test::make_evaluation(run.id, 1);
  evaluation.task = kTask;
  evaluation.submission = id;
  const Blob blob = pack(kept);
  evaluation.sources = {{"src/019_relu.cpp", blob.hash, blob.bytes}};
  evaluation.tree_hash = hash_tree(evaluation.sources);
  const fs::path database = folder_.path() / "kbench.sqlite";
  {
    auto store = Store::open(database, Store::Mode::kReadWrite);
    ASSERT_TRUE(store.ok() && store->begin_run(run).ok());
    ASSERT_TRUE(store->add(evaluation, std::vector{blob}).ok());
  }
  fs::remove_all(subs());
  RunSources sources(run, std::nullopt, database, "none");
  EXPECT_EQ(text_of(sources.find(kTask, id)), kept);
  RunSources elsewhere(run, std::nullopt, kNoDatabase, "none");
  EXPECT_FALSE(elsewhere.find(kTask, id).ok());
}

TEST_F(RunSourcesTest, WhatChangedSinceIsNotTheSource) {
  folder_.write(kFile, "// first");
  const SubmissionId id = id_now(subs());
  const kbench::Run run = run_now();
  folder_.write(kFile, "// second");
  RunSources sources(run, std::nullopt, kNoDatabase, "none");
  const auto found = sources.find(kTask, id);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(found.error().message, HasSubstr("not to be had any more"));
  EXPECT_THAT(found.error().message, HasSubstr(subs().string()));
}

TEST_F(RunSourcesTest, TakesThemFromAFolderThatIsNamedAndFromNoOther) {
  folder_.write(kFile, "// first");
  folder_.write("old/alice/level1/019_relu.cpp", "// zeroth");
  RunSources sources(run_now(), folder_.path() / "old", kNoDatabase, "none");
  EXPECT_EQ(text_of(sources.find(kTask, id_now(folder_.path() / "old"))), "// zeroth");
  EXPECT_FALSE(sources.find(kTask, id_now(subs())).ok());
}

TEST_F(RunSourcesTest, TakesThemFromTheCommitAndLeavesTheTreeAlone) {
  if (!git({"init", "-q"})) GTEST_SKIP() << "there is no git";
  folder_.write(kFile, "#include \"a.hpp\"");
  folder_.write("subs/alice/include/a.hpp", "// shared");
  ASSERT_TRUE(git({"add", "-A"}) && git({"commit", "-q", "-m", "x"}));
  const SubmissionId id = id_now(subs());
  const kbench::Run run = run_now();
  folder_.write(kFile, "// second");
  ASSERT_TRUE(git({"commit", "-q", "-a", "-m", "y"}));
  folder_.write(kFile, "// third");
  RunSources sources(run, std::nullopt, kNoDatabase, "none");
  const auto found = sources.find(kTask, id);
  EXPECT_EQ(text_of(found), "#include \"a.hpp\"");
  EXPECT_EQ(read_file(folder_.path() / kFile), "// third");
  EXPECT_TRUE(git({"diff", "--cached", "--quiet"})) << "the index is as it was";
}

// A repository can name a program that git runs on what leaves it.
TEST_F(RunSourcesTest, RunsNoProgramThatTheRepositoryNames) {
  if (!git({"init", "-q"})) GTEST_SKIP() << "there is no git";
  folder_.write(kFile, "// first");
  folder_.write(".gitattributes", "*.cpp filter=f\n");
  ASSERT_TRUE(git({"add", "-A"}) && git({"commit", "-q", "-m", "x"}));
  const SubmissionId id = id_now(subs());
  const kbench::Run run = run_now();
  const fs::path trace = folder_.path() / "trace";
  ASSERT_TRUE(git({"config", "filter.f.smudge", "touch " + trace.string() + "; cat"}));
  folder_.write(kFile, "// second");
  RunSources sources(run, std::nullopt, kNoDatabase, "none");
  EXPECT_FALSE(sources.find(kTask, id).ok());
  EXPECT_FALSE(fs::exists(trace));
}

TEST_F(RunSourcesTest, ACommitThatIsNotThereIsSaid) {
  if (!git({"init", "-q"})) GTEST_SKIP() << "there is no git";
  folder_.write(kFile, "// first");
  ASSERT_TRUE(git({"add", "-A"}) && git({"commit", "-q", "-m", "x"}));
  kbench::Run run = run_now();
  SubmissionId id = id_now(subs());
  id.source_hash = "another";
  for (const std::string& commit : {std::string(40, '1'), std::string("--output=x")}) {
    run.environment = Json{{"submissions", {{"commit", commit}}}}.dump();
    RunSources sources(run, std::nullopt, kNoDatabase, "none");
    EXPECT_THAT(text_of(sources.find(kTask, id)), HasSubstr("git commit"));
  }
}

// Stored configurations are foreign.
TEST_F(RunSourcesTest, AConfigurationOfAnotherShapeIsNone) {
  for (const char* text :
       {"", "[]", "{\"submissions\": 3}", "{\"submissions\": {\"commit\": 3}}"}) {
    kbench::Run run;
    run.configuration = run.environment = text;
    RunSources sources(run, std::nullopt, kNoDatabase, folder_.path());
    EXPECT_FALSE(sources.find(kTask, {.agent = "alice", .source_hash = "x"}).ok()) << text;
  }
}

}  // namespace
}  // namespace kbench
