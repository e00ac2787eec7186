#include "runner/import/lowering_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/submission/clean_text.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kStartLimit{600'000};   // importing torch on a busy machine
constexpr milliseconds kSlice{200};            // between two looks at `stop`
constexpr milliseconds kMessageLimit{30'000};  // for the rest of a message that has begun
constexpr std::uint64_t kMaxFileBytes = 256u << 20;
constexpr int kMaxProcesses = 64;

Error failed(const std::string& what) {
  return {ErrorCode::kInfrastructure,
          fmt::format("cannot start the importer's Python: {}: {}", what, std::strerror(errno)),
          ""};
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Result<fs::path> make_scratch() {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  std::string name = ((error ? fs::path("/tmp") : temporary) / "kbench-import-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return failed("make the folder " + name);
  return fs::path(name);
}

}  // namespace

SandboxCommand python_command(const LoweringSetup& setup, const fs::path& script,
                              const fs::path& scratch) {
  std::vector<std::string> modules;
  for (const fs::path& folder : setup.python_path) modules.push_back(folder.string());
  SandboxCommand command;
  // Through env: the path of a virtual environment's Python is a link that must stay one.
  command.argv = {"/usr/bin/env", setup.python.string(), "-s", "-B", script.string()};
  command.env = {
      {"PATH", "/usr/bin:/bin"},    {"HOME", scratch.string()},
      {"TMPDIR", scratch.string()}, {"USER", "nobody"},
      {"LC_ALL", "C.UTF-8"},        {"PYTHONPATH", fmt::format("{}", fmt::join(modules, ":"))},
      {"PYTHONHASHSEED", "0"},      {"CUDA_VISIBLE_DEVICES", ""}};
  // Unpacked system packages (a set-up without root) are found by it alone.
  if (const auto libraries = environment("LD_LIBRARY_PATH"); !environment("KBENCH_DEPS").empty())
    command.env["LD_LIBRARY_PATH"] = libraries;
  command.readable = setup.readable;
  command.working_directory = scratch;
  command.max_memory_bytes = setup.memory_bytes;
  command.max_file_bytes = kMaxFileBytes;
  command.max_processes = kMaxProcesses;
  return command;
}

Result<std::unique_ptr<LoweringProcess>> LoweringProcess::start(Sandbox& sandbox,
                                                                const LoweringSetup& setup,
                                                                const Stop& stop) {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return failed("pipe2");
  std::unique_ptr<LoweringProcess> process(new LoweringProcess);
  process->errors_ = UniqueFd(pipe[0]);
  const UniqueFd errors_in_child(pipe[1]);
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  process->channel_ = Channel(std::move(ends->first));

  fs::path scratch = "/tmp";  // bubblewrap makes a new one for each program, held in memory
  if (!sandbox.level(false).bubblewrap) {
    auto made = make_scratch();
    if (!made) return made.error();
    scratch = process->scratch_ = *made;
  }
  SandboxCommand command = python_command(setup, setup.script, scratch);
  if (!process->scratch_.empty()) command.writable = {scratch};
  command.descriptors = {{ends->second.get(), 0}, {errors_in_child.get(), 2}};
  auto started = sandbox.start(command);
  if (!started) return started.error();
  process->process_ = std::move(*started);
  ends->second.reset();

  const auto ready = process->receive(kStartLimit, stop);
  if (!ready) {
    const auto words = process->last_words();
    return Error{ready.error().code,
                 fmt::format("the importer's Python, {}, does not start{}{}", setup.python.string(),
                             words.empty() ? "" : ": ", words),
                 "it needs torch; `kbench doctor` says which Python is used"};
  }
  return process;
}

LoweringProcess::~LoweringProcess() {
  process_.reset();  // before the folder that it writes to
  std::error_code ignored;
  if (!scratch_.empty()) fs::remove_all(scratch_, ignored);
}

Result<Json> LoweringProcess::ask(const Json& request, milliseconds limit, const Stop& stop) {
  if (auto sent = channel_.send(request); !sent) return sent.error();
  return receive(limit, stop);
}

Result<Json> LoweringProcess::receive(milliseconds limit, const Stop& stop) {
  const auto deadline = Clock::now() + limit;
  while (true) {
    if (Clock::now() >= deadline || (stop && stop()))
      return Error{ErrorCode::kTimeout, "no answer in time", ""};
    pollfd waiting{channel_.fd(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(kSlice.count())) > 0) break;
  }
  auto message = channel_.receive(kMessageLimit);
  if (!message) return message.error();
  if (!message->body.is_object()) return Error{ErrorCode::kBadInput, "a malformed answer", ""};
  return std::move(message->body);
}

std::string LoweringProcess::last_words() const {
  std::array<char, 8192> buffer;
  std::string text;
  while (true) {
    const ssize_t got = ::read(errors_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  while (text.ends_with('\n')) text.pop_back();
  return clean_name(text.substr(text.find_last_of('\n') + 1), 300);
}

}  // namespace kbench
