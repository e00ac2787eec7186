#include "runner/options/settings_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <fmt/format.h>

#include "runner/core/strict_json.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 1u << 20;

std::string place(const fs::path& file, const toml::source_region& source) {
  return fmt::format("{}:{}", clean_name(file.string(), 200), source.begin.line);
}

Error usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

// The value as a user would type it.
std::optional<std::string> word_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return std::nullopt;
}

class Flattener {
 public:
  explicit Flattener(const fs::path& file) : file_(file) {}

  Status flatten(const toml::table& table, const std::string& prefix, SettingsTable& into) {
    for (const auto& [key, node] : table) {
      const std::string path = prefix + std::string(key.str());
      if (const auto* inner = node.as_table()) {
        if (auto done = flatten(*inner, path + ".", into); !done) return done;
      } else if (auto done = take(node, path, into); !done) {
        return done;
      }
    }
    return Done{};
  }

 private:
  Status take(const toml::node& node, const std::string& path, SettingsTable& into) {
    SettingValue value;
    value.where = place(file_, node.source());
    const auto* list = node.as_array();
    const auto add = [&](const toml::node& one) {
      value.has_truth = value.has_truth || one.is_boolean();
      auto word = word_of(one);
      if (word) value.values.push_back(std::move(*word));
      return word.has_value();
    };
    bool known = list != nullptr || add(node);
    if (list != nullptr)
      for (const toml::node& one : *list) known = add(one) && known;
    if (!known)
      return usage(
          fmt::format("{}: {} is neither text, a number, true or false, nor a list of them",
                      value.where, clean_name(path, 100)),
          "write it as you would type it: level = [1, 2]");
    // An empty value is refused: on the command line the next word would be taken for it.
    if (std::find(value.values.begin(), value.values.end(), "") != value.values.end())
      return usage(fmt::format("{}: {} is empty", value.where, clean_name(path, 100)),
                   "say one, or leave it out");
    into[path] = std::move(value);
    return Done{};
  }

  const fs::path& file_;
};

// Takes [preset.NAME] out of the rest.
Result<SettingsFile> sort_out(toml::table& root, const fs::path& file) {
  SettingsFile settings;
  Flattener flattener(file);
  if (const auto* presets = root.get("preset")) {
    if (!presets->is_table())
      return usage(fmt::format("{}: preset is a table", place(file, presets->source())),
                   "[preset.NAME.run] holds what NAME sets of `kbench run`");
    for (const auto& [name, node] : *presets->as_table()) {
      SettingsTable& preset = settings.presets[std::string(name.str())];
      if (!node.is_table())
        return usage(fmt::format("{}: the preset {} is no table", place(file, node.source()),
                                 clean_name(std::string(name.str()), 64)),
                     "[preset.NAME.run] holds what NAME sets of `kbench run`");
      if (auto done = flattener.flatten(*node.as_table(), "", preset); !done) return done.error();
    }
    root.erase("preset");
  }
  if (auto done = flattener.flatten(root, "", settings.settings); !done) return done.error();
  return settings;
}

}  // namespace

Result<SettingsFile> read_settings(const fs::path& file) {
  const auto text = read_bounded_file(file, kMostBytes);
  if (!text)
    return usage(
        clean_name(text.error().message, 300),
        "options that are not typed come from there; `kbench help settings` shows such a file");
  auto parsed = toml::parse(*text, file.string());
  if (!parsed) {
    const toml::parse_error& problem = parsed.error();
    return usage(fmt::format("{}: {}", place(file, problem.source()), problem.description()),
                 "see https://toml.io, and the example of `kbench help settings`");
  }
  return sort_out(parsed.table(), file);
}

}  // namespace kbench
