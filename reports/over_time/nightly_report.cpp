#include "reports/over_time/nightly_report.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"
#include "reports/formats/run_list.hpp"

namespace kbench {
namespace {

constexpr std::size_t kNameColumns = 32;
constexpr std::size_t kMostGone = 10;

Cell verdict_cell(Clearance clearance) {
  switch (clearance) {
    case Clearance::kConfirmed: return {"✗ confirmed", Tone::kBad};
    case Clearance::kCleared: return {"✓ cleared", Tone::kGood};
    case Clearance::kUnclear:
    case Clearance::kOpen: return {"? unclear", Tone::kCaution};
  }
  return {"? unclear", Tone::kCaution};
}

std::string contestant_of(const RowKey& key) {
  const auto& [task, agent, variant] = key;
  return shorten(sanitize_line(variant.empty() ? agent : fmt::format("{}@{}", agent, variant)),
                 kNameColumns);
}

std::string suspects_table(const Night& night, const TableStyle& style) {
  Column verdict{.heading = "Finding"};
  Column task{.heading = "Task"};
  Column contestant{.heading = "Submission"};
  for (const Suspect& suspect : night.suspects) {
    verdict.cells.push_back(verdict_cell(suspect.clearance));
    task.cells.push_back({sanitize_line(std::get<0>(suspect.key)), {}});
    contestant.cells.push_back({contestant_of(suspect.key), {}});
  }
  return render_table({std::move(verdict), std::move(task), std::move(contestant)}, style);
}

// A table of names, and below each row a sentence, which no column is wide enough for.
std::string suspects_text(const Night& night, const TableStyle& style) {
  std::istringstream table(suspects_table(night, style));
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);) lines.push_back(std::move(line));
  // The last lines are the rows, however many make the heading.
  const std::size_t heading = lines.size() - std::min(lines.size(), night.suspects.size());
  std::string out;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    out += lines[at] + "\n";
    if (at >= heading)
      out += fmt::format("    {}\n", sanitize_line(finding_words(night.suspects[at - heading])));
  }
  return out;
}

std::string reference_lines(const Night& night) {
  std::string out;
  if (night.good_runs.empty()) {
    out = "against no run: there is no good one yet\n";
  } else {
    std::vector<std::string> ids;
    for (const Run& run : night.good_runs)
      if (ids.size() < kReferenceRuns) ids.push_back(sanitize_line(short_id(run)));
    const std::size_t runs = night.good_runs.size();
    out = fmt::format("against {} good run{}: {}{}\n", runs, runs == 1 ? "" : "s",
                      fmt::join(ids, ", "), runs > ids.size() ? ", …" : "");
  }
  for (const auto& [why, runs] : night.not_good)
    out +=
        fmt::format("not against {} run{}: {}\n", runs, runs == 1 ? "" : "s", sanitize_line(why));
  return out;
}

std::string gone_lines(const Night& night) {
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostGone, night.gone.size()); ++i)
    out += fmt::format("gone since the last good run: {} of {}\n",
                       sanitize_line(std::get<0>(night.gone[i])), contestant_of(night.gone[i]));
  if (night.gone.size() > kMostGone)
    out += fmt::format("and {} more\n", night.gone.size() - kMostGone);
  return out;
}

}  // namespace

std::string night_summary(const Night& night) {
  std::string out = night.good_runs.empty() ? "nothing to compare with yet"
                                            : fmt::format("compared {}, suspected {}",
                                                          night.compared, night.suspects.size());
  std::vector<std::string> parts;
  const std::pair<const char*, int> counts[] = {
      {"confirmed", night.count(Clearance::kConfirmed)},
      {"cleared", night.count(Clearance::kCleared)},
      {"unclear", night.count(Clearance::kUnclear) + night.count(Clearance::kOpen)}};
  for (const auto& [what, count] : counts)
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  if (!parts.empty()) out += fmt::format(": {}", fmt::join(parts, ", "));
  if (night.without_reference > 0)
    out += fmt::format("; {} new or without any good run", night.without_reference);
  if (night.failing > 0) out += fmt::format("; {} failing as before, or new", night.failing);
  if (night.faults > 0)
    out += fmt::format("; {} not judged: kbench's or the machine's fault", night.faults);
  return out;
}

std::string render_night(const Night& night, const TableStyle& style) {
  std::string out = fmt::format("tonight {}  {}  {}\n", sanitize_line(short_id(night.run)),
                                sanitize_line(minute_of(night.run.started_at)),
                                sanitize_line(device_words(facts_of(night.run))));
  out += reference_lines(night) + "\n";
  if (!night.suspects.empty()) out += suspects_text(night, style) + "\n";
  out += gone_lines(night);
  return out + night_summary(night) + "\n";
}

}  // namespace kbench
