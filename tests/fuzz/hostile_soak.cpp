// The supervisor's side of a worker against workers that speak garbage (hostile_worker.cpp), one
// seed after the other, through the real sandbox, channel and mailbox. Holds when every worker ends
// in an answer or a terminal state that is the submission's to answer for, in bounded time, and
// nothing of it is left over.
//
//   hostile_soak [--seconds N] [--seed N]
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "runner/measure/players/worker_process.hpp"
#include "tests/fuzz/hostile_seed.hpp"
#include "tests/fuzz/scratch_file.hpp"

namespace {

using namespace kbench;
using fuzz::behaves_until_it_loads;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kLoadTime = milliseconds{300};
constexpr auto kStartTime = milliseconds{10'000};  // for what behaves until it loads
constexpr auto kCallTime = milliseconds{100};
constexpr auto kBounded = std::chrono::seconds{30};
constexpr std::size_t kArenaBytes = 1 << 16;

UniqueFd arena() {
  UniqueFd fd(::memfd_create("kbench-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid() || ::ftruncate(fd.get(), kArenaBytes) != 0) std::abort();
  // The file is sealed, as the oracle's are.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) std::abort();
  return fd;
}

[[noreturn]] void finding(std::uint64_t seed, const std::string& what) {
  std::fprintf(stderr, "hostile_soak: seed %llu: %s\n", static_cast<unsigned long long>(seed),
               what.c_str());
  std::exit(1);
}

void check(std::uint64_t seed, const EarlyEnd& end) {
  if (end.message.empty()) finding(seed, "a failure without a message");
  if (end.state == State::kOk) finding(seed, "a failure that is ok");
  if (behaves_until_it_loads(seed) && fault_of(end.state) == Fault::kInfrastructure)
    finding(seed, "the blame was put on us: " + end.message);
}

void do_calls(Worker& worker, std::uint64_t seed) {
  for (int i = 0; i < 6; ++i) {
    PlayerCall call;
    call.kind = i == 0 ? CallKind::kPrepare : CallKind::kForward;
    call.places = {256, 256};
    call.timeout = kCallTime;
    const PlayerAnswer answer = worker.call(call);
    if (answer.wall_ns < 0) finding(seed, "a negative time");
    if (answer.failure) return check(seed, *answer.failure);
  }
}

// Everything that an evaluation does with a worker: load, a preparation, calls.
void one_worker(Sandbox& sandbox, const std::filesystem::path& program, const TaskSize& size,
                const std::filesystem::path& library, std::uint64_t seed) {
  PlacedArenas arenas;
  arenas.geometry = {{kArenaBytes, kArenaBytes, kArenaBytes}, kArenaBytes, kArenaBytes};
  arenas.submission.inputs = arena();
  arenas.submission.params = arena();
  arenas.submission.outputs = arena();
  WorkerStart start;
  start.device = "cpu";
  start.library = library;
  start.size = &size;
  start.arenas = &arenas;
  const auto native = make_native_program(sandbox, program);
  auto worker = WorkerProcess::start(*native, start);
  if (!worker) {
    // Other workers may have died before the request was sent.
    if (behaves_until_it_loads(seed))
      finding(seed, "it could not be started: " + worker.error().message);
    if (worker.error().message.empty()) finding(seed, "an error without a message");
    return;
  }
  const auto patience = behaves_until_it_loads(seed) ? kStartTime : kLoadTime;
  if (const auto end = (*worker)->await_ready(patience)) return check(seed, *end);
  if (const auto end = (*worker)->load()) return check(seed, *end);
  if (const auto end = (*worker)->await_loaded(kLoadTime)) return check(seed, *end);
  do_calls(**worker, seed);
}

// Our children that are still there: none, once a worker was destroyed.
bool has_children() {
  std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  std::string any;
  return static_cast<bool>(children >> any);
}

}  // namespace

int main(int argc, char** argv) {
  std::chrono::seconds time{3};
  std::uint64_t seed = 1;
  std::filesystem::path program = HOSTILE_WORKER;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--seconds")
      time = std::chrono::seconds(std::atoi(argv[i + 1]));
    if (std::string_view(argv[i]) == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  const fuzz::ScratchFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  const auto sandbox = make_sandbox();
  TaskSize size;
  size.name = "small";
  size.inputs = {{.name = "x", .shape = {8}}};
  size.outputs = {{.name = "y", .shape = {8}}};
  std::uint64_t workers = 0;
  for (const auto end = Clock::now() + time; Clock::now() < end; ++seed, ++workers) {
    const auto library =
        folder.write("library", reinterpret_cast<const std::uint8_t*>(&seed), sizeof seed);
    const auto begin = Clock::now();
    one_worker(*sandbox, program, size, library, seed);
    if (Clock::now() - begin > kBounded) finding(seed, "it took more than 30 s");
    if (has_children()) finding(seed, "a process was left over");
  }
  std::printf("%llu hostile workers, none got further than its own process\n",
              static_cast<unsigned long long>(workers));
  return 0;
}
