#include "reports/formats/database_report.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/run_facts.hpp"
#include "reports/facts/sanitize.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr int kSchemaVersion = 1;  // version of the JSON below

std::string count_words(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string short_name(const std::string& run_id) { return sanitize_line(short_id(run_id)); }

std::string check_table(const DatabaseCheck& check, const TableStyle& style) {
  Column id{.heading = "Run"};
  Column date{.heading = "Date (UTC)", .importance = 1};
  Column rows{.heading = "Rows", .kind = Column::Kind::kNumber, .importance = 2};
  Column chain{.heading = "Chain", .importance = 3};
  Column found{.heading = "Found"};
  for (const CheckedRun& run : check.runs) {
    const bool sound = run.wrong.empty();
    id.cells.push_back({short_name(run.run.id), {}});
    date.cells.push_back({sanitize_line(minute_of(run.run.started_at)), {}});
    rows.cells.push_back({fmt::format("{}", run.rows), {}});
    chain.cells.push_back({std::string(to_string(run.chain.state)), {}});
    found.cells.push_back(
        {sound ? std::string("sound") : "WRONG: " + count_words(run.wrong.size(), "finding"),
         sound ? std::nullopt : std::optional(Tone::kBad)});
  }
  return render_table(
      {std::move(id), std::move(date), std::move(rows), std::move(chain), std::move(found)}, style);
}

std::string chain_caution(const DatabaseCheck& check) {
  std::size_t unknown = 0;
  for (const CheckedRun& run : check.runs)
    unknown += run.chain.state == ChainFinding::State::kHolds ? 0u : 1u;
  std::vector<std::string> unknown_ones;
  if (unknown > 0) unknown_ones.push_back("the rows of " + count_words(unknown, "run"));
  if (check.unvouched_lint > 0)
    unknown_ones.push_back(count_words(check.unvouched_lint, "record") + " of lint");
  if (unknown_ones.empty()) return "";
  return fmt::format("; nobody can tell here whether {} were changed",
                     fmt::join(unknown_ones, " and "));
}

std::string labelled_lines(const char* label, const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences)
    text += fmt::format("{}: {}\n", label, sanitize_line(sentence));
  return text;
}

const char* to_words(MergedRun::State state) {
  switch (state) {
    case MergedRun::State::kAdded: return "added  ";
    case MergedRun::State::kThere: return "there  ";
    case MergedRun::State::kRefused: return "REFUSED";
  }
  return "REFUSED";
}

}  // namespace

std::string size_words(std::uint64_t bytes) {
  constexpr std::array kUnits = {"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.{}f} {}", size, size < 10 ? 1 : 0, kUnits[unit]);
}

std::string render_check(const DatabaseCheck& check, const std::filesystem::path& file,
                         const TableStyle& style) {
  std::string text = fmt::format("{}: {}, schema {} of {}\n", printable(file.string()),
                                 size_words(check.bytes), check.schema, check.newest_schema);
  text += labelled_lines("WRONG", check.wrong);
  if (!check.runs.empty()) text += check_table(check, style);
  for (const CheckedRun& run : check.runs)
    text += labelled_lines(short_name(run.run.id).c_str(), run.wrong);
  return text;
}

Json check_json(const DatabaseCheck& check, const std::filesystem::path& file) {
  Json runs = Json::array();
  for (const CheckedRun& run : check.runs)
    runs.push_back({{"id", run.run.id},
                    {"started_at", run.run.started_at},
                    {"rows", run.rows},
                    {"episodes", run.episodes},
                    {"states", run.states},
                    {"chain", to_string(run.chain.state)},
                    {"chain_message", run.chain.message},
                    {"wrong", run.wrong}});
  return {{"schema_version", kSchemaVersion},
          {"file", file.string()},
          {"bytes", check.bytes},
          {"schema", check.schema},
          {"newest_schema", check.newest_schema},
          {"sound", check.sound()},
          {"wrong", check.wrong},
          {"lint", check.lint},
          {"lint_unvouched", check.unvouched_lint},
          {"profiles", check.profiles},
          {"runs", std::move(runs)}};
}

std::string check_words(const DatabaseCheck& check, const std::filesystem::path& file) {
  const auto runs = count_words(check.runs.size(), "run");
  if (check.sound())
    return fmt::format("{} is sound, with {}{}{}", file.string(), runs,
                       check.profiles > 0 ? " and " + count_words(check.profiles, "profile") : "",
                       chain_caution(check));
  const auto bad = std::count_if(check.runs.begin(), check.runs.end(),
                                 [](const CheckedRun& run) { return !run.wrong.empty(); });
  return fmt::format("{} is not sound: {} in the file, {} of {}", file.string(),
                     count_words(check.wrong.size(), "finding"), bad, runs);
}

std::string render_prune(const std::vector<PruneVerdict>& verdicts, const TableStyle& style) {
  Column what{.heading = "What"};
  Column id{.heading = "Run"};
  Column date{.heading = "Date (UTC)", .importance = 3};
  Column rows{.heading = "Rows", .kind = Column::Kind::kNumber, .importance = 1};
  Column size{.heading = "About", .kind = Column::Kind::kNumber, .importance = 2};
  Column why{.heading = "Because"};
  for (const PruneVerdict& verdict : verdicts) {
    what.cells.push_back({verdict.goes ? "goes" : "stays",
                          verdict.goes ? std::optional(Tone::kCaution) : std::nullopt});
    id.cells.push_back({short_name(verdict.run.id), {}});
    date.cells.push_back({sanitize_line(minute_of(verdict.run.started_at)), {}});
    rows.cells.push_back({fmt::format("{}", verdict.rows), {}});
    size.cells.push_back({verdict.bytes ? size_words(*verdict.bytes) : std::string("–"), {}});
    why.cells.push_back({sanitize_line(verdict.why), {}});
  }
  return render_table({std::move(what), std::move(id), std::move(date), std::move(rows),
                       std::move(size), std::move(why)},
                      style);
}

Json prune_json(const std::vector<PruneVerdict>& verdicts, std::size_t profiles, bool dry_run) {
  Json runs = Json::array();
  for (const PruneVerdict& verdict : verdicts)
    runs.push_back({{"id", verdict.run.id},
                    {"started_at", verdict.run.started_at},
                    {"rows", verdict.rows},
                    {"goes", verdict.goes},
                    {"why", verdict.why},
                    {"bytes", verdict.bytes ? Json(*verdict.bytes) : Json()}});
  return {{"schema_version", kSchemaVersion},
          {"dry_run", dry_run},
          {"profiles", profiles},
          {"runs", std::move(runs)}};
}

std::string render_salvaged(const Salvaged& salvaged) {
  std::string text = labelled_lines("mended", salvaged.mended);
  for (const SavedRun& run : salvaged.saved)
    text += fmt::format("saved   {}  {}  {}, {}: {}\n", short_name(run.run.id),
                        sanitize_line(minute_of(run.run.started_at)), count_words(run.rows, "row"),
                        to_string(run.chain.state), sanitize_line(run.chain.message));
  for (const LostRun& run : salvaged.lost)
    text += fmt::format("lost    {}  {}  {}\n", short_name(run.id),
                        sanitize_line(minute_of(run.started_at)), sanitize_line(run.why));
  if (salvaged.profiles > 0)
    text += fmt::format("saved   {}\n", count_words(salvaged.profiles, "profile"));
  return text + labelled_lines("lost", salvaged.notes);
}

std::string render_merged(const MergedRun& run) {
  std::string more;
  if (run.state == MergedRun::State::kAdded) more = fmt::format("  {}", to_string(run.chain.state));
  if (run.state == MergedRun::State::kRefused) more = "  " + sanitize_line(run.why);
  return fmt::format("{}  {}  {}  from {}{}\n", to_words(run.state), short_name(run.run.id),
                     sanitize_line(minute_of(run.run.started_at)), printable(run.from.string()),
                     more) +
         labelled_lines("damaged", run.damaged);
}

std::string merge_faults(const Merged& merged) {
  std::size_t refused = 0;
  std::size_t changed = 0;
  std::size_t damaged = 0;
  for (const MergedRun& run : merged.runs) {
    refused += run.state == MergedRun::State::kRefused ? 1u : 0u;
    changed += run.chain.state == ChainFinding::State::kChanged ? 1u : 0u;
    damaged += run.damaged.size();
  }
  std::string text = refused == 0 ? "" : fmt::format(", {} refused", refused);
  if (merged.refused_profiles > 0)
    text += fmt::format(
        ", {} refused",
        count_words(static_cast<std::size_t>(merged.refused_profiles), "unsound profile"));
  if (changed > 0) text += fmt::format(", {} changed since they were measured", changed);
  if (damaged > 0) text += fmt::format(", {} damaged", count_words(damaged, "source"));
  return text;
}

std::string prune_words(std::size_t runs, std::size_t profiles, const RunsThatGo& leaving,
                        const std::optional<Removed>& removed,
                        const std::filesystem::path& database) {
  const std::string beside = profiles == 0 ? "" : count_words(profiles, "profile") + " and ";
  if (removed && leaving.run_ids.empty())
    return fmt::format("{}0 of {} removed", beside, count_words(runs, "run"));
  if (removed)
    return fmt::format(
        "{}{} of {} removed; {} are free in {} for runs to come, and `kbench db vacuum` gives them "
        "back",
        beside, removed->runs, count_words(runs, "run"), size_words(removed->bytes),
        database.string());
  return fmt::format("{}{} of {} would go, about {}; nothing was removed", beside,
                     leaving.run_ids.size(), count_words(runs, "run"), size_words(leaving.bytes));
}

std::string salvage_words(const Salvaged& salvaged, const std::filesystem::path& from,
                          const std::filesystem::path& to) {
  if (salvaged.saved.empty() && salvaged.profiles == 0)
    return fmt::format(
        "{}: no run in it is whole, {} lost, and {} was not made (exit code 1); "
        "restore a `kbench db backup`; `sqlite3 FILE .recover` may show loose rows",
        from.string(), salvaged.lost.size(), to.string());
  const std::string profiles =
      salvaged.profiles == 0 ? "" : " and " + count_words(salvaged.profiles, "profile");
  return fmt::format("{}{} saved in {}, {} lost", count_words(salvaged.saved.size(), "run"),
                     profiles, to.string(), salvaged.lost.size());
}

std::string merge_words(const Merged& merged, const std::filesystem::path& into) {
  std::size_t added = 0;
  std::size_t there = 0;
  for (const MergedRun& run : merged.runs) {
    added += run.state == MergedRun::State::kAdded ? 1u : 0u;
    there += run.state == MergedRun::State::kThere ? 1u : 0u;
  }
  const bool any_profile = merged.profiles + merged.there_profiles > 0;
  const auto and_profiles = [&](int profiles) {
    const auto count = static_cast<std::size_t>(profiles);
    return any_profile ? " and " + count_words(count, "profile") : "";
  };
  return fmt::format("{}{} added to {}, {}{} there already{}", count_words(added, "run"),
                     and_profiles(merged.profiles), into.string(),
                     any_profile ? count_words(there, "run") : fmt::format("{}", there),
                     and_profiles(merged.there_profiles), merge_faults(merged));
}

}  // namespace kbench
