#include "runner/cli/command_line.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/write/reporter.hpp"
#include "runner/options/folder_settings.hpp"
#include "runner/reward/reward.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Request> parse(std::vector<std::string> words) {
  words.insert(words.begin(), "kbench");
  return parse_command_line(words);
}

template <class T>
T parse_as(const std::vector<std::string>& words) {
  auto request = parse(words);
  if (!request) {
    ADD_FAILURE() << request.error().message;
    return {};
  }
  if (!std::holds_alternative<T>(*request)) {
    ADD_FAILURE() << "another request: index " << request->index();
    return {};
  }
  return std::get<T>(*request);
}

void expect_error(const std::vector<std::string>& words, const std::string& message,
                  const std::string& hint) {
  const auto request = parse(words);
  ASSERT_FALSE(request.ok()) << ::testing::PrintToString(words);
  EXPECT_EQ(request.error().code, ErrorCode::kUsage);
  EXPECT_THAT(request.error().message, HasSubstr(message));
  EXPECT_THAT(request.error().hint + request.error().message, HasSubstr(hint));
}

std::string places(const std::vector<OutputRequest>& outputs) {
  std::vector<std::string> texts;
  for (const OutputRequest& one : outputs)
    texts.push_back(
        fmt::format("{} to {}", one.reporter->name, one.file ? one.file->string() : "-"));
  return fmt::format("{}", fmt::join(texts, ", "));
}

TEST(CommandLine, AWrongValueBesideAFileIsNoSecondFile) {
  for (const auto& wrong : {std::vector<std::string>{"--seed", "-1"},
                            {"--size", "big"},
                            {"--budget", "0"},
                            {"--device", "gpu"}}) {
    std::vector<std::string> words{"run", "a.cpp"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    const auto request = parse(words);
    ASSERT_FALSE(request.ok());
    EXPECT_THAT(request.error().message, HasSubstr(wrong[0]));
    EXPECT_EQ(request.error().hint, "`kbench run --help` shows what is possible");
  }
  expect_error({"run", "a.cpp", "b.cpp"}, "b.cpp", "a run takes one FILE");
  expect_error({"report", "old.sqlite"}, "old.sqlite", "--db old.sqlite");
}

TEST(CommandLine, PromptsInALanguage) {
  const auto options = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"tasks", "prompt", "relu"};
    words.insert(words.end(), more.begin(), more.end());
    return parse_as<TasksOptions>(words);
  };
  EXPECT_EQ(options({}).language, std::nullopt);
  EXPECT_EQ(options({"--language", "cpp"}).language, PromptLanguage::kCpp);
  EXPECT_EQ(options({"--language", "triton"}).language, PromptLanguage::kTriton);
  expect_error({"tasks", "prompt", "relu", "--language", "rust"}, "rust", "triton");
}

TEST(CommandLine, ALanguageRunsOnItsDevices) {
  using Device = std::optional<std::string>;
  const auto device = [](std::optional<PromptLanguage> language, const Device& asked) {
    const auto found = device_for(language, asked);
    return found ? found->value_or("any") : found.error().message;
  };
  EXPECT_EQ(device(std::nullopt, std::nullopt), "any");
  EXPECT_EQ(device(std::nullopt, "cuda:1"), "cuda:1");
  EXPECT_EQ(device(PromptLanguage::kPython, "cpu"), "cpu");
  EXPECT_EQ(device(PromptLanguage::kPython, std::nullopt), "any");
  EXPECT_EQ(device(PromptLanguage::kCpp, std::nullopt), "cpu");
  EXPECT_EQ(device(PromptLanguage::kTriton, std::nullopt), "cuda");
  EXPECT_EQ(device(PromptLanguage::kCuda, "cuda:3"), "cuda:3");
  EXPECT_THAT(device(PromptLanguage::kTriton, "cpu"), HasSubstr("triton does not run"));
  EXPECT_THAT(device(PromptLanguage::kCpp, "cuda"), HasSubstr("cpp does not run"));
}

TEST(CommandLine, RunDefaults) {
  const auto run = parse_as<RunOptions>({"run"});
  EXPECT_TRUE(run.levels.empty());
  EXPECT_TRUE(run.tasks.empty());
  EXPECT_EQ(run.size, std::nullopt);
  EXPECT_EQ(run.device, std::nullopt);
  EXPECT_EQ(run.precision, "torch-default");
  EXPECT_EQ(run.profile, "kbench");
  EXPECT_EQ(run.submissions, std::nullopt);
  EXPECT_EQ(run.database, "kbench.sqlite");
  EXPECT_EQ(run.resume, std::nullopt);
  EXPECT_EQ(places(run.outputs), "table to -, html to kbench.html");
  EXPECT_FALSE(run.baselines_only);
  EXPECT_EQ(run.common.verbosity, 0);
  EXPECT_EQ(run.common.color, ColorMode::kAuto);
  EXPECT_EQ(run.command_line, "kbench run");
}

TEST(CommandLine, RunTakesEveryOption) {
  const auto run = parse_as<RunOptions>({"run",       "--level",
                                         "1,3",       "--level",
                                         "2",         "--task",
                                         "level1/*",  "--task",
                                         "relu",      "--suite",
                                         "mine",      "--size",
                                         "full",      "--device",
                                         "cuda:3",    "--precision",
                                         "tf32",      "--submissions",
                                         "subs",      "--agent",
                                         "my_agent",  "--baselines-only",
                                         "--quick",   "--format",
                                         "json",      "--db",
                                         "a.db",      "--resume",
                                         "3f9a",      "--html",
                                         "page.html", "-vv",
                                         "--color",   "never"});
  EXPECT_THAT(run.levels, ElementsAre(1, 3, 2));
  EXPECT_THAT(run.tasks, ElementsAre("level1/*", "relu"));
  EXPECT_EQ(run.suite, "mine");
  EXPECT_EQ(run.size, "full");
  EXPECT_EQ(run.device, "cuda:3");
  EXPECT_EQ(run.precision, "tf32");
  EXPECT_EQ(run.submissions, "subs");
  EXPECT_EQ(run.agent, "my_agent");
  EXPECT_TRUE(run.baselines_only);
  EXPECT_TRUE(run.quick);
  EXPECT_EQ(run.database, "a.db");
  EXPECT_EQ(run.resume, "3f9a");
  EXPECT_EQ(places(run.outputs), "json to -, html to page.html");
  EXPECT_EQ(run.common.verbosity, 2);
  EXPECT_EQ(run.common.color, ColorMode::kNever);
  EXPECT_THAT(run.command_line, HasSubstr("--task 'level1/*' --task relu"));
}

TEST(CommandLine, ResumeWithoutValueIsTheLatest) {
  EXPECT_EQ(parse_as<RunOptions>({"run", "--resume"}).resume, "latest");
  const auto run = parse_as<RunOptions>({"run", "--resume", "--level", "1"});
  EXPECT_EQ(run.resume, "latest");
  EXPECT_THAT(run.levels, ElementsAre(1));
  EXPECT_EQ(parse_as<RunOptions>({"run", "--resume=abc"}).resume, "abc");
}

TEST(CommandLine, TasksCommands) {
  const auto list = parse_as<TasksOptions>({"tasks", "list", "--level", "2"});
  EXPECT_THAT(list.levels, ElementsAre(2));
  const auto show =
      parse_as<TasksOptions>({"tasks", "show", "relu", "--size", "full", "--format", "json"});
  EXPECT_EQ(show.task, "relu");
  EXPECT_EQ(show.size, "full");
  EXPECT_EQ(show.format, OutputFormat::kJson);
  EXPECT_EQ(parse_as<TasksOptions>({"tasks", "header", "019"}).task, "019");
}

TEST(CommandLine, ReportAndDoctor) {
  const auto report = parse_as<ReportOptions>(
      {"report", "html", "--db", "x.db", "--run", "12", "--output", "x.html", "-q"});
  EXPECT_EQ(places(report.outputs), "html to x.html");
  EXPECT_EQ(report.database, "x.db");
  EXPECT_EQ(report.runs, std::vector<std::string>{"12"});
  EXPECT_EQ(report.common.verbosity, -1);
  EXPECT_EQ(places(parse_as<ReportOptions>({"report", "json"}).outputs), "json to -");
  EXPECT_EQ(parse_as<DoctorOptions>({"doctor", "--format", "json"}).format, OutputFormat::kJson);
}

TEST(CommandLine, SeveralRunsAndARewardOfAReport) {
  const auto report = parse_as<ReportOptions>(
      {"report", "--run", "a", "jsonl", "--run", "b", "--reward", "fast_p:1.5"});
  EXPECT_EQ(report.runs, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(report.reward_name, "fast_p:1.5");
  EXPECT_FALSE(parse_command_line({"kbench", "report", "jsonl", "--reward", "fast_p:x"}));
}

TEST(CommandLine, Workspace) {
  const auto open = parse_as<WorkspaceOptions>(
      {"workspace", "open", "relu", "work", "--size", "small", "--device", "cpu"});
  EXPECT_EQ(open.ask, std::nullopt);
  EXPECT_EQ(open.task, "relu");
  EXPECT_EQ(open.folder, "work");
  EXPECT_EQ(open.device, "cpu");
  for (const WorkspaceAsk ask :
       {WorkspaceAsk::kCompile, WorkspaceAsk::kVerify, WorkspaceAsk::kDebug, WorkspaceAsk::kAnalyze,
        WorkspaceAsk::kProfile})
    EXPECT_EQ(parse_as<WorkspaceOptions>({"workspace", std::string(to_string(ask)), "w"}).ask, ask);
  const auto submit = parse_as<WorkspaceOptions>({"workspace", "submit", "w"});
  EXPECT_EQ(submit.ask, WorkspaceAsk::kSubmit);
  EXPECT_EQ(submit.reward, kDefaultReward);
  EXPECT_EQ(submit.database, "kbench.sqlite");
  EXPECT_FALSE(parse_command_line({"kbench", "workspace", "submit"}));
}

TEST(CommandLine, OutputsOfARun) {
  const auto of = [](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    return places(parse_as<RunOptions>(words).outputs);
  };
  EXPECT_EQ(of({"--db", "a/b.db"}), "table to -, html to a/b.html");
  EXPECT_EQ(of({"--no-html"}), "table to -");
  EXPECT_EQ(of({"--no-html", "--format", "csv"}), "csv to -");
  EXPECT_EQ(of({"--out", "x.csv", "--out=junit=y.xml"}),
            "table to -, csv to x.csv, junit to y.xml, html to kbench.html");
  EXPECT_EQ(of({"--out", "json=-"}), "json to -, html to kbench.html")
      << "nothing else goes to standard output";
  EXPECT_EQ(of({"--html", "-"}), "html to -");
  EXPECT_EQ(of({"--out", "html=page"}), "table to -, html to page") << "one page is enough";
  EXPECT_EQ(of({"--out", "runs/a=b.json", "--no-html"}), "table to -, json to runs/a=b.json");
}

TEST(CommandLine, OutputsOfAReport) {
  const auto of = [](std::vector<std::string> words) {
    words.insert(words.begin(), "report");
    return places(parse_as<ReportOptions>(words).outputs);
  };
  EXPECT_EQ(of({}), "table to -");
  EXPECT_EQ(of({"google-benchmark"}), "google-benchmark to -");
  EXPECT_EQ(of({"json", "-o", "-"}), "json to -");
  EXPECT_EQ(of({"--out", "github=-", "--out", "md=x"}), "github to -, md to x");
  EXPECT_EQ(of({"md", "--out", "x.jsonl"}), "md to -, jsonl to x.jsonl");
  EXPECT_EQ(of({"-o", "x.csv"}), "csv to x.csv");
  for (const auto& [file, format] :
       std::vector<std::pair<std::string, std::string>>{{"a.json", "json"},
                                                        {"a.jsonl", "jsonl"},
                                                        {"a.csv", "csv"},
                                                        {"a.md", "md"},
                                                        {"a.xml", "junit"},
                                                        {"a.html", "html"},
                                                        {"a.txt", "table"}})
    EXPECT_EQ(of({"--out", file}), format + " to " + file);
}

TEST(CommandLine, OutputsThatMakeNoSense) {
  expect_error({"report", "--out", ""}, "--out: is given an empty value", "--help");
  expect_error({"report", "--out", "csv="}, "csv names no file", "--out csv=FILE");
  expect_error({"report", "--out", "csv"}, "csv names no file", "--out csv=FILE");
  expect_error({"report", "json", "-o", ""}, "-o: is given an empty value", "--help");
  expect_error({"run", "--html", ""}, "--html: is given an empty value", "--help");
  expect_error({"run", "--db", ""}, "--db: is given an empty value", "--help");
  expect_error({"report", "--out", "cvs=x"}, "\"cvs\" is not one of", "did you mean \"csv\"?");
  expect_error({"report", "--out", "banana=x.csv"}, "is not one of", "./banana=x.csv");
  expect_error({"report", "--out", "-"}, "does not say in which format", "--out FORMAT=-");
  expect_error({"report", "--out", "x.tsv"}, "does not say in which format", "FORMAT=x.tsv");
  expect_error({"report", "json", "--out", "csv=-"}, "two reports, json and csv", "--out csv=FILE");
  expect_error({"run", "--format", "json", "--html", "-"}, "two reports, json and html",
               "--out html=FILE");
}

TEST(CommandLine, LintSelectsLikeARun) {
  const auto lint = parse_as<LintOptions>({"tasks", "lint", "--level", "1,2", "--task", "relu",
                                           "--size", "small", "--device", "cpu", "--format", "json",
                                           "--db", "a.db", "--suite", "mine"});
  EXPECT_THAT(lint.selection.levels, ElementsAre(1, 2));
  EXPECT_THAT(lint.selection.tasks, ElementsAre("relu"));
  EXPECT_EQ(lint.selection.size, "small");
  EXPECT_EQ(lint.selection.device, "cpu");
  EXPECT_EQ(lint.format, OutputFormat::kJson);
  EXPECT_EQ(lint.database, "a.db");
  EXPECT_EQ(lint.common.suite, "mine");
}

TEST(CommandLine, ProfilesAreNamed) {
  EXPECT_EQ(parse_as<RunOptions>({"run", "--profile", "kernelbench"}).profile, "kernelbench");
  expect_error({"run", "--profile", "kernelbanch"}, "--profile", "did you mean \"kernelbench\"?");
}

TEST(CommandLine, HelpAndVersionArePrinted) {
  EXPECT_THAT(parse_as<PrintText>({"--help"}).text, HasSubstr("Examples:"));
  EXPECT_THAT(parse_as<PrintText>({"--version"}).text, HasSubstr("kbench "));
  const auto help = parse_as<PrintText>({"run", "--help"}).text;
  for (const std::string option :
       {"--level", "--task", "--suite", "--size", "--device", "--precision", "--submissions",
        "--agent", "--baselines-only", "--jobs", "--quick", "--format", "--db", "--resume",
        "--html", "--no-html", "--quiet", "--verbose", "--color"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
}

TEST(CommandLine, ComparesTheNewestRunsUnlessTold) {
  const auto plain = parse_as<CompareOptions>({"compare"});
  EXPECT_FALSE(plain.before);
  EXPECT_EQ(plain.after, "latest");
  EXPECT_EQ(plain.baseline, Side::kEager);
  EXPECT_EQ(plain.format, OutputFormat::kTable);
  const auto told = parse_as<CompareOptions>({"compare", "good", "latest~1", "--baseline",
                                              "compiled", "--fail-on", "slower:5%,fails", "--all",
                                              "--force", "--json", "--db", "n.sqlite"});
  EXPECT_EQ(told.before, "good");
  EXPECT_EQ(told.after, "latest~1");
  EXPECT_EQ(told.baseline, Side::kCompiled);
  EXPECT_EQ(told.fail_on, "slower:5%,fails");
  EXPECT_TRUE(told.all);
  EXPECT_TRUE(told.force);
  EXPECT_EQ(told.format, OutputFormat::kJson);
  EXPECT_EQ(told.database, "n.sqlite");
  EXPECT_EQ(parse_as<CompareOptions>({"compare", "good"}).before, "good");
  expect_error({"compare", "--fail-on", "slower:5"}, "\"slower:5\" is nothing to fail on",
               "slower:5%");
  expect_error({"compare", "--baseline", "compield"}, "--baseline", "did you mean \"compiled\"?");
}

TEST(CommandLine, ATagTakesARunAndANameOrTakesOneAway) {
  const auto given = parse_as<TagOptions>({"tag", "latest", "nightly-12"});
  EXPECT_EQ(given.run, "latest");
  EXPECT_EQ(given.name, "nightly-12");
  EXPECT_FALSE(given.remove);
  EXPECT_EQ(parse_as<TagOptions>({"tag", "--remove", "nightly-12"}).remove, "nightly-12");
  expect_error({"tag"}, "a run and a name", "kbench tag latest nightly-12");
  expect_error({"tag", "latest"}, "a run and a name", "--remove");
  expect_error({"tag", "latest", "--remove", "x"}, "do not go together", "leave one");
}

TEST(CommandLine, HistoryAndRunsOfADevice) {
  const auto history =
      parse_as<HistoryOptions>({"history", "19", "--agent", "me", "--device", "h200", "--json"});
  EXPECT_EQ(history.task, "19");
  EXPECT_EQ(history.agent, "me");
  EXPECT_EQ(history.device, "h200");
  EXPECT_EQ(history.format, OutputFormat::kJson);
  expect_error({"history"}, "TASK is required", "kbench history --help");
  const auto runs = parse_as<RunsOptions>({"runs", "--device", "Example CPU"});
  EXPECT_EQ(runs.device, "Example CPU");
  EXPECT_EQ(parse_as<RunsOptions>({"runs", "--format", "json"}).format, OutputFormat::kJson);
}

TEST(CommandLine, DbHasACommandForEachAction) {
  const auto check = parse_as<DbOptions>({"db", "check", "--db", "a.sqlite", "--quick", "--json"});
  EXPECT_EQ(check.what, DbOptions::What::kCheck);
  EXPECT_EQ(check.database, "a.sqlite");
  EXPECT_TRUE(check.quick);
  EXPECT_EQ(check.format, OutputFormat::kJson);
  const auto backup = parse_as<DbOptions>({"db", "backup", "copy.sqlite"});
  EXPECT_EQ(backup.what, DbOptions::What::kBackup);
  EXPECT_EQ(backup.database, "kbench.sqlite");
  EXPECT_EQ(backup.to, "copy.sqlite");
  const auto prune = parse_as<DbOptions>(
      {"db", "prune", "--keep", "12w", "--keep-good", "--keep-tagged", "--dry-run"});
  EXPECT_EQ(prune.what, DbOptions::What::kPrune);
  EXPECT_EQ(prune.keep_days, 84);
  EXPECT_TRUE(prune.keep_good);
  EXPECT_TRUE(prune.dry_run);
  EXPECT_EQ(parse_as<DbOptions>({"db", "vacuum"}).what, DbOptions::What::kVacuum);
  const auto salvage = parse_as<DbOptions>({"db", "salvage", "bad", "good"});
  EXPECT_EQ(salvage.what, DbOptions::What::kSalvage);
  EXPECT_EQ(salvage.from, "bad");
  EXPECT_EQ(salvage.to, "good");
  const auto merge = parse_as<DbOptions>({"db", "merge", "all", "one", "two"});
  EXPECT_EQ(merge.what, DbOptions::What::kMerge);
  EXPECT_EQ(merge.to, "all");
  EXPECT_EQ(merge.others, (std::vector<std::filesystem::path>{"one", "two"}));
}

TEST(CommandLine, DbRefusesWhatMakesNoSense) {
  expect_error({"db"}, "ommand", "kbench db --help");
  expect_error({"db", "prnue"}, "kbench db has no command", "did you mean \"prune\"?");
  expect_error({"db", "prune"}, "--keep is required", "kbench db prune --help");
  expect_error({"db", "prune", "--keep", "90"}, "\"90\" is no time", "kbench db prune --help");
  expect_error({"db", "backup"}, "FILE is required", "kbench db backup --help");
}

TEST(CommandLine, AShardIsAPartOfAGroup) {
  const auto run = parse_as<RunOptions>({"run", "--shard", "2/4", "--group", "nightly-12"});
  ASSERT_TRUE(run.shard);
  EXPECT_EQ(run.shard->index, 2);
  EXPECT_EQ(run.shard->of, 4);
  EXPECT_EQ(run.group, "nightly-12");
  EXPECT_FALSE(parse_as<RunOptions>({"run"}).shard);
  expect_error({"run", "--shard", "2/4"}, "--shard needs --group as well", "--group NAME: ");
  expect_error({"run", "--group", "g"}, "--group needs --shard as well", "--shard I/N: ");
  for (const char* word : {"0/4", "5/4", "2", "2/", "/4", "2/x", "2/4/6", "1/1000000"})
    expect_error({"run", "--shard", word, "--group", "g"}, "is no shard", "");
  expect_error({"run", "a.cpp", "--shard", "1/2", "--group", "g"}, "do not go together", "");
  expect_error({"run", "--level", "1 excludes 2"}, "is no whole number", "kbench run --help");
}

TEST(CommandLine, ARunWaitsUnlessItIsTold) {
  EXPECT_FALSE(parse_as<RunOptions>({"run"}).no_wait);
  EXPECT_TRUE(parse_as<RunOptions>({"run", "--no-wait"}).no_wait);
}

TEST(CommandLine, SynthTakesANumberOfOperatorsOrARange) {
  const auto options = [](const std::string& operators) {
    return parse_as<SynthOptions>({"synth", "--out", "x", "--operators", operators});
  };
  EXPECT_EQ(options("3").least, 3);
  EXPECT_EQ(options("3").most, 3);
  EXPECT_EQ(options("2..5").least, 2);
  EXPECT_EQ(options("2..5").most, 5);
  for (const char* word : {"0", "6", "3..2", "2..", "..3", "2...4", "two"})
    expect_error({"synth", "--out", "x", "--operators", word}, "is no number of operators", "");
}

TEST(CommandLine, UnknownNamesGetASuggestion) {
  expect_error({"rnu"}, "kbench has no command \"rnu\"", "did you mean \"run\"?");
  // Was: the general help, as if nothing were wrong.
  expect_error({"rnu", "--help"}, "kbench has no command \"rnu\"", "did you mean \"run\"?");
  expect_error({"db", "prnue", "--help"}, "kbench db has no command", "did you mean \"prune\"?");
  expect_error(
      {"banana"}, "no command \"banana\"",
      "commands are run, build, tasks, import, synth, report, sources, reproduce, explain, "
      "names, runs, tag");
  expect_error({"tasks", "lsit"}, "kbench tasks has no command", "did you mean \"list\"?");
  expect_error({"run", "--levle", "1"}, "\"--levle\"", "did you mean \"--level\"?");
  expect_error({"run", "--levle=1"}, "--levle", "did you mean \"--level\"?");
  expect_error({"run", "--size", "smal"}, "\"smal\" is not one of small, full",
               "did you mean \"small\"?");
  expect_error({"run", "--device", "cud"}, "\"cud\" is not cpu, cuda or cuda:N",
               "did you mean \"cuda\"?");
  expect_error({"run", "--precision", "fp23"}, "--precision", "did you mean \"fp32\"?");
  expect_error({"report", "hmtl"}, "\"hmtl\"", "did you mean \"html\"?");
}

// Was: the first of an option's names, where another one stands on the line.
TEST(CommandLine, AnOptionIsCalledAsItWasTyped) {
  expect_error({"run", "--family", "matmull"}, "--family: ", "did you mean \"matmul\"?");
  expect_error({"run", "--tag", "scan", "--family", "matmull"}, "--family: ", "matmul");
  expect_error({"run", "a.cpp", "--reference", "r.py", "--family", "matmul"}, "--family",
               "do not go together");
  expect_error({"report", "csv", "-o", "a", "-o", "b"}, "-o is given 2 times", "give it once");
  expect_error({"run", "-q", "-v"}, "-q", "do not go together");
}

TEST(CommandLine, ColumnsAreThoseOfTheList) {
  EXPECT_THAT(parse_as<RunsOptions>({"runs", "--columns", "run,states"}).columns,
              ElementsAre("run", "states"));
  expect_error(
      {"runs", "--columns", "run,stats"},
      "--columns: \"stats\" is not one of run, tag, shard, task, submission, date, device, "
      "commit, rows, states",
      "did you mean \"states\"?");
  expect_error({"tasks", "list", "--columns", "familly"},
               "is not one of task, family, sizes, title", "did you mean \"family\"?");
  EXPECT_THAT(parse_as<ReportOptions>({"report", "--columns", "task,anything", "csv"}).columns,
              ElementsAre("task", "anything"))
      << "those of a report are known to it";
}

TEST(CommandLine, ImpossibleRequestsAreUsageErrors) {
  expect_error({}, "ommand", "kbench --help");
  expect_error({"tasks"}, "ommand", "kbench tasks --help");
  expect_error({"tasks", "show"}, "TASK is required", "kbench tasks show --help");
  expect_error({"run", "my_relu.cpp", "extra"}, "\"extra\"", "kbench run --help");
  expect_error({"run", "--level", "0"}, "--level", "");
  expect_error({"run", "--level", "three"}, "--level", "");
  expect_error({"run", "--level"}, "--level", "");
  expect_error({"run", "--device", "cuda:"}, "cuda:", "");
  expect_error({"run", "--device", "cuda:-1"}, "cuda:-1", "");
  expect_error({"run", "-q", "-v"}, "do not go together", "");
  expect_error({"--config", "x", "run"}, "--config stands before its command",
               "kbench run --config");
  expect_error({"run", "--size", "small", "--size", "full"}, "--size", "");
}

TEST(CommandLine, ARuleForVariantsIsOneOfThree) {
  EXPECT_EQ(parse_as<RunOptions>({"run"}).variants, VariantRule::kBest);
  EXPECT_EQ(parse_as<RunOptions>({"run", "--variants", "mean"}).variants, VariantRule::kMean);
  EXPECT_EQ(parse_as<ReportOptions>({"report", "json", "--variants", "first"}).variants,
            VariantRule::kFirst);
  expect_error({"report", "json", "--variants", "frist"}, "not one of", "did you mean \"first\"?");
}

TEST(CommandLine, ASiteIsAPageOfManyFiles) {
  const auto report = parse_as<ReportOptions>({"report", "html", "--site", "results"});
  EXPECT_EQ(report.words.site, std::filesystem::path("results"));
  EXPECT_TRUE(report.outputs.empty()) << "no page on standard output beside it";
  const auto both = parse_as<ReportOptions>({"report", "--site", "results", "--out", "run.csv"});
  EXPECT_EQ(places(both.outputs), "csv to run.csv");
  expect_error({"report", "json", "--site", "results"}, "--site is a page", "--site DIR");
  expect_error({"report", "html", "--site", "results", "-o", "x.html"}, "--site is a page",
               "--site DIR");
}

TEST(CommandLine, TablesAreWideWhereAsked) {
  EXPECT_FALSE(parse_as<ReportOptions>({"report", "table"}).common.wide);
  EXPECT_TRUE(parse_as<ReportOptions>({"report", "table", "--wide"}).common.wide);
  EXPECT_TRUE(parse_as<CompareOptions>({"compare", "--wide"}).common.wide);
}

TEST(CommandLine, HelpIsAPageOrWhatACommandSays) {
  EXPECT_THAT(parse_as<PrintText>({"help"}).text, HasSubstr("\n  over-time        Many runs"));
  EXPECT_EQ(parse_as<HelpRequest>({"help", "over-time"}).topic, "over-time");
  EXPECT_EQ(parse_as<HelpRequest>({"help", "tasks"}).topic, "tasks");
  for (const auto& words : {std::vector<std::string>{"run"}, {"tasks", "list"}, {"help"}}) {
    std::vector<std::string> asked = words;
    asked.insert(asked.begin(), "help");
    std::vector<std::string> flag = words;
    flag.emplace_back("--help");
    EXPECT_EQ(parse_as<PrintText>(asked).text, parse_as<PrintText>(flag).text);
  }
  expect_error({"help", "trsut"}, "no page of the manual", "did you mean \"trust\"?");
  expect_error({"help", "rnu"}, "no page of the manual", "did you mean \"run\"?");
  expect_error({"help", "xyzzy"}, "no page of the manual", "`kbench help` lists them");
  expect_error({"help", "trust", "tasks"}, "\"tasks\"", "kbench help --help");
}

TEST(CommandLine, CompletionsAndManualArePrinted) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string text = parse_as<PrintText>({"completions", shell}).text;
    for (const char* word : {"kbench", "tasks", "cuda"}) EXPECT_THAT(text, HasSubstr(word));
  }
  const std::string manual = parse_as<PrintText>({"man"}).text;
  EXPECT_THAT(manual, HasSubstr(".TH KBENCH 1"));
  EXPECT_THAT(manual, HasSubstr(".SS kbench selftest timing"));
}

// Full names of all verbs, as the completions have them.
std::vector<std::string> all_verbs() {
  const auto request = parse_command_line({"kbench", "completions", "bash"});
  const std::string text = request ? std::get<PrintText>(*request).text : "";
  const auto begin = text.find("for known in ");
  std::istringstream line(begin == text.npos ? ""
                                             : text.substr(begin, text.find(';', begin) - begin));
  std::vector<std::string> names;
  std::string between, name;
  while (std::getline(line, between, '\'') && std::getline(line, name, '\'')) names.push_back(name);
  return names;
}

TEST(CommandLine, EveryOptionOfEveryVerbHasARuleForFilesOfTheFolder) {
  std::set<std::string> without_rule;
  int seen = 0;
  for (const std::string& verb : all_verbs()) {
    std::istringstream line("kbench config " + verb);
    const std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
    const auto request = parse_command_line(words);
    if (!request) {
      EXPECT_THAT(request.error().message, HasSubstr("has no options of its own")) << verb;
      continue;
    }
    std::string table = verb;
    std::replace(table.begin(), table.end(), ' ', '.');
    for (const EffectiveSetting& one : std::get<ConfigOptions>(*request).settings) {
      ++seen;
      const std::string path = table + "." + one.name;
      if (!folder_rule(path)) without_rule.insert(path);
    }
  }
  EXPECT_GT(seen, 500) << "options of all verbs";
  EXPECT_THAT(without_rule, ::testing::IsEmpty())
      << "runner/options/folder_settings.cpp says what a file of somebody else may set";
}

}  // namespace
}  // namespace kbench
