#include "runner/options/option_kinds.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/suggest.hpp"

namespace kbench {
namespace {

// A list of words that no line holds goes on in the next one.
void break_list(std::string& words) {
  constexpr std::size_t kWidest = 100;
  for (std::size_t begin = 0; words.size() - begin > kWidest;) {
    const auto bar = words.rfind('|', begin + kWidest);
    if (bar == std::string::npos || bar <= begin) return;
    begin = bar + 1;
    words.insert(begin, "\n        ");
  }
}

// CLI11's layout, without its remarks on how options depend on each other: the help says that in
// words.
class PlainFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    auto type = option->get_type_name();
    // "TYPE:VALIDATOR"; here an option has the one or the other.
    if (type.starts_with(":")) type.erase(0, 1);
    break_list(type);
    return type.empty() ? "" : " " + type;
  }
};

template <class Number>
CLI::Validator between(const char* kind, Number least, Number most) {
  const auto check = [=](const std::string& word) -> std::string {
    Number number = 0;
    const bool is_number = CLI::detail::lexical_cast(word, number);
    return is_number && number >= least && number <= most
               ? ""
               : fmt::format("\"{}\" is no {} from {} to {}", word, kind, least, most);
  };
  return {check, ""};
}

}  // namespace

CLI::Validator number_between(std::int64_t least, std::int64_t most) {
  return between("whole number", least, most);
}

CLI::Validator number_between(double least, double most) { return between("number", least, most); }

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto guess = nearest(word, known);
  return guess ? fmt::format("did you mean \"{}\"?", *guess) : "";
}

// A value out of a short list. CLI11 prints what the function returns when it is not empty.
CLI::Validator one_of(const std::vector<std::string>& known) {
  return {[known](std::string& word) -> std::string {
            if (std::find(known.begin(), known.end(), word) != known.end()) return "";
            const auto guess = did_you_mean(word, known);
            return fmt::format("\"{}\" is not one of {}{}{}", word, fmt::join(known, ", "),
                               guess.empty() ? "" : "; ", guess);
          },
          fmt::format("{}", fmt::join(known, "|"))};
}

CLI::Validator device_name() {
  return {[](std::string& word) -> std::string {
            if (word == "cpu" || word == "cuda") return "";
            const bool digits = word.size() > 5 && word.size() <= 8 &&
                                std::all_of(word.begin() + 5, word.end(),
                                            [](char c) { return c >= '0' && c <= '9'; });
            if (word.starts_with("cuda:") && digits) return "";
            // Further from "cuda" than from "cpu" by its letters.
            const bool is_gpu = word.starts_with("gpu") || word.starts_with("nvidia");
            const auto guess = did_you_mean(is_gpu ? "cuda" : word, {"cpu", "cuda"});
            return fmt::format("\"{}\" is not cpu, cuda or cuda:N{}{}", word,
                               guess.empty() ? "" : "; ", guess);
          },
          "cpu|cuda[:N]"};
}

std::shared_ptr<CLI::Formatter> plain_formatter() {
  auto formatter = std::make_shared<PlainFormatter>();
  formatter->column_width(28);
  return formatter;
}

CLI::Option* add_path(CLI::App& app, const std::string& name,
                      std::optional<std::filesystem::path>& value, const std::string& type,
                      const std::string& help) {
  const auto set = [&value](const std::string& word) { value = word; };
  return app.add_option_function<std::string>(name, set, help)->type_name(type);
}

void refuse_empty_values(CLI::App& app) {
  const auto given = [](std::string& word) -> std::string {
    return word.empty() ? "is given an empty value; say one, or leave it out" : "";
  };
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0)
      option->transform(CLI::Validator(given, ""));  // other checks follow
  for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    refuse_empty_values(*sub);
}

}  // namespace kbench
