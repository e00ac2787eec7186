#include "reports/formats/junit_report.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/formats/console_report.hpp"
#include "runner/core/file_census.hpp"
#include "runner/core/lines.hpp"

namespace kbench {
namespace {

enum class Outcome { kPassed, kFailure, kError, kSkipped };

Outcome outcome_of(const ResultRow& row) {
  if (row.state == State::kSkipped) return Outcome::kSkipped;
  switch (row.fault) {
    case Fault::kNone: return Outcome::kPassed;
    case Fault::kSubmission: return Outcome::kFailure;
    case Fault::kInfrastructure: return Outcome::kError;
  }
  return Outcome::kError;
}

// Text for XML. Characters that XML cannot hold at all (control characters, bytes that are not
// UTF-8) are shown in letters by sanitize_text, with which escape_html begins; the entities that it
// writes are XML's own.
std::string xml_text(std::string_view text) { return escape_html(text); }

// A parser makes a blank of a line break in an attribute.
std::string xml_attribute(std::string_view text) { return escape_html(sanitize_line(text)); }

// "wrong result: output 0 is NaN at [0, 0]": what lists of failures show.
std::string headline(const ResultRow& row) {
  const std::string first = first_line(row.message);
  return first.empty() ? words(row.state) : fmt::format("{}: {}", words(row.state), first);
}

std::string details(const ResultRow& row) {
  std::string text = row.message;
  if (row.max_error || row.tolerance)
    text += fmt::format("\nmax error {}, tolerance {}", show(result_field("max_error"), row),
                        show(result_field("tolerance"), row));
  if (!row.hint.empty()) text += fmt::format("\n{}", row.hint);
  return text;
}

// The regression that a nightly run confirmed; null without.
const NightFinding* regression_of(const ReportData& data, const ResultRow& row) {
  if (!data.night) return nullptr;
  const auto found =
      std::find_if(data.night->begin(), data.night->end(), [&](const NightFinding& one) {
        return one.regression && one.task == row.task && one.agent == row.agent &&
               one.variant == row.variant;
      });
  return found == data.night->end() ? nullptr : &*found;
}

std::string verdict_element(const ResultRow& row, Outcome outcome) {
  const std::string message = xml_attribute(headline(row));
  const auto with_details = [&](std::string_view tag) {
    return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", tag,
                       to_string(row.state), message, xml_text(details(row)));
  };
  switch (outcome) {
    case Outcome::kPassed: return "";
    case Outcome::kSkipped: return fmt::format("      <skipped message=\"{}\"/>\n", message);
    case Outcome::kFailure: return with_details("failure");
    case Outcome::kError: return with_details("error");
  }
  return "";
}

// Slower, though nothing else is wrong with it.
std::string regression_element(const NightFinding& regression) {
  return fmt::format("      <failure type=\"regression\" message=\"{0}\">{0}</failure>\n",
                     xml_attribute("regression: " + regression.message));
}

std::string test_case(const ReportData& data, const ResultRow& row) {
  const NightFinding* regression = regression_of(data, row);
  const Outcome outcome = outcome_of(row);
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n"
      "{}"
      "      <system-out>{}</system-out>\n"
      "    </testcase>\n",
      xml_attribute(row.task),
      xml_attribute(row.has_submission ? row.submission : "baselines alone"), row.wall_seconds,
      regression != nullptr && outcome == Outcome::kPassed ? regression_element(*regression)
                                                           : verdict_element(row, outcome),
      xml_text(format_row_line(row)));
}

// A file without a row: a failure where it seems to be meant as a submission.
std::string file_case(const Census::Ignored& file) {
  const std::string why = xml_attribute(file.why);
  const std::string verdict =
      file.mistaken ? fmt::format("      <failure type=\"ignored\" message=\"{}\">{}</failure>\n",
                                  why, xml_text(file.why))
                    : fmt::format("      <skipped message=\"{}\"/>\n", why);
  return fmt::format(
      "    <testcase classname=\"files\" name=\"{}\" time=\"0.000\">\n{}    </testcase>\n",
      xml_attribute(file.path), verdict);
}

// A run that was killed passes nothing that looks at its cases alone.
std::string unfinished_case(const std::string& words) {
  if (words.empty()) return "";
  return fmt::format(
      "    <testcase classname=\"run\" name=\"finished\" time=\"0.000\">\n"
      "      <error type=\"unfinished\" message=\"{}\"/>\n    </testcase>\n",
      xml_attribute(words));
}

// The attributes that a suite and the whole share.
std::string totals(const ReportData& data, const std::vector<ResultRow>& rows,
                   const Census& census) {
  const auto count = [&](Outcome outcome) {
    return std::count_if(rows.begin(), rows.end(), [&](const ResultRow& row) {
      const Outcome own = outcome_of(row);
      const bool regressed = own == Outcome::kPassed && regression_of(data, row) != nullptr;
      return (regressed ? Outcome::kFailure : own) == outcome;
    });
  };
  const int mistaken = census.mistaken();
  const int unfinished = data.run.finished_at.empty() ? 1 : 0;
  double seconds = 0;
  for (const ResultRow& row : rows) seconds += row.wall_seconds;
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                     static_cast<int>(rows.size() + census.ignored.size()) + unfinished,
                     count(Outcome::kFailure) + mistaken, count(Outcome::kError) + unfinished,
                     count(Outcome::kSkipped) + static_cast<int>(census.ignored.size()) - mistaken,
                     seconds);
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml_attribute(value));
}

}  // namespace

std::string render_junit(const ReportData& data) {
  const std::vector<ResultRow> rows = derive_all(data);
  const Census census = read_census(data.files).value_or(Census{});
  const std::string counts = totals(data, rows, census);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kbench\" {}>\n"
      "  <testsuite name=\"kbench run {}\" {} timestamp=\"{}\">\n    <properties>\n",
      counts, xml_attribute(short_id(data.run)), counts, xml_attribute(data.run.started_at));
  out += property("run_id", data.run.id);
  out += property("device", device_of(data));
  out += property("device_name", data.device_name);
  out += property("chain", to_string(data.chain.state));
  out += "    </properties>\n";
  for (const ResultRow& row : rows) out += test_case(data, row);
  for (const Census::Ignored& file : census.ignored) out += file_case(file);
  out += unfinished_case(unfinished_words(data));
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace kbench
