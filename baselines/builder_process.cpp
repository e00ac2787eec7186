#include "baselines/builder_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "baselines/builder_headers.hpp"
#include "runner/core/channel.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/environment.hpp"
#include "runner/os/pipe.hpp"
#include "runner/sandbox/unconfined_process.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWho = "the package builder";
constexpr int kTuningLock = 3;  // descriptor; the variable that says so is in aot_builder.py
constexpr const char* kUser = "nobody";           // the name in that of Inductor's folder
constexpr std::chrono::seconds kStartLimit{180};  // importing torch from a cold disk
constexpr int kPollMs = 200;
constexpr std::size_t kMaxLineBytes = 1u << 20;
constexpr std::size_t kMaxTaskBytes = 64u << 20;
constexpr std::size_t kMaxPackageBytes = 512u << 20;
constexpr std::size_t kErrorTailBytes = 4096;
constexpr std::size_t kReportedTailBytes = 1500;
constexpr std::size_t kMaxReason = 2000;

// Settings that a user's shell may hold and that would change the code or its numbers behind the
// back of the package key.
constexpr std::array<std::string_view, 5> kDropped{
    "TORCHINDUCTOR_", "AOT_INDUCTOR_", "AOTINDUCTOR_",
    "NVIDIA_TF32_OVERRIDE=", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE="};

// The builder's variables: all that it writes lies in `scratch`.
std::map<std::string, std::string> own_environment(const BuilderProcess::Command& command,
                                                   const fs::path& scratch) {
  auto ours = command.environment;
  ours["TMPDIR"] = scratch.string();
  ours["USER"] = kUser;
  ours["LOGNAME"] = kUser;
  ours["TORCHINDUCTOR_CACHE_DIR"] = (scratch / "inductor").string();
  ours["TORCHINDUCTOR_COMPILE_THREADS"] = std::to_string(command.compile_threads);
  if (!command.tuning_lock.empty()) ours["KBENCH_TUNING_LOCK"] = std::to_string(kTuningLock);
  return ours;
}

// Opens the lock for each builder: descriptors that were duplicated share their lock. A file of
// another user's may be opened for reading only, which flock takes everywhere but on NFS.
UniqueFd open_tuning_lock(const fs::path& file) {
  constexpr int kFlags = O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
  UniqueFd lock(::open(file.c_str(), O_RDWR | kFlags, 0644));
  if (!lock.valid()) lock.reset(::open(file.c_str(), O_RDONLY | kFlags, 0644));
  return lock;
}

Error not_executed(const Error& error) {
  return {ErrorCode::kInfrastructure, "the package builder could not be executed: " + error.message,
          ""};
}

std::string describe(const SandboxedProcess::Exit& exit) {
  if (exit.exited) return fmt::format("exited with status {}", exit.code);
  return fmt::format("was killed by signal {} ({})", exit.signal, ::strsignal(exit.signal));
}

}  // namespace

SandboxCommand confined_builder(const BuilderProcess::Command& command, const fs::path& scratch) {
  SandboxCommand confined = python_command(command.python, command.script, scratch);
  // "env PYTHON -s -B SCRIPT": lines are answered at once.
  confined.argv.insert(confined.argv.begin() + 2, "-u");
  for (auto& [name, value] : own_environment(command, scratch)) confined.env[name] = value;
  if (const auto compiler = environment_variable("CXX"); compiler.starts_with("/usr/"))
    confined.env["CXX"] = compiler;
  confined.readable.push_back(command.script.parent_path());
  if (const fs::path suites = command.script.parent_path().parent_path() / "suites";
      ::access(suites.c_str(), R_OK) == 0)
    confined.readable.push_back(suites);
  // The sandbox's user owns what is handed over, and nothing in it.
  confined.writable = {scratch};
  std::error_code ignored;  // a folder that was not made is not writable
  fs::create_directories(inductor_headers(scratch, kUser), ignored);
  for (fs::path folder = inductor_headers(scratch, kUser); folder != scratch;
       folder = folder.parent_path())
    confined.writable.push_back(folder);
  confined.needs_cuda = command.needs_cuda;
  confined.max_file_bytes = 2 * kMaxPackageBytes;
  confined.max_processes = 64 + 16 * command.compile_threads;
  confined.memory_handicap = 500;
  return confined;
}

BuilderProcess::~BuilderProcess() {
  process_.reset();
  if (command_.keeps_headers && !scratch_.path().empty())
    copy_headers(inductor_headers(scratch_.path(), kUser), command_.headers);
}

Result<std::unique_ptr<Server>> BuilderProcess::start(const Command& command, const Stop& stop) {
  std::unique_ptr<BuilderProcess> process(new BuilderProcess(command));
  if (auto spawned = process->spawn(); !spawned) return not_executed(spawned.error());
  const auto ready =
      process->receive(kStartLimit, stop, [](const Json& line) { return line.contains("ready"); });
  if (!ready) return ready.error();
  if (const auto torch = ready->find("torch"); torch != ready->end() && torch->is_string())
    process->torch_ = torch->get<std::string>();
  return std::unique_ptr<Server>(std::move(process));
}

Status BuilderProcess::spawn() {
  auto scratch = ScratchFolder::make("kbench-builder");
  if (!scratch) return scratch.error();
  scratch_ = std::move(*scratch);
  copy_headers(command_.headers, inductor_headers(scratch_.path(), kUser));
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  auto errors = make_pipe();
  if (!errors) return errors.error();
  never_block(errors->read.get());
  const int theirs = ends->second.get();
  std::vector<std::pair<int, int>> descriptors{
      {theirs, STDIN_FILENO}, {theirs, STDOUT_FILENO}, {errors->write.get(), STDERR_FILENO}};
  UniqueFd lock;
  if (!command_.tuning_lock.empty()) lock = open_tuning_lock(command_.tuning_lock);
  if (lock.valid())
    descriptors.emplace_back(lock.get(), kTuningLock);
  else
    command_.tuning_lock.clear();
  auto started = start_program(descriptors);
  if (!started) return started.error();
  process_ = std::move(*started);
  socket_ = std::move(ends->first);
  errors_ = std::move(errors->read);
  return Done{};
}

Result<std::unique_ptr<SandboxedProcess>> BuilderProcess::start_program(
    const std::vector<std::pair<int, int>>& descriptors) {
  if (command_.sandbox != nullptr) {
    if (!command_.sandbox->level(command_.needs_cuda).bubblewrap) command_.compile_threads = 1;
    SandboxCommand confined_command = confined_builder(command_, scratch_.path());
    if (::access(command_.python.python.c_str(), X_OK) != 0) {
      return Error{ErrorCode::kInfrastructure,
                   command_.python.python.string() + ": " + std::strerror(errno), ""};
    }
    confined_command.descriptors = descriptors;
    return command_.sandbox->start(confined_command);
  }
  auto python = TrustedPython::find(command_.python.python);
  if (!python) return python.error();
  python_.emplace(std::move(*python));
  ChildPlan plan =
      python_->plan({"-u", command_.script.string()},
                    inherited_environment(kDropped, own_environment(command_, scratch_.path())));
  plan.descriptors = descriptors;
  plan.ends_with_us = true;
  return start_unconfined(plan);
}

Result<Json> BuilderProcess::ask(const Json& request, std::chrono::milliseconds limit,
                                 const Stop& stop) {
  // A package built against one LibTorch is not promised to load in another.
  const std::string wanted = request.value("torch", "");
  if (!wanted.empty() && wanted != torch_) {
    return Json{{"reason", fmt::format("the builder's Python has torch {}, LibTorch is {}",
                                       clean_name(torch_), wanted)},
                {"mismatch", true}};
  }
  const auto task = read_foreign_file(request.at("task_file").get<std::string>(), kMaxTaskBytes);
  if (!task) return Json{{"reason", task.error().message}, {"transient", true}};
  Json told = request;
  told.erase("task_file");
  told["task"] = *task;
  told["output"] = made_for(request).string();
  const std::string line = told.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t wrote =
        ::send(socket_.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return bury(ErrorCode::kInfrastructure, kWho);
    sent += static_cast<std::size_t>(wrote);
  }
  const auto reply = receive(limit, stop, [&](const Json& message) {
    return message.contains("id") && message["id"] == request["id"];
  });
  if (!reply) return reply.error();
  return answer_of(request, *reply);
}

Result<Json> BuilderProcess::answer_of(const Json& request, const Json& reply) {
  const auto reason = reply.find("reason");
  if (reason != reply.end() && reason->is_string()) {
    const bool transient = reply.value("transient", Json()) == Json(true);
    return Json{{"reason", clean_text(reason->get_ref<const std::string&>(), kMaxReason)},
                {"transient", transient}};
  }
  const fs::path made = made_for(request);
  const auto bytes = reply.contains("output")
                         ? read_foreign_file(made, kMaxPackageBytes)
                         : Result<std::string>(Error{ErrorCode::kNotFound, "", ""});
  if (bytes) {
    std::error_code ignored;
    fs::remove(made, ignored);
    const auto kept = write_atomically(request.at("output").get<std::string>(), *bytes, 0644);
    if (!kept) return Json{{"reason", kept.error().message}, {"transient", true}};
    return Json{{"output", request["output"]}};
  }
  const std::string shown = clean_name(reply.dump(-1, ' ', true, Json::error_handler_t::replace));
  return bury(ErrorCode::kBadInput,
              fmt::format("{} sent a reply that makes no sense ({}) and", kWho, shown));
}

fs::path BuilderProcess::made_for(const Json& request) const {
  return scratch_.path() / fmt::format("package-{}.pt2", request.at("id").get<int>());
}

Result<Json> BuilderProcess::receive(std::chrono::milliseconds limit, const Stop& stop,
                                     const std::function<bool(const Json&)>& wanted) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    while (const auto line = next_line()) {
      Json message = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
      if (message.is_object() && wanted(message)) return message;
    }
    if (closed_) return bury(ErrorCode::kInfrastructure, kWho);
    if (std::chrono::steady_clock::now() >= deadline) {
      return bury(ErrorCode::kTimeout,
                  fmt::format("{} had no answer after {} s and", kWho,
                              std::chrono::duration_cast<std::chrono::seconds>(limit).count()));
    }
    if (stop && stop()) return Error{ErrorCode::kTimeout, "interrupted", ""};
    // A closed errors_ is negative, which poll skips; EINTR is just an early look.
    std::array<pollfd, 2> waiting = {pollfd{socket_.get(), POLLIN, 0},
                                     pollfd{errors_.get(), POLLIN, 0}};
    ::poll(waiting.data(), waiting.size(), kPollMs);
    read_errors();
    read_replies();
  }
}

std::optional<std::string> BuilderProcess::next_line() {
  const auto end = pending_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return line;
}

void BuilderProcess::read_replies() {
  std::array<char, 16384> buffer;
  while (!closed_) {
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) closed_ = true;
    if (got > 0) pending_.append(buffer.data(), static_cast<std::size_t>(got));
    if (pending_.size() > kMaxLineBytes && pending_.find('\n') == std::string::npos) closed_ = true;
  }
}

void BuilderProcess::read_errors() {
  std::array<char, 16384> buffer;
  while (errors_.valid()) {
    const ssize_t got = ::read(errors_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) {
      errors_.reset();
      return;
    }
    error_tail_.append(buffer.data(), static_cast<std::size_t>(got));
    if (error_tail_.size() > kErrorTailBytes)
      error_tail_.erase(0, error_tail_.size() - kErrorTailBytes);
  }
}

Error BuilderProcess::bury(ErrorCode code, std::string_view complaint) {
  // The end of stdout arrives a moment before the end of the process: without this pause a crash
  // would be reported as our own kill.
  constexpr std::chrono::milliseconds kPatience{1000};
  const auto end = process_->wait(closed_ ? kPatience : std::chrono::milliseconds{0});
  const std::string ending = end ? describe(*end) : "was stopped";
  process_->kill();
  over_ = true;
  read_errors();
  std::string_view tail = error_tail_;
  if (tail.size() > kReportedTailBytes) tail.remove_prefix(tail.size() - kReportedTailBytes);
  while (!tail.empty() && tail.back() == '\n') tail.remove_suffix(1);
  return {code,
          fmt::format("{} {}{}{}", complaint, ending, tail.empty() ? "" : "; its last words:\n",
                      clean_text(tail, kReportedTailBytes)),
          ""};
}

}  // namespace kbench
