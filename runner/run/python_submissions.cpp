#include "runner/run/python_submissions.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "runner/installation/python_facts.hpp"
#include "runner/measure/gpu_visibility.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/sandbox/host.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Importing torch on a busy machine, and some 250 files.
constexpr std::chrono::minutes kPatience{10};
constexpr std::size_t kMostAnswers = std::size_t{64} << 20;
constexpr std::uint64_t kMostWritten = std::uint64_t{256} << 20;  // to a file, by a task's file

bool is_played_python(const PlannedRow& unit) { return unit.is_python() && !unit.ends_as; }

void skip(PlannedRow& unit, const std::string& why, const std::string& hint) {
  unit.ends_as = State::kSkipped;
  unit.message = why;
  unit.hint = hint;
}

// With Python.h; empty where it is not installed.
fs::path headers_of(const PythonFacts& facts) {
  std::error_code error;
  return fs::is_regular_file(facts.headers / "Python.h", error) ? facts.headers : fs::path();
}

// Why a submission that takes a build step gets none here; none where it does.
std::optional<Error> no_build_step(const Submission& submission, const Target& target,
                                   const PythonParts& parts, const Toolchain& toolchain) {
  const auto missing = [](const char* why, const char* hint) {
    return Error{ErrorCode::kNotFound, why, hint};
  };
  if (submission.needs.triton && target.device == "cpu")
    return missing("Triton needs a GPU; it is not offered on CPU", "use --device cuda");
  const bool torch_builds = submission.needs.compiler || submission.cuda_agent;
  if (!torch_builds && !submission.needs.triton_on(target.device))
    return std::nullopt;  // it compiles nothing
  if (toolchain.host_compiler.empty())
    return missing("it compiles an extension, and there is no C++ compiler",
                   "Install g++, or set CXX to a compiler.");
  if (parts.headers.empty())
    return missing("it compiles an extension, and Python's headers are not installed",
                   "Install python3-dev, or the headers of the Python that KBENCH_TORCH names.");
  if (torch_builds && toolchain.ninja.empty())
    return missing("it compiles an extension, and there is no ninja, which torch builds with",
                   "Install ninja-build.");
  return std::nullopt;
}

Result<PythonFiles> stage(const std::vector<SourceFile>& files) {
  auto made = Staging::make();
  if (!made) return made.error();
  PythonFiles staged;
  staged.staging = std::make_shared<Staging>(std::move(*made));
  for (const SourceFile& file : files)
    if (auto added = staged.staging->add(file.name, file.bytes); !added) return added.error();
  staged.folder = staged.staging->path() / "src";
  return staged;
}

Result<PythonFiles> stage_reference(const std::string& text) {
  const std::string name = "reference.py";
  auto staged = stage({{"src/" + name, text + "\n\nModelNew = Model\n"}});
  if (staged) staged->entry = name;
  return staged;
}

Json list_in(const Json& object, const char* name) {
  const auto list = object.find(name);
  return list != object.end() && list->is_array() ? *list : Json();
}

// `words`: the last that the program said before it ended without this answer; empty if it did not.
Result<ModelArguments> read_answer(const std::string& line, const std::string& words) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  const auto failed = [](const std::string& why) {
    return Error{ErrorCode::kInfrastructure,
                 "what the task's Model is made with is not known: " + why,
                 "get_init_inputs() of the task's .py returns numbers, texts and lists of them"};
  };
  if (!json.is_object()) return failed(words.empty() ? "no answer" : words);
  if (const auto error = json.find("error"); error != json.end() && error->is_string())
    return failed(error->get<std::string>());
  const auto init = json.find("init");
  if (init == json.end() || !init->is_string()) return failed("a malformed answer");
  const auto text = json.find("text");
  if (text == json.end() || !text->is_string()) return failed("a malformed answer");
  auto reference = stage_reference(text->get<std::string>());
  if (!reference) return reference.error();
  return ModelArguments{.init = init->get<std::string>(),
                        .state = list_in(json, "state"),
                        .kernelbench = list_in(json, "kernelbench"),
                        .draws_alike = json.value("draws_alike", Json(true)) == true,
                        .reference = std::move(*reference)};
}

}  // namespace

Result<PythonParts> find_python_parts(const Installation& installation, bool on_cuda) {
  const char* hint =
      "set KBENCH_TORCH to a Python that has torch; `kbench doctor` says what it found";
  if (installation.python.empty())
    return Error{ErrorCode::kNotFound, installation.python_reason, hint};
  std::error_code error;
  if (!fs::is_regular_file(installation.player_library, error)) {
    return Error{ErrorCode::kNotFound, "this kbench was built without a Python that has torch",
                 "run third_party/setup with one"};
  }
  const auto facts = ask_python(installation.python);
  if (!facts) return Error{ErrorCode::kNotFound, facts.error().message, hint};
  if (on_cuda && !facts->torch_has_cuda) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("the torch of {} was built without CUDA", installation.python.string()),
        "set KBENCH_TORCH to a Python whose torch has it, or use --device cpu"};
  }
  return PythonParts{{{fs::absolute(installation.python), facts->module_folders, facts->folders},
                      fs::absolute(installation.player),
                      fs::absolute(installation.player_library)},
                     headers_of(*facts)};
}

std::optional<PythonParts> find_python_parts(Plan& plan, const Installation& installation,
                                             const Toolchain& toolchain) {
  std::optional<Result<PythonParts>> parts;  // asked for once, and only where they are needed
  bool needed = false;
  for (PlannedRow& unit : plan.units) {
    if (!is_played_python(unit)) continue;
    if (!parts) parts = find_python_parts(installation, plan.target.device == "cuda");
    if (!*parts) {
      skip(unit, "a Python submission needs a Python with torch: " + parts->error().message,
           parts->error().hint);
      continue;
    }
    if (unit.submission->is_built_as_python()) {
      if (const auto why = no_build_step(*unit.submission, plan.target, **parts, toolchain)) {
        skip(unit, why->message, why->hint);
        continue;
      }
      if (unit.submission->needs.triton_on(plan.target.device) && plan.target.gpu)
        (*parts)->player.triton_architecture = plan.target.gpu->compute_capability;
    }
    needed = true;
  }
  return needed ? std::optional(std::move(**parts)) : std::nullopt;
}

std::unique_ptr<PythonBuilder> make_python_builder(const PythonParts& parts, const Target& target,
                                                   const Installation& installation,
                                                   Sandbox& sandbox, const Toolchain& toolchain) {
  ExtensionCompiler compiler(sandbox,
                             {.python = parts.player.python,
                              .scripts = parts.player.script.parent_path(),
                              .headers = parts.headers,
                              .toolchain = toolchain},
                             fs::absolute(installation.cache / "extensions"));
  std::map<std::string, std::string> environment;
  if (target.device == "cuda") environment = one_gpu_environment(target.device_index);
  return std::make_unique<PythonBuilder>(sandbox, std::move(compiler), target.device,
                                         std::move(environment));
}

Result<PythonFiles> stage_python(const Submission& submission,
                                 const std::vector<SourceFile>& files) {
  auto made = stage(files);
  if (!made) return made;
  PythonFiles& staged = *made;
  const fs::path& entry = submission.sources.front();
  const std::string alone =
      submission.staged_name.empty() ? entry.filename().string() : submission.staged_name;
  staged.entry =
      submission.folder.empty() ? alone : entry.lexically_relative(submission.folder).string();
  return made;
}

std::vector<Result<ModelArguments>> ask_model_arguments(const std::vector<const Task*>& tasks,
                                                        const std::string& size,
                                                        const PythonPlayer& player,
                                                        const Installation& installation,
                                                        Sandbox& sandbox) {
  const fs::path scripts = fs::absolute(installation.root / "suites");
  const auto scratch = make_python_scratch(sandbox, "kbench-arguments");
  if (!scratch) return {tasks.size(), scratch.error()};
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
  const auto output = run_to_end(sandbox, command, kPatience, kMostAnswers);
  if (!output) return {tasks.size(), output.error()};
  // It answers in order: what it said last is of the first task that it did not answer for.
  std::vector<Result<ModelArguments>> arguments;
  std::istringstream lines(output->out);
  std::string words = last_words(output->err);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::string line;
    const bool answered = static_cast<bool>(std::getline(lines, line));
    arguments.push_back(read_answer(line, answered ? "" : std::exchange(words, "")));
  }
  return arguments;
}

ArgumentsByTask ask_model_arguments(const Plan& plan, const PythonPlayer& player,
                                    const Installation& installation, Sandbox& sandbox) {
  std::set<std::size_t> indices;
  for (const PlannedRow& unit : plan.units)
    if (is_played_python(unit)) indices.insert(unit.task);
  std::vector<const Task*> tasks;
  for (const std::size_t task : indices) tasks.push_back(&plan.tasks[task]);
  auto answers = ask_model_arguments(tasks, plan.target.size, player, installation, sandbox);
  ArgumentsByTask arguments;
  std::size_t next = 0;
  for (const std::size_t task : indices) arguments.emplace(task, std::move(answers[next++]));
  return arguments;
}

}  // namespace kbench
