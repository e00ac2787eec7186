#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>

#include "runner/os/pipe.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// An output stream: its head is kept, the rest is drained, so that the program never blocks on it.
class Collector {
 public:
  Collector(UniqueFd fd, std::string& kept, std::size_t limit, bool& truncated)
      : fd_(std::move(fd)), kept_(kept), limit_(limit), truncated_(truncated) {}

  [[nodiscard]] int fd() const { return fd_.get(); }  // -1 once at its end: poll skips that

  // Reads until nothing is there, or a bounded amount: a flood must not delay the deadline.
  void drain() {
    std::array<char, 16384> buffer;
    for (int rounds = 0; rounds < 64 && fd_.valid(); ++rounds) {
      const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return fd_.reset();
      const auto bytes = static_cast<std::size_t>(got);
      const std::size_t fits = std::min(bytes, limit_ - kept_.size());
      kept_.append(buffer.data(), fits);
      truncated_ |= fits < bytes;
    }
  }

 private:
  UniqueFd fd_;
  std::string& kept_;
  std::size_t limit_;
  bool& truncated_;
};

constexpr milliseconds kStopEvery{200};  // how often it is asked

// Collects until the program ended; false when the deadline came first, or a stop.
bool collect(const SandboxedProcess& process, Collector& out, Collector& err,
             Clock::time_point deadline, const std::function<void()>& on_output,
             const std::function<bool()>& stop) {
  const long long longest = stop ? kStopEvery.count() : 1'000'000'000;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || (stop && stop())) return false;
    std::array<pollfd, 3> watched = {pollfd{out.fd(), POLLIN, 0}, pollfd{err.fd(), POLLIN, 0},
                                     pollfd{process.exit_fd(), POLLIN, 0}};
    const int wait_ms = static_cast<int>(std::min<long long>(left, longest));
    if (::poll(watched.data(), watched.size(), wait_ms) <= 0) continue;
    if (watched[0].revents != 0) {
      out.drain();
      on_output();
    }
    if (watched[1].revents != 0) err.drain();
    if (watched[2].revents != 0) return true;
  }
}

}  // namespace

Result<ProgramOutput> run_to_end(Sandbox& sandbox, SandboxCommand command, milliseconds timeout,
                                 std::size_t max_output, const OnOutput& on_output) {
  return run_until_stopped(sandbox, std::move(command), timeout, max_output, on_output, {});
}

Result<ProgramOutput> run_until_stopped(Sandbox& sandbox, SandboxCommand command,
                                        milliseconds timeout, std::size_t max_output,
                                        const OnOutput& on_output,
                                        const std::function<bool()>& stop) {
  auto out = make_pipe();
  if (!out) return out.error();
  auto err = make_pipe();
  if (!err) return err.error();
  never_block(out->read.get());
  never_block(err->read.get());
  command.descriptors.emplace_back(out->write.get(), 1);
  command.descriptors.emplace_back(err->write.get(), 2);

  const auto deadline = Clock::now() + timeout;
  auto process = sandbox.start(command);
  if (!process) return process.error();
  out->write.reset();
  err->write.reset();

  ProgramOutput output;
  Collector out_collector(std::move(out->read), output.out, max_output, output.truncated);
  Collector err_collector(std::move(err->read), output.err, max_output, output.truncated);
  const auto tell = [&] {
    if (on_output) on_output(output.out);
  };
  if (!collect(**process, out_collector, err_collector, deadline, tell, stop)) {
    output.timed_out = true;
    (*process)->kill();
  }
  // Everything in the sandbox is dead now, so what is in the pipes is all there will be.
  out_collector.drain();
  err_collector.drain();
  tell();
  auto exit = (*process)->wait(milliseconds{0});
  if (!exit) {
    Error error = exit.error();
    if (!output.err.empty()) error.message += ": " + output.err.substr(0, 300);
    return error;
  }
  output.exit = *exit;
  return output;
}

}  // namespace kbench
