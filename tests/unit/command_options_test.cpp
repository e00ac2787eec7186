// Every option of every verb is typed once, at another value than its default, and found in the
// field that is its own. `kbench config` knows the options of a verb: one that no line here types
// is a failure.
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/write/reporter.hpp"
#include "runner/cli/command_line.hpp"
#include "runner/reward/reward.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words{"kbench"};
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

class CommandOptions : public ::testing::Test {
 protected:
  template <class T>
  T typed(const std::string& line) {
    note(line);
    auto request = parse_command_line(words_of(line));
    if (request && std::holds_alternative<T>(*request)) return std::get<T>(std::move(*request));
    ADD_FAILURE() << line << ": " << (request ? "another request" : request.error().message);
    return {};
  }

  // Options of the verbs that were typed which no line had; `other`: other words for the same.
  std::set<std::string> left(const std::set<std::string>& other = {}) const {
    std::set<std::string> missing = known_;
    for (const std::string& one : had_) missing.erase(one);
    for (const std::string& one : other) missing.erase(one);
    for (const char* common : {"quiet", "verbose", "color", "config", "preset"})
      missing.erase(common);
    return missing;
  }

 private:
  void note(const std::string& line) {
    const auto request = parse_command_line(words_of("config " + line));
    ASSERT_TRUE(request.ok()) << line << ": " << request.error().message;
    for (const EffectiveSetting& one : std::get<ConfigOptions>(*request).settings)
      (one.typed ? had_ : known_).insert(one.name);
  }

  std::set<std::string> known_, had_;
};

// Options for how both `run` and `nightly` measure.
std::string measuring() {
  return " --level 1,3 --task relu --tag matmul --all-tasks --size full --device cuda:2"
         " --precision tf32 --profile kernelbench --allow-torch none --submissions subs"
         " --layout cuda-agent --agent anna --jobs 5 --budget 77 --call-limit 1.5 --quick"
         " --suite mine --db a.db";
}

void expect_measuring(const RunOptions& run) {
  EXPECT_THAT(run.levels, ElementsAre(1, 3));
  EXPECT_THAT(run.tasks, ElementsAre("relu"));
  EXPECT_THAT(run.tags, ElementsAre("matmul"));
  EXPECT_TRUE(run.all_tasks);
  EXPECT_EQ(run.size, "full");
  EXPECT_EQ(run.device, "cuda:2");
  EXPECT_EQ(run.precision, "tf32");
  EXPECT_EQ(run.profile, "kernelbench");
  EXPECT_EQ(run.allow_torch, "none");
  EXPECT_EQ(run.submissions, "subs");
  EXPECT_EQ(run.layout, "cuda-agent");
  EXPECT_EQ(run.agent, "anna");
  EXPECT_EQ(run.jobs, 5);
  EXPECT_EQ(run.budget_seconds, 77);
  EXPECT_EQ(run.call_limit_seconds, 1.5);
  EXPECT_TRUE(run.quick);
  EXPECT_EQ(run.suite, "mine");
  EXPECT_EQ(run.database, "a.db");
}

TEST_F(CommandOptions, Run) {
  expect_measuring(typed<RunOptions>("run" + measuring()));
  const auto terms = typed<RunOptions>(
      "run --input-file more.txt --vendor --no-lint --seed 12 --order longest --no-wait --max-fail "
      "3 --exit-zero --dry-run --format csv --out json=a.json --variants mean --trust-estimates "
      "--trust-unchecked --rerun crash,timeout --run nightly --html p.html --wide");
  EXPECT_EQ(terms.input_file, "more.txt");
  EXPECT_TRUE(terms.vendor);
  EXPECT_TRUE(terms.no_lint);
  EXPECT_EQ(terms.seed, 12);
  EXPECT_EQ(terms.order, UnitOrder::kLongest);
  EXPECT_TRUE(terms.no_wait);
  EXPECT_EQ(terms.max_failures, 3);
  EXPECT_TRUE(terms.exit_zero);
  EXPECT_TRUE(terms.dry_run);
  ASSERT_EQ(terms.outputs.size(), 3U);
  EXPECT_EQ(terms.outputs[0].reporter->name, "csv");
  EXPECT_EQ(terms.outputs[1].file, "a.json");
  EXPECT_EQ(terms.outputs[2].file, "p.html");
  EXPECT_EQ(terms.variants, VariantRule::kMean);
  EXPECT_TRUE(terms.common.trust.estimates);
  EXPECT_TRUE(terms.common.trust.unchecked);
  EXPECT_THAT(terms.rerun, ElementsAre("crash", "timeout"));
  EXPECT_EQ(terms.rerun_of, "nightly");
  EXPECT_TRUE(terms.common.wide);
  const auto file = typed<RunOptions>("run a.cpp --name bert --reference ref.py --checks-only");
  EXPECT_EQ(file.file, "a.cpp");
  EXPECT_EQ(file.name, "bert");
  EXPECT_EQ(file.reference, "ref.py");
  EXPECT_TRUE(file.checks_only);
  EXPECT_FALSE(file.common.trust.estimates);
  const auto part = typed<RunOptions>(
      "run --devices cuda:2,cuda:0 --baselines-only --shard 2/3 --group g --exchange pool "
      "--resume r --fail-fast --no-html --json");
  EXPECT_EQ(part.devices, "cuda:2,cuda:0");
  EXPECT_EQ(part.exchange, "pool");
  EXPECT_TRUE(part.baselines_only);
  EXPECT_EQ(part.group, "g");
  EXPECT_EQ(part.resume, "r");
  EXPECT_EQ(part.max_failures, 1);
  EXPECT_TRUE(part.words.no_html);
  EXPECT_EQ(part.outputs.at(0).reporter->name, "json");
  EXPECT_THAT(typed<RunOptions>("run --last-failed").rerun, ElementsAre(kFailedRows));
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CommandOptions, Build) {
  const auto build = typed<BuildOptions>(
      "build --level 1,3 --task relu --tag matmul --all-tasks --input-file more.txt --size full"
      " --device cuda:2 --arch 90a --precision tf32 --submissions subs --layout cuda-agent"
      " --agent anna --shard 2/3 --exchange pool --jobs 5 --suite mine --json");
  EXPECT_THAT(build.run.levels, ElementsAre(1, 3));
  EXPECT_THAT(build.run.tasks, ElementsAre("relu"));
  EXPECT_THAT(build.run.tags, ElementsAre("matmul"));
  EXPECT_TRUE(build.run.all_tasks);
  EXPECT_EQ(build.input_file, "more.txt");
  EXPECT_EQ(build.run.size, "full");
  EXPECT_EQ(build.run.device, "cuda:2");
  EXPECT_EQ(build.architecture, "90a");
  EXPECT_EQ(build.run.precision, "tf32");
  EXPECT_EQ(build.run.submissions, "subs");
  EXPECT_EQ(build.run.layout, "cuda-agent");
  EXPECT_EQ(build.run.agent, "anna");
  ASSERT_TRUE(build.run.shard);
  EXPECT_EQ(build.run.shard->index, 2);
  EXPECT_EQ(build.run.shard->of, 3);
  EXPECT_EQ(build.exchange, "pool");
  EXPECT_EQ(build.jobs, 5);
  EXPECT_EQ(build.run.suite, "mine");
  EXPECT_EQ(build.format, OutputFormat::kJson);
  const auto file = typed<BuildOptions>("build a.cu --name bert --format table");
  EXPECT_EQ(file.run.file, "a.cu");
  EXPECT_EQ(file.run.name, "bert");
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CommandOptions, Nightly) {
  const auto night = typed<NightlyOptions>(
      "nightly" + measuring() +
      " --flag 3.5 --pairs 5 --submissions-before then --baseline compiled --out a.csv");
  expect_measuring(night);
  EXPECT_EQ(night.flag_percent, 3.5);
  EXPECT_EQ(night.most_pairs, 5);
  EXPECT_EQ(night.submissions_before, "then");
  EXPECT_EQ(night.baseline, Side::kCompiled);
  ASSERT_EQ(night.outputs.size(), 1U);
  EXPECT_EQ(night.outputs[0].file, "a.csv");
  EXPECT_EQ(typed<NightlyOptions>("nightly --devices 2").devices, "2");
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CommandOptions, Compare) {
  const auto told = typed<CompareOptions>(
      "compare one two --db a.db --baseline compiled --fail-on fails --exit-zero --all --force "
      "--remeasure --pairs 7 --submissions-before then --submissions-after now --format json "
      "--wide");
  EXPECT_EQ(told.database, "a.db");
  EXPECT_TRUE(told.exit_zero);
  EXPECT_TRUE(told.remeasure);
  EXPECT_EQ(told.pairs, 7);
  EXPECT_EQ(told.submissions_before, "then");
  EXPECT_EQ(told.submissions_after, "now");
  EXPECT_EQ(typed<CompareOptions>("compare").database, "kbench.sqlite");
  EXPECT_THAT(left({"json"}), IsEmpty());
}

TEST_F(CommandOptions, Report) {
  const auto report = typed<ReportOptions>(
      "report html --columns task,state --site pages --title Mine --about about.md --level 2 "
      "--variants first "
      "--trust-estimates --trust-unchecked --db a.db --run r --reward kevin --wide");
  EXPECT_EQ(report.words.site, "pages");
  EXPECT_THAT(report.columns, ElementsAre("task", "state"));
  EXPECT_EQ(report.title, "Mine");
  EXPECT_EQ(report.about, "about.md");
  EXPECT_THAT(report.levels, ElementsAre(2));
  EXPECT_EQ(report.variants, VariantRule::kFirst);
  EXPECT_TRUE(report.common.trust.estimates);
  EXPECT_TRUE(report.common.trust.unchecked);
  EXPECT_EQ(report.database, "a.db");
  EXPECT_THAT(report.runs, ElementsAre("r"));
  EXPECT_EQ(report.reward_name, "kevin");
  EXPECT_TRUE(report.common.wide);
  typed<ReportOptions>("report --json --output a.json --out b.csv");
  EXPECT_EQ(typed<ReportOptions>("report").database, "kbench.sqlite");
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CommandOptions, SourcesAndReproduce) {
  const std::string row = " r --db a.db --task t --agent anna --variant v --submission s.cpp";
  const auto expect_row = [](const RowChoice& choice) {
    EXPECT_EQ(choice.run, "r");
    EXPECT_EQ(choice.database, "a.db");
    EXPECT_EQ(choice.task, "t");
    EXPECT_EQ(choice.agent, "anna");
    EXPECT_EQ(choice.variant, "v");
    EXPECT_EQ(choice.submission, "s.cpp");
  };
  const auto sources = typed<SourcesOptions>("sources" + row + " --out dir");
  expect_row(sources.row);
  EXPECT_EQ(sources.out, "dir");
  const auto again = typed<ReproduceOptions>("reproduce" + row +
                                             " --into b.db --out a.csv --html p.html --suite mine");
  expect_row(again.row);
  EXPECT_EQ(again.into, "b.db");
  EXPECT_EQ(again.common.suite, "mine");
  EXPECT_EQ(again.outputs.size(), 3U) << "and the table";
  EXPECT_TRUE(typed<ReproduceOptions>("reproduce r --task t --no-html").words.no_html);
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CommandOptions, ListsOfStoredThings) {
  const auto explain = typed<ExplainOptions>(
      "explain r --task relu --agent anna --format json --trust-estimates --trust-unchecked --db "
      "a.db");
  EXPECT_EQ(explain.run, "r");
  EXPECT_THAT(explain.tasks, ElementsAre("relu"));
  EXPECT_EQ(explain.agent, "anna");
  EXPECT_EQ(explain.format, OutputFormat::kJson);
  EXPECT_TRUE(explain.common.trust.estimates);
  EXPECT_TRUE(explain.common.trust.unchecked);
  EXPECT_EQ(explain.database, "a.db");
  const auto names = typed<NamesOptions>("names agents run there --db a.db --suite mine");
  EXPECT_EQ(names.kind, "agents");
  EXPECT_THAT(names.line, ElementsAre("run", "there"));
  EXPECT_EQ(names.database, "a.db");
  EXPECT_EQ(names.common.suite, "mine");
  const auto runs =
      typed<RunsOptions>("runs --db a.db --device h200 --columns run,states --format json --wide");
  EXPECT_THAT(runs.columns, ElementsAre("run", "states"));
  EXPECT_EQ(runs.database, "a.db");
  EXPECT_TRUE(runs.common.wide);
  EXPECT_EQ(typed<TagOptions>("tag r name --db a.db").database, "a.db");
  typed<TagOptions>("tag --remove name");
  const auto history = typed<HistoryOptions>(
      "history relu --agent anna --db a.db --device h200 --baseline compiled --format json --wide");
  EXPECT_EQ(history.agent, "anna");
  EXPECT_EQ(history.database, "a.db");
  EXPECT_EQ(history.baseline, Side::kCompiled);
  EXPECT_TRUE(history.common.wide);
  EXPECT_THAT(left({"json"}), IsEmpty());
}

TEST_F(CommandOptions, Tasks) {
  const auto list = typed<TasksOptions>(
      "tasks list --level 2 --task relu --task level1/0* --tag matmul --columns title,task "
      "--format json --suite mine --wide");
  EXPECT_EQ(list.what, TasksOptions::What::kList);
  EXPECT_TRUE(list.common.wide);
  EXPECT_THAT(list.tasks, ElementsAre("relu", "level1/0*"));
  EXPECT_THAT(list.tags, ElementsAre("matmul"));
  EXPECT_THAT(list.columns, ElementsAre("title", "task"));
  EXPECT_EQ(list.format, OutputFormat::kJson);
  EXPECT_EQ(list.common.suite, "mine");
  const auto show = typed<TasksOptions>(
      "tasks show relu --size full --precision tf32 --format json --suite mine");
  EXPECT_EQ(show.what, TasksOptions::What::kShow);
  EXPECT_EQ(show.precision, "tf32");
  const auto header =
      typed<TasksOptions>("tasks header relu --size full --precision fp16 --out dir --suite mine");
  EXPECT_EQ(header.what, TasksOptions::What::kHeader);
  EXPECT_EQ(header.size, "full");
  EXPECT_EQ(header.precision, "fp16");
  EXPECT_EQ(header.out, "dir");
  const auto prompt = typed<TasksOptions>(
      "tasks prompt relu --size full --precision bf16 --device cpu --language cpp --suite mine");
  EXPECT_EQ(prompt.what, TasksOptions::What::kPrompt);
  EXPECT_EQ(prompt.size, "full");
  EXPECT_EQ(prompt.precision, "bf16");
  EXPECT_EQ(prompt.device, "cpu");
  EXPECT_EQ(prompt.common.suite, "mine");
  const auto lint = typed<LintOptions>(
      "tasks lint --level 1 --task relu --tag matmul --size full --device cuda --precision tf32 "
      "--db "
      "a.db --format json --suite mine");
  EXPECT_THAT(lint.selection.tags, ElementsAre("matmul"));
  EXPECT_EQ(lint.selection.device, "cuda");
  EXPECT_EQ(lint.selection.precision, "tf32");
  EXPECT_THAT(left({"json"}), IsEmpty());
}

TEST_F(CommandOptions, ImportAndSynth) {
  const auto import = typed<ImportOptions>(
      "import a.py b.py --out dir --mode eval --level 3 --jobs 2 --timeout 50 --memory 9 --format "
      "json");
  EXPECT_THAT(import.paths, ElementsAre("a.py", "b.py"));
  EXPECT_EQ(import.out, "dir");
  EXPECT_EQ(import.mode, "eval");
  EXPECT_EQ(import.level, 3);
  EXPECT_EQ(import.jobs, 2);
  EXPECT_EQ(import.timeout_s, 50);
  EXPECT_EQ(import.memory_gib, 9);
  EXPECT_EQ(import.format, OutputFormat::kJson);
  const auto synth = typed<SynthOptions>(
      "synth --out dir --count 7 --seed 8 --operators 2..4 --from a.py --device cuda:1 --mode eval "
      "--held-out held --no-packages --no-run --resume --format json");
  EXPECT_EQ(synth.out, "dir");
  EXPECT_EQ(synth.count, 7);
  EXPECT_EQ(synth.seed, 8);
  EXPECT_THAT(synth.from, ElementsAre("a.py"));
  EXPECT_EQ(synth.device, "cuda:1");
  EXPECT_EQ(synth.mode, "eval");
  EXPECT_EQ(synth.held_out, "held");
  EXPECT_TRUE(synth.no_packages);
  EXPECT_TRUE(synth.no_run);
  EXPECT_TRUE(synth.resume);
  EXPECT_EQ(synth.format, OutputFormat::kJson);
  EXPECT_FALSE(typed<SynthOptions>("synth --out dir --no-run").no_packages);
  const auto spread = typed<SynthOptions>("synth --out dir --devices all --shard 2/3");
  EXPECT_EQ(spread.devices, "all");
  EXPECT_EQ(spread.shard->index, 2);
  EXPECT_EQ(spread.shard->of, 3);
  EXPECT_THAT(left({"json"}), IsEmpty());
}

TEST_F(CommandOptions, Debug) {
  const auto debug = typed<DebugOptions>(
      "debug a.cpp --task relu --size full --device cuda:1 --precision tf32 --no-wait --json "
      "--suite mine");
  EXPECT_EQ(debug.file, "a.cpp");
  EXPECT_EQ(debug.task, "relu");
  EXPECT_EQ(debug.size, "full");
  EXPECT_EQ(debug.device, "cuda:1");
  EXPECT_EQ(debug.precision, "tf32");
  EXPECT_TRUE(debug.no_wait);
  EXPECT_EQ(debug.format, OutputFormat::kJson);
  EXPECT_EQ(debug.suite, "mine");
}

TEST_F(CommandOptions, Workspace) {
  const auto open = typed<WorkspaceOptions>(
      "workspace open relu dir --size full --device cuda --precision tf32 --suite mine");
  EXPECT_EQ(open.size, "full");
  EXPECT_EQ(open.device, "cuda");
  EXPECT_EQ(open.precision, "tf32");
  EXPECT_EQ(open.common.suite, "mine");
  for (const char* verb : {"compile", "verify", "debug", "analyze", "profile"}) {
    const auto asked =
        typed<WorkspaceOptions>(std::string("workspace ") + verb + " dir --suite mine");
    EXPECT_EQ(asked.folder, "dir");
    EXPECT_EQ(asked.common.suite, "mine");
  }
  const auto submit = typed<WorkspaceOptions>(
      "workspace submit dir --agent anna --reward kevin --trust-estimates "
      "--trust-unchecked --db a.db --suite mine");
  EXPECT_EQ(submit.folder, "dir");
  EXPECT_EQ(submit.agent, "anna");
  EXPECT_EQ(submit.reward, "kevin");
  EXPECT_TRUE(submit.common.trust.estimates);
  EXPECT_TRUE(submit.common.trust.unchecked);
  EXPECT_EQ(submit.database, "a.db");
  EXPECT_EQ(submit.common.suite, "mine");
  EXPECT_THAT(left(), IsEmpty());
}

void expect_judging(const ServeOptions& serve) {
  EXPECT_EQ(serve.size, "full");
  EXPECT_EQ(serve.device, "cuda:1");
  EXPECT_EQ(serve.database, "a.db");
  EXPECT_EQ(serve.allow_torch, "all");
  EXPECT_EQ(serve.precision, "bf16");
  EXPECT_TRUE(serve.vendor);
  EXPECT_TRUE(serve.common.trust.estimates);
  EXPECT_TRUE(serve.common.trust.unchecked);
  EXPECT_EQ(serve.common.suite, "mine");
}

TEST_F(CommandOptions, ServeAndMcp) {
  const std::string judging =
      " --size full --device cuda:1 --db a.db --allow-torch all --precision bf16 --vendor "
      "--trust-estimates --trust-unchecked --suite mine";
  const auto serve = typed<ServeOptions>(
      "serve --bind 127.0.0.2 --port 9 --host name --tokens who --header-timeout 3 --body-timeout "
      "4" +
      judging);
  expect_judging(serve);
  EXPECT_EQ(serve.address, "127.0.0.2");
  EXPECT_EQ(serve.port, 9);
  EXPECT_THAT(serve.names, ElementsAre("name"));
  EXPECT_EQ(serve.tokens, "who");
  EXPECT_EQ(serve.header_timeout_s, 3);
  EXPECT_EQ(serve.body_timeout_s, 4);
  EXPECT_EQ(serve.group, "serve");
  const auto shared = typed<ServeOptions>("serve --exchange pool --group judges --devices all");
  EXPECT_EQ(shared.exchange, "pool");
  EXPECT_EQ(shared.group, "judges");
  EXPECT_EQ(shared.devices, "all");
  const auto mcp = typed<McpOptions>("mcp --print openai" + judging);
  expect_judging(mcp);
  EXPECT_EQ(mcp.print, "openai");
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CommandOptions, EpisodesAndExport) {
  const auto list = typed<EpisodesOptions>(
      "episodes list --run r --reward kevin --trust-estimates --trust-unchecked --db a.db "
      "--format json --wide");
  EXPECT_EQ(list.what, EpisodesOptions::What::kList);
  EXPECT_EQ(list.run, "r");
  EXPECT_EQ(list.reward, "kevin");
  EXPECT_TRUE(list.common.trust.estimates);
  EXPECT_TRUE(list.common.trust.unchecked);
  EXPECT_EQ(list.database, "a.db");
  EXPECT_EQ(list.format, OutputFormat::kJson);
  EXPECT_TRUE(list.common.wide);
  const auto show = typed<EpisodesOptions>("episodes show id --turn 4 --db a.db");
  EXPECT_EQ(show.what, EpisodesOptions::What::kShow);
  EXPECT_EQ(show.id, "id");
  EXPECT_EQ(show.turn, 4);
  EXPECT_EQ(show.database, "a.db");
  const auto rows = typed<ExportOptions>(
      "export ppo --output a.jsonl --run r --filter all --reward kevin --trust-estimates "
      "--trust-unchecked --held-out held --values v.jsonl --db a.db");
  EXPECT_EQ(rows.kind, ExportKind::kPpo);
  EXPECT_EQ(rows.out, "a.jsonl");
  EXPECT_THAT(rows.runs, ElementsAre("r"));
  EXPECT_EQ(to_string(rows.filter.value()), "all");
  EXPECT_EQ(rows.reward, "kevin");
  EXPECT_TRUE(rows.common.trust.estimates);
  EXPECT_TRUE(rows.common.trust.unchecked);
  EXPECT_EQ(rows.held_out, "held");
  EXPECT_EQ(rows.values, "v.jsonl");
  EXPECT_EQ(rows.database, "a.db");
  EXPECT_THAT(left({"json"}), IsEmpty());
}

void expect_endpoint(const EndpointWords& words) {
  EXPECT_EQ(words.address, "http://h:1/v1");
  EXPECT_EQ(words.key_file, "key");
  EXPECT_EQ(words.timeout_s, 9);
}

TEST_F(CommandOptions, AgentRun) {
  const auto agent = typed<AgentRunOptions>(
      "agent run --endpoint http://h:1/v1 --key-file key --timeout 9 --model m --level 1 --task "
      "relu --episodes 2 --parallel 3 --style refine --feedback error --plan --temperature 0.5 "
      "--max-tokens 11 --seed 12 --turns 13 --tokens 14 --evaluations 15 --seconds 16 --window "
      "1700 "
      "--size full --device cuda --quick --reward kevin --allow-torch all --precision "
      "tf32 --trust-estimates --trust-unchecked --resume r --db a.db --wide --suite mine");
  expect_endpoint(agent.words);
  EXPECT_EQ(agent.model, "m");
  EXPECT_THAT(agent.run.levels, ElementsAre(1));
  EXPECT_THAT(agent.run.tasks, ElementsAre("relu"));
  EXPECT_EQ(agent.episodes, 2);
  EXPECT_EQ(agent.parallel, 3);
  EXPECT_EQ(agent.sampling.style, AgentStyle::kRefine);
  EXPECT_EQ(agent.feedback, "error");
  EXPECT_TRUE(agent.sampling.plan);
  EXPECT_EQ(agent.sampling.temperature, 0.5);
  EXPECT_EQ(agent.sampling.max_tokens, 11);
  EXPECT_EQ(agent.seed, 12);
  EXPECT_EQ(agent.budget.turns, 13);
  EXPECT_EQ(agent.budget.tokens, 14);
  EXPECT_EQ(agent.budget.evaluations, 15);
  EXPECT_EQ(agent.budget.seconds, 16);
  EXPECT_EQ(agent.budget.window, 1700);
  EXPECT_EQ(agent.run.size, "full");
  EXPECT_EQ(agent.run.device, "cuda");
  EXPECT_TRUE(agent.run.quick);
  EXPECT_EQ(agent.reward_name, "kevin");
  EXPECT_EQ(agent.run.allow_torch, "all");
  EXPECT_EQ(agent.run.precision, "tf32");
  EXPECT_TRUE(agent.common.trust.estimates);
  EXPECT_TRUE(agent.common.trust.unchecked);
  EXPECT_EQ(agent.resume, "r");
  EXPECT_EQ(agent.database, "a.db");
  EXPECT_TRUE(agent.common.wide);
  EXPECT_EQ(agent.common.suite, "mine");
  const auto other = typed<AgentRunOptions>("agent run --endpoint http://h:1/v1 --key-env KEY");
  EXPECT_EQ(other.words.key_env, "KEY");
  EXPECT_EQ(other.database, "kbench.sqlite");
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CommandOptions, AttributePlan) {
  const auto made = typed<StudyOptions>(
      "attribute plan --strong big --model m --output p.json --component error --mode both --arm "
      "sham --outcome "
      "built --states 2 --replicates 3 --stratum wrong --generation 4 --run r --size full --device "
      "cuda --temperature 0.5 --max-tokens 6 --window 7000 --seed 8 --quick --price 1,2 --usd 9 "
      "--format json --db a.db");
  EXPECT_EQ(made.what, StudyOptions::What::kPlan);
  EXPECT_EQ(made.planned.plan.model, "m");
  EXPECT_EQ(made.planned.plan.strong, "big");
  EXPECT_EQ(made.output, "p.json");
  EXPECT_THAT(made.parts.components, ElementsAre("error"));
  EXPECT_EQ(made.planned.plan.mode, "both");
  EXPECT_THAT(made.parts.arms, ElementsAre("sham"));
  EXPECT_THAT(made.planned.plan.outcomes, ElementsAre("built"));
  EXPECT_EQ(made.planned.choice.states, 2U);
  EXPECT_EQ(made.planned.plan.replicates, 3);
  EXPECT_THAT(made.planned.choice.strata, ElementsAre("wrong"));
  EXPECT_THAT(made.planned.choice.generations, ElementsAre(4));
  EXPECT_EQ(made.planned.run, "r");
  EXPECT_EQ(made.planned.choice.size, "full");
  EXPECT_EQ(made.planned.choice.device, "cuda");
  EXPECT_EQ(made.planned.plan.temperature, 0.5);
  EXPECT_EQ(made.planned.plan.max_tokens, 6);
  EXPECT_EQ(made.planned.plan.window, 7000);
  EXPECT_EQ(made.planned.plan.seed, 8);
  EXPECT_TRUE(made.planned.plan.quick);
  EXPECT_TRUE(made.planned.price);
  EXPECT_EQ(made.planned.usd, 9);
  EXPECT_EQ(made.format, OutputFormat::kJson);
  EXPECT_EQ(made.database, "a.db");
  EXPECT_THAT(left({"json"}), IsEmpty());
}

TEST_F(CommandOptions, AttributeRunReportAndAnalyze) {
  const auto run = typed<StudyOptions>(
      "attribute run p.json --endpoint http://h:1/v1 --key-file key --timeout 9 --parallel 2 "
      "--device cuda:1 --resume --trust-estimates --trust-unchecked --db a.db --suite mine "
      "--strong http://big:2/v1 --strong-key-env BIG");
  EXPECT_EQ(run.what, StudyOptions::What::kRun);
  EXPECT_EQ(run.strong.address, "http://big:2/v1");
  EXPECT_EQ(run.strong.key_env, "BIG");
  expect_endpoint(run.endpoint);
  EXPECT_EQ(run.plan, "p.json");
  EXPECT_EQ(run.study_run.parallel, 2);
  EXPECT_EQ(run.device, "cuda:1");
  EXPECT_TRUE(run.study_run.resume);
  EXPECT_TRUE(run.common.trust.estimates);
  EXPECT_TRUE(run.common.trust.unchecked);
  EXPECT_EQ(run.database, "a.db");
  EXPECT_EQ(run.common.suite, "mine");
  typed<StudyOptions>("attribute run p.json --endpoint http://h:1/v1 --key-env KEY");
  const auto report = typed<StudyOptions>(
      "attribute report s --by task --html p.html --lines c.jsonl --format json --wide --db a.db");
  EXPECT_EQ(report.what, StudyOptions::What::kReport);
  EXPECT_EQ(report.study, "s");
  EXPECT_THAT(report.by, ElementsAre("task"));
  EXPECT_EQ(report.html, "p.html");
  EXPECT_EQ(report.lines, "c.jsonl");
  EXPECT_EQ(report.format, OutputFormat::kJson);
  EXPECT_TRUE(report.common.wide);
  EXPECT_EQ(report.database, "a.db");
  const auto cells = typed<AttributeOptions>(
      "attribute analyze c.jsonl --outcome built --arm plan --by task --html p.html --format json "
      "--wide");
  EXPECT_EQ(cells.file, "c.jsonl");
  EXPECT_EQ(cells.outcome, "built");
  EXPECT_EQ(cells.arm, "plan");
  EXPECT_THAT(cells.by, ElementsAre("task"));
  EXPECT_EQ(cells.html, "p.html");
  EXPECT_EQ(cells.format, OutputFormat::kJson);
  EXPECT_TRUE(cells.common.wide);
  EXPECT_THAT(left({"json"}), IsEmpty());
}

TEST_F(CommandOptions, Trajectory) {
  const auto import = typed<TrajectoryOptions>(
      "trajectory import jsonl a b --task relu --size full --device cuda --trajectory t --db a.db "
      "--suite mine");
  EXPECT_EQ(import.what, TrajectoryOptions::What::kImport);
  EXPECT_EQ(import.imported.kind, "jsonl");
  EXPECT_THAT(import.imported.paths, ElementsAre("a", "b"));
  EXPECT_EQ(import.imported.task, "relu");
  EXPECT_EQ(import.imported.size, "full");
  EXPECT_EQ(import.imported.device, "cuda");
  EXPECT_EQ(import.imported.trajectory, "t");
  EXPECT_EQ(import.database, "a.db");
  EXPECT_EQ(import.common.suite, "mine");
  const auto freeze = typed<TrajectoryOptions>("trajectory freeze one two --run r --db a.db");
  EXPECT_EQ(freeze.what, TrajectoryOptions::What::kFreeze);
  EXPECT_THAT(freeze.frozen.episodes, ElementsAre("one", "two"));
  EXPECT_EQ(freeze.frozen.run, "r");
  const auto list = typed<TrajectoryOptions>("trajectory list --run r --format json --wide");
  EXPECT_EQ(list.what, TrajectoryOptions::What::kList);
  EXPECT_EQ(list.run, "r");
  EXPECT_EQ(list.format, OutputFormat::kJson);
  EXPECT_TRUE(list.common.wide);
  const auto show = typed<TrajectoryOptions>("trajectory show n");
  EXPECT_EQ(show.what, TrajectoryOptions::What::kShow);
  EXPECT_EQ(show.node, "n");
  EXPECT_THAT(left({"json"}), IsEmpty());
}

TEST_F(CommandOptions, Db) {
  typed<DbOptions>("db check --db a.db --quick --format json");
  EXPECT_EQ(typed<DbOptions>("db backup f --db a.db").database, "a.db");
  const auto prune =
      typed<DbOptions>("db prune --keep 2d --keep-good --keep-tagged --dry-run --db a.db --json");
  EXPECT_EQ(prune.database, "a.db");
  EXPECT_EQ(prune.format, OutputFormat::kJson);
  EXPECT_EQ(typed<DbOptions>("db vacuum --db a.db").database, "a.db");
  EXPECT_TRUE(typed<DbOptions>("db merge all one --lint").lint);
  EXPECT_FALSE(typed<DbOptions>("db merge all one").lint);
  const auto collect = typed<DbOptions>("db merge all --exchange pool --group g --watch");
  EXPECT_EQ(collect.exchange, "pool");
  EXPECT_EQ(collect.group, "g");
  EXPECT_TRUE(collect.watch);
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CommandOptions, Exchange) {
  const auto check = typed<ExchangeOptions>("exchange check pool --group g --json");
  EXPECT_EQ(check.what, ExchangeOptions::What::kCheck);
  EXPECT_EQ(check.folder, "pool");
  EXPECT_EQ(check.group, "g");
  EXPECT_EQ(check.format, OutputFormat::kJson);
  EXPECT_EQ(typed<ExchangeOptions>("exchange check pool --format json").format,
            OutputFormat::kJson);
  const auto prune = typed<ExchangeOptions>("exchange prune pool --keep 30d --dry-run");
  EXPECT_EQ(prune.what, ExchangeOptions::What::kPrune);
  EXPECT_EQ(prune.prune.keep_days, 30);
  EXPECT_TRUE(prune.prune.dry_run);
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CommandOptions, ProfileChoosesASide) {
  const auto profile = typed<ProfileOptions>(
      "profile relu --side compiled --size full --device cuda:1 --precision tf32 --call-limit 2.5 "
      "--no-wait --format trace --db a.db --compare eager vendor --no-store --suite mine");
  EXPECT_EQ(profile.task, "relu");
  EXPECT_EQ(profile.side, Side::kCompiled);
  EXPECT_EQ(profile.size, "full");
  EXPECT_EQ(profile.device, "cuda:1");
  EXPECT_EQ(profile.precision, "tf32");
  EXPECT_EQ(profile.call_limit_seconds, 2.5);
  EXPECT_TRUE(profile.no_wait);
  EXPECT_EQ(profile.format, ProfileFormat::kTrace);
  EXPECT_EQ(profile.database, "a.db");
  EXPECT_THAT(profile.compare, ElementsAre("eager", "vendor"));
  EXPECT_TRUE(profile.no_store);
  EXPECT_EQ(profile.suite, "mine");
  EXPECT_EQ(typed<ProfileOptions>("profile relu --submission a.cpp").submission, "a.cpp");
  EXPECT_EQ(typed<ProfileOptions>("profile a.cpp --task relu").task_of_file, "relu");
  EXPECT_TRUE(typed<ProfileOptions>("profile --list").list);
  EXPECT_EQ(typed<ProfileOptions>("profile relu --json").format, ProfileFormat::kJson);
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(CommandOptions, TheMachine) {
  const auto doctor = typed<DoctorOptions>("doctor --format json --suite mine");
  EXPECT_EQ(doctor.common.suite, "mine");
  const auto calibrate =
      typed<CalibrateRequest>("calibrate --device cuda:1 --only timing --rounds 4 --format json");
  EXPECT_EQ(calibrate.device, "cuda:1");
  EXPECT_EQ(calibrate.only, "timing");
  EXPECT_EQ(calibrate.rounds, 4);
  EXPECT_EQ(calibrate.format, OutputFormat::kJson);
  const auto both = typed<CalibrateRequest>("calibrate --devices all --busy");
  EXPECT_EQ(both.devices, "all");
  EXPECT_TRUE(both.busy);
  const auto timing =
      typed<TimingSelftestRequest>("selftest timing --device cuda:1 --rounds 4 --format json");
  EXPECT_EQ(timing.device, "cuda:1");
  EXPECT_EQ(timing.rounds, 4);
  EXPECT_EQ(timing.format, OutputFormat::kJson);
  const auto several = typed<TimingSelftestRequest>("selftest timing --devices all --busy");
  EXPECT_EQ(several.devices, "all");
  EXPECT_TRUE(several.busy);
  const auto sandbox = typed<SelftestRequest>(
      "selftest sandbox --device cuda:1 --without seccomp --only fork --format json");
  EXPECT_EQ(sandbox.device, "cuda:1");
  EXPECT_THAT(sandbox.without, ElementsAre("seccomp"));
  EXPECT_THAT(sandbox.only, ElementsAre("fork"));
  EXPECT_EQ(sandbox.format, OutputFormat::kJson);
  EXPECT_THAT(left({"json"}), IsEmpty());
}

}  // namespace
}  // namespace kbench::test
