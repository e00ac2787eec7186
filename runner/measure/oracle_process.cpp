#include "runner/measure/oracle_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <set>
#include <utility>
#include <vector>

#include "runner/measure/openmp_environment.hpp"

namespace kbench {
namespace {

constexpr int kControlDescriptor = 3;
// A healthy oracle answers in seconds; the longest answer is an fp64 reference on a CPU.
constexpr auto kPatience = std::chrono::minutes{5};

Status as_status(const Result<Message>& reply) {
  if (!reply) return reply.error();
  return Done{};
}

std::vector<std::string> environment(const OracleOptions& options,
                                     const std::filesystem::path& temporary) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    // Ours to decide: threads, how they wait, and whether TF32 is forced from outside.
    if (text.starts_with("OMP_") || text.starts_with("MKL_") || text.starts_with("KMP_") ||
        text.starts_with("GOMP_") || text.starts_with("NVIDIA_TF32_OVERRIDE=") ||
        text.starts_with("TMPDIR="))
      continue;
    result.emplace_back(text);
  }
  for (const auto& [name, value] : openmp_environment(options.device, options.threads))
    result.push_back(name + "=" + value);
  if (!temporary.empty()) result.push_back("TMPDIR=" + temporary.string());
  return result;
}

// LibTorch's package loader unpacks to /tmp/?????? whatever TMPDIR says, and a killed oracle leaves
// that behind. Its libraries are mapped, so the kernel knows where they lie.
std::set<std::filesystem::path> unpacked_packages_of(pid_t oracle) {
  static const std::regex kFolder("(/tmp/[A-Za-z0-9]{6})/.*");
  std::set<std::filesystem::path> folders;
  std::ifstream maps("/proc/" + std::to_string(oracle) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto path = line.find('/');
    if (path == std::string::npos) continue;
    std::smatch match;
    const std::string file = line.substr(path);
    if (std::regex_match(file, match, kFolder)) folders.insert(match[1].str());
  }
  return folders;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Result<std::unique_ptr<OracleProcess>> OracleProcess::start(const OracleOptions& options) {
  std::unique_ptr<OracleProcess> oracle(new OracleProcess(options));
  if (auto spawned = oracle->spawn(); !spawned) return spawned.error();
  return oracle;
}

OracleProcess::OracleProcess(OracleOptions options) : options_(std::move(options)) {}

OracleProcess::~OracleProcess() { end(); }

Status OracleProcess::restart() {
  end();
  return spawn();
}

Status OracleProcess::spawn() {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  std::vector<std::string> arguments{options_.program.string(),
                                     "--device",
                                     options_.device,
                                     "--index",
                                     std::to_string(options_.device_index),
                                     "--threads",
                                     std::to_string(options_.threads),
                                     "--precision",
                                     options_.precision};
  // It cleans up only when it is left to end.
  std::string folder = (options_.log.parent_path() / "oracle-XXXXXX").string();
  if (::mkdtemp(folder.data()) != nullptr) temporary_ = folder;
  std::vector<std::string> variables = environment(options_, temporary_);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, options_.log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, ends->second.get(), kControlDescriptor);
  const int failed = ::posix_spawn(&pid_, options_.program.c_str(), &actions, nullptr,
                                   pointers(arguments).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    pid_ = -1;
    remove_temporary_folders();
    return Error{ErrorCode::kInfrastructure,
                 "cannot start " + options_.program.string() + ": " + std::strerror(failed),
                 "run third_party/setup; `kbench doctor` says what is missing"};
  }
  channel_ = Channel(std::move(ends->first));
  return Done{};
}

void OracleProcess::end() {
  if (pid_ < 0) return;
  unpacked_ = unpacked_packages_of(pid_);
  ::kill(pid_, SIGKILL);  // it holds nothing that needs saving
  // One that hangs in a driver must not take the supervisor with it: it is left to the system.
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  pollfd ended{process.get(), POLLIN, 0};
  constexpr int kMilliseconds = 10'000;
  if (!process.valid() || ::poll(&ended, 1, kMilliseconds) > 0) {
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  remove_temporary_folders();
}

void OracleProcess::remove_temporary_folders() {
  std::error_code ignored;
  for (const std::filesystem::path& folder : unpacked_) {
    std::filesystem::remove_all(folder, ignored);
  }
  unpacked_.clear();
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
  temporary_.clear();
}

Result<Message> OracleProcess::ask(const Json& request) {
  const std::string what = request.at("op").get<std::string>();
  const auto dead = [&](const Error& error) {
    return Error{ErrorCode::kInfrastructure,
                 "the oracle did not answer \"" + what + "\": " + error.message,
                 "its log is " + options_.log.string()};
  };
  if (auto sent = channel_.send(request); !sent) return dead(sent.error());
  auto reply = channel_.receive(kPatience);
  if (!reply) return dead(reply.error());
  if (reply->body.contains("error")) return reply->body.at("error").get<Error>();
  return reply;
}

template <class T>
Result<T> OracleProcess::ask_for(const Json& request, const char* field) {
  auto reply = ask(request);
  if (!reply) return reply.error();
  return reply->body.at(field).get<T>();
}

Result<OracleHello> OracleProcess::hello() {
  auto reply = ask({{"op", "hello"}});
  if (!reply) return reply.error();
  const Json& body = reply->body;
  return OracleHello{body.at("facts").get<DeviceFacts>(), body.at("torch").get<std::string>(),
                     body.at("precision").get<std::string>()};
}

Status OracleProcess::answers_within(std::chrono::milliseconds timeout) {
  if (auto sent = channel_.send({{"op", "hello"}}); !sent) return sent;
  auto reply = channel_.receive(timeout);
  if (reply && !reply->body.contains("error")) return Done{};
  const Error error = reply ? reply->body.at("error").get<Error>() : reply.error();
  end();
  return Error{ErrorCode::kInfrastructure, "a fresh oracle cannot use the device: " + error.message,
               "its log is " + options_.log.string()};
}

Result<std::string> OracleProcess::load(const std::filesystem::path& task_file,
                                        const std::string& size,
                                        const std::filesystem::path& package) {
  return ask_for<std::string>({{"op", "load"},
                               {"task_file", task_file.string()},
                               {"size", size},
                               {"package", package.string()}},
                              "compiled_reason");
}

Result<PlacedArenas> OracleProcess::place(const PlaceRequest& request) {
  Json body = request;
  body["op"] = "place";
  auto reply = ask(body);
  if (!reply) return reply.error();
  auto& descriptors = reply->descriptors;
  if (descriptors.size() != 3)
    return Error{ErrorCode::kInfrastructure, "the oracle sent no arenas", ""};
  return PlacedArenas{reply->body.get<PlaceReply>(), std::move(descriptors[0]),
                      std::move(descriptors[1]), std::move(descriptors[2])};
}

Status OracleProcess::inputs(const std::vector<SlotInputs>& slots) {
  return as_status(ask({{"op", "inputs"}, {"slots", slots}}));
}

Result<std::vector<EagerError>> OracleProcess::reference() {
  return ask_for<std::vector<EagerError>>({{"op", "reference"}}, "outputs");
}

Status OracleProcess::release() { return as_status(ask({{"op", "release"}})); }

Result<std::int64_t> OracleProcess::time(Side side) {
  return ask_for<std::int64_t>({{"op", "time"}, {"side", to_string(side)}}, "ns");
}

Status OracleProcess::arm(const std::vector<SlotPlaces>& slots) {
  return as_status(ask({{"op", "arm"}, {"slots", slots}}));
}

Status OracleProcess::snapshot() { return as_status(ask({{"op", "snapshot"}})); }

Result<std::vector<CompareResult>> OracleProcess::judge(Against against,
                                                        const std::vector<OutputBound>& bounds) {
  return ask_for<std::vector<CompareResult>>(
      {{"op", "judge"}, {"against", against}, {"bounds", bounds}}, "outputs");
}

Result<std::vector<CompareResult>> OracleProcess::judge_compiled(
    const std::vector<OutputBound>& bounds) {
  return ask_for<std::vector<CompareResult>>({{"op", "judge_compiled"}, {"bounds", bounds}},
                                             "outputs");
}

Result<std::int64_t> OracleProcess::sm_clock_khz() {
  return ask_for<std::int64_t>({{"op", "clock"}}, "khz");
}

Status OracleProcess::freeze() {
  int status = 0;
  if (::kill(pid_, SIGSTOP) == 0 && ::waitpid(pid_, &status, WUNTRACED) == pid_ &&
      WIFSTOPPED(status))
    return Done{};
  return Error{ErrorCode::kInfrastructure, "the oracle ended",
               "its log is " + options_.log.string()};
}

Status OracleProcess::thaw() {
  if (::kill(pid_, SIGCONT) == 0) return Done{};
  return Error{ErrorCode::kInfrastructure, "the oracle ended",
               "its log is " + options_.log.string()};
}

}  // namespace kbench
