#include "runner/cli/python_submissions.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "runner/cli/python_facts.hpp"
#include "runner/sandbox/host.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Importing torch on a busy machine, and some 250 files.
constexpr std::chrono::minutes kPatience{10};
constexpr std::size_t kMostAnswers = std::size_t{64} << 20;

bool is_played_python(const PlannedRow& unit) {
  return unit.submission && unit.submission->kind == SubmissionKind::kPython && !unit.ends_as;
}

void skip(PlannedRow& unit, const std::string& why, const std::string& hint) {
  unit.ends_as = State::kSkipped;
  unit.message = why;
  unit.hint = hint;
}

// Errors: why no Python submission can be played on this machine.
Result<PythonPlayer> make_player(const Installation& installation, bool on_cuda) {
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
  return PythonPlayer{{fs::absolute(installation.python), facts->module_folders, facts->folders},
                      fs::absolute(installation.player),
                      fs::absolute(installation.player_library)};
}

Result<ModelArguments> read_answer(const std::string& line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  const auto failed = [](const std::string& why) {
    return Error{ErrorCode::kInfrastructure,
                 "what the task's Model is made with is not known: " + why,
                 "get_init_inputs() of the task's .py returns numbers, texts and lists of them"};
  };
  if (!json.is_object()) return failed("no answer");
  if (const auto error = json.find("error"); error != json.end() && error->is_string())
    return failed(error->get<std::string>());
  const auto init = json.find("init");
  if (init == json.end() || !init->is_string()) return failed("a malformed answer");
  ModelArguments arguments{init->get<std::string>(), std::nullopt};
  if (const auto names = json.find("parameters"); names != json.end() && names->is_array()) {
    arguments.parameters.emplace();
    for (const Json& name : *names)
      if (name.is_string()) arguments.parameters->push_back(name.get<std::string>());
  }
  return arguments;
}

}  // namespace

std::optional<PythonPlayer> find_python_player(Plan& plan, const Installation& installation) {
  std::optional<Result<PythonPlayer>> player;  // asked for once, and only where it is needed
  bool needed = false;
  for (PlannedRow& unit : plan.units) {
    if (!is_played_python(unit)) continue;
    if (const std::string& why = unit.submission->not_offered; !why.empty()) {
      skip(unit, why, "");
      continue;
    }
    if (!player) player = make_player(installation, plan.target.device == "cuda");
    if (*player) {
      needed = true;
    } else {
      skip(unit, "a Python submission needs a Python with torch: " + player->error().message,
           player->error().hint);
    }
  }
  return needed ? std::optional(std::move(**player)) : std::nullopt;
}

Result<PythonFiles> stage_python(const Submission& submission,
                                 const std::vector<SourceFile>& files) {
  auto made = Staging::make();
  if (!made) return made.error();
  PythonFiles staged;
  staged.staging = std::make_shared<Staging>(std::move(*made));
  for (const SourceFile& file : files)
    if (auto added = staged.staging->add(file.name, file.bytes); !added) return added.error();
  staged.folder = staged.staging->path() / "src";
  const fs::path& entry = submission.sources.front();
  staged.entry = submission.folder.empty() ? entry.filename().string()
                                           : entry.lexically_relative(submission.folder).string();
  return staged;
}

ArgumentsByTask ask_model_arguments(const Plan& plan, const PythonPlayer& player,
                                    const Installation& installation, Sandbox& sandbox) {
  std::set<std::size_t> tasks;
  for (const PlannedRow& unit : plan.units)
    if (is_played_python(unit)) tasks.insert(unit.task);
  const fs::path scripts = fs::absolute(installation.root / "suites");
  SandboxCommand command = python_command(player.python, scripts / "init_arguments.py");
  command.readable.push_back(scripts);
  command.max_resident_bytes = physical_memory_bytes() / 2;
  command.argv.push_back(plan.target.size);
  for (const std::size_t task : tasks) {
    const fs::path source = fs::absolute(plan.tasks[task].source);
    command.argv.push_back(source.string());
    command.readable.push_back(source);
  }
  const auto output = run_to_end(sandbox, command, kPatience, kMostAnswers);
  std::istringstream lines(output ? output->out : "");
  ArgumentsByTask arguments;
  for (const std::size_t task : tasks) {
    std::string line;
    std::getline(lines, line);
    arguments.emplace(task, output ? read_answer(line) : Result<ModelArguments>(output.error()));
  }
  return arguments;
}

}  // namespace kbench
