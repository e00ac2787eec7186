#include "runner/measure/players/zygote_pool.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/sandbox/host.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOnStage = "src";

// A folder on the stage of a fork server, and back where it was once it is not played any more.
class OnStage {
 public:
  OnStage(fs::path from, fs::path to) : from_(std::move(from)), to_(std::move(to)) {}
  OnStage(const OnStage&) = delete;
  OnStage& operator=(const OnStage&) = delete;
  ~OnStage() {
    std::error_code error;
    fs::rename(to_, from_, error);
    if (error) fs::remove_all(to_, error);  // the folder above from_ is gone
  }
  [[nodiscard]] const fs::path& from() const { return from_; }

 private:
  fs::path from_;
  fs::path to_;
};

// Folders of its sandbox that a session might write to beside its own, and that nobody outside
// sees; nothing where there may be others. (With Landlock it can write to none of them, but change
// the rights of those that are its user's. Without, /dev is the user's own who started the
// sandbox.)
std::optional<std::vector<std::string>> writable_folders(const SandboxLevel& level) {
  if (level.landlock == 0 && !(level.bubblewrap && level.own_uid)) return std::nullopt;
  if (level.bubblewrap) return std::vector<std::string>{"/tmp", "/dev/shm"};
  return std::vector<std::string>{};
}

Error cannot_show(const fs::path& folder, const std::string& why) {
  return {ErrorCode::kInfrastructure,
          fmt::format("{} cannot be shown to its player: {}", folder.string(), why), ""};
}

Result<ScratchFolder> make_stage() {
  auto stage = ScratchFolder::make("kbench-stage");
  if (stage && ::chmod(stage->path().c_str(), 0755) != 0)
    return cannot_show(stage->path(), std::strerror(errno));
  return stage;
}

}  // namespace

bool can_be_shared(const SandboxLevel& level) { return writable_folders(level).has_value(); }

struct ZygotePool::Home {
  std::string agent;
  ScratchFolder stage;
  std::unique_ptr<OnStage> shown;
  std::shared_ptr<Zygote> zygote;
  bool can_be_looked_over = false;

  [[nodiscard]] bool shows(const fs::path& folder) const {
    return shown && shown->from() == folder;
  }

  // Takes the files before away and puts these in their place.
  Status show(const fs::path& folder) {
    shown.reset();
    const fs::path to = stage.path() / kOnStage;
    std::error_code error;
    fs::rename(folder, to, error);
    if (error) return cannot_show(folder, error.message());
    shown = std::make_unique<OnStage>(folder, to);
    return Done{};
  }
};

// An idle one keeps some 0.3 GiB of its own.
std::size_t ZygotePool::as_many_as_fit() {
  constexpr std::uint64_t kShare = std::uint64_t{4} << 30;
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(physical_memory_bytes() / kShare, 2, 16));
}

ZygotePool::ZygotePool(Sandbox& sandbox, std::size_t most) : sandbox_(sandbox), most_(most) {}
ZygotePool::~ZygotePool() = default;

void ZygotePool::clear() { homes_.clear(); }

ZygotePool::Home& ZygotePool::home_of(const std::string& agent) {
  const auto found = std::find_if(homes_.begin(), homes_.end(),
                                  [&](const auto& home) { return home->agent == agent; });
  if (found != homes_.end()) {
    homes_.splice(homes_.begin(), homes_, found);
    return *homes_.front();
  }
  while (homes_.size() >= std::max<std::size_t>(most_, 1)) homes_.pop_back();
  homes_.push_front(std::make_unique<Home>());
  homes_.front()->agent = agent;
  return *homes_.front();
}

Status ZygotePool::start(Home& home, const ZygoteCommand& command) {
  home.zygote.reset();
  if (home.stage.path().empty()) {
    auto stage = make_stage();
    if (!stage) return stage.error();
    home.stage = std::move(*stage);
  }
  starts_.push_back(home.agent);
  SandboxCommand started = command(home.stage.path());
  const auto folders = writable_folders(sandbox_.level(started.needs_cuda));
  home.can_be_looked_over = folders.has_value();
  if (folders) started.argv.insert(started.argv.end(), folders->begin(), folders->end());
  auto zygote = Zygote::start(sandbox_, std::move(started));
  if (!zygote) return zygote.error();
  home.zygote = std::move(*zygote);
  return Done{};
}

void ZygotePool::start_early(const std::string& agent, const ZygoteCommand& command) {
  Home& home = home_of(agent);
  if (!home.zygote) (void)start(home, command);
}

// Shows the submission's files, and nothing else of its agent's.
Status ZygotePool::make_ready(Home& home, const ZygoteRequest& request) {
  const bool another = !home.shows(request.folder);
  // Before the first submission nothing can have changed.
  if (another && home.zygote && home.shown)
    if (!home.can_be_looked_over || !home.zygote->look_over()) home.zygote.reset();
  if (!home.zygote)
    if (auto started = start(home, request.command); !started) return started;
  return another ? home.show(request.folder) : Status(Done{});
}

Result<ZygotePool::Session> ZygotePool::fork(const ZygoteRequest& request, int control,
                                             int output) {
  Home& home = home_of(request.agent);
  if (auto ready = make_ready(home, request); !ready) return ready.error();
  auto process = home.zygote->fork(control, output);
  if (!process) {
    // The fork server may have been killed for want of memory by whatever was played before: the
    // next one may live.
    if (auto started = start(home, request.command); !started) return started.error();
    process = home.zygote->fork(control, output);
  }
  if (!process) return process.error();
  return Session{std::move(*process), home.stage.path() / kOnStage, home.zygote->session_folder()};
}

}  // namespace kbench
