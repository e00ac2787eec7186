#include "runner/submission/extension_compiler.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/submission/compiling.hpp"
#include "runner/submission/staging.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxOutput = 64u << 10;
// Compilers at once: more than that share one submission's memory.
constexpr int kJobs = 2;

std::string make_recipe(const ExtensionTools& tools) {
  const Toolchain& toolchain = tools.toolchain;
  return sha256(Json{"kbench-extension/1", toolchain.host_compiler.string(), toolchain.host_version,
                     toolchain.nvcc_version, toolchain.cuda_architecture, processor_fingerprint(),
                     tools.python.python.string(), hash_of_torch(tools.python),
                     hash_of_file(tools.scripts / "compile_extension.py")}
                    .dump(-1, ' ', false, Json::error_handler_t::replace));
}

// The text as one word of a shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

Error submission_error(const std::string& submission, const std::string& what,
                       std::string hint = "") {
  return {ErrorCode::kSubmission, fmt::format("{} {}", submission, what), std::move(hint)};
}

// The call of compile_extension.py. Files that came as texts lie in `given`.
Json call_of(const ExtensionOwner& owner, const ExtensionRequest& request, const fs::path& given) {
  Json call = request.kind == ExtensionKind::kInline ? request.inline_options : Json::object();
  call["kind"] = request.kind == ExtensionKind::kInline ? "inline" : "files";
  call["name"] = request.name;
  call["folder"] = owner.folder.string();
  call["cuda"] = request.cuda;
  call["cflags"] = request.flags.host;
  call["cuda_cflags"] = request.flags.cuda;
  call["ldflags"] = request.flags.linker;
  Json includes = Json::array();
  for (const std::string& folder : request.includes)
    includes.push_back(fs::path(folder).is_absolute()
                           ? folder
                           : (owner.folder / folder).lexically_normal().string());
  call["includes"] = std::move(includes);
  if (request.kind != ExtensionKind::kFiles) return call;
  Json sources = Json::array();
  for (const std::string& file : request.files) sources.push_back((owner.folder / file).string());
  for (const SourceFile& text : request.texts) sources.push_back((given / text.name).string());
  call["sources"] = std::move(sources);
  return call;
}

// A ninja that limits its own memory and that of all that it starts. Torch's Python, which starts
// it, takes more addresses than any compiler, and has no such limit.
std::string limited_ninja(const fs::path& ninja, std::uint64_t memory_bytes) {
  return fmt::format("#!/bin/sh\nulimit -v {}\nexec {} \"$@\"\n", memory_bytes >> 10,
                     quoted(ninja.string()));
}

void limit(const CompileLimits& limits, SandboxCommand& command) {
  command.max_resident_bytes = limits.memory_bytes;
  command.max_file_bytes = kMaxCompilerFileBytes;
  command.max_cpu_seconds = static_cast<std::uint64_t>(limits.time.count());
  command.max_processes = 64;
}

SandboxCommand torch_command(const ExtensionTools& tools, const ExtensionOwner& owner, bool cuda,
                             const Staging& staging, const CompileLimits& limits) {
  const Toolchain& toolchain = tools.toolchain;
  SandboxCommand command =
      python_command(tools.python, tools.scripts / "compile_extension.py", staging.out());
  command.argv.push_back((staging.path() / "request.json").string());
  command.argv.push_back(staging.out().string());
  set_compiler_environment(toolchain, cuda, staging.out(), command);
  command.env["PATH"] = (staging.path() / "bin").string() + ":" + command.env["PATH"];
  command.env["CXX"] = toolchain.host_compiler.string();
  command.env["CC"] = toolchain.host_compiler.string();
  command.env["MAX_JOBS"] = std::to_string(kJobs);
  command.env["TORCH_DONT_CHECK_COMPILER_ABI"] = "1";
  command.env["TORCH_EXTENSIONS_DIR"] = staging.out().string();
  // The variable is set without CUDA too, so that the toolkit is not looked for elsewhere.
  command.env["CUDA_HOME"] = toolchain.nvcc.empty() ? "" : toolkit_folder(toolchain).string();
  command.env["TORCH_CUDA_ARCH_LIST"] = torch_architecture(toolchain.cuda_architecture);
  for (const fs::path& folder : compiler_folders(toolchain, cuda))
    command.readable.push_back(folder);
  if (!lies_within(toolchain.ninja, "/usr")) command.readable.push_back(toolchain.ninja);
  command.readable.push_back(tools.scripts);
  command.readable.push_back(staging.path());
  if (!owner.folder.empty()) command.readable.push_back(owner.folder);
  command.writable = {staging.out()};
  limit(limits, command);
  return command;
}

// The command that Triton would give to gcc (triton/runtime/build.py of its releases 3.4 to 3.6).
SandboxCommand c_command(const ExtensionTools& tools, const ExtensionRequest& request,
                         const Staging& staging, const CompileLimits& limits) {
  const Toolchain& toolchain = tools.toolchain;
  SandboxCommand command;
  command.argv = {toolchain.host_compiler.string(),
                  "-x",
                  "c",
                  "-O3",
                  "-shared",
                  "-fPIC",
                  "-Wno-psabi",
                  (staging.path() / "given" / request.texts.front().name).string(),
                  "-o",
                  (staging.out() / (request.name + ".so")).string(),
                  "-I",
                  tools.headers.string()};
  for (const fs::path& folder : tools.python.python_path) {
    const fs::path triton = folder / "triton/backends/nvidia/include";
    std::error_code error;
    if (fs::is_directory(triton, error))
      command.argv.insert(command.argv.end(), {"-I", triton.string()});
  }
  command.readable = compiler_folders(toolchain, /*cuda=*/false);
  for (const fs::path& folder : cuda_library_folders()) {
    command.argv.push_back("-L" + folder.string());
    command.readable.push_back(folder);
  }
  command.argv.emplace_back("-l:libcuda.so.1");
  command.readable.insert(command.readable.end(), tools.python.readable.begin(),
                          tools.python.readable.end());
  command.readable.push_back(staging.path());
  command.writable = {staging.out()};
  command.working_directory = staging.path();
  set_compiler_environment(toolchain, /*cuda=*/false, staging.out(), command);
  limit(limits, command);
  command.max_memory_bytes = limits.memory_bytes;
  return command;
}

Result<Staging> stage(const ExtensionOwner& owner, const ExtensionRequest& request,
                      const ExtensionTools& tools, const CompileLimits& limits) {
  auto staging = Staging::make();
  if (!staging) return staging.error();
  const fs::path given = staging->path() / "given";
  if (request.kind != ExtensionKind::kInline) {
    for (const SourceFile& text : request.texts)
      if (auto added = staging->add("given/" + text.name, text.bytes); !added) return added.error();
  }
  if (request.kind == ExtensionKind::kC) return staging;
  const std::string call =
      call_of(owner, request, given).dump(-1, ' ', false, Json::error_handler_t::replace);
  if (auto added = staging->add("request.json", call); !added) return added.error();
  const std::string ninja = limited_ninja(tools.toolchain.ninja, limits.memory_bytes);
  if (auto added = staging->add("bin/ninja", ninja); !added) return added.error();
  if (::chmod((staging->path() / "bin/ninja").c_str(), 0755) != 0)
    return Error{ErrorCode::kInfrastructure, "cannot prepare ninja for the sandbox", ""};
  return staging;
}

// How it ended, as if that were the submission's fault: see ExtensionCompiler::blame.
Status judge(const std::string& what, const ProgramOutput& output, std::chrono::seconds time) {
  if (output.timed_out || (!output.exit.exited && output.exit.signal == SIGXCPU)) {
    return submission_error(what, fmt::format("did not compile within {} s", time.count()),
                            "Look for templates, loops to unroll or tables that are too large for "
                            "the compiler.");
  }
  if (output.exit.exited && output.exit.code == 0) return Done{};
  const std::string how =
      output.exit.exited ? "does not compile"
                         : fmt::format("does not compile: the compiler was killed by signal {}",
                                       output.exit.signal);
  return submission_error(what, fmt::format("{}{}", how, first_errors(output.err + output.out)));
}

std::optional<CompiledExtension> look_up(const fs::path& folder, const std::string& key) {
  const auto json = read_strict_json(folder / (key + ".json"), {.max_bytes = 1u << 20});
  if (!json || !json->is_object()) return std::nullopt;
  const auto warnings = json->find("warnings");
  const auto seconds = json->find("seconds");
  const auto hash = json->find("sha256");
  for (const auto& field : {warnings, seconds, hash})
    if (field == json->end()) return std::nullopt;
  if (!warnings->is_string() || !seconds->is_number() || !hash->is_string()) return std::nullopt;
  auto library = read_foreign_file(folder / (key + ".so"), kMaxLibraryBytes);
  if (!library || sha256(*library) != hash->get<std::string>()) return std::nullopt;
  return CompiledExtension{std::move(*library), true, seconds->get<double>(),
                           warnings->get<std::string>()};
}

// The library last: where it is, the rest is.
Status keep(const CompiledExtension& compiled, const ExtensionOwner& owner, const fs::path& folder,
            const std::string& key) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  const Json json = {{"schema", "kbench-extension/1"},
                     {"submission", owner.submission},
                     {"seconds", compiled.seconds},
                     {"warnings", compiled.warnings},
                     {"sha256", sha256(compiled.library)}};
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (auto kept = write_atomically(folder / (key + ".json"), text, 0644); !kept) return kept;
  return write_atomically(folder / (key + ".so"), compiled.library, 0755);
}

// A few lines of ours, in the place of what does not compile. Without torch's own headers, which
// take half a minute, and pybind11's, which take five seconds: that these lie where Python's
// packages do is enough.
ExtensionRequest own_lines(bool cuda) {
  ExtensionRequest own;
  own.name = "kbench_own_lines";
  own.cuda = cuda;
  const char* cpp =
      "#include <Python.h>\n"
      "#include <c10/core/DeviceType.h>\n"
      "#if !__has_include(<pybind11/pybind11.h>)\n#error there is no pybind11\n#endif\n"
      "static PyModuleDef own = {PyModuleDef_HEAD_INIT, \"kbench_own_lines\", nullptr, -1,\n"
      "                          nullptr, nullptr, nullptr, nullptr, nullptr};\n"
      "PyMODINIT_FUNC PyInit_kbench_own_lines() { return PyModule_Create(&own); }\n";
  own.inline_options = {{"cpp", Json::array({cpp})},
                        {"cuda_texts", Json::array()},
                        {"functions", nullptr},
                        {"error_handling", true},
                        {"implicit_headers", false}};
  if (cuda)
    own.inline_options["cuda_texts"] =
        Json::array({"#include <cuda_runtime.h>\n__global__ void kbench_nothing() {}\n"});
  return own;
}

}  // namespace

struct ExtensionCompiler::Trials {
  std::mutex mutex;
  std::map<bool, std::chrono::steady_clock::time_point> good;
};

ExtensionCompiler::ExtensionCompiler(Sandbox& sandbox, ExtensionTools tools, fs::path cache,
                                     CompileLimits limits)
    : sandbox_(sandbox),
      tools_(std::move(tools)),
      cache_(std::move(cache)),
      limits_(limits),
      recipe_(make_recipe(tools_)),
      trials_(std::make_shared<Trials>()) {}

fs::path ExtensionCompiler::folder_of(const std::string& agent) const { return cache_ / agent; }

std::string ExtensionCompiler::key_of(const ExtensionOwner& owner,
                                      const ExtensionRequest& request) const {
  Json texts = Json::array();
  for (const SourceFile& text : request.texts) texts.push_back({text.name, sha256(text.bytes)});
  // The headers that it includes of the submission's folder are not known, so all files there
  // count.
  const bool reads_folder = !request.files.empty() || !request.includes.empty();
  const Json key = {recipe_,
                    static_cast<int>(request.kind),
                    request.name,
                    request.cuda,
                    request.flags.host,
                    request.flags.cuda,
                    request.flags.linker,
                    request.includes,
                    request.files,
                    reads_folder ? owner.tree : "",
                    std::move(texts),
                    request.inline_options};
  return sha256(key.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Status ExtensionCompiler::check_includes(const ExtensionOwner& owner,
                                         const ExtensionRequest& request) const {
  std::vector<fs::path> allowed = tools_.python.readable;
  allowed.insert(allowed.end(), tools_.python.python_path.begin(), tools_.python.python_path.end());
  if (!tools_.toolchain.nvcc.empty()) {
    allowed.push_back(toolkit_folder(tools_.toolchain));
    allowed.emplace_back("/usr/local/cuda");
  }
  allowed.emplace_back("/usr/include");
  for (const std::string& folder : request.includes) {
    const fs::path path = folder;
    const bool fine = !path.is_absolute() ||
                      std::any_of(allowed.begin(), allowed.end(),
                                  [&](const fs::path& one) { return lies_within(path, one); });
    if (!fine) {
      return submission_error(
          owner.submission,
          fmt::format("includes from {}, which is not there", clean_name(folder, 120)),
          "Headers come from its own folder, from torch's packages and from the CUDA toolkit.");
    }
  }
  return Done{};
}

Status ExtensionCompiler::check(const ExtensionOwner& owner,
                                const ExtensionRequest& request) const {
  if (request.cuda && tools_.toolchain.cuda_architecture.empty())
    return Error{
        ErrorCode::kNotFound,
        fmt::format("its extension {} is written in CUDA, and this run is on a CPU", request.name),
        "use --device cuda"};
  if (request.cuda && tools_.toolchain.nvcc.empty())
    return Error{
        ErrorCode::kNotFound,
        fmt::format("its extension {} is written in CUDA, and there is no nvcc", request.name),
        "Install the CUDA toolkit, or set CUDACXX to nvcc."};
  return check_includes(owner, request);
}

Result<CompiledExtension> ExtensionCompiler::compile(const ExtensionOwner& owner,
                                                     const ExtensionRequest& request) const {
  const std::string key = key_of(owner, request);
  const fs::path folder = folder_of(owner.agent);
  if (auto cached = look_up(folder, key)) return std::move(*cached);

  const auto begin = std::chrono::steady_clock::now();
  CompiledExtension compiled;
  auto library = build(owner, request, compiled.warnings);
  if (!library) {
    return library.error().code == ErrorCode::kSubmission ? blame(request, library.error())
                                                          : library.error();
  }
  compiled.library = std::move(*library);
  compiled.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (auto kept = keep(compiled, owner, folder, key); !kept) return kept.error();
  sweep_cache(folder, limits_.kept);
  return compiled;
}

// The bytes of the library, once the compilers are content.
Result<std::string> ExtensionCompiler::build(const ExtensionOwner& owner,
                                             const ExtensionRequest& request,
                                             std::string& warnings) const {
  const auto staging = stage(owner, request, tools_, limits_);
  if (!staging) return staging.error();
  const SandboxCommand command =
      request.kind == ExtensionKind::kC
          ? c_command(tools_, request, *staging, limits_)
          : torch_command(tools_, owner, request.cuda, *staging, limits_);
  const auto output = run_to_end(sandbox_, command, limits_.time, kMaxOutput);
  const std::string what = fmt::format("{}: its extension {}", owner.submission, request.name);
  if (!output) {
    return submission_error(
        what, fmt::format("ended the compiler's sandbox: {}", output.error().message));
  }
  if (auto fine = judge(what, *output, limits_.time); !fine) {
    const auto room = check_room(staging->path());
    return room ? fine.error() : room.error();
  }
  warnings = clean_text(output->err, kMaxOutput);
  return read_library(staging->out() / (request.name + ".so"), what);
}

// `theirs` is how it ends where the machine has all that is needed.
Error ExtensionCompiler::blame(const ExtensionRequest& request, Error theirs) const {
  constexpr auto kGoodFor = std::chrono::minutes{5};
  const std::scoped_lock lock(trials_->mutex);
  const auto seen = trials_->good.find(request.cuda);
  const auto now = std::chrono::steady_clock::now();
  if (seen != trials_->good.end() && now - seen->second < kGoodFor) return theirs;
  std::string warnings;
  const auto ours =
      build({.agent = "", .submission = "a program of kbench's own", .folder = {}, .tree = ""},
            own_lines(request.cuda), warnings);
  if (ours) {
    trials_->good[request.cuda] = std::chrono::steady_clock::now();
    return theirs;
  }
  return {
      ErrorCode::kInfrastructure,
      fmt::format("no extension of torch's can be compiled here: {}", ours.error().message),
      "Check that the compiler, ninja and the headers of Python and torch are installed for every "
      "user; `kbench doctor` says what this machine lacks."};
}

}  // namespace kbench
