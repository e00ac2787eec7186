#include "reports/formats/explain.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/run_facts.hpp"
#include "reports/facts/run_words.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/formats/verdict_card.hpp"
#include "runner/analysis/speedup.hpp"

namespace kbench {
namespace {

constexpr int kSchemaVersion = 1;

// Why an interval has its verdict. With a doubtful calibration the interval is wide for that
// reason.
std::string verdict_sentence(const Speedup& speedup, std::string_view over,
                             const std::string& device, bool doubtful_calibration) {
  const std::string interval =
      fmt::format("{} over {}: the 95 % interval", show_speedup(speedup), over);
  const std::string margin = fmt::format("{:g} %", 100 * same_margin(device));
  switch (speedup.verdict) {
    case Verdict::kFaster:
      return fmt::format("FASTER, {} lies above 1 by more than {}.", interval, margin);
    case Verdict::kSlower:
      return fmt::format("SLOWER, {} lies below 1 by more than {}.", interval, margin);
    case Verdict::kSame: return fmt::format("SAME, {} lies within {} of 1.", interval, margin);
    case Verdict::kUndecided:
      return fmt::format(
          "UNDECIDED, {} is too wide to tell it from 1 by {}: {} may.", interval, margin,
          doubtful_calibration ? "a better calibration" : "more samples, or a quieter machine,");
    case Verdict::kNone: return fmt::format("{} over {}.", show_speedup(speedup), over);
  }
  return "";
}

std::string sentence_of(const CardFact& fact) {
  return fact.remark.empty() ? fmt::format("{}: {}.", fact.name, fact.value)
                             : fmt::format("{}: {} ({}).", fact.name, fact.value, fact.remark);
}

void add_speedups(const ResultRow& row, bool doubtful, std::vector<std::string>& sentences) {
  if (!row.counts_as_correct()) return;
  if (row.over_eager)
    sentences.push_back(verdict_sentence(*row.over_eager, "eager", row.device, doubtful));
  if (row.over_compiled)
    sentences.push_back(verdict_sentence(*row.over_compiled, "compiled", row.device, doubtful));
}

// A message is of the submission's compiler or of kbench, and may have many lines: the first, and
// the first after it in which a compiler names an error.
std::string shortened(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) return text;
  std::string shown = text.substr(0, end) + " …";
  if (shown.find("error") != shown.npos) return shown;
  const std::size_t error = text.find("error", end);
  if (error == text.npos) return shown;
  const std::size_t start = text.rfind('\n', error) + 1;
  return fmt::format("{} {} …", shown, text.substr(start, text.find('\n', start) - start));
}

std::vector<std::string> sentences_of(const ResultRow& row, const VerdictCard& card,
                                      bool doubtful_calibration) {
  std::vector<std::string> sentences;
  for (const CardFact& fact : card.facts)
    if (fact.name != "Over eager" && fact.name != "Over compiled" && fact.value != "–")
      sentences.push_back(sentence_of(fact));
  add_speedups(row, doubtful_calibration, sentences);
  if (!card.message.empty()) sentences.push_back(shortened(card.message));
  if (!card.hint.empty()) sentences.push_back(fmt::format("Next: {}", card.hint));
  for (const CardDoubt& doubt : card.doubts)
    sentences.push_back(doubt.command.empty() ? doubt.sentence
                                              : fmt::format("{} Next: {} ({}).", doubt.sentence,
                                                            doubt.command, doubt.remark));
  return sentences;
}

std::string baseline_words(const char* side, const Timing& timing) {
  if (timing.median_ns) return fmt::format("{} takes {} ms.", side, show_ms(*timing.median_ns));
  return fmt::format("{} has no time: {}.", side, sanitize_line(timing.reason));
}

ExplainedRow explain(const ReportData& data, const Evaluation& evaluation, const ResultRow& row,
                     bool doubtful_calibration) {
  ExplainedRow made;
  made.task = sanitize_line(row.task);
  if (row.has_submission) {
    const VerdictCard card = card_of(data, evaluation);
    made.submission = card.submission;
    made.agent = sanitize_line(row.contestant());
    made.answer = card_title(card);
    made.sentences = sentences_of(row, card, doubtful_calibration);
    return made;
  }
  made.answer = fmt::format("{} {}", glyph(row.state), words(row.state));
  made.sentences = {baseline_words("Eager", row.eager), baseline_words("Compiled", row.compiled)};
  if (!row.message.empty()) made.sentences.push_back(shortened(sanitize_text(row.message)));
  if (!row.hint.empty()) made.sentences.push_back("Next: " + sanitize_line(row.hint));
  return made;
}

}  // namespace

std::vector<ExplainedRow> explain_rows(const ReportData& data,
                                       const std::function<bool(const ResultRow&)>& is_meant) {
  std::vector<ExplainedRow> rows;
  const bool doubtful_calibration = !calibration_caution(data.run).empty();
  for (const Evaluation& evaluation : data.evaluations) {
    const ResultRow row = derive(data, evaluation);
    if (is_meant(row)) rows.push_back(explain(data, evaluation, row, doubtful_calibration));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ExplainedRow& a, const ExplainedRow& b) {
    return std::tie(a.task, a.agent, a.submission) < std::tie(b.task, b.agent, b.submission);
  });
  return rows;
}

std::vector<std::string> explain_run(const ReportData& data) {
  std::vector<std::string> sentences{fmt::format(
      "Run {} of {} on {}.", short_id(data.run), sanitize_line(data.run.started_at),
      data.device_name.empty() ? sanitize_line(device_of(data)) : sanitize_line(data.device_name))};
  if (const std::string words = unfinished_words(data); !words.empty())
    sentences.push_back(words + ".");
  for (const std::string& sentence : group_sentences(data))
    sentences.push_back(sanitize_line(sentence));
  if (data.quick)
    sentences.emplace_back(
        "It was timed in eight blocks of one session only (--quick): its "
        "intervals are wide.");
  if (const std::string doubtful = calibration_caution(data.run); !doubtful.empty())
    sentences.push_back(doubtful + ".");
  const RunFacts facts = facts_of(data.run);
  if (!facts.timed)
    sentences.emplace_back("Its rows were judged without timing (--checks-only): none is ranked.");
  if (facts.seed)
    sentences.push_back(
        fmt::format("Its inputs were drawn from a known seed (--seed {}): no row of it is ranked.",
                    *facts.seed));
  return sentences;
}

std::string explanation_text(const ReportData& data, const std::vector<ExplainedRow>& rows) {
  std::string text = fmt::format("{}\n", fmt::join(explain_run(data), "\n"));
  for (const ExplainedRow& row : rows) {
    text += fmt::format(
        "\n{}{}: {}\n", row.task,
        row.agent.empty() ? "" : fmt::format(" · {} ({})", row.agent, row.submission), row.answer);
    for (const std::string& sentence : row.sentences) text += fmt::format("  {}\n", sentence);
  }
  return text;
}

Json explanation_json(const ReportData& data, const std::vector<ExplainedRow>& rows) {
  Json list = Json::array();
  for (const ExplainedRow& row : rows)
    list.push_back({{"task", row.task},
                    {"agent", row.agent.empty() ? Json() : Json(row.agent)},
                    {"submission", row.submission.empty() ? Json() : Json(row.submission)},
                    {"answer", row.answer},
                    {"sentences", row.sentences}});
  return {{"schema_version", kSchemaVersion},
          {"run", data.run.id},
          {"sentences", explain_run(data)},
          {"rows", std::move(list)}};
}

}  // namespace kbench
