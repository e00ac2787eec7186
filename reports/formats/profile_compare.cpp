#include "reports/formats/profile_compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

constexpr double kSame = 0.05;
constexpr std::size_t kNameColumns = 72;

struct Shown {
  const char* fact;
  const char* what;
};

// Facts in the order in which those that did not change are told.
constexpr std::array kShown = {
    Shown{"call_us", "call (us)"},
    Shown{"fastest_us", "fastest call (us)"},
    Shown{"slowest_us", "slowest call (us)"},
    Shown{"limit_percent", "share of the limit (%)"},
    Shown{"busy_us", "device busy (us)"},
    Shown{"gap_us", "device idle (us)"},
    Shown{"around_us", "launch and profiler (us)"},
    Shown{"kernels", "kernels"},
    Shown{"mean_kernel_us", "mean kernel (us)"},
    Shown{"copy_us", "copies (us)"},
    Shown{"memset_us", "memsets (us)"},
    Shown{"streams", "streams"},
    Shown{"top_us", "longest kernel (us)"},
    Shown{"top_blocks", "its blocks"},
    Shown{"top_threads", "its threads a block"},
    Shown{"top_registers", "its registers a thread"},
    Shown{"top_shared_bytes", "its shared memory (bytes)"},
    Shown{"top_thread_percent", "its threads there at a time (%)"},
    Shown{"occupancy_percent", "its occupancy (%)"},
    Shown{"issue_percent", "its cycles that issue (%)"},
    Shown{"l1_percent", "its shared memory and L1 (%)"},
    Shown{"memory_percent", "its busiest memory path (%)"},
    Shown{"sector_use_percent", "its sectors used (%)"},
    Shown{"conflict_share", "its bank conflicts (share)"},
    Shown{"l2_hit_percent", "its L2 hits (%)"},
    Shown{"dram_ratio", "bytes moved over those that must"},
    Shown{"spill_bytes", "spills a thread (bytes)"},
    Shown{"fp64_percent", "fp64 instructions (%)"},
    Shown{"tensor_instructions", "tensor core instructions"},
};

bool has_changed(const ComparedFact& fact) {
  if (!fact.a || !fact.b) return true;
  return std::abs(*fact.a - *fact.b) > kSame * std::max(*fact.a, *fact.b);
}

// How far apart the two are, whichever is larger; what one of them lacks is farthest.
double distance(const ComparedFact& fact) {
  const auto ratio = fact.ratio();
  return ratio ? std::abs(std::log(*ratio)) : std::numeric_limits<double>::infinity();
}

void add_caution(std::vector<std::string>& cautions, const char* what, const std::string& a,
                 const std::string& b) {
  if (a != b && !a.empty() && !b.empty())  // an earlier profile does not say each
    cautions.push_back(
        fmt::format("they differ in {}: {} and {}", what, sanitize_line(a), sanitize_line(b)));
}

// Idle times of a profile from before around_us are call less busy.
bool counts_all_as_idle(const ProfileRecord& record) {
  return record.fact("gap_us") && !record.fact("around_us");
}

void add_idle_caution(std::vector<std::string>& cautions, const ProfileRecord& a,
                      const ProfileRecord& b) {
  if (!a.fact("gap_us") || !b.fact("gap_us") || counts_all_as_idle(a) == counts_all_as_idle(b))
    return;
  cautions.push_back(
      fmt::format("{} is of an earlier kbench: its idle time includes launch and profiler",
                  counts_all_as_idle(a) ? "A" : "B"));
}

std::string subject_line(const char* label, const ProfileRecord& record) {
  return fmt::format(
      "{}  {} {} ({}) on {}, {}\n", label, shorten(sanitize_line(record.task), kNameColumns),
      shorten(sanitize_line(record.subject()), kNameColumns), sanitize_line(record.size),
      shorten(sanitize_line(record.device), kNameColumns), sanitize_line(record.precision));
}

std::string verdict_lines(const char* label, const ProfileRecord& record) {
  std::string text = fmt::format("{}  {}: {}\n", label, sanitize_line(record.title()),
                                 sanitize_line(record.evidence));
  for (const CloseRule& close : record.closest)
    text += fmt::format("   closest: {}: {} ({})\n", close.title, sanitize_line(close.evidence),
                        close.asks);
  if (!record.suggestions.empty())
    text += fmt::format("   do: {}\n", sanitize_line(record.suggestions.front().suggestion));
  return text;
}

std::string number(const std::optional<double>& value) {
  if (!value) return "–";
  return *value >= 1000 ? fmt::format("{:.0f}", *value) : fmt::format("{:.4g}", *value);
}

std::string table_of(const std::vector<ComparedFact>& facts, bool changed,
                     const TableStyle& style) {
  Column what{.heading = changed ? "What changed" : "The same within 5 %"};
  Column a{.heading = "A", .kind = Column::Kind::kNumber};
  Column b{.heading = "B", .kind = Column::Kind::kNumber};
  Column ratio{.heading = "B/A", .kind = Column::Kind::kNumber, .importance = 1};
  for (const ComparedFact& fact : facts) {
    if (fact.changed != changed) continue;
    what.cells.push_back({fact.what, {}});
    a.cells.push_back({number(fact.a), {}});
    b.cells.push_back({number(fact.b), {}});
    ratio.cells.push_back({number(fact.ratio()), {}});
  }
  if (what.cells.empty()) return "";
  const std::string table =
      render_table({std::move(what), std::move(a), std::move(b), std::move(ratio)}, style);
  return fmt::format("\n{}", table);
}

Json side_json(const ProfileRecord& record) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json() : Json(text);
  };
  return {{"task", record.task},
          {"size", record.size},
          {"side", record.side},
          {"submission", text_or_null(record.submission)},
          {"device", record.device},
          {"precision", record.precision},
          {"verdict", record.verdict},
          {"evidence", record.evidence},
          {"suggestion",
           record.suggestions.empty() ? Json() : Json(record.suggestions.front().suggestion)}};
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

std::optional<double> ComparedFact::ratio() const {
  if (!a || !b || !(*a > 0) || !(*b > 0)) return std::nullopt;
  return *b / *a;
}

Result<ProfileComparison> compare_profiles(ProfileRecord a, ProfileRecord b) {
  if (a.task != b.task)
    return Error{ErrorCode::kUsage,
                 fmt::format("A is of {} and B of {}: calls of two tasks are not compared",
                             sanitize_line(a.task), sanitize_line(b.task)),
                 "`kbench profile --list` names profiles of one task"};
  ProfileComparison comparison;
  for (const Shown& shown : kShown) {
    ComparedFact fact{
        .name = shown.fact, .what = shown.what, .a = a.fact(shown.fact), .b = b.fact(shown.fact)};
    if (!fact.a && !fact.b) continue;
    fact.changed = has_changed(fact);
    comparison.facts.push_back(std::move(fact));
  }
  std::stable_sort(comparison.facts.begin(), comparison.facts.end(),
                   [](const ComparedFact& one, const ComparedFact& other) {
                     if (one.changed != other.changed) return one.changed;
                     if (!one.changed) return false;
                     if ((one.name == "call_us") != (other.name == "call_us"))
                       return one.name == "call_us";
                     return distance(one) > distance(other);
                   });
  add_caution(comparison.cautions, "the task's content", a.task_hash, b.task_hash);
  add_caution(comparison.cautions, "the size", a.size, b.size);
  add_caution(comparison.cautions, "the device", a.device, b.device);
  add_caution(comparison.cautions, "the precision class", a.precision, b.precision);
  add_caution(comparison.cautions, "PyTorch", a.torch, b.torch);
  add_idle_caution(comparison.cautions, a, b);
  for (const auto& [label, record] : {std::pair{"A", &a}, std::pair{"B", &b}})
    for (const std::string& caution : record->cautions)
      comparison.cautions.push_back(fmt::format("{}: {}", label, sanitize_line(caution)));
  comparison.a = std::move(a);
  comparison.b = std::move(b);
  return comparison;
}

std::string render_profile_comparison(const ProfileComparison& comparison,
                                      const TableStyle& style) {
  const ProfileRecord& a = comparison.a;
  const ProfileRecord& b = comparison.b;
  std::string text = subject_line("A", a) + subject_line("B", b);
  for (const std::string& caution : comparison.cautions) text += "caution: " + caution + "\n";
  text += a.verdict == b.verdict ? "\nboth have one verdict\n" : "\nthe verdict changed\n";
  text += verdict_lines("A", a) + verdict_lines("B", b);
  return text + table_of(comparison.facts, true, style) + table_of(comparison.facts, false, style);
}

Json profile_comparison_json(const ProfileComparison& comparison) {
  Json facts = Json::array();
  for (const ComparedFact& fact : comparison.facts)
    facts.push_back({{"name", fact.name},
                     {"a", number_or_null(fact.a)},
                     {"b", number_or_null(fact.b)},
                     {"ratio", number_or_null(fact.ratio())},
                     {"changed", fact.changed}});
  return {{"schema_version", kProfileSchemaVersion},
          {"a", side_json(comparison.a)},
          {"b", side_json(comparison.b)},
          {"cautions", comparison.cautions},
          {"facts", std::move(facts)}};
}

}  // namespace kbench
