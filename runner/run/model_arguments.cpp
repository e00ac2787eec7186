#include "runner/run/model_arguments.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "runner/core/bounded_json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Time for importing torch on a busy machine, and for some 250 files.
constexpr std::chrono::minutes kPatience{10};
constexpr std::size_t kMostAnswers = std::size_t{64} << 20;
constexpr std::uint64_t kMostWritten = std::uint64_t{256} << 20;  // the most that a task writes

// Paths may hold bytes that are no text.
std::string hash_of(const Json& json) {
  return sha256(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// Hash of the script that answers, and of the files beside it.
std::string hash_of_scripts(const fs::path& scripts) {
  std::set<fs::path> files;
  for (const fs::path& folder : {scripts, scripts / "lowering"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (const auto kind = entry.path().extension(); kind == ".py" || kind == ".json")
        files.insert(entry.path());
  }
  Json hashes = Json::array();
  for (const fs::path& file : files)
    hashes.push_back({file.filename().string(), hash_of_file(file)});
  return hash_of(hashes);
}

// The answers of earlier runs. Whoever may write to the installation's cache may write here; nobody
// else's text comes here but a task file's own answer.
class KnownAnswers {
 public:
  KnownAnswers(const fs::path& cache, const fs::path& scripts, const PythonPlayer& player,
               std::string size)
      : folder_(cache / "arguments"),
        scripts_(scripts),
        size_(std::move(size)),
        python_(hash_of({"kbench-arguments/1", hash_of_scripts(scripts),
                         player.python.python.string(), hash_of_torch(player.python)})) {}

  // `hash`: of the task's file, here and below.
  [[nodiscard]] std::optional<std::string> find(const Task& task, const std::string& hash) const {
    auto answer = read_foreign_file(file_of(task, hash), kMostAnswers);
    return answer ? std::optional(std::move(*answer)) : std::nullopt;
  }

  // An answer that cannot be kept is asked for again.
  void keep(const Task& task, const std::string& hash, const std::string& answer) const {
    std::error_code ignored;
    fs::create_directories(folder_, ignored);
    (void)write_atomically(file_of(task, hash), answer, 0600);
  }

 private:
  // A shipped task is told by its place what KernelBench calls its parameters.
  [[nodiscard]] fs::path file_of(const Task& task, const std::string& hash) const {
    const fs::path place = fs::absolute(task.source).lexically_relative(scripts_);
    const bool is_shipped = !place.empty() && *place.begin() != "..";
    const std::string key = hash_of({python_, size_, is_shipped ? place.string() : "", hash});
    return folder_ / (key + ".json");
  }

  fs::path folder_;
  fs::path scripts_;
  std::string size_;
  std::string python_;  // the hash of who answers
};

Result<PythonFiles> stage_reference(const std::string& text) {
  const std::string name = "reference.py";
  auto staged = stage_python({{"src/" + name, text + "\n\nModelNew = Model\n"}});
  if (staged) staged->entry = name;
  return staged;
}

Json list_in(const Json& object, const char* name) {
  const auto list = object.find(name);
  return list != object.end() && list->is_array() ? *list : Json();
}

Error not_known(const std::string& why) {
  return {ErrorCode::kInfrastructure, "what the task's Model is made with is not known: " + why,
          "get_init_inputs() of the task's .py returns numbers, texts and lists of them"};
}

Result<ModelArguments> read_answer(const std::string& line) {
  const auto read = parse_bounded_json(line);
  if (!read || !read->is_object()) return not_known("a malformed answer");
  const Json& json = *read;
  if (const auto error = json.find("error"); error != json.end() && error->is_string())
    return not_known(error->get<std::string>());
  const auto init = json.find("init");
  if (init == json.end() || !init->is_string()) return not_known("a malformed answer");
  const auto text = json.find("text");
  if (text == json.end() || !text->is_string()) return not_known("a malformed answer");
  auto reference = stage_reference(text->get<std::string>());
  if (!reference) return reference.error();
  return ModelArguments{.init = init->get<std::string>(),
                        .state = list_in(json, "state"),
                        .kernelbench = list_in(json, "kernelbench"),
                        .draws_alike = json.value("draws_alike", Json(true)) == true,
                        .reference = std::move(*reference)};
}

// The lines that a script prints, one for each question, in their order.
class AnswerLines {
 public:
  using OnLine = std::function<void(std::size_t index, Result<std::string> line)>;

  AnswerLines(std::size_t questions, const OnLine& on_line)
      : questions_(questions), on_line_(on_line) {}

  // `out`: all that was printed so far. Half a line waits for its end.
  void heard(const std::string& out) {
    for (auto end = out.find('\n', read_); end != std::string::npos && next_ < questions_;
         end = out.find('\n', read_)) {
      on_line_(next_++, out.substr(read_, end - read_));
      read_ = end + 1;
    }
  }

  // Ends the answers: no more will come. The process answers in order, so its last words are of the
  // first question that is left; the others were never asked.
  void ended(const Error& of_first, const Error& of_others) {
    if (next_ < questions_) on_line_(next_++, of_first);
    while (next_ < questions_) on_line_(next_++, of_others);
  }

 private:
  std::size_t questions_;
  const OnLine& on_line_;
  std::size_t next_ = 0;
  std::size_t read_ = 0;  // bytes
};

void run_script(const std::vector<const Task*>& tasks, const std::string& size,
                const PythonPlayer& player, const fs::path& scripts, Sandbox& sandbox,
                const AnswerLines::OnLine& on_line, const std::function<bool()>& stop) {
  if (tasks.empty()) return;
  AnswerLines lines(tasks.size(), on_line);
  const auto scratch = make_python_scratch(sandbox, "kbench-arguments");
  if (!scratch) return lines.ended(scratch.error(), scratch.error());
  SandboxCommand command =
      python_command(player.python, scripts / "init_arguments.py", scratch->path());
  command.max_file_bytes = kMostWritten;
  command.readable.push_back(scripts);
  command.max_resident_bytes = physical_memory_bytes() / 2;
  command.argv.push_back(size);
  for (const Task* task : tasks) {
    const fs::path source = fs::absolute(task->source);
    command.argv.push_back(source.string());
    command.readable.push_back(source);
  }
  const auto output = run_until_stopped(
      sandbox, command, kPatience, kMostAnswers, [&](const std::string& out) { lines.heard(out); },
      stop);
  if (!output) return lines.ended(output.error(), output.error());
  if (stop && stop()) {
    const Error stopped{ErrorCode::kInfrastructure, "interrupted while a task's file was asked",
                        ""};
    return lines.ended(stopped, stopped);
  }
  const std::string words = last_words(output->err);
  lines.ended(not_known(words.empty() ? "no answer" : words), not_known("no answer"));
}

// A task by its index, with the hash of its file before it was asked.
struct Asked {
  std::size_t task = 0;
  std::string hash;
};

Error was_swapped(const fs::path& source) {
  return {ErrorCode::kInfrastructure,
          source.string() + " is another file than it was before it was asked",
          "leave a task's files alone while a run goes on, and run it again"};
}

}  // namespace

void ask_model_arguments(const std::vector<const Task*>& tasks, const std::string& size,
                         const PythonPlayer& player, const Installation& installation,
                         Sandbox& sandbox, const OnArguments& on_answer,
                         const std::function<bool()>& stop) {
  const fs::path scripts = fs::absolute(installation.root / "suites");
  const KnownAnswers known(installation.cache, scripts, player, size);
  std::vector<Asked> asked;
  std::vector<const Task*> unknown;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::string hash = hash_of_file(tasks[i]->source);
    if (const auto line = known.find(*tasks[i], hash)) {
      if (auto arguments = read_answer(*line)) {
        arguments->source_hash = std::move(hash);
        on_answer(i, std::move(arguments));
        continue;
      }
    }
    asked.push_back({i, std::move(hash)});
    unknown.push_back(tasks[i]);
  }
  const auto heard = [&](std::size_t index, Result<std::string> line) {
    const Asked& question = asked[index];
    auto arguments = line ? read_answer(*line) : line.error();
    // The executed file is the hashed one if its hash is the same before and after.
    if (arguments && hash_of_file(unknown[index]->source) != question.hash)
      arguments = was_swapped(unknown[index]->source);
    if (arguments) {
      known.keep(*unknown[index], question.hash, *line);
      arguments->source_hash = question.hash;
    }
    on_answer(question.task, std::move(arguments));
  };
  run_script(unknown, size, player, scripts, sandbox, heard, stop);
}

ArgumentsByTask ask_model_arguments(const Plan& plan, const PythonPlayer& player,
                                    const Installation& installation, Sandbox& sandbox,
                                    const std::function<bool()>& stop) {
  std::set<std::size_t> indices;
  for (const PlannedRow& unit : plan.units)
    if (is_played_python(unit)) indices.insert(unit.task);
  std::vector<const Task*> tasks;
  for (const std::size_t task : indices) tasks.push_back(&plan.tasks[task]);
  const std::vector<std::size_t> places(indices.begin(), indices.end());
  ArgumentsByTask arguments;
  ask_model_arguments(
      tasks, plan.target.size, player, installation, sandbox,
      [&](std::size_t index, Result<ModelArguments> answer) {
        arguments.emplace(places[index], std::move(answer));
      },
      stop);
  return arguments;
}

}  // namespace kbench
