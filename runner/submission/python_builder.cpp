#include "runner/submission/python_builder.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/os/foreign_tree.hpp"
#include "runner/os/pipe.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/submission/triton_cache.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int kControlDescriptor = 3;
constexpr int kCacheDescriptor = 4;  // descriptor of Triton's cache
constexpr milliseconds kEndPatience{5'000};
constexpr milliseconds kWordPatience{1'000};  // patience for the rest of a word
constexpr timeval kListenPatience{10, 0};     // patience until it has read an answer
constexpr milliseconds kFilesEvery{1'000};    // how often they are counted
constexpr std::size_t kMostWords = 2000;
constexpr const char* kFiles = "src";
// The same words as in runner/player/kbench_extensions.py.
constexpr const char* kNoTorchCompile = "torch.compile is not offered on a CPU";
constexpr const char* kDied = "the process of its build step died";
constexpr const char* kBuilt = ".built";  // no name of a submission's begins with a dot

Error infrastructure(const std::string& what, std::string hint = "") {
  return {ErrorCode::kInfrastructure, what, std::move(hint)};
}

// The process is not trusted: a message may have any shape.
std::string text_in(const Json& body, const char* field) {
  if (!body.is_object()) return "";
  const auto found = body.find(field);
  return found != body.end() && found->is_string() ? found->get<std::string>() : "";
}

// Checks the folder's mount: libraries are mapped from there, and ninja is started.
Status check_mount(const fs::path& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0 || (info.f_flag & ST_NOEXEC) == 0) return Done{};
  return infrastructure(
      fmt::format("nothing can be executed in {}, where submissions are compiled",
                  folder.parent_path().string()),
      "It is mounted with noexec: set TMPDIR to a folder on another file system.");
}

// A file in memory that can be filled and not grown.
Result<UniqueFd> make_bounded_file(std::size_t bytes) {
  UniqueFd file(::memfd_create("kbench-built", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const bool made =
      file.valid() && ::ftruncate(file.get(), static_cast<off_t>(bytes)) == 0 &&
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0;
  if (made) return file;
  return infrastructure(std::string("cannot make a file in memory: ") + std::strerror(errno));
}

// The written part of the file, whose last byte is no zero.
std::string written_in(int file) {
  std::string text(kMostTritonBytes, '\0');
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t got = ::pread(file, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    at += static_cast<std::size_t>(got);
  }
  text.resize(text.find_last_not_of('\0') + 1);
  text.shrink_to_fit();
  return text;
}

std::string last_words(int pipe) {
  std::string text(std::size_t{1} << 16, '\0');
  const ssize_t got = ::read(pipe, text.data(), text.size());
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (text.size() > kMostWords) text.erase(0, text.size() - kMostWords);
  return clean_text(text, kMostWords);
}

}  // namespace

// Requests and results of a step: all that is needed not to run it again.
struct PythonBuilder::Record {
  struct Request {
    std::string name;
    std::string text;
  };
  std::vector<Request> requests;
  std::string note;
  bool failure = false;  // the process's word: it ended because something does not compile
  std::string refused;   // its word, too: the first that kbench's own functions refused there
  std::string triton;    // read_triton_cache
  double seconds = 0;    // time of the process, without compilers

  static std::optional<Record> read(const fs::path& file) {
    const auto json =
        read_strict_json(file, {.max_bytes = 4 * kMostExtensions * kMostRequestBytes});
    if (!json || !json->is_object()) return std::nullopt;
    const auto requests = json->find("requests");
    const auto seconds = json->find("seconds");
    if (requests == json->end() || !requests->is_array()) return std::nullopt;
    if (seconds == json->end() || !seconds->is_number()) return std::nullopt;
    Record record;
    record.seconds = seconds->get<double>();
    for (const Json& one : *requests)
      record.requests.push_back({text_in(one, "name"), text_in(one, "text")});
    const std::string hash = text_in(*json, "triton");
    if (hash.empty()) return record;
    auto cache = read_foreign_file(cache_beside(file), kMostTritonBytes);
    if (!cache || kbench::sha256(*cache) != hash) return std::nullopt;
    record.triton = std::move(*cache);
    return record;
  }

  // Writes the record of a step that ended well only: one that raised may not do so again.
  [[nodiscard]] Status write(const fs::path& file) const {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    if (!triton.empty())
      if (auto kept = write_atomically(cache_beside(file), triton, 0644); !kept) return kept;
    Json asked = Json::array();
    for (const Request& one : requests) asked.push_back({{"name", one.name}, {"text", one.text}});
    const Json json = {{"schema", "kbench-build-step/3"},
                       {"requests", std::move(asked)},
                       {"seconds", seconds},
                       {"triton", triton.empty() ? "" : kbench::sha256(triton)}};
    const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    return write_atomically(file, text, 0644);
  }

 private:
  static fs::path cache_beside(fs::path file) { return file.replace_extension(".triton"); }
};

// A step's place among those that are within a call, and its turn with the device.
class PythonBuilder::Turn {
 public:
  explicit Turn(DeviceTurns& turns) : turns_(turns), device_(turns.device, std::defer_lock) {}
  ~Turn() {
    give_up();
    if (within_a_call_) turns_.calls.release();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Waits for it.
  void take() {
    if (!within_a_call_) turns_.calls.acquire();
    within_a_call_ = true;
    if (!device_.owns_lock()) device_.lock();
  }
  void give_up() {
    if (device_.owns_lock()) device_.unlock();
  }

 private:
  DeviceTurns& turns_;
  std::unique_lock<std::mutex> device_;
  bool within_a_call_ = false;
};

// The process that runs the submission.
struct PythonBuilder::Process {
  Staging scratch;  // folder that it may write to
  UniqueFd cache;   // Triton's cache
  UniqueFd output;  // a sink: it is never read, and can be written to
  Channel channel;
  std::unique_ptr<SandboxedProcess> sandboxed;
};

// The build of one submission, staged for its sessions.
class PythonBuilder::Step {
 public:
  Step(const PythonBuildRequest& request, const ExtensionCompiler& compiler)
      : request_(request), compiler_(compiler) {
    owner_ = {.agent = request.submission.id.agent,
              .submission = request.submission.id.name,
              .folder = request.staging.path() / kFiles,
              .tree = request.submission.id.source_hash};
    built_.compilers = request.submission.needs.compiler;
  }

  // Compiles the requested extension, unless it was compiled before. A failure to compile is no
  // error: the submission's file may go on without it.
  Result<BuiltExtension> take(const std::string& name, const std::string& text) {
    BuiltExtension made{.key = extension_key(text), .name = name, .path = "", .failure = ""};
    for (const BuiltExtension& known : built_.extensions)
      if (known.key == made.key && known.name == name) return known;
    if (built_.extensions.size() == kMostExtensions) {
      return Error{
          ErrorCode::kSubmission,
          fmt::format("{} asks for more than {} extensions", owner_.submission, kMostExtensions),
          "Put several functions into one."};
    }
    const auto wanted = read_extension_request(name, text);
    if (!wanted) {
      Error error = wanted.error();
      error.message = owner_.submission + ": " + error.message;
      return error;
    }
    if (auto offered = compiler_.check(owner_, *wanted); !offered) return offered.error();
    auto compiled = compiler_.compile(owner_, *wanted);
    built_.from_cache &= compiled && compiled->from_cache;
    if (!compiled) {
      // The file cannot do without lines of Triton's, as it can without an extension.
      if (compiled.error().code != ErrorCode::kSubmission || wanted->kind == ExtensionKind::kC)
        return compiled.error();
      if (!failure_) failure_ = compiled.error();
      made.failure = compiled.error().message;
      built_.extensions.push_back(made);
      return made;
    }
    // The file is named by its place, since several may have the same sources.
    auto path =
        stage(fmt::format("{}-{}.so", built_.extensions.size(), made.key), compiled->library);
    if (!path) return path.error();
    made.path = *path;
    built_.seconds += compiled->seconds;
    built_.warnings += compiled->warnings;
    built_.vendor_library |= wanted->flags.vendor_library;
    built_.extensions.push_back(made);
    by_hash_[built_.libraries.back().sha256] = std::move(compiled->library);
    if (wanted->kind != ExtensionKind::kC)
      for (const SourceFile& one : wanted->texts) built_.texts.push_back(one);
    return made;
  }

  void name_module(const std::string& module, const std::string& library) {
    built_.modules[module] = library;
  }
  [[nodiscard]] const PythonBuild& built() const { return built_; }
  // The first of what does not compile.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

  // Finishes the build with what the process left.
  Result<PythonBuild> finish(const Record& record) {
    built_.note = record.note;
    built_.seconds += record.seconds;
    for (const TritonFile& file : read_triton_cache(record.triton)) {
      const std::string name = "triton/" + file.name;
      built_.torch_compiled |= is_of_torch_compile(file.name);
      // The folder is set even if there is only a library: torch.compile starts Triton's driver
      // before it knows whether a kernel is needed.
      built_.triton = fmt::format("{}/triton", kBuilt);
      if (file.library.empty()) {
        const std::string staged = fmt::format("{}/{}/{}", kFiles, kBuilt, name);
        if (auto added = request_.staging.add(staged, file.bytes); !added) return added.error();
        continue;
      }
      const auto library = by_hash_.find(file.library);
      if (library == by_hash_.end()) continue;  // no compiler of ours made it
      if (auto staged = stage(name, library->second); !staged) return staged.error();
    }
    return std::move(built_);
  }

 private:
  Result<std::string> stage(const std::string& name, const std::string& library) {
    std::string below = fmt::format("{}/{}", kBuilt, name);
    const std::string staged = fmt::format("{}/{}", kFiles, below);
    if (auto added = request_.staging.add(staged, library); !added) return added.error();
    built_.libraries.push_back({request_.staging.path() / staged, sha256(library)});
    return below;
  }

  const PythonBuildRequest& request_;
  const ExtensionCompiler& compiler_;
  ExtensionOwner owner_;
  PythonBuild built_;
  std::optional<Error> failure_;
  std::map<std::string, std::string> by_hash_;  // libraries' bytes
};

PythonBuilder::PythonBuilder(Sandbox& sandbox, ExtensionCompiler compiler, std::string device,
                             std::map<std::string, std::string> environment,
                             PythonBuildLimits limits)
    : sandbox_(sandbox),
      compiler_(std::move(compiler)),
      device_(std::move(device)),
      environment_(std::move(environment)),
      limits_(limits) {}

std::string PythonBuilder::key_of(const PythonBuildRequest& request) const {
  Json scripts = Json::array();
  for (const char* name :
       {"build_extensions.py", "kbench_extensions.py", "kbench_triton.py", "player.py"})
    scripts.push_back(sha256(read_file(compiler_.tools().scripts / name).value_or("")));
  const Json key = {"kbench-build-step/2",
                    compiler_.recipe(),
                    std::move(scripts),
                    request.submission.id.source_hash,
                    request.entry,
                    request.init,
                    request.mode,
                    request.inputs,
                    device_};
  return sha256(key.dump(-1, ' ', false, Json::error_handler_t::replace));
}

SandboxCommand PythonBuilder::command(const PythonBuildRequest& request) const {
  const ExtensionTools& tools = compiler_.tools();
  const bool triton = request.submission.needs.triton_on(device_);
  SandboxCommand command = python_command(tools.python, tools.scripts / "build_extensions.py");
  command.env.insert_or_assign("OPENBLAS_NUM_THREADS", std::string("1"));
  // A file behaves differently if torch sees no GPU, so the step sees one as sessions do. No
  // context is made: that takes memory and would not live through a fork.
  command.needs_cuda = device_ == "cuda";
  for (const auto& [name, value] : environment_) command.env[name] = value;
  if (command.needs_cuda) command.env["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1";
  if (triton)
    for (const auto& [name, value] : triton_environment()) command.env[name] = value;
  command.readable.push_back(tools.scripts);
  command.readable.push_back(request.staging.path());
  if (const auto packages = unpacked_packages()) command.readable.push_back(*packages);
  command.max_resident_bytes = physical_memory_bytes() / 2;
  command.working_directory = "/";
  return command;
}

Status PythonBuilder::compile_cuda_agent(const PythonBuildRequest& request, Step& step) const {
  if (!request.submission.cuda_agent) return Done{};
  const auto made = step.take(kCudaAgentModule, cuda_agent_request(request.files));
  if (!made) return made.error();
  if (step.failure()) return *step.failure();
  step.name_module(kCudaAgentModule, made->path);
  return Done{};
}

// Starts the process, until torch is imported: nothing foreign has run.
Result<PythonBuilder::Process> PythonBuilder::start(const PythonBuildRequest& request) const {
  const bool triton = request.submission.needs.triton_on(device_);
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  auto output = make_pipe();
  if (!output) return output.error();
  never_block(output->read.get());
  never_block(output->write.get());
  auto cache = make_bounded_file(triton ? kMostTritonBytes : 1);
  if (!cache) return cache.error();
  ::setsockopt(ends->first.get(), SOL_SOCKET, SO_SNDTIMEO, &kListenPatience,
               sizeof kListenPatience);
  auto scratch = Staging::make();
  if (!scratch) return scratch.error();
  SandboxCommand start = command(request);
  start.writable = {scratch->out()};
  if (triton) start.env["TRITON_CACHE_DIR"] = (scratch->out() / "triton").string();
  start.descriptors = {{ends->second.get(), kControlDescriptor},
                       {cache->get(), kCacheDescriptor},
                       {output->write.get(), STDOUT_FILENO},
                       {output->write.get(), STDERR_FILENO}};
  auto sandboxed = sandbox_.start(start);
  if (!sandboxed) return sandboxed.error();
  ends->second.reset();
  output->write.reset();
  Process process{std::move(*scratch), std::move(*cache), std::move(output->read),
                  Channel(std::move(ends->first), Channel::Descriptors::kRefused),
                  std::move(*sandboxed)};
  const auto hello = process.channel.receive(limits_.start);
  if (hello && text_in(hello->body, "type") == "builder") return process;
  return infrastructure(fmt::format("the Python that builds submissions does not start: {}",
                                    last_words(process.output.get())),
                        "it needs torch of the version that kbench was built with; `kbench "
                        "doctor` says which Python is used");
}

Json PythonBuilder::describe(const PythonBuildRequest& request, const Step& step,
                             const fs::path& scratch) const {
  const bool triton = request.submission.needs.triton_on(device_);
  return {{"folder", (request.staging.path() / kFiles).string()},
          {"scratch", scratch.string()},
          {"entry", request.entry},
          {"init", request.init},
          {"mode", request.mode},
          {"inputs", request.inputs},
          {"real", request.real},
          {"device", device_},
          {"compilers", request.submission.needs.compiler},
          {"triton", triton},
          {"modules", step.built().modules}};
}

// Waits until the process says something, or its time is over. Errors: kSubmission, where it writes
// too much.
Status PythonBuilder::await_word(Process& process, WrittenFiles& files,
                                 std::chrono::nanoseconds left) {
  const auto deadline = Clock::now() + left;
  while (Clock::now() < deadline) {
    const auto rest = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    pollfd word{process.channel.fd(), POLLIN, 0};
    if (::poll(&word, 1, static_cast<int>(std::min(rest, kFilesEvery).count())) > 0) break;
    const auto processes = process.sandboxed->processes();
    if (!processes) return processes.error();
    const auto too_much = files.look(*processes, kFilesEvery);
    if (!too_much) return too_much.error();
    if (!too_much->empty())
      return Error{ErrorCode::kSubmission, "its build step " + *too_much,
                   "all that the step has written counts together"};
  }
  return Done{};
}

// Answers what it asks for, until it has ended.
Result<PythonBuilder::Record> PythonBuilder::serve(const PythonBuildRequest& request, Step& step,
                                                   Process& process) const {
  Channel& channel = process.channel;
  WrittenFiles files(process.scratch.out());
  const auto patience = request.submission.needs.triton_on(device_) ? limits_.triton : limits_.own;
  Record record;
  Turn turn(*turns_);
  Clock::duration own{};  // time that it took by itself, and to listen
  const auto tell = [&](const Json& word) {
    const auto told_at = Clock::now();
    const Status told = channel.send(word);
    own += Clock::now() - told_at;
    return told.ok();
  };
  while (true) {
    const auto asked_at = Clock::now();
    if (auto fine = await_word(process, files, patience - own); !fine) {
      return Error{fine.error().code,
                   fmt::format("{}: {}", request.submission.id.name, fine.error().message),
                   fine.error().hint};
    }
    const auto left = std::chrono::ceil<milliseconds>(patience - own - (Clock::now() - asked_at));
    const auto message = channel.receive(std::max(left, kWordPatience));
    own += Clock::now() - asked_at;
    record.seconds = std::chrono::duration<double>(own).count();
    // A build that always has another word ready is not waited for, and has no more time for it.
    const bool over = own > patience + kWordPatience;
    if (over || (!message && message.error().code == ErrorCode::kTimeout)) {
      return Error{
          ErrorCode::kSubmission,
          fmt::format("{}: its build step did not end within {} s", request.submission.id.name,
                      patience.count()),
          "The step imports the file and makes a ModelNew; compilers' time does not count."};
    }
    const std::string type = message ? text_in(message->body, "type") : "";
    if (type == "turn over") {
      turn.give_up();
      continue;
    }
    if (type == "turn") {
      turn.take();
      if (tell({{"type", "turn"}})) continue;
    }
    if (type != "build") {
      const bool ended = type == "ended";
      record.note = ended ? clean_text(text_in(message->body, "note"), kMostWords) : kDied;
      if (ended) record.refused = clean_text(text_in(message->body, "refused"), kMostWords);
      if (ended) record.failure = message->body.value("failure", Json()) == Json(true);
      return record;
    }
    const std::string name = text_in(message->body, "name");
    const std::string text = text_in(message->body, "request");
    const auto made = step.take(name, text);
    if (!made) return made.error();
    record.requests.push_back({name, text});
    const Json answer = made->failure.empty()
                            ? Json{{"type", "built"}, {"path", made->path}}
                            : Json{{"type", "failed"}, {"message", made->failure}};
    if (!tell(answer)) {
      record.note = kDied;
      return record;
    }
  }
}

Result<PythonBuilder::Record> PythonBuilder::run(const PythonBuildRequest& request,
                                                 Step& step) const {
  const bool triton = request.submission.needs.triton_on(device_);
  auto process = start(request);
  if (!process) return process.error();
  if (auto sent = process->channel.send(describe(request, step, process->scratch.out())); !sent)
    return sent.error();
  auto record = serve(request, step, *process);
  if (record) (void)process->sandboxed->wait(kEndPatience);
  process->sandboxed->kill();
  (void)empty_folder(process->scratch.out());  // its owner may be unable to remove a deep tree
  if (record && triton) record->triton = written_in(process->cache.get());
  return record;
}

// Why a step that has ended is the end of its submission.
Status PythonBuilder::judge(const PythonBuildRequest& request, const Record& record,
                            const Step& step) const {
  if (device_ == "cpu" && record.refused == kNoTorchCompile)
    return Error{ErrorCode::kNotFound, kNoTorchCompile,
                 "hand in eager code or a kernel of your own; kbench compiles the task's Model "
                 "itself, as the compiled baseline"};
  if (!record.refused.empty())
    return Error{ErrorCode::kSubmission,
                 fmt::format("{}: {}", request.submission.id.name, record.refused),
                 "kbench refused it in the build step; a file that catches that is not measured on "
                 "what it does then"};
  if (step.failure() && record.failure) return *step.failure();
  return Done{};
}

Result<PythonBuild> PythonBuilder::build(const PythonBuildRequest& request) const {
  if (auto fine = check_mount(request.staging.path()); !fine) return fine.error();
  Step step(request, compiler_);
  if (auto made = compile_cuda_agent(request, step); !made) return made.error();
  const PythonNeeds& needs = request.submission.needs;
  const bool asks_for_torch_compile = needs.torch_compile && device_ == "cpu";
  if (!needs.compiler && !needs.triton_on(device_) && !asks_for_torch_compile)
    return step.finish({});
  const fs::path file = compiler_.folder_of(request.submission.id.agent) /
                        fmt::format("step-{}.json", key_of(request));
  if (const auto known = Record::read(file)) {
    for (const Record::Request& one : known->requests)
      if (auto made = step.take(one.name, one.text); !made) return made.error();
    if (step.failure()) return *step.failure();
    return step.finish(*known);
  }
  const auto record = run(request, step);
  if (!record) return record.error();
  if (auto fine = judge(request, *record, step); !fine) return fine.error();
  if (record->note.empty() && !step.failure())
    if (auto kept = record->write(file); !kept) return kept.error();
  return step.finish(*record);
}

}  // namespace kbench
