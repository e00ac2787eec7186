#include "runner/measure/oracle_child.hpp"

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
#include <string>
#include <string_view>
#include <utility>

namespace kbench {
namespace {

// LibTorch loads in seconds, in minutes from a slow disk.
constexpr auto kPatience = std::chrono::minutes{5};

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

Status OracleChild::request(OracleForkServer& server, const std::filesystem::path& log) {
  server_ = &server;
  log_ = log;
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  // It cleans up only when it is left to end.
  std::string folder = (log.parent_path() / "oracle-XXXXXX").string();
  if (::mkdtemp(folder.data()) != nullptr) temporary_ = folder;
  if (auto asked = server.request(std::move(ends->second), temporary_); !asked) return asked;
  channel_ = Channel(std::move(ends->first));
  return Done{};
}

Status OracleChild::meet() {
  if (pid_ > 0) return Done{};
  if (server_ == nullptr) return Error{ErrorCode::kInfrastructure, "there is no oracle", ""};
  auto pid = server_->await(kPatience);
  if (!pid) {
    return Error{pid.error().code, "the oracle could not be started: " + pid.error().message,
                 "its log is " + log_.string()};
  }
  pid_ = *pid;
  process_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  return Done{};
}

void OracleChild::end() {
  channel_ = Channel();
  if (server_ != nullptr) {
    if (pid_ > 0) unpacked_ = unpacked_packages_of(pid_);
    // One that never said its number may exist, or come to: only the server knows.
    if (pid_ <= 0 || !kill_process()) server_->stop();
  }
  pid_ = -1;
  process_ = UniqueFd();
  server_ = nullptr;
  remove_temporary_folders();
}

bool OracleChild::has_ended() const {
  pollfd ended{process_.get(), POLLIN, 0};
  return process_.valid() ? ::poll(&ended, 1, 0) > 0 : ::kill(pid_, 0) != 0;
}

// It holds nothing that needs saving. One that hangs in a driver must not take the supervisor with
// it: it is left to the system.
bool OracleChild::kill_process() {
  // It was gone before we could get hold of it, which there is nothing to do about; or it could not
  // be got hold of.
  if (!process_.valid()) return ::kill(pid_, 0) != 0 && errno == ESRCH;
  ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  pollfd ended{process_.get(), POLLIN, 0};
  constexpr int kMilliseconds = 10'000;
  ::poll(&ended, 1, kMilliseconds);
  return true;
}

void OracleChild::remove_temporary_folders() {
  std::error_code ignored;
  for (const std::filesystem::path& folder : unpacked_)
    std::filesystem::remove_all(folder, ignored);
  unpacked_.clear();
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
  temporary_.clear();
}

}  // namespace kbench
