#include "reports/html_report.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/assets.hpp"
#include "reports/fields.hpp"
#include "reports/html_plot.hpp"
#include "reports/html_writer.hpp"
#include "reports/json_report.hpp"
#include "reports/ranking.hpp"
#include "reports/sanitize.hpp"

namespace kbench {
namespace {

// One evaluation with its derived row.
struct Entry {
  const Evaluation* evaluation = nullptr;
  ResultRow row;
};

// All evaluations of one task at one size.
struct TaskGroup {
  std::string task;
  std::string size;
  std::string anchor;  // "task-3"
  std::vector<Entry> entries;
};

struct Page {
  const ReportData& data;
  std::vector<ResultRow> rows;
  std::vector<TaskGroup> groups;
  std::vector<AgentScore> ranking;
};

Page make_page(const ReportData& data) {
  Page page{data, derive_all(data), {}, {}};
  std::map<std::pair<std::string, std::string>, TaskGroup> groups;
  for (const Evaluation& evaluation : data.evaluations) {
    TaskGroup& group = groups[{evaluation.task, evaluation.size}];
    group.task = evaluation.task;
    group.size = evaluation.size;
    group.entries.push_back({&evaluation, derive(data, evaluation)});
  }
  for (auto& [key, group] : groups) {
    group.anchor = fmt::format("task-{}", page.groups.size() + 1);
    std::stable_sort(
        group.entries.begin(), group.entries.end(),
        [](const Entry& a, const Entry& b) { return a.row.submission < b.row.submission; });
    page.groups.push_back(std::move(group));
  }
  page.ranking = rank_agents(page.rows);
  return page;
}

std::string tone_class(Tone tone) {
  switch (tone) {
    case Tone::kGood: return "good";
    case Tone::kBad: return "bad";
    case Tone::kCaution: return "caution";
    case Tone::kNeutral: return "neutral";
  }
  return "neutral";
}

// For sorting in the page: the bare number, empty where there is none.
std::string sort_key(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : std::string();
}

std::string sort_key(const std::optional<Speedup>& speedup) {
  return speedup ? sort_key(std::optional(speedup->estimate)) : std::string();
}

void write_heading_cell(HtmlWriter& html, std::string_view text, std::string_view help,
                        bool numeric) {
  HtmlWriter::Attributes attributes{{"scope", "col"}, {"title", std::string(help)}};
  if (numeric) attributes.emplace_back("class", "number");
  html.element("th", text, attributes);
}

void write_field_heading(HtmlWriter& html, std::string_view name) {
  const Field& field = result_field(name);
  write_heading_cell(html, field.heading, field.help, field.unit != Unit::kText);
}

// Tables scroll inside their own box on a narrow screen.
void open_table(HtmlWriter& html, const std::string& id, std::string_view label) {
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", std::string(label)}});
  html.open("table", {{"id", id}, {"class", "sortable"}});
}

void close_table(HtmlWriter& html) { html.close().close().close(); }  // tbody, table, div

using Facts = std::vector<std::pair<std::string, std::string>>;

void write_facts(HtmlWriter& html, const Facts& facts) {
  html.open("dl", {{"class", "facts"}});
  for (const auto& [name, value] : facts) html.element("dt", name).element("dd", value);
  html.close();
}

void write_header(HtmlWriter& html, const Page& page) {
  const Run& run = page.data.run;
  const std::string device = device_of(page.data);
  html.open("header");
  html.element("h1", "kbench results");
  html.element(
      "p",
      fmt::format("{} tasks on {} · run {} · {}", page.groups.size(),
                  device.empty() ? "no device" : device, run.id.substr(0, 12), run.started_at),
      {{"class", "lead"}});
  if (run.finished_at.empty())
    html.element("p", "This run was not finished; more results may follow.", {{"class", "notice"}});
  if (page.data.chain.state == ChainFinding::State::kChanged) {
    html.element("p", fmt::format("These rows were changed: {}.", page.data.chain.message),
                 {{"class", "notice"}});
  }
  html.open("nav", {{"aria-label", "Sections"}});
  for (const auto& [href, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"#ranking", "Ranking"},
           {"#overview", "Tasks"},
           {"#environment", "Environment"},
           {"#understanding", "Understanding this report"}})
    html.element("a", name, {{"href", href}});
  html.close().close();
}

std::string score_text(const AgentScore& score, Score shown) {
  if (!score.of(shown)) return "–";
  const bool share = kind_of(shown).aggregate == Aggregate::kMean;
  return share ? fmt::format("{:.0f} %", 100 * score.value(shown)) : show_ratio(score.value(shown));
}

void write_ranking_row(HtmlWriter& html, const AgentScore& score) {
  const auto number = [&](const std::string& text, double key) {
    html.element("td", text, {{"class", "number"}, {"data-sort", fmt::format("{:.6g}", key)}});
  };
  html.open("tr");
  number(show_ranks(score), score.first_rank);
  html.element("th", score.agent, {{"scope", "row"}});
  for (const Score shown :
       {Score::kSureFastEager, Score::kMeanEager, Score::kSureFastCompiled, Score::kMeanCompiled})
    number(score_text(score, shown), score.value(shown));
  number(fmt::format("{} of {}", score.correct, score.tasks), score.correct);
  html.close();
}

void write_ranking(HtmlWriter& html, const Page& page) {
  html.open("section", {{"id", "ranking"}}).element("h2", "Ranking of agents");
  if (page.ranking.empty()) {
    html.element("p", "Nobody submitted anything: the run timed the baselines only.").close();
    return;
  }
  open_table(html, "ranking-table", "Ranking of agents");
  html.open("thead").open("tr");
  write_heading_cell(
      html, "Rank",
      "By sure fast₁ over eager, then by the mean. Whose ranks overlap are not told apart.", true);
  write_heading_cell(html, "Agent", result_field("agent").help, false);
  for (const Score shown :
       {Score::kSureFastEager, Score::kMeanEager, Score::kSureFastCompiled, Score::kMeanCompiled})
    write_heading_cell(html, std::string(kind_of(shown).heading), kind_of(shown).help, true);
  write_heading_cell(html, "Correct",
                     "Tasks with a correct submission, of all ranked tasks of the run.", true);
  html.close().close().open("tbody");
  for (const AgentScore& score : page.ranking) write_ranking_row(html, score);
  close_table(html);
  html.element(
      "p", "A task without a correct submission counts as not faster, and as 0.1× in the means.",
      {{"class", "note"}});
  html.close();
}

// Number, glyph and tone of one cell of the overview.
struct OverviewCell {
  std::string text;
  std::string title;
  Tone tone = Tone::kNeutral;
  std::string key;
};

OverviewCell cell_of(const std::optional<Speedup>& speedup) {
  if (!speedup) return {"–", "not measured", Tone::kNeutral, ""};
  return {fmt::format("{} {}", show_ratio(speedup->estimate), glyph(speedup->verdict)),
          fmt::format("{} {}", show_speedup(speedup), to_string(speedup->verdict)),
          tone(speedup->verdict), sort_key(speedup)};
}

OverviewCell cell_of(const ResultRow* row) {
  if (row == nullptr) return {"·", "no submission", Tone::kNeutral, ""};
  if (!row->counts_as_correct()) {
    return {fmt::format("{} {}", glyph(row->state), words(row->state)),
            std::string(help(row->state)), tone(row->state), ""};
  }
  if (!row->over_eager)
    return {"✓ correct", "correct; too few samples for a speed-up", Tone::kGood, ""};
  if (!row->ranked())
    return {fmt::format("{} not ranked", show_ratio(row->over_eager->estimate)), row->unranked,
            Tone::kNeutral, ""};
  return cell_of(row->over_eager);
}

void write_overview_cell(HtmlWriter& html, const OverviewCell& cell) {
  html.element("td", cell.text,
               {{"class", fmt::format("number heat {}", tone_class(cell.tone))},
                {"data-sort", cell.key},
                {"title", cell.title}});
}

void write_overview(HtmlWriter& html, const Page& page) {
  html.open("section", {{"id", "overview"}}).element("h2", "Tasks and agents");
  open_table(html, "overview-table", "Speed-up over eager by task and agent");
  html.open("thead").open("tr");
  write_field_heading(html, "task");
  write_field_heading(html, "size");
  write_field_heading(html, "time_ns.eager");
  write_field_heading(html, "baseline_speedup");
  for (const AgentScore& score : page.ranking)
    write_heading_cell(html, score.agent, "Best variant of this agent, speed-up over eager.", true);
  html.close().close().open("tbody");
  for (const TaskGroup& group : page.groups) {
    const ResultRow& first = group.entries.front().row;
    html.open("tr");
    html.open("th", {{"scope", "row"}})
        .element("a", group.task, {{"href", fmt::format("#{}", group.anchor)}})
        .close();
    html.element("td", group.size);
    html.element("td", show(result_field("time_ns.eager"), first),
                 {{"class", "number"}, {"data-sort", sort_key(first.eager.median_ns)}});
    write_overview_cell(html, cell_of(first.baseline));
    for (const AgentScore& score : page.ranking)
      write_overview_cell(html, cell_of(best_row(page.rows, score.agent, group.task, group.size)));
    html.close();
  }
  close_table(html);
  html.element("p",
               "Speed-up over eager: above 1× is faster. ▲ faster, ▼ slower, = the same, ? "
               "undecided, ✗ failed, ! not the submission's fault, · nothing submitted.",
               {{"class", "note"}});
  html.close();
}

void write_speedup_cell(HtmlWriter& html, const ResultRow& row,
                        const std::optional<Speedup>& speedup) {
  const bool shown = speedup && row.counts_as_correct() && row.ranked();
  if (speedup && row.counts_as_correct() && !row.ranked()) {
    html.element("td", fmt::format("{} not ranked", show_speedup(speedup)),
                 {{"class", "number neutral"}, {"data-sort", ""}, {"title", row.unranked}});
    return;
  }
  html.open("td", {{"class", shown ? fmt::format("number {}", tone_class(tone(speedup->verdict)))
                                   : "number"},
                   {"data-sort", shown ? sort_key(speedup) : ""}});
  html.text(shown ? show_speedup(speedup) : "–");
  if (shown) {
    html.element("span",
                 fmt::format(" {} {}", glyph(speedup->verdict), to_string(speedup->verdict)),
                 {{"class", "verdict"},
                  {"title", fmt::format("interval of {:.1f} % confidence over {} units",
                                        100 * speedup->confidence, speedup->units)}});
  }
  html.close();
}

void write_time_cell(HtmlWriter& html, const Timing& timing) {
  if (!timing.median_ns) {
    html.element("td", "–", {{"class", "number"}, {"title", timing.reason}});
    return;
  }
  html.open("td", {{"class", "number"}, {"data-sort", sort_key(timing.median_ns)}});
  html.text(show_ms(*timing.median_ns));
  const double spread = *timing.median_ns > 0 ? timing.mad_ns.value_or(0) / *timing.median_ns : 0;
  html.element("span", fmt::format(" ±{:.1f} %", 100 * spread),
               {{"class", "spread"}, {"title", "median absolute deviation"}});
  html.close();
}

void write_result_row(HtmlWriter& html, const ResultRow& row) {
  html.open("tr");
  html.element("th", row.has_submission ? row.contestant() : "baselines only",
               {{"scope", "row"}, {"title", row.submission}});
  html.element("td", fmt::format("{} {}", glyph(row.state), words(row.state)),
               {{"class", fmt::format("state {}", tone_class(tone(row.state)))},
                {"title", std::string(help(row.state))}});
  write_time_cell(html, row.eager);
  write_time_cell(html, row.compiled);
  write_time_cell(html, row.submitted);
  write_speedup_cell(html, row, row.over_eager);
  write_speedup_cell(html, row, row.over_compiled);
  html.element("td", show(result_field("max_error"), row), {{"class", "number"}});
  html.element("td", show(result_field("tolerance"), row), {{"class", "number"}});
  html.close();
}

void write_result_table(HtmlWriter& html, const TaskGroup& group) {
  open_table(html, group.anchor + "-table", fmt::format("Results of {}", group.task));
  html.open("thead").open("tr");
  for (const char* name :
       {"submission", "state", "time_ns.eager", "time_ns.compiled", "time_ns.submission",
        "speedup.eager", "speedup.compiled", "max_error", "tolerance"})
    write_field_heading(html, name);
  html.close().close().open("tbody");
  for (const Entry& entry : group.entries) write_result_row(html, entry.row);
  close_table(html);
}

std::string reproduce_command(const ResultRow& row) {
  return fmt::format(
      "kbench run --task {} --size {} --device {} --precision {} {}", shell_word(row.task),
      shell_word(row.size), shell_word(row.device), shell_word(row.precision),
      row.has_submission ? fmt::format("--agent {}", shell_word(row.agent)) : "--baselines-only");
}

// What the table has no room for: every remaining field that has a value.
Facts remaining_facts(const Entry& entry) {
  Facts facts;
  for (const char* name :
       {"submission", "lint", "unranked_reason", "profile", "precision", "submission_precision",
        "vendor_library", "prepare_ns", "samples.kept", "samples.dropped", "samples.blocks",
        "samples.placements", "sandbox", "labels", "floor_ns", "repeats", "wall_seconds"}) {
    const Field& field = result_field(name);
    if (!field.value(entry.row).is_null())
      facts.emplace_back(field.heading, show(field, entry.row));
  }
  const Evaluation& evaluation = *entry.evaluation;
  const std::string source_hash = evaluation.submission ? evaluation.submission->source_hash : "";
  for (const auto& [name, value] : Facts{{"Evaluated", evaluation.started_at},
                                         {"Task hash", evaluation.task_hash},
                                         {"Package key", evaluation.package_key},
                                         {"Source hash", source_hash},
                                         {"Seed", evaluation.seed}})
    if (!value.empty()) facts.emplace_back(name, value);
  return facts;
}

void write_reasons(HtmlWriter& html, const ResultRow& row) {
  for (const auto& [side, timing] :
       {std::pair(Side::kEager, &row.eager), std::pair(Side::kCompiled, &row.compiled)}) {
    if (!timing->reason.empty()) {
      html.element("p", fmt::format("No {} time: {}", to_string(side), timing->reason),
                   {{"class", "note"}});
    }
  }
}

void write_entry(HtmlWriter& html, const Entry& entry, bool unfolded) {
  const ResultRow& row = entry.row;
  HtmlWriter::Attributes attributes{{"class", "entry"}};
  if (unfolded) attributes.emplace_back("open", "");
  html.open("details", attributes);
  html.open("summary")
      .element("span", std::string(glyph(row.state)), {{"class", tone_class(tone(row.state))}})
      .text(fmt::format(" {}: {}", row.has_submission ? row.contestant() : "baselines only",
                        words(row.state)))
      .close();
  if (!row.message.empty()) html.element("pre", row.message, {{"class", "message"}});
  if (!row.hint.empty()) html.element("p", fmt::format("→ {}", row.hint), {{"class", "hint"}});
  write_reasons(html, row);
  write_strip_plot(html, entry.evaluation->samples);
  html.element("p", "Reproduce it:", {{"class", "label"}});
  html.open("pre").element("code", reproduce_command(row)).close();
  write_facts(html, remaining_facts(entry));
  html.close();
}

void write_task(HtmlWriter& html, const TaskGroup& group) {
  html.open("section", {{"id", group.anchor}, {"class", "task"}});
  html.open("h2").text(group.task + " ").element("small", group.size).close();
  if (const std::string& why = group.entries.front().row.unranked; !why.empty())
    html.element("p", fmt::format("Not ranked: this task counts in no score. {}.", why),
                 {{"class", "notice"}});
  write_result_table(html, group);
  for (const Entry& entry : group.entries) {
    const bool alone = group.entries.size() == 1;
    write_entry(html, entry, alone || is_failure(entry.row.state));
  }
  html.close();
}

void write_environment(HtmlWriter& html, const Page& page) {
  html.open("section", {{"id", "environment"}}).element("h2", "Environment");
  html.element("p", "Command of the whole run:", {{"class", "label"}});
  html.open("pre").element("code", sanitize_line(page.data.run.command_line)).close();
  const Run& run = page.data.run;
  Facts facts{
      {"Run", run.id},
      {"Started", run.started_at},
      {"Finished", run.finished_at.empty() ? "no" : run.finished_at},
      {"Rows", fmt::format("{}: {}", to_string(page.data.chain.state), page.data.chain.message)},
      {"Report schema", fmt::format("{}", kReportSchemaVersion)}};
  const Json environment = report_json({run, {}, {}, {}}).at("environment");
  for (const auto& [name, value] : environment.items()) {
    facts.emplace_back(name, value.is_string()
                                 ? value.get<std::string>()
                                 : value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  write_facts(html, facts);
  html.close();
}

void write_explanation(HtmlWriter& html, std::string_view term, std::string_view help) {
  html.element("dt", term).element("dd", help);
}

void write_understanding(HtmlWriter& html) {
  html.open("section", {{"id", "understanding"}}).element("h2", "Understanding this report");
  html.element("h3", "Numbers").open("dl", {{"class", "help"}});
  for (const Field& field : result_fields())
    if (field.unit != Unit::kObject) write_explanation(html, field.heading, field.help);
  html.close();
  html.element("h3", "Verdicts").open("dl", {{"class", "help"}});
  for (const Verdict verdict :
       {Verdict::kFaster, Verdict::kSlower, Verdict::kSame, Verdict::kUndecided, Verdict::kNone}) {
    write_explanation(html, fmt::format("{} {}", glyph(verdict), to_string(verdict)),
                      help(verdict));
  }
  html.close();
  html.element("h3", "States").open("dl", {{"class", "help"}});
  for (int i = 0; i <= static_cast<int>(State::kInfrastructureError); ++i) {
    const auto state = static_cast<State>(i);
    write_explanation(html, fmt::format("{} {}", glyph(state), words(state)), help(state));
  }
  html.close();
  html.element("h3", "Sample plots");
  html.element("p",
               "One mark for each timed visit, one line for each placement of the buffers, on a "
               "logarithmic time axis: the further left the faster. The bar is the median. Small "
               "grey marks were dropped because the machine disturbed them.");
  html.element("h3", "Scores");
  html.element("p",
               "fast₁ is the share of all tasks of the run that an agent solved correctly and "
               "faster than the baseline; a task that it did not solve counts as 0. The mean is "
               "geometric, over correct tasks only. Of several variants of an agent the fastest "
               "correct one counts. Agents are ranked by fast₁ over eager, then by the mean; equal "
               "scores share a rank. A task that a submission passes which computes nothing counts "
               "in no score, and is marked \"not ranked\".");
  html.close();
}

// Fills {{name}} once. What is filled in is not searched again.
std::string fill(std::string_view skeleton,
                 const std::map<std::string, std::string_view, std::less<>>& values) {
  std::string page;
  while (true) {
    const std::size_t begin = skeleton.find("{{");
    const std::size_t end = skeleton.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    page += skeleton.substr(0, begin);
    page += values.at(std::string(skeleton.substr(begin + 2, end - begin - 2)));
    skeleton.remove_prefix(end + 2);
  }
  return page.append(skeleton);
}

}  // namespace

std::string render_html(const ReportData& data) {
  const Page page = make_page(data);
  HtmlWriter html;
  write_header(html, page);
  write_ranking(html, page);
  write_overview(html, page);
  for (const TaskGroup& group : page.groups) write_task(html, group);
  write_environment(html, page);
  write_understanding(html);
  const std::string body = html.take();
  const std::string title =
      escape_html(fmt::format("kbench results · {}", data.run.id.substr(0, 12)));
  return fill(
      assets::kPageHtml,
      {{"title", title}, {"style", assets::kPageCss}, {"script", assets::kPageJs}, {"body", body}});
}

}  // namespace kbench
