#include "runner/options/settings.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/write/reporter.hpp"
#include "runner/cli/command_line.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Settings : public ::testing::Test {
 protected:
  void toml(const std::string& text) { folder_.write("kbench.toml", text); }
  void variable(const std::string& name, const std::string& value) { variables_[name] = value; }

  void own_toml(const std::string& text) { folder_.write("own/kbench.toml", text); }

  [[nodiscard]] SetElsewhere around() const {
    SetElsewhere around;
    around.user_folder = folder_ / "own";
    around.environment = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    };
    for (const auto& [name, value] : variables_) around.variables.push_back(name);
    around.warn = [this](const std::string& line) { warnings_.push_back(line); };
    return around;
  }

  // Parses with the file named, because a test shares its working directory.
  [[nodiscard]] Result<Request> parse(std::vector<std::string> words) const {
    words.insert(words.begin(), "kbench");
    if (std::filesystem::exists(folder_.path() / "kbench.toml"))
      words.insert(words.end(), {"--config", (folder_.path() / "kbench.toml").string()});
    return parse_command_line(words, around());
  }

  template <class T>
  T parse_as(const std::vector<std::string>& words) const {
    auto request = parse(words);
    if (request && std::holds_alternative<T>(*request)) return std::get<T>(std::move(*request));
    ADD_FAILURE() << (request ? "another request" : request.error().message);
    return {};
  }

  void expect_error(const std::vector<std::string>& words, const std::string& message,
                    const std::string& hint) const {
    const auto request = parse(words);
    ASSERT_FALSE(request.ok());
    EXPECT_EQ(request.error().code, ErrorCode::kUsage);
    EXPECT_THAT(request.error().message, HasSubstr(message));
    EXPECT_THAT(request.error().hint, HasSubstr(hint));
  }

  test::TemporaryFolder folder_;
  std::map<std::string, std::string> variables_;
  mutable std::vector<std::string> warnings_;
};

TEST_F(Settings, CommandLineGoesBeforeEnvironmentBeforeFileBeforeDefault) {
  EXPECT_EQ(parse_as<RunOptions>({"run"}).budget_seconds, 180);
  toml("[run]\nbudget = 60\n");
  EXPECT_EQ(parse_as<RunOptions>({"run"}).budget_seconds, 60);
  variable("KBENCH_RUN_BUDGET", "50");
  EXPECT_EQ(parse_as<RunOptions>({"run"}).budget_seconds, 50);
  EXPECT_EQ(parse_as<RunOptions>({"run", "--budget", "40"}).budget_seconds, 40);
}

TEST_F(Settings, GitHubActionsGetsItsFormatWhereNothingElseGoesThere) {
  const auto printed = [this](const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "--no-html"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<std::string> names;
    for (const OutputRequest& output : parse_as<RunOptions>(words).outputs)
      if (!output.file) names.emplace_back(output.reporter->name);
    return names;
  };
  EXPECT_THAT(printed({}), ElementsAre("table"));
  variable("GITHUB_ACTIONS", "true");
  EXPECT_THAT(printed({}), ElementsAre("github"));
  EXPECT_THAT(printed({"--out", "junit=x.xml"}), ElementsAre("github"));
  EXPECT_THAT(printed({"--format", "table"}), ElementsAre("table"));
  EXPECT_THAT(printed({"--out", "csv=-"}), ElementsAre("csv"));
  EXPECT_THAT(printed({"--out", "github=-"}), ElementsAre("github"));
  variable("KBENCH_RUN_FORMAT", "json");
  EXPECT_THAT(printed({}), ElementsAre("json"));
  variable("GITHUB_ACTIONS", "false");
  variable("KBENCH_RUN_FORMAT", "table");
  EXPECT_THAT(printed({}), ElementsAre("table"));
}

TEST_F(Settings, EveryKindOfValue) {
  toml(
      "db = 'nightly.sqlite'\n"
      "[run]\nlevel = [1, 3]\ntask = ['level1/*', 'relu']\nquick = true\nbaselines-only = false\n"
      "device = \"cuda:1\"\nout = ['csv=a.csv', 'junit=b.xml']\nno-html = true\n");
  const auto run = parse_as<RunOptions>({"run"});
  EXPECT_EQ(run.database, "nightly.sqlite");
  EXPECT_THAT(run.levels, ElementsAre(1, 3));
  EXPECT_THAT(run.tasks, ElementsAre("level1/*", "relu"));
  EXPECT_TRUE(run.quick);
  EXPECT_FALSE(run.baselines_only);
  EXPECT_EQ(run.device, "cuda:1");
  EXPECT_EQ(run.outputs.size(), 3U) << "and the table";
}

// A list is taken whole from whoever is strongest, never mixed.
TEST_F(Settings, AListThatIsTypedReplacesTheOther) {
  toml("[run]\nlevel = [1, 3]\n");
  EXPECT_THAT(parse_as<RunOptions>({"run", "--level", "2"}).levels, ElementsAre(2));
  variable("KBENCH_RUN_LEVEL", "2,3");
  EXPECT_THAT(parse_as<RunOptions>({"run"}).levels, ElementsAre(2, 3));
}

TEST_F(Settings, WhatIsTypedIsStoredWithWhatIsSet) {
  toml("[run]\nlevel = [1]\n");
  EXPECT_THAT(parse_as<RunOptions>({"run", "--quick"}).command_line,
              HasSubstr("kbench run --level=1 --quick"));
}

TEST_F(Settings, ATableIsOfItsCommandOnly) {
  toml("[run]\ndevice = 'cpu'\n[tasks.lint]\ndevice = 'cuda'\n");
  EXPECT_EQ(parse_as<RunOptions>({"run"}).device, "cpu");
  EXPECT_EQ(parse_as<LintOptions>({"tasks", "lint"}).selection.device, "cuda");
  EXPECT_EQ(parse_as<RunsOptions>({"runs"}).device, std::nullopt);
}

TEST_F(Settings, SharedOnesAreOfEveryCommandThatKnowsThem) {
  toml("db = 'a.sqlite'\nsuite = 'mine'\n[compare]\ndb = 'b.sqlite'\n");
  EXPECT_EQ(parse_as<RunsOptions>({"runs"}).database, "a.sqlite");
  EXPECT_EQ(parse_as<CompareOptions>({"compare"}).database, "b.sqlite");
  EXPECT_EQ(parse_as<RunOptions>({"run"}).suite, "mine");
  variable("KBENCH_DB", "c.sqlite");
  EXPECT_EQ(parse_as<CompareOptions>({"compare"}).database, "c.sqlite");
}

TEST_F(Settings, ANightlyRunTakesWhatIsSetOfRun) {
  toml("[run]\nlevel = [1]\nbudget = 60\n[nightly]\nbudget = 70\nflag = 3.5\n");
  const auto nightly = parse_as<NightlyOptions>({"nightly"});
  EXPECT_THAT(nightly.levels, ElementsAre(1));
  EXPECT_EQ(nightly.budget_seconds, 70);
  EXPECT_EQ(nightly.flag_percent, 3.5);
  EXPECT_EQ(parse_as<RunOptions>({"run"}).budget_seconds, 60);
}

TEST_F(Settings, APresetGoesBeforeTheRest) {
  toml(
      "db = 'a.sqlite'\n[run]\nlevel = [1]\nbudget = 60\n"
      "[preset.h200]\ndb = 'h200.sqlite'\n[preset.h200.run]\nlevel = [3]\n");
  const auto run = parse_as<RunOptions>({"run", "--preset", "h200"});
  EXPECT_THAT(run.levels, ElementsAre(3));
  EXPECT_EQ(run.budget_seconds, 60);
  EXPECT_EQ(run.database, "h200.sqlite");
  EXPECT_THAT(parse_as<RunOptions>({"run"}).levels, ElementsAre(1));
  variable("KBENCH_PRESET", "h200");
  EXPECT_THAT(parse_as<RunOptions>({"run"}).levels, ElementsAre(3));
  expect_error({"run", "--preset", "h20"}, "has no preset \"h20\"", "did you mean \"h200\"?");
}

TEST_F(Settings, TheUsersOwnFileStandsBelowTheOther) {
  own_toml("db = 'own.sqlite'\n[run]\nlevel = [1]\nbudget = 60\n[preset.p.run]\nbudget = 65\n");
  auto run = parse_as<RunOptions>({"run"});
  EXPECT_EQ(run.database, "own.sqlite");
  EXPECT_THAT(run.levels, ElementsAre(1));
  toml("[run]\nlevel = [2]\n[preset.q.run]\nlevel = [3]\n");
  run = parse_as<RunOptions>({"run"});
  EXPECT_THAT(run.levels, ElementsAre(2));
  EXPECT_EQ(run.budget_seconds, 60);
  EXPECT_EQ(parse_as<RunOptions>({"run", "--preset", "p"}).budget_seconds, 65);
  EXPECT_THAT(parse_as<RunOptions>({"run", "--preset", "q"}).levels, ElementsAre(3));
  expect_error({"run", "--preset", "r"}, "have no preset \"r\"", "");
  variable("KBENCH_DB", "variable.sqlite");
  EXPECT_EQ(parse_as<RunOptions>({"run"}).database, "variable.sqlite");
}

TEST_F(Settings, TheUsersOwnFileMaySayAnything) {
  own_toml("[run]\nhtml = '/elsewhere/kbench.html'\n[serve]\ntokens = '/elsewhere/tokens'\n");
  EXPECT_EQ(parse_as<ServeOptions>({"serve"}).tokens, "/elsewhere/tokens");
  own_toml("[run]\nlevle = 1\n");
  expect_error({"run"}, "own/kbench.toml:2: no command has a setting", "did you mean \"level\"?");
}

TEST(UserSettings, LieInTheXdgFolder) {
  const auto folder = [](const char* xdg, const char* home) {
    return user_settings_folder([=](const std::string& name) -> std::optional<std::string> {
      const std::string value = name == "XDG_CONFIG_HOME" ? xdg : name == "HOME" ? home : "";
      return value.empty() ? std::nullopt : std::optional(value);
    });
  };
  EXPECT_EQ(folder("/xdg", "/home/me"), "/xdg/kbench");
  EXPECT_EQ(folder("", "/home/me"), "/home/me/.config/kbench");
  EXPECT_EQ(folder("relative", "/home/me"), "/home/me/.config/kbench");
  EXPECT_EQ(folder("", ""), "");
}

TEST_F(Settings, WhatIsTypedSilencesWhatItExcludes) {
  toml("[run]\nsubmissions = 'mine'\nagent = 'alice'\nhtml = 'a.html'\n");
  const auto run = parse_as<RunOptions>({"run", "relu.cpp", "--no-html"});
  EXPECT_EQ(run.submissions, std::nullopt);
  EXPECT_EQ(run.agent, std::nullopt);
  EXPECT_EQ(run.outputs.size(), 1U);
}

// It takes the options of its run; other ones would be refused.
TEST_F(Settings, AResumedRunIsNotChangedByTheFile) {
  toml(
      "db = 'a.sqlite'\n[run]\nlevel = [1]\nquick = true\njobs = 3\nlayout = 'kernelbench'\n"
      "shard = '1/2'\ngroup = 'nightly-12'\n"
      "all-tasks = true\n");  // was: refused by the run, though nobody had typed it
  const auto run = parse_as<RunOptions>({"run", "--resume"});
  EXPECT_EQ(run.layout, "kbench");
  EXPECT_FALSE(run.shard);
  EXPECT_EQ(run.group, "");
  EXPECT_THAT(run.given, ElementsAre("config", "db", "jobs", "resume"));
  EXPECT_THAT(run.levels, IsEmpty());
  EXPECT_FALSE(run.quick);
  EXPECT_EQ(run.jobs, 3);
  EXPECT_EQ(run.database, "a.sqlite");
}

TEST_F(Settings, UnknownNamesAreErrorsWithTheLine) {
  toml("[run]\nlevel = [1]\nlevle = [2]\n");
  expect_error({"run"}, "kbench.toml:3: no command has a setting \"run.levle\"",
               "did you mean \"level\"?");
  expect_error({"runs"}, "run.levle", "level");
  toml("[rnu]\nlevel = [1]\n");
  expect_error({"run"}, "rnu.level", "did you mean \"run.level\"?");
  toml("level = [1]\n");
  expect_error({"run"}, "kbench.toml:1", "below [run]");
  toml("[preset.a.run]\nlevle = [1]\n");
  expect_error({"run"}, "run.levle", "level");
  toml("[run]\nresume = 'latest'\n");
  expect_error({"run"}, "run.resume", "");
}

TEST_F(Settings, WhatIsNoTomlOrNoValueIsSaidWithTheLine) {
  toml("[run]\nlevel = [1\n");
  expect_error({"run"}, "kbench.toml:", "");
  toml("[run]\ndevice = 2026-11-20\n");
  expect_error({"run"}, "kbench.toml:2: run.device is neither", "level = [1, 2]");
  toml("[run]\nquick = 3\n");
  expect_error({"run"}, "kbench.toml:2: quick is true or false", "--quick");
  toml("preset = 3\n");
  expect_error({"run"}, "preset is a table", "[preset.NAME.run]");
  // A value is checked like a typed one.
  toml("[run]\nsize = 'huge'\n");
  const auto request = parse({"run"});
  ASSERT_FALSE(request.ok());
  EXPECT_THAT(request.error().message, HasSubstr("huge"));
}

// Was: the next word was taken for the value.
TEST_F(Settings, EmptyValuesAreErrorsAndTakeNothingElse) {
  for (const char* name : {"task", "agent", "submissions", "suite", "budget", "device"}) {
    toml(fmt::format("[run]\n{} = ''\n", name));
    expect_error({"run", "--quick"}, fmt::format("kbench.toml:2: run.{} is empty", name),
                 "leave it out");
    expect_error({"config", "run"}, "is empty", "leave it out");
  }
  toml("[run]\nout = ['csv=a.csv', '']\n");
  expect_error({"run", "--quick"}, "run.out is empty", "");
  toml("[preset.a.run]\ntask = ''\n");
  expect_error({"run"}, "run.task is empty", "");
  toml("[run]\ntask = []\n");
  EXPECT_TRUE(parse_as<RunOptions>({"run", "--quick"}).quick) << "a list of nothing is no value";
}

TEST_F(Settings, EmptyVariablesAreErrors) {
  for (const char* name :
       {"KBENCH_RUN_TASK", "KBENCH_RUN_QUICK", "KBENCH_DB", "KBENCH_CONFIG", "KBENCH_PRESET"}) {
    variables_.clear();
    variable(name, "");
    expect_error({"run", "--no-html"}, fmt::format("{} is empty", name), "unset it");
  }
  variables_.clear();
  variable("KBENCH_RUN_TASK", "");
  variable("KBENCH_TORCH", "");
  EXPECT_THAT(parse_as<RunOptions>({"run", "--task", "relu"}).tasks, ElementsAre("relu"));
}

// Was: only `kbench config` named them.
TEST_F(Settings, VariablesThatSetNothingAreWarnedOf) {
  variable("KBENCH_RUN_DEVIC", "cpu");
  variable("KBENCH_TORCH", "/somewhere");
  variable("KBENCH_WHEEL_PYTHON", "/somewhere");
  variable("KBENCH_TASKS_LINT_DEVICE", "cpu");
  variable("KBENCH_XYZZY", "1");
  for (const char* command : {"run", "runs", "doctor", "config"}) {
    warnings_.clear();
    ASSERT_TRUE(parse({command})) << command;
    EXPECT_THAT(warnings_,
                ElementsAre("KBENCH_RUN_DEVIC sets no option; did you mean KBENCH_RUN_DEVICE?",
                            "KBENCH_XYZZY sets no option"))
        << command;
  }
  warnings_.clear();
  ASSERT_TRUE(parse({"run", "--quiet"}));
  ASSERT_TRUE(parse({"config", "--quiet"}));
  ASSERT_TRUE(parse({"completions", "bash"}));
  ASSERT_TRUE(parse({"run", "--help"}));
  variable("KBENCH_RUN_QUIET", "yes");
  ASSERT_TRUE(parse({"run"}));
  EXPECT_THAT(warnings_, IsEmpty());
}

// Was: config showed them, and only the command itself refused them.
TEST_F(Settings, AllThatTheParserRefusesIsSaidWithWhoSetIt) {
  toml("[run]\nlevel = 'abc'\njobs = -1\ndevice = 3\nshard = '3/2'\ngroup = 'g'\n");
  variable("KBENCH_RUN_BUDGET", "soon");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run"}, {"config", "run"}, {"config"}}) {
    expect_error(words, "kbench.toml:2: --level: \"abc\" is no whole number", "kbench run --help");
    expect_error(words, "kbench.toml:3: --jobs", "");
    expect_error(words, "kbench.toml:4: --device: \"3\" is not cpu, cuda", "");
    expect_error(words, "kbench.toml:5: --shard", "");
    expect_error(words, "KBENCH_RUN_BUDGET: --budget", "");
  }
}

TEST_F(Settings, ConfigRefusesWhatTheCommandRefuses) {
  for (const char* text :
       {"[run]\nshard = '1/2'\n", "[run]\nhtml = 'a.html'\nno-html = true\n",
        "[run]\nout = ['nonsense=a']\n", "[run]\ndevice = ['cpu', 'cuda']\n", "db = true\n",
        "[run]\nlevel = [1, true]\n", "[run]\njobs = 1.5\n", "[run]\nquick = 2\n"}) {
    toml(text);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run"}, {"config", "run"}}) {
      const auto request = parse(words);
      ASSERT_FALSE(request.ok()) << text;
      EXPECT_EQ(request.error().code, ErrorCode::kUsage) << text;
    }
  }
  toml("[run]\nbudget = 9\n");
  EXPECT_FALSE(parse({"config", "run", "--level", "abc"}).ok());
  // Words that have to be typed as well are not asked for here.
  for (const char* command : {"report", "tag", "history", "import", "run"})
    EXPECT_TRUE(parse({"config", command}).ok()) << command;
  EXPECT_TRUE(parse({"config", "tasks", "show"}).ok());
}

// Was: a folder, a pipe or a device of that name was passed over, and one that was named waited
// for.
TEST_F(Settings, WhatIsNoRegularFileIsAnErrorAndNeverBlocks) {
  namespace fs = std::filesystem;
  const fs::path file = folder_.path() / "kbench.toml";
  SetElsewhere here = around();
  here.folder = folder_.path();
  const auto refused = [&](const std::string& what) {
    EXPECT_FALSE(parse_command_line({"kbench", "runs"}, here).ok()) << what;
    expect_error({"runs"}, "kbench.toml", "kbench help settings");
    EXPECT_TRUE(parse_command_line({"kbench", "runs", "--help"}, here).ok()) << what;
    fs::remove(file);
  };
  fs::create_directory(file);
  refused("a folder");
  ASSERT_EQ(::mkfifo(file.c_str(), 0644), 0);
  refused("a pipe");
  fs::create_symlink("/dev/zero", file);
  refused("a device");
  EXPECT_TRUE(parse_command_line({"kbench", "runs"}, here).ok());
  fs::create_symlink("nowhere", file);
  EXPECT_FALSE(parse_command_line({"kbench", "runs"}, here).ok()) << "a broken link";
}

TEST_F(Settings, HelpIsThereWhateverTheFileSays) {
  toml("[run\n");
  EXPECT_THAT(parse_as<PrintText>({"run", "--help"}).text, HasSubstr("--level"));
}

TEST_F(Settings, AFileThatIsNamedMustBeThere) {
  const auto request = parse_command_line({"kbench", "run", "--config", "no/such.toml"}, around());
  ASSERT_FALSE(request.ok());
  EXPECT_THAT(request.error().message, HasSubstr("no/such.toml"));
  EXPECT_FALSE(parse_command_line({"kbench", "run", "--preset", "x"}, around()).ok());
}

TEST_F(Settings, OriginsAreShown) {
  toml("[run]\nlevel = [1, 2]\n[preset.q.run]\nquick = true\n");
  variable("KBENCH_RUN_DEVICE", "cpu");
  variable("KBENCH_RUN_DEVCIE", "cpu");
  variable("KBENCH_TORCH", "/somewhere");
  const std::string file = (folder_.path() / "kbench.toml").string();
  auto request = parse_command_line(
      {"kbench", "config", "--config", file, "--preset", "q", "run", "--budget", "9"}, around());
  ASSERT_TRUE(request.ok()) << request.error().message;
  const auto& config = std::get<ConfigOptions>(*request);
  EXPECT_EQ(config.command, "run");
  EXPECT_THAT(config.unknown_variables, ElementsAre("KBENCH_RUN_DEVCIE"));
  std::map<std::string, EffectiveSetting> by_name;
  for (const EffectiveSetting& one : config.settings) by_name[one.name] = one;
  EXPECT_EQ(by_name["level"].origin, file + ":2");
  EXPECT_THAT(by_name["level"].values, ElementsAre("1", "2"));
  EXPECT_EQ(by_name["quick"].origin, file + ":4 (preset q)");
  EXPECT_EQ(by_name["device"].origin, "KBENCH_RUN_DEVICE");
  EXPECT_EQ(by_name["budget"].origin, "command line");
  EXPECT_EQ(by_name["precision"].origin, "");
  EXPECT_EQ(by_name["precision"].by_default, "torch-default");
}

TEST_F(Settings, OriginsOfNoCommand) {
  expect_error({"config", "rnu"}, "unknown command \"rnu\"", "did you mean \"run\"?");
  expect_error({"config", "tasks"}, "\"tasks\" has no options of its own", "lint");
}

}  // namespace
}  // namespace kbench
