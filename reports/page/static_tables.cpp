#include "reports/page/static_tables.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/run_facts.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/facts/without_folders.hpp"
#include "reports/formats/verdict_card.hpp"
#include "reports/page/about_text.hpp"
#include "reports/page/html_writer.hpp"
#include "reports/page/page_night.hpp"
#include "runner/core/json.hpp"

namespace kbench {
namespace {

constexpr std::size_t kAgentsInATable = 6;  // more would be cut on paper

// A member of an object; null where this is no object or has no such member.
Json member(const Json& object, const char* name) {
  return object.is_object() && object.contains(name) ? object[name] : Json();
}

std::string plain(const Json& value) {
  if (value.is_null()) return "–";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The device's own name where the run knew it.
std::string device_name(const PageModel& page) {
  const Json configured = member(recorded(page.data.run.configuration), "device_name");
  if (configured.is_string() && !configured.get_ref<const std::string&>().empty())
    return configured.get<std::string>();
  const std::string device = device_of(page.data);
  return device.empty() ? "no device" : device;
}

// Tables scroll inside their own box on a narrow screen; a box that scrolls takes the keyboard.
void open_table(HtmlWriter& html, std::string_view caption) {
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", std::string(caption)}});
  html.open("table").element("caption", caption);
}

void close_table(HtmlWriter& html) { html.close().close().close(); }  // tbody, table, div

void write_heads(HtmlWriter& html, const std::vector<std::string>& heads, std::size_t texts) {
  html.open("thead").open("tr");
  for (std::size_t i = 0; i < heads.size(); ++i)
    html.element("th", heads[i], {{"scope", "col"}, {"class", i < texts ? "" : "number"}});
  html.close().close().open("tbody");
}

void write_number(HtmlWriter& html, const std::string& text) {
  html.element("td", text, {{"class", "number"}});
}

// Scores of the table without a script, of the many that the script knows. Those over a vendor's
// library are there where an agent has one.
std::vector<Score> shown_scores(const std::vector<AgentScore>& ranking) {
  std::vector<Score> shown{Score::kSureFastEager, Score::kMeanEager, Score::kSureFastCompiled,
                           Score::kMeanCompiled};
  const bool has_vendor = std::any_of(ranking.begin(), ranking.end(), [](const AgentScore& score) {
    return score.of(Score::kSureFastVendor).has_value();
  });
  if (has_vendor) shown.insert(shown.end(), {Score::kSureFastVendor, Score::kMeanVendor});
  return shown;
}

std::string score_text(const AgentScore& score, Score shown) {
  const std::optional<ScoreValue>& value = score.of(shown);
  if (!value) return "–";
  // Not every task is a call of a library.
  const std::string of =
      kind_of(shown).needs == Needs::kVendor
          ? fmt::format(" of {} task{}", value->tasks, value->tasks == 1 ? "" : "s")
          : "";
  if (kind_of(shown).aggregate == Aggregate::kGeometricMean)
    return fmt::format("{} [{}, {}]{}", show_ratio(value->estimate), show_ratio(value->low),
                       show_ratio(value->high), of);
  return fmt::format("{:.0f} % [{:.0f}–{:.0f}]{}", 100 * value->estimate, 100 * value->low,
                     100 * value->high, of);
}

// The last cells of an agent's row: "Correct" and "Variants".
void write_counts(HtmlWriter& html, const AgentScore& score) {
  write_number(html, fmt::format("{} of {}", score.correct, score.tasks));
  write_number(html, fmt::format("{}", score.variants));
}

void write_rank(HtmlWriter& html, const AgentScore& score, const std::vector<Score>& shown) {
  html.open("tr");
  html.element("th", score.agent, {{"scope", "row"}});
  write_number(html, show_ranks(score));
  for (const Score one : shown) write_number(html, score_text(score, one));
  write_counts(html, score);
  html.close();
}

// Agents in the order of their estimates, on a board that ranks nobody.
void write_estimates(HtmlWriter& html, const PageBoard& board) {
  open_table(html, "Agents by estimates, which rank nobody");
  write_heads(html,
              {"Agent", "Faster than eager", "Geometric mean vs eager", "Correct", "Variants"}, 1);
  for (const AgentScore& score : board.scopes[0].ranking) {
    const Estimates& estimates = *score.estimates;
    html.open("tr").element("th", score.agent, {{"scope", "row"}});
    write_number(html, fmt::format("{} of {}", estimates.faster, score.tasks));
    write_number(html, estimates.timed == 0
                           ? "–"
                           : fmt::format("{} of {} task{}", show_ratio(estimates.mean()),
                                         estimates.timed, estimates.timed == 1 ? "" : "s"));
    write_counts(html, score);
    html.close();
  }
  close_table(html);
}

void write_ranking(HtmlWriter& html, const PageModel& page, const PageBoard& board) {
  const std::vector<AgentScore>& ranking = board.scopes[0].ranking;
  if (ranking.empty()) return;
  if (ranking[0].estimates) return write_estimates(html, board);
  open_table(html, "Ranking of agents over all tasks");
  std::vector<std::string> heads{"Agent", "Rank"};
  const std::vector<Score> shown = shown_scores(ranking);
  for (const Score one : shown) heads.emplace_back(kind_of(one).heading);
  heads.emplace_back("Correct");
  heads.emplace_back("Variants");
  write_heads(html, heads, 1);
  for (const AgentScore& score : ranking) write_rank(html, score, shown);
  close_table(html);
  html.element("p", words(page.data.variants), {{"class", "note"}});
}

struct Cell {
  std::string text;
  std::string title;
  Tone tone = Tone::kNeutral;
};

Cell cell_of(const ResultRow* row) {
  if (row == nullptr) return {"·", "no submission", Tone::kNeutral};
  if (row->credit.below_floor) return {"⚑ below the floor", row->credit.uncredited, Tone::kCaution};
  if (!row->counts_as_correct())
    return {fmt::format("{} {}", glyph(row->state), words(row->state)),
            std::string(help(row->state)), tone(row->state)};
  if (!row->over_eager) return {"✓ correct", "too few blocks for a speed-up", Tone::kGood};
  if (!row->ranked())
    return {fmt::format("{} not ranked", show_ratio(row->over_eager->estimate)),
            row->credit.unranked, Tone::kNeutral};
  return {fmt::format("{} {}", glyph(row->over_eager->verdict), show_speedup(row->over_eager)),
          std::string(to_string(row->over_eager->verdict)), tone(row->over_eager->verdict)};
}

// Gain by compilation: with its interval, or without one where both times are all there is.
std::string compiled_text(const ResultRow& row) {
  if (row.baseline) return show_speedup(row.baseline);
  const bool both = row.eager.median_ns && row.compiled.median_ns && *row.compiled.median_ns > 0;
  return both ? fmt::format("≈ {}", show_ratio(*row.eager.median_ns / *row.compiled.median_ns))
              : fmt::format("– {}", row.compiled.reason);
}

// A reason as a sentence of its own.
std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

void write_task(HtmlWriter& html, const PageTask& task, std::size_t begin, std::size_t end) {
  const ResultRow& baselines = task.baselines();
  html.open("tr");
  html.open("th", {{"scope", "row"}}).text(task.task);
  const bool in_no_score = std::none_of(task.rows.begin(), task.rows.end(),
                                        [](const ResultRow& row) { return row.ranked(); });
  if (in_no_score)
    html.element("small", fmt::format("Not ranked: this task counts in no score. {}.",
                                      capitalised(task.rows[0].credit.unranked)));
  html.close();
  write_number(html, show(result_field("time_ns.eager"), baselines));
  write_number(html, compiled_text(baselines));
  for (std::size_t i = begin; i < end; ++i) {
    const Cell cell = cell_of(task.best[i]);
    html.element(
        "td", cell.text,
        {{"class", fmt::format("number {}", to_string(cell.tone))}, {"title", cell.title}});
  }
  html.close();
}

void write_tasks(HtmlWriter& html, const PageBoard& board) {
  for (std::size_t begin = 0; begin == 0 || begin < board.agents.size(); begin += kAgentsInATable) {
    const std::size_t end = std::min(begin + kAgentsInATable, board.agents.size());
    std::vector<std::string> heads{"Task", "Eager (ms)", "Compiled vs eager"};
    heads.insert(heads.end(), board.agents.begin() + static_cast<std::ptrdiff_t>(begin),
                 board.agents.begin() + static_cast<std::ptrdiff_t>(end));
    open_table(html, "Speed-up over eager by task and agent");
    write_heads(html, heads, 1);
    for (const PageTask& task : board.tasks) write_task(html, task, begin, end);
    close_table(html);
  }
}

std::string_view whose(Fault fault) {
  switch (fault) {
    case Fault::kNone: return "nobody's";
    case Fault::kSubmission: return "the submission's";
    case Fault::kInfrastructure: break;
  }
  return "kbench's or the machine's";
}

std::string first_line(const std::string& text) {
  constexpr std::size_t kLongest = 300;
  return shorten(sanitize_line(text.substr(0, text.find('\n'))), kLongest);
}

// The rows that failed, each with the first line of what went wrong.
void write_failures(HtmlWriter& html, const PageBoard& board) {
  bool begun = false;
  for (const PageTask& task : board.tasks)
    for (const ResultRow& row : task.rows) {
      if (row.fault == Fault::kNone) continue;
      if (!begun) {
        open_table(html, "What failed");
        write_heads(html, {"Task", "Submission", "State", "Whose fault", "Message and next step"},
                    5);
        begun = true;
      }
      html.open("tr").element("th", row.task, {{"scope", "row"}});
      html.element("td", row.has_submission ? row.told_apart() : "baselines only");
      html.element("td", fmt::format("{} {}", glyph(row.state), words(row.state)),
                   {{"class", std::string(to_string(tone(row.state)))}});
      html.element("td", whose(row.fault));
      html.open("td", {{"class", "first-line"}}).text(first_line(row.message));
      if (!row.hint.empty()) html.element("small", "→ " + sanitize_line(row.hint));
      html.close().close();
    }
  if (begun) close_table(html);
}

std::string board_name(const PageBoard& board) {
  return fmt::format("{} · {} · {} · {} · protocol {}", board.device, board.size, board.precision,
                     board.profile, board.protocol);
}

void write_help(HtmlWriter& html, std::string_view term, std::string_view help) {
  html.element("dt", term).element("dd", help);
}

void write_badge(HtmlWriter& html, const CardBadge& badge) {
  html.element("span", badge.text, {{"class", fmt::format("badge {}", to_string(badge.tone))}});
}

void write_card_facts(HtmlWriter& html, const VerdictCard& card) {
  html.open("dl", {{"class", "card-facts"}});
  for (const CardFact& fact : card.facts) {
    html.open("div").element("dt", fact.name).open("dd").element("b", fact.value);
    if (!fact.remark.empty())
      html.element("small", fact.remark, {{"class", fmt::format("tone-{}", to_string(fact.tone))}});
    html.close().close();
  }
  html.close();
}

void write_card_doubts(HtmlWriter& html, const VerdictCard& card) {
  for (const CardDoubt& doubt : card.doubts) {
    html.open("p", {{"class", "notice"}}).text(doubt.sentence);
    if (!doubt.command.empty())
      html.text(" → ").element("code", doubt.command).text(fmt::format(" ({})", doubt.remark));
    html.close();
  }
}

// The answer of a run of one submission, above all else.
void write_card(HtmlWriter& html, const VerdictCard& card) {
  html.open("div", {{"class", "card"}});
  html.element("p", fmt::format("{} · {} · {}", card.task, card.submission, card.place),
               {{"class", "meta"}});
  html.open("h1").element("span", card.state.text,
                          {{"class", fmt::format("tone-{}", to_string(card.state.tone))}});
  for (const std::string& number : card.numbers)
    html.text(" · ").element("span", number, {{"class", "unbroken"}});
  for (const CardBadge& badge : card.badges) {
    html.text(" ");
    write_badge(html, badge);
  }
  html.close();
  write_card_facts(html, card);
  if (!card.message.empty())
    html.element("pre", card.message, {{"class", "message"}, {"tabindex", "0"}});
  if (!card.hint.empty())
    html.open("p", {{"class", "hint"}}).text_with_code("→ " + card.hint).close();
  write_card_doubts(html, card);
  html.close();
}

void write_meta(HtmlWriter& html, const PageModel& page) {
  const Run& run = page.data.run;
  html.open("p", {{"class", "meta"}}).element("time", run.started_at);
  html.text(fmt::format(" · run {}", short_id(run)));
  for (const PageBoard& board : page.boards) html.text(" · " + board_name(board));
  html.close();
}

void write_cautions(HtmlWriter& html, const std::vector<std::string>& cautions) {
  if (cautions.empty()) return;
  html.open("ul", {{"class", "cautions"}, {"aria-label", "Cautions"}});
  for (const std::string& caution : cautions) html.element("li", without_folders(caution));
  html.close();
}

// A sentence of ours, in which no line ends within an interval, "[1.32–2.00]".
void write_sentence(HtmlWriter& html, std::string_view text) {
  constexpr std::size_t kLongest = 24;
  for (std::size_t open = 0; (open = text.find('[', open)) != std::string_view::npos;) {
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) break;
    const std::string_view range = text.substr(open, close + 1 - open);
    if (range.size() > kLongest || range.find("–") == std::string_view::npos) {
      ++open;
      continue;
    }
    html.text(text.substr(0, open));
    html.element("span", range, {{"class", "unbroken"}});
    text.remove_prefix(close + 1);
    open = 0;
  }
  html.text(text);
}

// "40 tasks on NVIDIA H200"
std::string extent_of(const PageModel& page) {
  std::size_t tasks = 0;
  for (const PageBoard& board : page.boards) tasks += board.tasks.size();
  return fmt::format("{} task{} on {}", tasks, tasks == 1 ? "" : "s", device_name(page));
}

std::string about_of(const ReportData& data) {
  return data.words.about.empty() ? "" : about_html(data.words.about);
}

}  // namespace

std::string run_words(const PageModel& page) {
  return fmt::format("{} · {} · run {}", device_name(page), minute_of(page.data.run.started_at),
                     short_id(page.data.run));
}

std::string headline_html(const std::vector<std::unique_ptr<PageModel>>& pages) {
  HtmlWriter html;
  const PageWords& words = pages.front()->data.words;
  html.element("h1", words.title.empty() ? fmt::format("{} runs", pages.size()) : words.title);
  html.open("ul", {{"class", "run-leads"}});
  for (const auto& page : pages) {
    html.open("li").element("b", run_words(*page)).text(": ");
    write_sentence(html, page->boards.empty() ? "nothing was timed." : winners_of(page->boards[0]));
    html.close();
  }
  html.close();
  html.element("p", "Each run has a tab of its own; nothing is ranked across them.",
               {{"class", "meta"}});
  std::vector<std::string> cautions;
  for (const auto& page : pages)
    for (const std::string& caution : cautions_of(*page))
      cautions.push_back(fmt::format("{} (run {})", caution, short_id(page->data.run)));
  write_cautions(html, cautions);
  return html.take() + about_of(pages.front()->data);
}

std::string headline_html(const PageModel& page) {
  HtmlWriter html;
  const std::string& title = page.data.words.title;
  if (const auto card = verdict_card(page.data)) {
    if (!title.empty()) html.element("p", title, {{"class", "kicker"}});
    write_card(html, *card);
    write_meta(html, page);
    write_cautions(html, run_cautions_of(page));
    return night_html(page.data) + html.take() + about_of(page.data);
  }
  html.element("h1", title.empty() ? extent_of(page) : title);
  html.open("p", {{"class", "lead"}});
  if (const std::string unfinished = unfinished_words(page.data); !unfinished.empty())
    html.text(unfinished + ". So far: ");
  write_sentence(html, page.boards.empty() ? "Nobody submitted anything, and nothing was timed."
                                           : winners_of(page.boards[0]));
  html.close();
  if (!title.empty()) html.element("p", extent_of(page), {{"class", "meta"}});
  write_meta(html, page);
  write_cautions(html, cautions_of(page));
  return night_html(page.data) + html.take() + about_of(page.data);
}

std::string results_html(const PageModel& page) {
  HtmlWriter html;
  const bool ranks = !verdict_card(page.data);  // one alone has no rivals, and has a card
  for (const PageBoard& board : page.boards) {
    if (page.boards.size() > 1) html.element("h2", board_name(board));
    if (ranks) write_ranking(html, page, board);
    write_tasks(html, board);
    if (ranks) write_failures(html, board);  // a card tells its failure itself
  }
  return html.take();
}

std::string census_html(const PageModel& page) {
  HtmlWriter html;
  const Json files = recorded(page.data.files);
  if (!files.is_object()) {
    html.element("p", "No folder of submissions was looked through for this run.");
    return html.take();
  }
  html.element("p",
               fmt::format("Evaluated {}, for another device {}, not selected {}.",
                           plain(member(files, "evaluated")), plain(member(files, "other_device")),
                           plain(member(files, "not_selected"))));
  const Json ignored = member(files, "ignored");
  if (!ignored.is_array() || ignored.empty()) return html.take();
  open_table(html, "Files that were ignored");
  write_heads(html, {"File", "Why"}, 2);
  for (const Json& file : ignored) {
    html.open("tr").element("th", without_folders(plain(member(file, "path"))), {{"scope", "row"}});
    html.element("td", without_folders(plain(member(file, "why"))),
                 {{"class", member(file, "mistaken") == true ? "caution" : ""}});
    html.close();
  }
  close_table(html);
  return html.take();
}

std::string fields_html() {
  HtmlWriter html;
  html.open("dl", {{"class", "help"}});
  for (const Field& field : result_fields())
    if (field.unit != Unit::kObject) write_help(html, field.heading, field.help);
  html.close();
  return html.take();
}

std::string verdicts_html() {
  HtmlWriter html;
  html.open("dl", {{"class", "help"}});
  for (const Verdict verdict :
       {Verdict::kFaster, Verdict::kSlower, Verdict::kSame, Verdict::kUndecided, Verdict::kNone})
    write_help(html, fmt::format("{} {}", glyph(verdict), to_string(verdict)), help(verdict));
  html.close();
  return html.take();
}

std::string states_html() {
  HtmlWriter html;
  html.open("dl", {{"class", "help"}});
  for (int i = 0; i <= static_cast<int>(State::kInfrastructureError); ++i) {
    const auto state = static_cast<State>(i);
    write_help(html, fmt::format("{} {}", glyph(state), words(state)), help(state));
  }
  html.close();
  return html.take();
}

}  // namespace kbench
