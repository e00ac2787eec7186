// Answers as models write them, and the files that each hands in (tests/answers/answers.json).
//
// A line "> @right" stands for all lines of the text `right`, each behind "> ".
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "tests/unit/paths.hpp"

namespace kbench::test {

struct SampleAnswer {
  std::string name;
  std::string device;
  std::string answer;
  std::map<std::string, std::string> files;
};

inline std::string lines_text(const Json& lines, const std::string& prefix, const char* end) {
  std::string text;
  for (const Json& line : lines) {
    const auto words = line.get<std::string>();
    // Editors of Markdown leave no blanks behind.
    if (words.empty() && prefix.find_first_not_of(" \t") == std::string::npos)
      text += end;
    else
      text += prefix + words + end;
  }
  return text;
}

inline SampleAnswer sample_answer(const Json& row, const Json& texts) {
  SampleAnswer sample{row.at("name"), row.value("device", "cpu"), row.value("begins", ""), {}};
  const std::string end = row.value("line_end", "\n");
  for (const Json& line : row.at("answer")) {
    const auto words = line.get<std::string>();
    const std::size_t at = words.rfind('@');
    const std::string name = at == std::string::npos ? "" : words.substr(at + 1);
    if (texts.contains(name))
      sample.answer += lines_text(texts.at(name), words.substr(0, at), end.c_str());
    else
      sample.answer += words + end;
  }
  for (const auto& [file, name] : row.at("files").items())
    sample.files[file] = lines_text(texts.at(name.get<std::string>()), "", end.c_str());
  return sample;
}

inline std::vector<SampleAnswer> sample_answers() {
  std::ifstream file(kAnswers);
  const Json table = Json::parse(file);
  std::vector<SampleAnswer> samples;
  for (const Json& row : table.at("answers"))
    samples.push_back(sample_answer(row, table.at("texts")));
  return samples;
}

}  // namespace kbench::test
