// The kinds of options of a command line: a word of a few, a path, a device. They know CLI11, and
// no verb.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace kbench {

// "did you mean ...?", or nothing where no known word is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& known);

// CLI11 prints what a validator returns when it is not empty.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& known);
[[nodiscard]] CLI::Validator device_name();  // cpu, cuda, cuda:N

// CLI11's layout of a help, without its remarks on how options depend on each other: the help says
// that in words.
[[nodiscard]] std::shared_ptr<CLI::Formatter> plain_formatter();

// One of a few words, as a value of their own or as it is.
template <class T, class Value>  // T, or an optional T
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value,
                        const std::vector<std::pair<std::string, T>>& known,
                        const std::string& help) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : known) words.push_back(word);
  const auto set = [&value, known](const std::string& chosen) {
    for (const auto& [word, meaning] : known)
      if (word == chosen) value = meaning;
  };
  return app.add_option_function<std::string>(name, set, help)->check(one_of(words))->type_name("");
}

template <class Text>  // a string, or an optional one
CLI::Option* add_word(CLI::App& app, const std::string& name, Text& value,
                      const std::vector<std::string>& known, const std::string& help) {
  return app.add_option(name, value, help)->check(one_of(known))->type_name("");
}

// Any value; `type` is what the help calls it, "" for nothing.
template <class Value>
CLI::Option* add_value(CLI::App& app, const std::string& name, Value& value,
                       const std::string& type, const std::string& help) {
  return app.add_option(name, value, help)->type_name(type);
}

// May be repeated, with a value each time.
template <class Values>
CLI::Option* add_many(CLI::App& app, const std::string& name, Values& values,
                      const std::string& type, const std::string& help) {
  return add_value(app, name, values, type, help)->allow_extra_args(false);
}

template <class Number>
Number plain_number(const Number& number);
template <class Number>
Number plain_number(const std::optional<Number>& number);

// Takes numbers from `least` to `most`, and no other words. CLI::Range lets nan through, and calls
// "abc" out of range.
[[nodiscard]] CLI::Validator number_between(std::int64_t least, std::int64_t most);
[[nodiscard]] CLI::Validator number_between(double least, double most);

// A number from `least` to `most`, or an optional one.
template <class Number, class Least, class Most>
CLI::Option* add_number(CLI::App& app, const std::string& name, Number& number, Least least,
                        Most most, const std::string& help, const std::string& type = "N") {
  using Plain = decltype(plain_number(number));
  using Bound = std::conditional_t<std::is_floating_point_v<Plain>, double, std::int64_t>;
  return add_value(app, name, number, type, help)
      ->check(number_between(static_cast<Bound>(least), static_cast<Bound>(most)));
}

// A value that `parse` makes of the word, a Result.
template <class Value, class Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, Value& value, Parse parse,
                        const std::string& type, const std::string& help) {
  const auto take = [&value, name, parse](const std::string& word) {
    auto parsed = parse(word);
    if (!parsed) throw CLI::ValidationError(name, parsed.error().message);
    value = std::move(*parsed);
  };
  return app.add_option_function<std::string>(name, take, help)->type_name(type);
}

CLI::Option* add_path(CLI::App& app, const std::string& name,
                      std::optional<std::filesystem::path>& value, const std::string& type,
                      const std::string& help);

// Lets no option of `app` and of its subcommands take an empty value: the meaning of a script's
// "$VARIABLE" that is empty is unknown. Called once all options are there.
void refuse_empty_values(CLI::App& app);

}  // namespace kbench
