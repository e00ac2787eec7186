#include "reports/page/page_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/reproduce.hpp"
#include "reports/facts/run_facts.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/facts/without_folders.hpp"
#include "reports/formats/json_report.hpp"
#include "reports/formats/verdict_card.hpp"
#include "reports/page/page_episodes.hpp"
#include "reports/page/page_samples.hpp"
#include "reports/page/trend_json.hpp"
#include "reports/rank/best_of.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostFailedChecks = 8;  // checks of a row; the first ones tell enough

std::string_view unit_name(Unit unit) {
  switch (unit) {
    case Unit::kText: return "text";
    case Unit::kFlag: return "flag";
    case Unit::kCount: return "count";
    case Unit::kNanoseconds: return "ns";
    case Unit::kSpeedup: return "speedup";
    case Unit::kSeconds: return "s";
    case Unit::kError: return "error";
    case Unit::kObject: return "object";
  }
  return "text";
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json finite(const std::optional<double>& value) { return value ? finite(*value) : Json(); }

// Rows are found by these, and an agent's may look like a path.
bool is_name(const Field& field) {
  return field.name == "task" || field.name == "agent" || field.name == "variant" ||
         field.name == "submission";
}

// Line breaks are kept where people read lines.
Json cleaned(const Field& field, Json value) {
  if (value.is_string()) {
    const bool lines = field.name == "message" || field.name == "hint";
    const auto& text = value.get_ref<const std::string&>();
    const std::string shown = is_name(field) ? text : without_folders(text);
    return lines ? sanitize_text(shown) : sanitize_line(shown);
  }
  if (value.is_structured())
    for (auto& part : value) part = cleaned(field, part);
  return value;
}

Json value_json(const Field& field, const ResultRow& row) {
  Json value = field.value(row);
  if (field.unit != Unit::kSpeedup || value.is_null()) return cleaned(field, std::move(value));
  Json parts = Json::array();
  for (const SpeedupPart& part : speedup_parts()) parts.push_back(value.at(part.name));
  return parts;
}

Json part_names() {
  Json names = Json::array();
  for (const SpeedupPart& part : speedup_parts()) names.push_back(part.name);
  return names;
}

Json row_json(const ResultRow& row) {
  Json values = Json::array();
  for (const Field& field : result_fields()) values.push_back(value_json(field, row));
  return values;
}

Json fields_json() {
  Json fields = Json::array();
  for (const Field& field : result_fields())
    fields.push_back({{"name", field.name},
                      {"heading", field.heading},
                      {"unit", unit_name(field.unit)},
                      {"help", field.help}});
  return fields;
}

Json states_json() {
  Json states = Json::object();
  for (int i = 0; i <= static_cast<int>(State::kInfrastructureError); ++i) {
    const auto state = static_cast<State>(i);
    states[std::string(to_string(state))] = {{"glyph", glyph(state)},
                                             {"tone", to_string(tone(state))},
                                             {"words", words(state)},
                                             {"help", help(state)}};
  }
  return states;
}

Json verdicts_json() {
  Json verdicts = Json::object();
  for (const Verdict verdict :
       {Verdict::kFaster, Verdict::kSlower, Verdict::kSame, Verdict::kUndecided, Verdict::kNone})
    verdicts[std::string(to_string(verdict))] = {
        {"glyph", glyph(verdict)}, {"tone", to_string(tone(verdict))}, {"help", help(verdict)}};
  return verdicts;
}

// The draws that were wrong, for the error's place against its tolerance.
Json failed_checks_json(const Evaluation& evaluation) {
  Json failed = Json::array();
  for (const Check& check : evaluation.checks) {
    if (check.passed || failed.size() == kMostFailedChecks) continue;
    failed.push_back({{"draw", check.draw},
                      {"distribution", sanitize_line(check.distribution)},
                      {"max_error", finite(check.max_error)},
                      {"tolerance", finite(check.tolerance)},
                      {"wrong_elements", check.wrong_elements},
                      {"message", sanitize_text(without_folders(check.message))}});
  }
  return failed;
}

// Details of a row that only the task's page shows.
Json details_json(const RowCommands& commands, const Evaluation& evaluation, const ResultRow& row,
                  const Json& contents) {
  Json details = {
      {"reproduce", commands.reproduce(row)},
      {"checks", evaluation.checks.size()},
      {"mad_ns",
       {finite(row.eager.mad_ns), finite(row.compiled.mad_ns), finite(row.submitted.mad_ns)}}};
  if (!row.file.empty()) details["file"] = sanitize_line(row.file);
  if (!row.no_verdict_kind.empty()) details["no_verdict"] = sanitize_line(row.no_verdict_kind);
  if (row.ranked_apart()) details["ranked_as"] = sanitize_line(row.ranked_as());
  if (Json failed = failed_checks_json(evaluation); !failed.empty())
    details["failed_checks"] = std::move(failed);
  if (Json samples = samples_json(evaluation); !samples.is_null())
    details["samples"] = std::move(samples);
  Json facts = Json::object();
  const auto note = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts[name] = sanitize_line(value);
  };
  note("evaluated", evaluation.started_at);
  note("task_hash", evaluation.task_hash);
  note("package_key", evaluation.package_key);
  note("source_hash", evaluation.submission ? evaluation.submission->source_hash : "");
  details["facts"] = std::move(facts);
  if (std::any_of(row.sources.begin(), row.sources.end(),
                  [&](const TreeFile& file) { return !contents.contains(file.hash); }))
    details["sources"] = commands.write_sources(row);
  return details;
}

Json row_index(const PageModel& page, const ResultRow* row) {
  return row == nullptr ? Json() : Json(row - page.rows.data());
}

// The hash of what the task was made of, which rows of one task agree on; empty where none says.
std::string source_of(const PageModel& page, const PageTask& task) {
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    const std::string& hash = page.evaluations[task.first + i]->task_source;
    if (!hash.empty()) return sanitize_line(hash);
  }
  return "";
}

// Contents by their hashes: the smallest first, as long as the page takes them as they are written
// into it. Line breaks are kept; characters that would steer a reader are shown.
Json contents_json(const ReportData& data) {
  std::vector<std::pair<std::size_t, std::string>> by_size;
  for (const auto& [hash, text] : data.contents) by_size.emplace_back(text.size(), hash);
  std::sort(by_size.begin(), by_size.end());
  Json contents = Json::object();
  std::size_t total = 0;
  for (const auto& [size, hash] : by_size) {
    Json text = sanitize_text(data.contents.find(hash)->second);
    total += for_script_element(text).size();
    if (total > kMostShownSources) break;
    contents[hash] = std::move(text);
  }
  return contents;
}

Json task_json(const PageModel& page, const PageTask& task) {
  Json best = Json::array();
  for (const ResultRow* row : task.best) best.push_back(row_index(page, row));
  const ResultRow& baselines = task.baselines();
  const auto families = page.data.families.find(task.task);
  Json made = {
      {"task", sanitize_line(task.task)},
      {"families", families == page.data.families.end() ? Json::array() : Json(families->second)},
      {"size", sanitize_line(task.size)},
      {"level", task.level},
      {"rows", {task.first, task.rows.size()}},
      {"best", std::move(best)},
      {"baselines", row_index(page, &baselines)}};
  if (const std::string source = source_of(page, task); !source.empty()) made["source"] = source;
  const Timing& eager = baselines.eager;
  const Timing& compiled = baselines.compiled;
  if (eager.median_ns && compiled.median_ns && *compiled.median_ns > 0)
    made["compiled_ratio"] = finite(*eager.median_ns / *compiled.median_ns);
  return made;
}

// "NVIDIA H200 · driver 570.86 · PyTorch 2.11.0 · C++ compiler g++ 12.2.0 · nvcc 13.0", as the
// run's environment has them; for shards, that of the first.
std::string environment_line(const ReportData& data, const PageBoard& board) {
  const RunFacts facts = facts_of(data.run);
  const bool own = board.device == device_of(data) && !data.device_name.empty();
  std::string line = own ? data.device_name : board.device;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) line += fmt::format(" · {}{}", name, value);
  };
  if (board.device == "cuda") add("driver ", facts.driver);
  add("PyTorch ", facts.torch);
  add("C++ compiler ", facts.host_compiler);
  if (board.device == "cuda") add("nvcc ", facts.nvcc);
  return sanitize_line(without_folders(line));
}

Json board_json(const PageModel& page, const PageBoard& board) {
  Json scopes = Json::array();
  for (const PageScope& scope : board.scopes)
    scopes.push_back({{"level", scope.level},
                      {"tasks", scope.tasks},
                      {"ranked", scope.ranked},
                      {"ranking", ranking_json(scope.ranking)}});
  Json tasks = Json::array();
  for (const PageTask& task : board.tasks) tasks.push_back(task_json(page, task));
  Json agents = Json::array();
  for (const std::string& agent : board.agents) agents.push_back(sanitize_line(agent));
  return {{"device", sanitize_line(board.device)},
          {"trend", page.data.trend ? trend_series_json(*page.data.trend, board) : Json()},
          {"precision", sanitize_line(board.precision)},
          {"profile", sanitize_line(board.profile)},
          {"size", sanitize_line(board.size)},
          {"protocol", board.protocol},
          {"environment", environment_line(page.data, board)},
          {"same_margin", same_margin(board.device)},
          {"agents", std::move(agents)},
          {"scopes", std::move(scopes)},
          {"tasks", std::move(tasks)}};
}

// The names that the page's script has for them.
constexpr std::pair<const char*, Score> kShownScores[] = {
    {"correctness", Score::kCorrectness},
    {"sure_fast_1_eager", Score::kSureFastEager},
    {"fast_1_eager", Score::kFastEager},
    {"penalised_mean_eager", Score::kMeanEager},
    {"mean_eager", Score::kCorrectMeanEager},
    {"sure_fast_1_compiled", Score::kSureFastCompiled},
    {"fast_1_compiled", Score::kFastCompiled},
    {"penalised_mean_compiled", Score::kMeanCompiled},
    {"mean_compiled", Score::kCorrectMeanCompiled},
    {"sure_fast_1_vendor", Score::kSureFastVendor},
    {"fast_1_vendor", Score::kFastVendor},
    {"penalised_mean_vendor", Score::kMeanVendor},
    {"mean_vendor", Score::kCorrectMeanVendor},
    {"share_of_limit", Score::kShareOfLimit},
    {"milestone", Score::kMilestone},
};

Json scores_json(const AgentScore& score) {
  Json scores = Json::object();
  for (const auto& [name, which] : kShownScores) {
    const std::optional<ScoreValue>& value = score.of(which);
    scores[name] = value ? Json{{"value", finite(value->estimate)},
                                {"low", finite(value->low)},
                                {"high", finite(value->high)},
                                {"tasks", value->tasks}}
                         : Json{{"value", Json()}};
    if (value && value->first_rank > 0)
      scores[name]["rank"] = {value->first_rank, value->last_rank};
  }
  return scores;
}

// The most rows that one agent has for one task.
std::size_t most_tries(std::span<const ResultRow> rows) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> tries;
  std::size_t most = 1;
  for (const ResultRow& row : rows)
    most = std::max(most, ++tries[{row.device, row.task, row.size, row.ranked_as()}]);
  return most;
}

}  // namespace

Json ranking_json(std::span<const AgentScore> ranking) {
  Json agents = Json::array();
  for (const AgentScore& score : ranking) {
    agents.push_back(
        {{"agent", sanitize_line(score.agent)},
         {"rank", score.first_rank == 0 ? Json() : Json{score.first_rank, score.last_rank}},
         {"apart", score.apart},
         {"tasks", score.tasks},
         {"submitted", score.submitted},
         {"correct", score.correct},
         {"variants", score.variants},
         {"scores", scores_json(score)}});
  }
  return agents;
}

Json page_json(const PageModel& page) {
  const Run& run = page.data.run;
  const RowCommands commands(page.data);
  Json contents = contents_json(page.data);
  Json rows = Json::array();
  Json details = Json::array();
  for (std::size_t i = 0; i < page.rows.size(); ++i) {
    rows.push_back(row_json(page.rows[i]));
    details.push_back(details_json(commands, *page.evaluations[i], page.rows[i], contents));
  }
  Json boards = Json::array();
  for (const PageBoard& board : page.boards) boards.push_back(board_json(page, board));
  const auto card = verdict_card(page.data);
  return {{"page_schema", kPageSchemaVersion},
          {"report_schema", kReportSchemaVersion},
          {"run", {{"id", sanitize_line(run.id)}, {"started_at", sanitize_line(run.started_at)}}},
          {"only_task", card ? Json(card->task) : Json()},
          {"variants",
           {{"rule", to_string(page.data.variants)},
            {"help", words(page.data.variants)},
            {"widening", widenings(most_tries(page.rows))}}},
          {"trend", page.data.trend ? trend_runs_json(*page.data.trend) : Json()},
          {"fields", fields_json()},
          {"speedup_parts", part_names()},
          {"states", states_json()},
          {"verdicts", verdicts_json()},
          {"boards", std::move(boards)},
          {"rows", std::move(rows)},
          {"details", std::move(details)},
          {"episodes", page_episodes_json(page)},
          {"contents", std::move(contents)}};
}

std::string for_script_element(const Json& json) {
  const std::string text =
      json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {  // outside of strings JSON has none of these
      case '<': safe += "\\u003c"; break;
      case '>': safe += "\\u003e"; break;
      case '&': safe += "\\u0026"; break;
      default: safe += c;
    }
  }
  return safe;
}

}  // namespace kbench
