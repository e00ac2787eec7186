#include "runner/measure/oracle_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runner/measure/core_pin.hpp"

namespace kbench {
namespace {

// A healthy oracle answers in seconds; the longest answer is an fp64 reference on a CPU.
constexpr auto kPatience = std::chrono::minutes{5};
// For a process that waits for a request.
constexpr std::chrono::seconds kFreezePatience{5};

Status as_status(const Result<Message>& reply) {
  if (!reply) return reply.error();
  return Done{};
}

// "/tmp/XXXXXX" of a file below such a folder, as mkdtemp names them.
std::optional<std::string> scratch_folder_of(std::string_view file) {
  constexpr std::string_view kParent = "/tmp/";
  constexpr std::size_t kEnd = kParent.size() + 6;
  if (file.size() <= kEnd || !file.starts_with(kParent) || file[kEnd] != '/') return std::nullopt;
  const std::string_view name = file.substr(kParent.size(), kEnd - kParent.size());
  const bool drawn = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
  if (!drawn) return std::nullopt;
  return std::string(file.substr(0, kEnd));
}

// LibTorch's package loader unpacks to /tmp/?????? whatever TMPDIR says, and a killed oracle leaves
// that behind. Its libraries are mapped, so the kernel knows where they lie.
std::set<std::filesystem::path> unpacked_packages_of(pid_t oracle) {
  std::set<std::filesystem::path> folders;
  std::ifstream maps("/proc/" + std::to_string(oracle) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto path = line.find('/');
    if (path == std::string::npos) continue;
    if (const auto folder = scratch_folder_of(std::string_view(line).substr(path)))
      folders.insert(*folder);
  }
  return folders;
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
  if (!fork_server_ || !fork_server_->alive()) {
    auto started = OracleForkServer::start(options_);
    if (!started) return started.error();
    fork_server_ = std::move(*started);
  }
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  // It cleans up only when it is left to end.
  std::string folder = (options_.log.parent_path() / "oracle-XXXXXX").string();
  if (::mkdtemp(folder.data()) != nullptr) temporary_ = folder;
  if (auto asked = fork_server_->request(std::move(ends->second), temporary_); !asked) return asked;
  channel_ = Channel(std::move(ends->first));
  return Done{};
}

// Waits until the process is there, and learns which it is.
Status OracleProcess::meet() {
  if (pid_ > 0) return Done{};
  if (!fork_server_) return Error{ErrorCode::kInfrastructure, "there is no oracle", ""};
  auto pid = fork_server_->await(kPatience);
  if (!pid) {
    return Error{pid.error().code, "the oracle could not be started: " + pid.error().message,
                 "its log is " + options_.log.string()};
  }
  pid_ = *pid;
  process_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  tree_.emplace(fork_server_->pid());
  return Done{};
}

void OracleProcess::end() {
  channel_ = Channel();
  if (pid_ > 0) {
    unpacked_ = unpacked_packages_of(pid_);
    // It holds nothing that needs saving. One that hangs in a driver must not take the supervisor
    // with it: it is left to the system.
    kill_oracle();
  } else {
    fork_server_.reset();  // and with it the oracle that nobody has met
  }
  pid_ = -1;
  process_ = UniqueFd();
  tree_.reset();
  remove_temporary_folders();
}

void OracleProcess::kill_oracle() {
  if (!process_.valid()) {
    // It was gone before we could get hold of it, which there is nothing to do about; or it could
    // not be got hold of: then it ends with its server.
    const bool gone = ::kill(pid_, 0) != 0 && errno == ESRCH;
    if (!gone) fork_server_.reset();
    return;
  }
  ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  pollfd ended{process_.get(), POLLIN, 0};
  constexpr int kMilliseconds = 10'000;
  ::poll(&ended, 1, kMilliseconds);
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
  if (auto met = meet(); !met) return met.error();
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
  if (auto met = meet(); !met) return met;
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

Result<std::vector<EagerError>> OracleProcess::neighbours() {
  return ask_for<std::vector<EagerError>>({{"op", "neighbours"}}, "outputs");
}

Status OracleProcess::release() { return as_status(ask({{"op", "release"}})); }

Result<BaselineTime> OracleProcess::time(Side side) {
  auto reply = ask({{"op", "time"}, {"side", to_string(side)}});
  if (!reply) return reply.error();
  return reply->body.get<BaselineTime>();
}

Result<std::int64_t> OracleProcess::flush() {
  return ask_for<std::int64_t>({{"op", "flush"}}, "ns");
}

Result<std::int64_t> OracleProcess::reveal(int slot) {
  return ask_for<std::int64_t>({{"op", "reveal"}, {"slot", slot}}, "ns");
}

Result<Audit> OracleProcess::audit(bool everything) {
  auto reply = ask({{"op", "audit"}, {"everything", everything}});
  if (!reply) return reply.error();
  return reply->body.get<Audit>();
}

Result<DevicePeaks> OracleProcess::peaks() {
  if (peaks_) return *peaks_;
  auto reply = ask({{"op", "peaks"}});
  if (!reply) return reply.error();
  peaks_ = reply->body.get<DevicePeaks>();
  return *peaks_;
}

Status OracleProcess::arm(const std::vector<SlotPlaces>& slots) {
  return as_status(ask({{"op", "arm"}, {"slots", slots}}));
}

Status OracleProcess::snapshot(int slot) {
  return as_status(ask({{"op", "snapshot"}, {"slot", slot}}));
}

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
  if (auto met = meet(); !met) return met;
  return tree_->freeze(kFreezePatience);
}

Status OracleProcess::thaw() {
  if (tree_) tree_->thaw();
  return Done{};
}

void OracleProcess::run_on(int core) {
  if (pid_ > 0) bind_to_core(pid_, core);
}

Status OracleProcess::remember() { return as_status(ask({{"op", "remember"}})); }

Result<std::vector<BypassableNode>> OracleProcess::bypassable() {
  return ask_for<std::vector<BypassableNode>>({{"op", "bypassable"}}, "nodes");
}

Result<MutantReply> OracleProcess::mutate(const MutantRequest& request) {
  Json body = request;
  body["op"] = "mutate";
  auto reply = ask(body);
  if (!reply) return reply.error();
  return reply->body.get<MutantReply>();
}

}  // namespace kbench
