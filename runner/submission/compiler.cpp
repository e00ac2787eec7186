#include "runner/submission/compiler.hpp"

#include <signal.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/defence.hpp"
#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/submission/compiling.hpp"
#include "runner/submission/flags.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

constexpr std::size_t kMaxOutput = 64u << 10;
constexpr const char* kLibraryName = "submission.so";

// Arguments of the host compiler, which runs in src/ of the staging folder; later flags win, so the
// manifest's come last.
Arguments host_arguments(const Toolchain& toolchain, const Submission& submission) {
  Arguments arguments = {toolchain.host_compiler.string(),
                         "-std=c++20",
                         "-O3",
                         "-march=native",
                         "-fopenmp",
                         "-fPIC",
                         "-shared",
                         "-fvisibility=default",
                         "-fdiagnostics-color=never",
                         "-I../abi",
                         "-I../task",
                         "-I../include"};
  // Thousands of errors can take a compiler minutes, and no author reads more than the first.
  const bool clang = toolchain.host_version.find("clang") != std::string::npos;
  arguments.emplace_back(clang ? "-ferror-limit=20" : "-fmax-errors=20");
  arguments.insert(arguments.end(), submission.flags.begin(), submission.flags.end());
  for (std::string& source : source_arguments(submission)) arguments.push_back(std::move(source));
  arguments.insert(arguments.end(), {"-o", fmt::format("../out/{}", kLibraryName)});
  return arguments;
}

Arguments cuda_arguments(const Toolchain& toolchain, const Submission& submission) {
  Arguments arguments = {toolchain.nvcc.string(),
                         "-std=c++17",
                         "-O3",
                         cuda_target_flag(toolchain.cuda_architecture),
                         "-ccbin",
                         toolchain.host_compiler.string(),
                         "-Xcompiler=-fPIC,-fvisibility=default",
                         "-shared",
                         "-cudart=static",
                         "-I../abi",
                         "-I../task",
                         "-I../include"};
  arguments.insert(arguments.end(), submission.flags.begin(), submission.flags.end());
  for (std::string& source : source_arguments(submission)) arguments.push_back(std::move(source));
  for (std::string& argument : toolkit_arguments(toolchain, submission))
    arguments.push_back(std::move(argument));
  for (const std::string& library : submission.libraries) {
    for (std::string& argument : linker_arguments(library)) {
      arguments.push_back(std::move(argument));
    }
  }
  arguments.insert(arguments.end(), {"-o", fmt::format("../out/{}", kLibraryName)});
  return arguments;
}

Arguments all_arguments(const Toolchain& toolchain, const Submission& submission,
                        CompilerTells tells) {
  if (submission.device != "cuda") return host_arguments(toolchain, submission);
  Arguments arguments = cuda_arguments(toolchain, submission);
  if (tells == CompilerTells::kResources) arguments.emplace_back("-Xptxas=-v");
  return arguments;
}

// From C++17 on libstdc++'s <cmath> brings the special mathematical functions (riemann_zeta and its
// kin) along, and nvcc reads every header three times: 0.65 s without them instead of 0.9 s, on an
// H200's host 0.75 s instead of 1.2 s. So they are left out at first. A submission that needs them,
// or what they include in passing, does not compile then, and is compiled again with them.
Arguments without_special_functions(Arguments arguments) {
  arguments.emplace_back("-D_GLIBCXX_BITS_SPECFUN_H");
  return arguments;
}

SandboxCommand sandbox_command(const Toolchain& toolchain, const Submission& submission,
                               Arguments arguments, const Staging& staging,
                               const CompileLimits& limits) {
  const bool cuda = submission.device == "cuda";
  SandboxCommand command;
  command.argv = std::move(arguments);
  command.readable = compiler_folders(toolchain, cuda);
  command.readable.push_back(staging.path());
  command.writable = {staging.out()};
  command.working_directory = staging.path() / "src";
  set_compiler_environment(toolchain, cuda, staging.out(), command);
  command.max_memory_bytes = limits.memory_bytes;
  command.max_resident_bytes = limits.memory_bytes;
  command.max_file_bytes = kMaxCompilerFileBytes;
  command.max_cpu_seconds = static_cast<std::uint64_t>(limits.time.count());
  command.max_processes = 64;
  return command;
}

Error submission_error(const Submission& submission, const std::string& what,
                       std::string hint = "") {
  return {ErrorCode::kSubmission, fmt::format("{} {}", submission.id.name, what), std::move(hint)};
}

bool does_not_compile(const ProgramOutput& output) {
  return output.exit.exited && output.exit.code != 0;
}

// A file that was copied without its headers.
std::string hint_for(const std::string& said) {
  if (said.find("No such file or directory") == said.npos) return "";
  return "headers of an agent's own lie in DIR/AGENT/include, beside DIR/AGENT/levelN with its "
         "files: "
         "kbench run --submissions DIR";
}

// How the compiler ended, as if that were the submission's fault: see Compiler::blame.
Status judge(const Submission& submission, const ProgramOutput& output,
             std::chrono::seconds time_limit) {
  if (output.timed_out || (!output.exit.exited && output.exit.signal == SIGXCPU)) {
    return submission_error(
        submission, fmt::format("did not compile within {} s", time_limit.count()),
        "Look for templates, loops to unroll or tables that are too large for the compiler.");
  }
  if (output.exit.exited && output.exit.code == 0) return Done{};
  const std::string how =
      output.exit.exited ? "does not compile"
                         : fmt::format("does not compile: the compiler was killed by signal {}",
                                       output.exit.signal);
  const std::string said = output.err + output.out;
  return submission_error(submission, fmt::format("{}{}", how, first_errors(said)), hint_for(said));
}

// The lines of ours that are compiled where a submission does not. They include what it may count
// on to be there.
std::string own_lines(const Submission& submission) {
  std::string text = "#include <cmath>\n#include <vector>\n#include \"task.h\"\n";
  if (submission.device == "cuda")
    text += "#include <cuda_runtime.h>\n__global__ void nothing() {}\n";
  for (const std::string& library : submission.libraries)
    text += library == "cublas" ? "#include <cublas_v2.h>\n"
                                : fmt::format("#include <{}.h>\n", library);
  return text + "extern \"C\" int answer() { return static_cast<int>(std::sqrt(1764.0)); }\n";
}

std::optional<CompiledSubmission> look_up(const fs::path& cache, const std::string& key) {
  const fs::path library = cache / (key + ".so");
  std::error_code error;
  if (!fs::is_regular_file(library, error)) return std::nullopt;
  const auto json = read_strict_json(cache / (key + ".json"), {.max_bytes = 1u << 20});
  if (!json || !json->is_object()) return std::nullopt;
  const auto warnings = json->find("warnings");
  const auto seconds = json->find("seconds");
  if (warnings == json->end() || !warnings->is_string()) return std::nullopt;
  if (seconds == json->end() || !seconds->is_number()) return std::nullopt;
  return CompiledSubmission{library, key, true, seconds->get<double>(),
                            warnings->get<std::string>()};
}

// The files of a key: the library last, since where it is, the rest is.
std::vector<std::string> files_of(const std::string& key) { return {key + ".json", key + ".so"}; }

// The processor, as far as the library depends on it. nvcc compiles its host code for any processor
// of that kind, unless a flag says otherwise.
std::string processor_of(const Arguments& arguments) {
  const bool is_native = std::any_of(arguments.begin(), arguments.end(),
                                     [](const auto& word) { return word.ends_with("=native"); });
  if (is_native) return processor_fingerprint();
  utsname machine{};
  return ::uname(&machine) == 0 ? machine.machine : "";
}

// The library last: where it is, the rest is.
Status keep(const CompiledSubmission& compiled, const std::string& submission,
            std::string_view library) {
  const Json json = {{"schema", "kbench-compiled/1"},
                     {"submission", submission},
                     {"seconds", compiled.seconds},
                     {"warnings", compiled.warnings}};
  fs::path description = compiled.library;
  description.replace_extension(".json");
  if (auto kept = write_atomically(description, json.dump(1) + "\n", 0644); !kept) return kept;
  return write_atomically(compiled.library, library, 0755);
}

}  // namespace

Compiler::Compiler(Sandbox& sandbox, Toolchain toolchain, fs::path cache_directory,
                   fs::path abi_directory, CompileLimits limits)
    : sandbox_(sandbox),
      toolchain_(std::move(toolchain)),
      cache_directory_(std::move(cache_directory)),
      abi_directory_(std::move(abi_directory)),
      limits_(limits) {}

// Agents choose their names, so these do not name folders.
fs::path Compiler::folder_of(const std::string& agent) const {
  return cache_directory_ / sha256(agent).substr(0, 16);
}

Result<CompiledSubmission> Compiler::compile(const Submission& submission,
                                             const std::vector<SourceFile>& files,
                                             const std::string& task_header) const {
  const auto key = key_of(submission, files, task_header);
  if (!key) return key.error();
  auto compiled = [&]() -> Result<CompiledSubmission> {
    if (auto cached = find(submission.id.agent, *key)) return std::move(*cached);
    auto staging = stage(files, task_header);
    if (!staging) return staging.error();
    return compile_staged(submission, task_header, *staging, *key);
  }();
  if (compiled && shared_.give) shared_.give(*key, compiled->library.parent_path(), files_of(*key));
  return compiled;
}

Result<std::string> Compiler::key_of(const Submission& submission,
                                     const std::vector<SourceFile>& files,
                                     const std::string& task_header) const {
  if (auto ready = check_toolchain(submission.device == "cuda"); !ready) return ready.error();
  const auto abi = read_bounded_file(abi_directory_ / "kbench.h", kMaxSourceFileBytes);
  if (!abi) return Error{ErrorCode::kInfrastructure, abi.error().message, abi.error().hint};
  const Arguments arguments = all_arguments(toolchain_, submission, tells_);
  return sha256(Json{"kbench-compile/2", arguments, toolchain_.host_version,
                     toolchain_.nvcc_version, processor_of(arguments),
                     hash_sources(submission, files), sha256(task_header), sha256(*abi)}
                    .dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::optional<CompiledSubmission> Compiler::find(const std::string& agent,
                                                 const std::string& key) const {
  const fs::path folder = folder_of(agent);
  auto found = look_up(folder, key);
  if (found || !shared_.take) return found;
  std::error_code told_by_the_compiler;
  fs::create_directories(folder, told_by_the_compiler);
  shared_.take(key, folder, files_of(key));
  found = look_up(folder, key);
  if (found) sweep_cache(folder, limits_.kept);
  return found;
}

Result<Staging> Compiler::stage(const std::vector<SourceFile>& sources,
                                const std::string& task_header) const {
  const auto abi = read_bounded_file(abi_directory_ / "kbench.h", kMaxSourceFileBytes);
  if (!abi) return Error{ErrorCode::kInfrastructure, abi.error().message, abi.error().hint};
  auto staging = Staging::make();
  if (!staging) return staging.error();
  std::vector<SourceFile> staged = sources;
  staged.push_back({"abi/kbench.h", *abi});
  staged.push_back({"task/task.h", task_header});
  for (const SourceFile& file : staged) {
    if (auto added = staging->add(file.name, file.bytes); !added) return added.error();
  }
  return staging;
}

Status Compiler::check_toolchain(bool cuda) const {
  if (toolchain_.host_compiler.empty()) {
    return Error{ErrorCode::kInfrastructure, "there is no C++ compiler",
                 "Install g++, or set CXX to a compiler."};
  }
  if (!cuda) return Done{};
  if (toolchain_.nvcc.empty()) {
    return Error{ErrorCode::kInfrastructure, "there is no CUDA compiler",
                 "Install the CUDA toolkit, or set CUDACXX to nvcc."};
  }
  if (toolchain_.cuda_architecture.empty()) {
    return Error{ErrorCode::kInfrastructure, "there is no GPU to compile for",
                 "Run this submission where there is one."};
  }
  return Done{};
}

// The bytes of the library, once the compiler is content.
Result<std::string> Compiler::build(const Submission& submission, const Staging& staging,
                                    std::string& warnings) const {
  const auto run = [&](const Arguments& with) {
    const auto command = sandbox_command(toolchain_, submission, with, staging, limits_);
    return run_to_end(sandbox_, command, limits_.time, kMaxOutput);
  };
  const bool cuda = submission.device == "cuda";
  const Arguments arguments = all_arguments(toolchain_, submission, tells_);
  auto output = run(cuda ? without_special_functions(arguments) : arguments);
  if (cuda && output && does_not_compile(*output)) output = run(arguments);
  if (!output) {
    return submission_error(
        submission, fmt::format("ended the compiler's sandbox: {}", output.error().message));
  }
  if (auto fine = judge(submission, *output, limits_.time); !fine) return fine.error();
  warnings = clean_text(output->err, kMaxOutput);
  return read_library(staging.out() / kLibraryName, submission.id.name);
}

Status Compiler::try_own_lines(const Submission& submission, const std::string& task_header) const {
  constexpr auto kGoodFor = std::chrono::minutes{1};
  const std::string key = Json{submission.device, submission.libraries, sha256(task_header)}.dump();
  const std::scoped_lock lock(trials_->mutex);
  const auto seen = trials_->good.find(key);
  const auto now = std::chrono::steady_clock::now();
  if (seen != trials_->good.end() && now - seen->second < kGoodFor) return Done{};

  Submission own;
  own.id.name = "a program of kbench's own";
  own.device = submission.device;
  own.libraries = submission.libraries;
  own.sources = {own.device == "cuda" ? "own.cu" : "own.cpp"};
  const std::string name = "src/" + own.sources.front().string();
  const auto staging = stage({{name, own_lines(own)}}, task_header);
  if (!staging) return staging.error();
  std::string warnings;
  if (auto built = build(own, *staging, warnings); !built) return built.error();
  trials_->good[key] = std::chrono::steady_clock::now();
  return Done{};
}

// `theirs` is how it ends where the machine has all that is needed.
Error Compiler::blame(const Submission& submission, const std::string& task_header,
                      const Staging& staging, Error theirs) const {
  if (auto room = check_room(staging.path()); !room) return room.error();
  const auto ours = try_own_lines(submission, task_header);
  if (ours) return theirs;
  const std::string with = submission.libraries.empty()
                               ? ""
                               : fmt::format(" with {}", fmt::join(submission.libraries, " and "));
  return {ErrorCode::kInfrastructure,
          fmt::format("nothing can be compiled here{}: {}", with, ours.error().message),
          "Check that the compiler, its headers and the libraries are installed for every user; "
          "`kbench doctor` says what this machine lacks."};
}

Result<CompiledSubmission> Compiler::compile_staged(const Submission& submission,
                                                    const std::string& task_header,
                                                    const Staging& staging,
                                                    const std::string& key) const {
  const auto begin = std::chrono::steady_clock::now();
  CompiledSubmission compiled;
  const auto library = build(submission, staging, compiled.warnings);
  if (!library) return blame(submission, task_header, staging, library.error());
  const fs::path folder = folder_of(submission.id.agent);
  compiled.library = folder / (key + ".so");
  compiled.key = key;
  compiled.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::error_code error;
  fs::create_directories(folder, error);
  if (auto kept = keep(compiled, submission.id.name, *library); !kept) return kept.error();
  sweep_cache(folder, limits_.kept);
  return compiled;
}

}  // namespace kbench
