#include "runner/measure/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "runner/measure/openmp_environment.hpp"
#include "runner/sandbox/host.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kControlDescriptor = 3;
constexpr auto kReapPatience = std::chrono::seconds{5};

SandboxCommand worker_command(const std::filesystem::path& program, const WorkerStart& start,
                              int control) {
  SandboxCommand command;
  command.argv = {program.string()};
  command.env = openmp_environment(start.device, start.threads);
  command.env["PATH"] = "/usr/bin:/bin";
  // The library comes as a descriptor, and is opened once more through it.
  command.readable = {program, start.library};
  command.max_resident_bytes = physical_memory_bytes() / 2;
  if (const auto packages = unpacked_packages()) {
    command.readable.push_back(*packages);
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) command.env["LD_LIBRARY_PATH"] = path;
  }
  command.needs_cuda = start.device == "cuda";
  command.descriptors = {{control, kControlDescriptor}};
  return command;
}

Json load_request(const WorkerStart& start) {
  return {{"device", start.device},
          {"device_index", start.device_index},
          {"threads", start.threads},
          {"arena_bytes", start.arenas->geometry.arena_bytes},
          {"input_offsets", pack(start.size->inputs).offsets},
          {"param_offsets", pack(start.size->parameters).offsets},
          {"output_offsets", pack(start.size->outputs).offsets}};
}

}  // namespace

Result<std::unique_ptr<Worker>> WorkerProcess::start(Sandbox& sandbox,
                                                     const std::filesystem::path& program,
                                                     const WorkerStart& start) {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  auto mailbox = Mailbox::create();
  if (!mailbox) return mailbox.error();
  const UniqueFd library(::open(start.library.c_str(), O_RDONLY | O_CLOEXEC));
  if (!library.valid())
    return Error{ErrorCode::kInfrastructure, "cannot open " + start.library.string(), ""};
  auto process = sandbox.start(worker_command(program, start, ends->second.get()));
  if (!process) return process.error();
  Channel channel(std::move(ends->first));
  auto sent = channel.send(load_request(start),
                           {mailbox->fd(), start.arenas->inputs.get(), start.arenas->params.get(),
                            start.arenas->outputs.get(), library.get()});
  if (!sent) return sent.error();
  const WaitStyle style = start.device == "cuda" ? WaitStyle::kSpin : WaitStyle::kFutex;
  return std::unique_ptr<Worker>(
      new WorkerProcess(std::move(*process), std::move(channel), std::move(*mailbox), style));
}

WorkerProcess::WorkerProcess(std::unique_ptr<SandboxedProcess> process, Channel channel,
                             Mailbox mailbox, WaitStyle style)
    : process_(std::move(process)),
      channel_(std::move(channel)),
      mailbox_(std::move(mailbox)),
      style_(style) {}

bool WorkerProcess::has_ended() const {
  pollfd poll_fd{process_->exit_fd(), POLLIN, 0};
  return ::poll(&poll_fd, 1, 0) > 0;
}

EarlyEnd WorkerProcess::describe_end(const std::string& during) {
  const auto exit =
      process_->wait(std::chrono::duration_cast<std::chrono::milliseconds>(kReapPatience));
  if (!exit) return {State::kInfrastructureError, "the worker ended but could not be reaped", ""};
  if (exit->exited)
    return {State::kCrash,
            fmt::format("the submission ended its process {} (exit code {})", during, exit->code),
            "a submission returns from kbench_forward, it never exits"};
  const char* name = ::sigabbrev_np(exit->signal);
  return {State::kCrash,
          fmt::format("the submission crashed {} (SIG{})", during, name ? name : "?"),
          "check its bounds and alignment; the shapes are in task.h"};
}

std::optional<EarlyEnd> WorkerProcess::await_loaded(std::chrono::milliseconds timeout) {
  auto reply = channel_.receive(timeout);
  if (!reply && reply.error().code == ErrorCode::kTimeout) {
    process_->kill();
    return EarlyEnd{State::kTimeout,
                    fmt::format("the submission did not load within {} s", timeout.count() / 1000),
                    "constructors of static objects run while it loads"};
  }
  // A closed channel means that the process is gone, or that its code closed what it should not.
  if (!reply) return describe_end("while it was loaded");
  const Json& body = reply->body;
  if (body.is_object() && body.value("type", "") == "loaded") {
    has_prepare_ = body.value("has_prepare", false);
    if (auto frozen = process_->freeze(); frozen) frozen_ = true;
    return std::nullopt;
  }
  if (body.is_object() && body.value("type", "") == "error") {
    const auto state = state_from_string(body.value("state", "")).value_or(State::kLoadError);
    // Only these three are the worker's to report.
    const bool plausible = state == State::kMissingSymbol || state == State::kInfrastructureError;
    return EarlyEnd{plausible ? state : State::kLoadError, body.value("message", ""),
                    body.value("hint", "")};
  }
  return EarlyEnd{State::kCrash, "the worker answered with something else than asked", ""};
}

WorkerAnswer WorkerProcess::call(const WorkerCall& call) {
  MailboxPage& page = mailbox_.page();
  page.kind = call.kind;
  page.slots = static_cast<std::uint32_t>(call.slots.size());
  page.parameter_base = call.parameter_base;
  for (std::size_t slot = 0; slot < call.slots.size(); ++slot) {
    page.input_base[slot] = call.slots[slot].input_base;
    page.output_base[slot] = call.slots[slot].output_base;
  }
  if (frozen_ && process_->thaw()) frozen_ = false;
  const std::uint32_t before = calls_;
  const std::uint32_t number = ++calls_;
  const auto deadline = Clock::now() + call.timeout;

  const auto start = Clock::now();
  Mailbox::raise(page.go, number, style_);
  const bool answered = Mailbox::wait_while_equal(
      page.done, before, style_, [&] { return has_ended() || Clock::now() > deadline; });
  WorkerAnswer answer;
  answer.wall_ns = std::chrono::nanoseconds(Clock::now() - start).count();
  if (!answered) {
    if (has_ended()) {
      answer.failure = describe_end("in a call");
    } else {
      process_->kill();
      answer.failure = EarlyEnd{State::kTimeout,
                                fmt::format("the submission did not finish a call within {} s",
                                            call.timeout.count() / 1000),
                                "it loops for ever, deadlocks, or is far slower than eager"};
    }
    return answer;
  }
  // Each field of the page is read once: the worker may change it at any time.
  if (page.done.load(std::memory_order_acquire) != number) {
    process_->kill();
    answer.failure = EarlyEnd{State::kCrash, "the worker answered a call that was not made", ""};
    return answer;
  }
  answer.claimed_ns = page.claimed_ns;
  if (const std::int32_t status = page.status; status != 0)
    answer.failure = EarlyEnd{State::kSubmissionError,
                              fmt::format("the submission returned {} from a call", status),
                              "0 means success; on CUDA the number is a cudaError_t"};
  if (process_->freeze()) frozen_ = true;
  return answer;
}

}  // namespace kbench
