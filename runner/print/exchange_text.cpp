#include "runner/print/exchange_text.hpp"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "reports/formats/database_report.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostColumns = 300;

std::string number_of(std::size_t count, std::string_view what, std::string_view plural = "") {
  if (count == 1) return fmt::format("1 {}", what);
  return plural.empty() ? fmt::format("{} {}s", count, what) : fmt::format("{} {}", count, plural);
}

std::string clean(const std::string& text) { return clean_name(text, kMostColumns); }

}  // namespace

std::string made_words(const Exchange& exchange, const std::filesystem::path& key_file) {
  return fmt::format(
      "{} is an exchange of pool {}; its key is {}: copy that file to the other machines, with "
      "mode "
      "0600",
      exchange.folder().string(), exchange.key().name, key_file.string());
}

std::string exchange_text(const ExaminedExchange& examined, const TableStyle& /*style*/) {
  std::string text;
  for (const ExchangeFinding& finding : examined.findings)
    text += fmt::format("wrong  {}\n       {}\n", clean(finding.what), clean(finding.then));
  return text;
}

Json exchange_json(const ExaminedExchange& examined) {
  Json findings = Json::array();
  for (const ExchangeFinding& finding : examined.findings)
    findings.push_back({{"what", clean(finding.what)}, {"then", clean(finding.then)}});
  return {{"schema_version", 1},       {"sound", examined.findings.empty()},
          {"spaces", examined.spaces}, {"runs", examined.runs},
          {"keys", examined.keys},     {"entries", examined.entries},
          {"findings", findings}};
}

std::string exchange_words(const ExaminedExchange& examined, const std::filesystem::path& folder) {
  if (!examined.findings.empty())
    return fmt::format("{}: {}", folder.string(),
                       number_of(examined.findings.size(), "thing is wrong", "things are wrong"));
  return fmt::format("{} is sound: {}, {}, {}, {}", folder.string(),
                     number_of(examined.spaces, "group"), number_of(examined.runs, "run"),
                     number_of(examined.keys, "key"),
                     number_of(examined.entries, "cache entry", "cache entries"));
}

std::string pruned_text(const PrunedExchange& pruned) {
  std::string text;
  for (const std::string& one : pruned.removed) text += clean(one) + "\n";
  return text;
}

std::string pruned_words(const PrunedExchange& pruned, bool dry_run) {
  return fmt::format("{} {}, {}", number_of(pruned.removed.size(), "thing"),
                     dry_run ? "would go" : "removed", size_words(pruned.bytes));
}

std::string refused_text(const CollectedRuns& collected) {
  std::string text;
  for (const std::string& one : collected.refused)
    text += fmt::format("left out  {}\n", clean(one));
  return text;
}

std::string collected_words(const CollectedRuns& collected, const std::filesystem::path& into) {
  std::string words =
      fmt::format("{} added to {}", number_of(collected.added, "row"), into.string());
  if (collected.again > 0) words += fmt::format(", {} of them again", collected.again);
  words += fmt::format("; {} of {} finished", collected.finished, number_of(collected.runs, "run"));
  if (collected.waiting > 0)
    words += fmt::format("; {} that nobody has answered yet", number_of(collected.waiting, "row"));
  if (!collected.refused.empty())
    words += fmt::format("; {} left out", number_of(collected.refused.size(), "file"));
  return words;
}

}  // namespace kbench
