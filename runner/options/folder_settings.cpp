#include "runner/options/folder_settings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Every option has an entry in one of these lists, whichever verb it is of: an option without one
// is refused. A path stands where the same name means something else there.

// Options that name what a command writes, whose rows it believes, or a single file whose text it
// reads and shows; --out may say the format in front.
constexpr std::array<std::string_view, 13> kBelowFolder{
    "about", "db",  "exchange", "from", "html",      "input-file", "into",
    "lines", "out", "output",   "site", "reference", "values"};
// Options with values that may be NAME=COMMAND, which kbench would run.
constexpr std::array<std::string_view, 1> kNoCommand{"component"};
constexpr std::array<std::string_view, 19> kOperators{
    // where to listen, who may ask, to whom a key is shown, and what may be spent
    "bind", "endpoint", "host", "key-env", "key-file", "price", "strong", "strong-key-env",
    "tokens", "usd",
    // by these rows count that kbench itself would not believe (no-lint is none: rows of a task
    // that nobody checked rank nobody)
    "force", "held-out", "lint", "trust-estimates", "trust-unchecked",
    // by these what failed exits as if it had not, a layer of the sandbox is left out, or something
    // stored is removed
    "exit-zero", "keep", "remove", "without"};
constexpr std::array<std::string_view, 101> kFree{
    "agent", "agent.run.tokens", "all", "all-tasks", "allow-torch", "arch", "arm", "baseline",
    "baselines-only", "body-timeout", "budget", "busy", "by", "call-limit", "checks-only", "color",
    "columns", "compare", "count", "device", "devices", "dry-run", "episodes", "evaluations",
    "fail-fast", "fail-on", "feedback", "filter", "flag", "format", "generation", "group",
    "header-timeout", "jobs", "json", "keep-good", "keep-tagged", "language", "last-failed",
    "layout", "level", "list", "max-fail", "max-tokens", "memory", "mode", "model", "name",
    "no-html", "no-lint", "no-packages", "no-run", "no-store", "no-wait", "only", "operators",
    "order", "outcome", "pairs", "parallel", "plan", "port", "precision", "print", "profile",
    "quick", "quiet", "remeasure", "replicates", "rerun", "reward", "rounds", "run", "seconds",
    "seed", "shard", "side", "size", "states", "stratum", "style", "submission",
    // folders of kernels and tasks: what is read there is data
    "submissions", "submissions-after", "submissions-before", "suite", "tag", "task", "temperature",
    "timeout", "title", "trajectory", "turn", "turns", "variant", "variants", "vendor", "verbose",
    "watch", "wide", "window"};
// Values of options that forgive what the default does not; the other ones are stricter.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kForgiving{
    {{"allow-torch", "all"}}};

template <class List, class Item>
bool contains(const List& list, const Item& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

const std::string* forgiving_value(std::string_view option, const SettingValue& value) {
  const auto forgives = [&](const std::string& word) {
    return contains(kForgiving, std::pair<std::string_view, std::string_view>(option, word));
  };
  const auto found = std::find_if(value.values.begin(), value.values.end(), forgives);
  return found == value.values.end() ? nullptr : &*found;
}

Error refusal(const SettingValue& value, const std::string& what) {
  return {
      ErrorCode::kUsage, fmt::format("{}: {}", value.where, what),
      "kbench reads this file because it lies in the working directory; if it is yours, name it: "
      "--config kbench.toml"};
}

// "csv=results.csv" is results.csv.
fs::path place_in(std::string_view word) {
  const auto equals = word.find('=');
  const bool has_format =
      equals != word.npos && word.substr(0, equals).find_first_of("/.") == word.npos;
  return has_format ? word.substr(equals + 1) : word;
}

// True for a place below the folder, by whatever links it is reached.
bool lies_below(const fs::path& place, const fs::path& folder) {
  std::error_code failed;
  const fs::path base = fs::weakly_canonical(folder, failed);
  const fs::path whole = fs::weakly_canonical(base / place, failed);
  if (failed || place.is_absolute()) return false;
  const auto parts = std::mismatch(base.begin(), base.end(), whole.begin(), whole.end());
  return parts.first == base.end() && parts.second != whole.end();
}

std::string_view option_of(std::string_view path) { return path.substr(path.rfind('.') + 1); }

// Errors: kUsage.
Status check_words(const std::string& path, const SettingValue& value, FolderRule rule,
                   const fs::path& folder) {
  for (const std::string& word : value.values) {
    if (rule == FolderRule::kNoCommand && word.find('=') != word.npos)
      return refusal(value, fmt::format("{} is {}, and a command is not for a file of the working "
                                        "directory",
                                        path, clean_name(word, 200)));
    if (rule == FolderRule::kBelowFolder && word != "-" &&
        !(lies_below(word, folder) && lies_below(place_in(word), folder)))
      return refusal(value,
                     fmt::format("{} is {}, which does not lie below the folder of this file", path,
                                 clean_name(word, 200)));
  }
  return Done{};
}

}  // namespace

std::optional<FolderRule> folder_rule(std::string_view path) {
  const auto listed = [&](std::string_view word) -> std::optional<FolderRule> {
    if (contains(kFree, word)) return FolderRule::kFree;
    if (contains(kBelowFolder, word)) return FolderRule::kBelowFolder;
    if (contains(kNoCommand, word)) return FolderRule::kNoCommand;
    if (contains(kOperators, word)) return FolderRule::kOperators;
    return std::nullopt;
  };
  const auto exact = listed(path);
  return exact ? exact : listed(option_of(path));
}

Status check_folder_settings(const SettingsTable& table, const fs::path& folder) {
  if (!stands(Defence::kFolderSettings)) return Done{};
  for (const auto& [path, value] : table) {
    const FolderRule rule = folder_rule(path).value_or(FolderRule::kOperators);
    if (rule == FolderRule::kOperators)
      return refusal(value, fmt::format("{} is not for a file of the working directory", path));
    if (const std::string* word = forgiving_value(option_of(path), value))
      return refusal(
          value, fmt::format("{} = {} is not for a file of the working directory", path, *word));
    if (auto fine = check_words(path, value, rule, folder); !fine) return fine;
  }
  return Done{};
}

}  // namespace kbench
