#include "runner/import/lower_files.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMaxWords = 300;
// Measured on a Xeon: 6 s of processor time to import torch, 0.2 s a file. For this many a second
// process on an idle core saves less than two seconds.
constexpr std::size_t kFilesOfAProcess = 16;

// Python's messages run over several lines, and some hold another one's as a literal, with its line
// breaks written \n: here they are one line each.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text.substr(i).starts_with("\\n");
    if (!escaped && std::string_view(" \t\r\n").find(text[i]) == text.npos) {
      line += text[i];
      continue;
    }
    if (escaped) ++i;
    if (!line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string()
             ? clean_name(in_one_line(found->get_ref<const std::string&>()), kMaxWords)
             : "";
}

ImportError error_of(const Json& json) {
  ImportError error;
  if (!json.is_object()) return {0, "it gave an answer that makes no sense", {}, ""};
  const auto line = json.find("line");
  if (line != json.end() && line->is_number_integer())
    error.line = static_cast<int>(std::clamp<std::int64_t>(line->get<std::int64_t>(), 0, 1 << 30));
  error.what = text_of(json, "what");
  const std::string fault = text_of(json, "fault");
  error.fault = fault == "limit"     ? ImportError::Fault::kLimit
                : fault == "machine" ? ImportError::Fault::kMachine
                                     : ImportError::Fault::kFile;
  error.hint = text_of(json, "hint");
  return error;
}

LoweringAnswer answer_of(const Json& json) {
  const auto task = json.find("task");
  if (task != json.end() && task->is_string()) return {task->get<std::string>(), std::nullopt};
  const auto error = json.find("error");
  return {"", error_of(error == json.end() ? Json() : *error)};
}

std::chrono::seconds wall_limit_of(const LoweringOptions& options) {
  return options.wall_limit.value_or(wall_limit(options.cpu_limit));
}

// The sandbox had to be given up: whatever the file did, it did not end well.
ImportError error_of(const Error& failure, const LoweringOptions& options) {
  if (failure.code == ErrorCode::kTimeout) {
    return {0, fmt::format("it was not read within {} s", wall_limit_of(options).count()),
            ImportError::Fault::kFile, "a task file must not wait; --timeout gives more"};
  }
  return {0, "it ended the process that reads it", ImportError::Fault::kFile,
          "a task file only defines a module and its inputs"};
}

}  // namespace

std::chrono::seconds wall_limit(std::chrono::seconds cpu_limit) {
  return 4 * cpu_limit + std::chrono::seconds(15);
}

int processes_for(std::size_t files, int most) {
  const std::size_t worth = (files + kFilesOfAProcess - 1) / kFilesOfAProcess;
  return std::clamp(static_cast<int>(std::min<std::size_t>(worth, 1024)), 1, std::max(most, 1));
}

Status lower_files(Sandbox& sandbox, const LoweringSetup& setup,
                   const std::vector<LoweringRequest>& requests, const LoweringOptions& options,
                   const std::function<void(std::size_t index, const LoweringAnswer&)>& on_done) {
  std::vector<Json> bodies;
  for (const LoweringRequest& request : requests) {
    bodies.push_back({{"level", request.level},
                      {"file", request.file},
                      {"source", request.source},
                      {"mode", options.mode},
                      {"cpu_seconds", options.cpu_limit.count()}});
  }
  const ServerPool pool{
      .start = [&](const Stop& stop) { return LoweringProcess::start(sandbox, setup, stop); },
      .processes = options.processes,
      .limit = wall_limit_of(options),
      .stop = options.stop,
      .tick = options.tick};
  return pool.ask(bodies, [&](std::size_t index, const Answer& answer) {
    on_done(index, answer.body ? answer_of(*answer.body)
                               : LoweringAnswer{"", error_of(answer.body.error(), options)});
  });
}

}  // namespace kbench
