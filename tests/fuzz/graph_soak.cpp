// Graphs that mean harm (hostile_graph.hpp), executed one after the other by a real oracle in its
// real sandbox. Holds when the oracle survives each of them and says what was wrong with it, and
// when nothing is seen from outside but memory: no file where they may have wanted to write one,
// none open or mapped that was not before, no process, no socket.
//
//   graph_soak --oracle PROGRAM --schemas FILE [--graphs N] [--seed N] [--no-table] [--no-sandbox]
//
// --no-table: PROGRAM is a weakened one and executes whatever LibTorch has
// (KBENCH_WITHOUT=listed_operators). It may die of that; still nothing gets out.
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "runner/measure/oracle/oracle_process.hpp"
#include "tests/fuzz/hostile_graph.hpp"
#include "tests/fuzz/scratch_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace kbench;
using Clock = std::chrono::steady_clock;

// One graph; LibTorch takes seconds for some on a busy machine.
constexpr auto kBounded = std::chrono::seconds{60};
// Limit of the oracle's address space: graphs that take more prove nothing and cost the machine.
constexpr rlim_t kMemory = rlim_t{6} << 30;

struct Options {
  fs::path oracle;
  std::string schemas;
  std::uint64_t graphs = 200;
  std::uint64_t seed = 1;
  bool table = true;
  bool sandbox = true;
};

[[noreturn]] void finding(std::uint64_t seed, const std::string& what) {
  std::fprintf(stderr, "graph_soak: seed %llu: %s\n", static_cast<unsigned long long>(seed),
               what.c_str());
  std::exit(1);
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Everything that this program started, and what that started.
std::set<pid_t> descendants() {
  std::multimap<pid_t, pid_t> children;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    const std::string stat = text_of(entry.path() / "stat");
    const std::size_t end = stat.rfind(')');
    if (end == stat.npos) continue;
    children.emplace(std::atoi(stat.c_str() + end + 4), std::atoi(name.c_str()));
  }
  std::set<pid_t> found;
  std::vector<pid_t> open{::getpid()};
  while (!open.empty()) {
    const auto [begin, end] = children.equal_range(open.back());
    open.pop_back();
    for (auto child = begin; child != end; ++child)
      if (found.insert(child->second).second) open.push_back(child->second);
  }
  return found;
}

// Links of /proc/PID/fd, and the files in its memory, without those that are nowhere but in memory.
std::set<std::string> files_of(pid_t pid) {
  std::set<std::string> found;
  const fs::path process = "/proc/" + std::to_string(pid);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(process / "fd", ignored)) {
    const std::string link = fs::read_symlink(entry.path(), ignored).string();
    if (!link.starts_with("/memfd:")) found.insert(link);
  }
  std::istringstream maps(text_of(process / "maps"));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash == line.npos || line.find("/memfd:") != line.npos) continue;
    // LibTorch and MKL load some of their own libraries when they first need them.
    const bool library = line.find(".so") != line.npos;
    if (!library) found.insert(line.substr(slash));
  }
  return found;
}

// Targets that graphs may want: a folder that anybody may write to, with a file in it that anybody
// may read, and a port that listens.
class Bait {
 public:
  Bait() : mark_("kbench-graph-soak-" + std::to_string(::getpid())) {
    fs::permissions(folder_.path(), fs::perms(0777));
    std::ofstream(folder_.path() / "secret") << std::string(1 << 16, 's');
    listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (::bind(listener_.get(), any, size) != 0 || ::listen(listener_.get(), 8) != 0 ||
        ::getsockname(listener_.get(), any, &size) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
    whole_ = listing();
  }

  [[nodiscard]] std::vector<std::string> paths() const {
    return {folder_.path() / "secret",
            folder_.path() / "out",
            "/tmp/" + mark_,
            "/dev/shm/" + mark_,
            "/var/tmp/" + mark_,
            mark_,
            "/etc/passwd",
            "/root/.bashrc",
            "/proc/self/environ",
            fmt::format("tcp://127.0.0.1:{}", port_),
            "\x1b[31m\n*/",
            "gloo",
            "none"};
  }

  // The change to the bait; empty: none. `inside`: a process whose view of the file system counts
  // as well.
  [[nodiscard]] std::string touched(pid_t inside) const {
    if (const std::string now = listing(); now != whole_) return "the bait's folder has " + now;
    std::vector<fs::path> places{"/tmp", "/dev/shm", "/var/tmp", fs::current_path()};
    if (inside > 0)
      for (const char* place : {"tmp", "dev/shm", "."})
        places.push_back("/proc/" + std::to_string(inside) + "/root/" + place);
    std::error_code error;
    for (const fs::path& place : places) {
      const fs::path made = place / mark_;
      if (!fs::exists(fs::symlink_status(made, error))) continue;
      fs::remove_all(made, error);
      return made.string() + " exists";
    }
    pollfd asked{listener_.get(), POLLIN, 0};
    return ::poll(&asked, 1, 0) == 0 ? "" : "somebody connected";
  }

 private:
  [[nodiscard]] std::string listing() const {
    std::set<std::string> entries;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      struct stat info {};
      (void)::lstat(entry.path().c_str(), &info);
      entries.insert(fmt::format("{} {} {}.{}", entry.path().string(), info.st_size,
                                 info.st_mtim.tv_sec, info.st_mtim.tv_nsec));
    }
    std::string all;
    for (const std::string& entry : entries) all += entry + "\n";
    return all;
  }

  fuzz::ScratchFolder folder_;
  std::string mark_;
  UniqueFd listener_;
  int port_ = 0;
  std::string whole_;
};

// Ends what a graph keeps busy for too long: its oracle.
class Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
  ~Watchdog() {
    over_ = true;
    thread_.join();
  }
  void begin() {
    barked_ = false;
    begun_ = Clock::now().time_since_epoch().count();
  }
  // Returns true if it had to end something.
  bool end() {
    begun_ = 0;
    return barked_;
  }

 private:
  void watch() {
    while (!over_) {
      std::this_thread::sleep_for(std::chrono::milliseconds{200});
      const auto begun = begun_.load();
      if (begun == 0 || Clock::now() - Clock::time_point(Clock::duration(begun)) < kBounded)
        continue;
      barked_ = true;
      for (const pid_t pid : descendants()) ::kill(pid, SIGKILL);
    }
  }

  std::atomic<bool> over_ = false;
  std::atomic<bool> barked_ = false;
  std::atomic<Clock::rep> begun_ = 0;
  std::thread thread_;
};

// Results of graphs.
struct Counts {
  std::uint64_t refused = 0;  // by the list, before anything was executed
  std::uint64_t failed = 0;   // the oracle said why
  std::uint64_t computed = 0;
  std::uint64_t died = 0;  // a finding, where they are held against the list
};

class Soak {
 public:
  explicit Soak(const Options& options)
      : options_(options),
        sandbox_(make_sandbox()),
        graphs_(fuzz::read_schemas(options.schemas), bait_.paths()) {
    fs::permissions(folder_.path(), fs::perms(0755));
  }

  void run() {
    start(options_.seed);
    for (std::uint64_t seed = options_.seed; seed < options_.seed + options_.graphs; ++seed)
      one(seed);
    std::printf(
        "%llu graphs: %llu refused, %llu failed, %llu computed, %llu killed the oracle; nothing "
        "of them was seen from outside\n",
        static_cast<unsigned long long>(options_.graphs),
        static_cast<unsigned long long>(counts_.refused),
        static_cast<unsigned long long>(counts_.failed),
        static_cast<unsigned long long>(counts_.computed),
        static_cast<unsigned long long>(counts_.died));
    if (options_.table && counts_.died > 0) std::exit(1);
    // With fewer graphs that are computed the soak proves nothing.
    if (counts_.computed < options_.graphs / 50)
      finding(0, "hardly any graph was executed to its end");
  }

 private:
  // Each under a name of its own: an oracle does not load again what it has loaded.
  fs::path write(Json task) {
    if (!task_.empty()) fs::remove(task_);
    task["number"] = 1000 + ++written_;
    const std::string text = task.dump(-1, ' ', true, Json::error_handler_t::replace);
    task_ = folder_.write(fmt::format("level1/{}_hostile.json", 1000 + written_),
                          reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    return task_;
  }

  void start(std::uint64_t seed) {
    oracle_.reset();
    OracleOptions options;
    options.sandbox = sandbox_.get();
    options.program = options_.oracle;
    options.device = "cpu";
    options.precision = "fp32";
    options.log = folder_.path() / "oracle.log";
    auto oracle = OracleProcess::start(options);
    if (!oracle) finding(seed, "the oracle could not be started: " + oracle.error().message);
    oracle_ = std::move(*oracle);
    if (const auto error = execute(write(fuzz::HostileGraphs::harmless())))
      finding(seed, "a harmless graph failed: " + error->message);
    processes_ = descendants();
    // The oracle itself is the youngest.
    inside_ = *processes_.rbegin();
    const rlimit memory{kMemory, kMemory};
    for (const pid_t pid : processes_) {
      (void)::prlimit(pid, RLIMIT_AS, &memory, nullptr);
      known_[pid] = files_of(pid);
    }
  }

  std::optional<Error> execute(const fs::path& task) {
    if (auto loaded = oracle_->load(task, "small", ""); !loaded) return loaded.error();
    PlaceRequest places;
    places.timed = false;
    places.key = 7;
    if (auto placed = oracle_->place(places); !placed) return placed.error();
    if (auto drawn = oracle_->inputs({SlotInputs{.key = 9}}); !drawn) return drawn.error();
    if (auto reference = oracle_->reference(); !reference) return reference.error();
    return std::nullopt;
  }

  void one(std::uint64_t seed) {
    watchdog_.begin();
    const auto error =
        execute(write(options_.table ? graphs_.task(seed) : graphs_.foreign_task(seed)));
    const bool alive = static_cast<bool>(oracle_->hello());
    const bool late = watchdog_.end();
    if (const std::string touched = bait_.touched(alive && options_.table ? inside_ : 0);
        !touched.empty())
      finding(seed, touched);
    if (alive)
      look(seed);
    else if (options_.table)
      std::fprintf(stderr, "graph_soak: seed %llu: %s: %s\n%s\n",
                   static_cast<unsigned long long>(seed),
                   late ? "it took too long" : "the oracle died",
                   error.value_or(Error{}).message.c_str(), text_of(task_).c_str());
    if (!error)
      ++counts_.computed;
    else if (!alive)
      ++counts_.died;
    else if (error->message.find("that a task may use") != std::string::npos ||
             error->message.find("allowed is") != std::string::npos ||
             error->message.find("is written, and may lie") != std::string::npos)
      ++counts_.refused;
    else
      ++counts_.failed;
    if (std::getenv("GRAPH_SOAK_SAYS") != nullptr)
      std::fprintf(stderr, "%llu: %s\n", static_cast<unsigned long long>(seed),
                   error ? error->message.c_str() : "computed");
    if (!alive) start(seed);
  }

  void look(std::uint64_t seed) {
    const std::set<pid_t> now = descendants();
    if (now != processes_)
      finding(seed,
              fmt::format("there are {} processes, and were {}", now.size(), processes_.size()));
    for (const pid_t pid : now)
      for (const std::string& file : files_of(pid))
        if (!known_[pid].contains(file) && counts(file)) finding(seed, "it has opened " + file);
  }

  // Without the list a graph may have files within the sandbox, which are gone with it.
  [[nodiscard]] bool counts(const std::string& file) const {
    return options_.table || !options_.sandbox || file.starts_with("socket:");
  }

  const Options& options_;
  fuzz::ScratchFolder folder_;
  fs::path task_;
  std::uint64_t written_ = 0;
  Bait bait_;
  std::unique_ptr<Sandbox> sandbox_;
  fuzz::HostileGraphs graphs_;
  std::unique_ptr<OracleProcess> oracle_;
  std::set<pid_t> processes_;
  pid_t inside_ = 0;
  std::map<pid_t, std::set<std::string>> known_;
  Watchdog watchdog_;
  Counts counts_;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--no-table" || name == "--no-sandbox") {
      options.table = false;
      options.sandbox &= name != "--no-sandbox";
      continue;
    }
    if (name == "--oracle") options.oracle = value;
    if (name == "--schemas") options.schemas = value;
    if (name == "--graphs") options.graphs = std::strtoull(value, nullptr, 10);
    if (name == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    ++i;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  // A process that a graph left behind becomes our child.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Options options = parse(argc, argv);
  if (!options.table)
    ::setenv("KBENCH_WITHOUT",
             options.sandbox ? "listed_operators" : "listed_operators,confined_oracle", 1);
  Soak(options).run();
  return 0;
}
