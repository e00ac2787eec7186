#include "runner/run/python_submissions.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "runner/installation/python_facts.hpp"
#include "runner/measure/players/player_environment.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

void skip(PlannedRow& unit, const std::string& why, const std::string& hint) {
  unit.ends_as = State::kSkipped;
  unit.message = why;
  unit.hint = hint;
}

// The folder with Python.h; empty where it is not installed.
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

}  // namespace

bool is_played_python(const PlannedRow& unit) { return unit.is_python() && !unit.ends_as; }

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

Result<PythonFiles> stage_python(const std::vector<SourceFile>& files) {
  auto made = Staging::make();
  if (!made) return made.error();
  PythonFiles staged;
  staged.staging = std::make_shared<Staging>(std::move(*made));
  for (const SourceFile& file : files)
    if (auto added = staged.staging->add(file.name, file.bytes); !added) return added.error();
  staged.folder = staged.staging->path() / "src";
  return staged;
}

Result<PythonFiles> stage_python(const Submission& submission,
                                 const std::vector<SourceFile>& files) {
  auto made = stage_python(files);
  if (!made) return made;
  PythonFiles& staged = *made;
  const fs::path& entry = submission.sources.front();
  const std::string alone =
      submission.staged_name.empty() ? entry.filename().string() : submission.staged_name;
  staged.entry =
      submission.folder.empty() ? alone : entry.lexically_relative(submission.folder).string();
  return made;
}

}  // namespace kbench
