// A kbench.toml that lies in the working directory is data: somebody else may have put it there.
#include "runner/options/folder_settings.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FolderSettings : public ::testing::Test {
 protected:
  [[nodiscard]] Status check(const char* name, const std::string& value) const {
    return check_folder_settings({{name, {.values = {value}, .where = "kbench.toml:3"}}},
                                 folder_.path());
  }

  test::TemporaryFolder folder_;
};

TEST_F(FolderSettings, NamesOutputsBelowItsFolder) {
  folder_.write("below/file", "");
  for (const char* value : {"r.csv", "csv=below/r.csv", "below/new/r.csv", "./r.csv", "-", "csv=-"})
    EXPECT_TRUE(check("run.out", value)) << value;
  EXPECT_TRUE(check("db", "nightly.sqlite"));
  EXPECT_TRUE(check("run.level", "1"));
  EXPECT_TRUE(check("run.submissions", "/elsewhere")) << "what is read is data";
}

TEST_F(FolderSettings, AndNoneElsewhere) {
  fs::create_symlink("/etc", folder_.path() / "link");
  fs::create_symlink("/etc/passwd", folder_.path() / "md=fine");
  EXPECT_FALSE(check("report.about", "md=fine")) << "a name, where no format stands in front";
  for (const char* value : {"../r.csv", "/tmp/r.csv", "csv=/tmp/r.csv", "csv=../r.csv",
                            "link/r.csv", "a/../../r.csv", ".", ""}) {
    for (const char* name :
         {"run.out", "report.output", "run.html", "db", "synth.out", "report.site",
          "reproduce.into", "attribute.report.lines", "attribute.report.html", "synth.from",
          "report.about", "run.reference", "run.input-file", "export.values"}) {
      const Status fine = check(name, value);
      ASSERT_FALSE(fine) << name << " " << value;
      EXPECT_EQ(fine.error().code, ErrorCode::kUsage);
      EXPECT_THAT(fine.error().message, HasSubstr("kbench.toml:3: "));
      EXPECT_THAT(fine.error().hint, HasSubstr("--config"));
    }
  }
}

TEST_F(FolderSettings, SaysNotWhomKbenchTalksTo) {
  for (const char* name :
       {"serve.bind", "serve.tokens", "serve.host", "agent.run.endpoint", "agent.run.key-env",
        "agent.run.key-file", "attribute.run.endpoint", "attribute.run.key-env",
        "attribute.run.key-file", "attribute.run.strong", "attribute.run.strong-key-env",
        "later.verb.endpoint", "later.verb.tokens", "attribute.plan.usd"})
    EXPECT_FALSE(check(name, "x")) << name;
  EXPECT_TRUE(check("agent.run.tokens", "1000")) << "a number of tokens";
}

TEST_F(FolderSettings, NamesNoCommand) {
  EXPECT_TRUE(check("attribute.plan.component", "profiler"));
  EXPECT_FALSE(check("attribute.plan.component", "mine=/bin/true"));
}

TEST_F(FolderSettings, SaysNothingThatTheListsDoNotKnow) {
  EXPECT_FALSE(folder_rule("run.an-option-of-tomorrow"));
  EXPECT_FALSE(check("run.an-option-of-tomorrow", "1"));
}

TEST_F(FolderSettings, RemovesNothing) {
  for (const char* name : {"db.prune.keep", "exchange.prune.keep", "tag.remove"})
    EXPECT_FALSE(check(name, "0d")) << name;
}

TEST_F(FolderSettings, MakesNoRowCountThatIsNotBelieved) {
  for (const char* name :
       {"report.trust-unchecked", "run.trust-estimates", "db.merge.lint", "compare.force",
        "synth.held-out", "export.held-out", "preset.mine.report.trust-unchecked"})
    EXPECT_FALSE(check(name, "true")) << name;
}

TEST_F(FolderSettings, ForgivesNothing) {
  for (const char* name : {"run.exit-zero", "compare.exit-zero", "preset.mine.run.exit-zero"})
    EXPECT_FALSE(check(name, "true")) << name;
  for (const char* name : {"run.allow-torch", "nightly.allow-torch", "serve.allow-torch",
                           "agent.run.allow-torch", "preset.mine.run.allow-torch"}) {
    const Status all = check(name, "all");
    ASSERT_FALSE(all) << name;
    EXPECT_THAT(all.error().message, HasSubstr("allow-torch = all is not for a file"));
    EXPECT_TRUE(check(name, "data")) << "the default";
    EXPECT_TRUE(check(name, "none")) << "stricter";
  }
}

TEST_F(FolderSettings, MayLeaveOutWhatMakesRowsCount) {
  EXPECT_TRUE(check("run.no-lint", "true")) << "rows of a task that nobody checked rank nobody";
}

}  // namespace
}  // namespace kbench
