#include "runner/options/folder_settings.hpp"

#include <algorithm>
#include <array>
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

// Options that name what a command writes, and whose rows it believes; --out may say the format in
// front.
constexpr std::array<std::string_view, 7> kOutputs{"db",  "exchange", "html", "into",
                                                   "out", "output",   "site"};
// Options that say where to listen, who may ask, and to whom a key is shown.
constexpr std::array<std::string_view, 6> kOperatorsOwn{"serve.bind",        "serve.host",
                                                        "serve.tokens",      "agent.run.endpoint",
                                                        "agent.run.key-env", "agent.run.key-file"};
// Options by which rows count that kbench itself would not believe, and by which what failed exits
// as if it had not. (no-lint is none: rows of a task that nobody checked rank nobody.)
constexpr std::array<std::string_view, 3> kTrust{"exit-zero", "trust-estimates", "trust-unchecked"};
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

}  // namespace

Status check_folder_settings(const SettingsTable& table, const fs::path& folder) {
  if (!stands(Defence::kFolderSettings)) return Done{};
  for (const auto& [path, value] : table) {
    const std::string_view option = std::string_view(path).substr(path.rfind('.') + 1);
    if (contains(kOperatorsOwn, path) || contains(kTrust, option))
      return refusal(value, fmt::format("{} is not for a file of the working directory", path));
    if (const std::string* word = forgiving_value(option, value))
      return refusal(
          value, fmt::format("{} = {} is not for a file of the working directory", path, *word));
    if (!contains(kOutputs, option)) continue;
    for (const std::string& word : value.values)
      if (word != "-" && !lies_below(place_in(word), folder))
        return refusal(
            value, fmt::format("{} is {}, which does not lie below the folder of this file", path,
                               clean_name(word, 200)));
  }
  return Done{};
}

}  // namespace kbench
