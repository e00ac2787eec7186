#include "runner/import/lowering_process.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"
#include "runner/os/pipe.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kStartLimit{600'000};   // importing torch on a busy machine
constexpr milliseconds kSlice{200};            // time between two looks at `stop`
constexpr milliseconds kMessageLimit{30'000};  // patience for the rest of a message that has begun
constexpr std::uint64_t kMaxFileBytes = 256u << 20;
constexpr int kMaxProcesses = 64;

}  // namespace

SandboxCommand lowering_command(const LoweringSetup& setup, const fs::path& script,
                                const fs::path& scratch) {
  SandboxCommand command = python_command(setup.python, script, scratch);
  command.max_memory_bytes = setup.memory_bytes;
  command.max_file_bytes = kMaxFileBytes;
  command.max_processes = kMaxProcesses;
  return command;
}

Result<std::unique_ptr<Server>> LoweringProcess::start(Sandbox& sandbox, const LoweringSetup& setup,
                                                       const Stop& stop) {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  auto errors = make_pipe();
  if (!errors) return errors.error();
  never_block(errors->read.get());
  std::unique_ptr<LoweringProcess> process(new LoweringProcess);
  process->errors_ = std::move(errors->read);
  process->channel_ = Channel(std::move(ends->first));

  auto scratch = make_python_scratch(sandbox, "kbench-import");
  if (!scratch) return scratch.error();
  process->scratch_ = std::move(*scratch);
  SandboxCommand command = lowering_command(setup, setup.script, process->scratch_.path());
  command.descriptors = {{ends->second.get(), 0}, {errors->write.get(), 2}};
  auto started = sandbox.start(command);
  if (!started) return started.error();
  process->process_ = std::move(*started);
  ends->second.reset();

  const auto ready = process->receive(kStartLimit, stop);
  if (!ready) {
    const auto words = process->last_words();
    return Error{ready.error().code,
                 fmt::format("the importer's Python, {}, does not start{}{}",
                             setup.python.python.string(), words.empty() ? "" : ": ", words),
                 "it needs torch; `kbench doctor` says which Python is used"};
  }
  return std::unique_ptr<Server>(std::move(process));
}

Result<Json> LoweringProcess::ask(const Json& request, milliseconds limit, const Stop& stop) {
  auto sent = channel_.send(request);
  Result<Json> answer = sent ? receive(limit, stop) : Result<Json>(sent.error());
  spent_ = !answer || answer->contains("last");
  return answer;
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
  return kbench::last_words(text);
}

}  // namespace kbench
