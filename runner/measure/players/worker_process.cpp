#include "runner/measure/players/worker_process.hpp"

#include <poll.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/measure/players/mailbox_call.hpp"
#include "runner/measure/players/words_in.hpp"
#include "runner/measure/watch/core_pin.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLongCall = std::chrono::milliseconds{300};
// How often a session's files are counted while it runs.
constexpr auto kFilesEvery = std::chrono::seconds{1};
constexpr auto kReapPatience = std::chrono::seconds{5};

double seconds_of(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

// The named state, of those that a submission may end in while it is loaded.
State state_of_loading(const std::string& name) {
  for (const State state : {State::kMissingSymbol, State::kImportError, State::kParametersDiffer,
                            State::kSubmissionError})
    if (name == to_string(state)) return state;
  return State::kLoadError;
}

}  // namespace

Result<std::unique_ptr<Worker>> WorkerProcess::start(WorkerProgram& program,
                                                     const WorkerStart& start) {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  auto mailbox = Mailbox::create();
  if (!mailbox) return mailbox.error();
  const auto library = program.library(start);
  if (!library) return library.error();
  auto known_code = program.known_code(library->get());
  if (!known_code) return known_code.error();
  auto output = WorkerOutput::make();
  if (!output) return output.error();
  auto process = program.start(start, ends->second.get(), output->write_end());
  if (!process) return process.error();
  output->close_write_end();
  Channel channel(std::move(ends->first), Channel::Descriptors::kRefused);
  const SeatArenas& arenas =
      start.seat == Seat::kBaselines ? start.arenas->baselines : start.arenas->submission;
  std::vector<int> descriptors{mailbox->fd(), arenas.inputs.get(), arenas.params.get(),
                               arenas.outputs.get()};
  const bool has_heap = start.device == "cuda" && start.arenas->heap.valid();
  if (has_heap && program.kind().owns_outputs) descriptors.push_back(start.arenas->heap.get());
  if (library->valid()) descriptors.push_back(library->get());
  if (start.activity >= 0 && program.kind().records) descriptors.push_back(start.activity);
  if (auto sent = channel.send(program.request(start), descriptors); !sent) return sent.error();
  auto outputs = watch(program.kind(), start, arenas);
  if (!outputs) return outputs.error();
  return std::unique_ptr<Worker>(
      new WorkerProcess(program.kind(), std::move(*process), std::move(channel),
                        std::move(*mailbox), std::move(*outputs), program.written_files(),
                        std::move(*known_code), std::move(*output), start));
}

Result<WorkerProcess::Outputs> WorkerProcess::watch(const WorkerKind& kind,
                                                    const WorkerStart& start,
                                                    const SeatArenas& arenas) {
  Outputs outputs;
  if (start.device == "cuda") return outputs;
  const PlaceReply& geometry = start.arenas->geometry;
  auto watch =
      LateWrites::watch(arenas.outputs.get(), geometry.arena_bytes[2], start.size->outputs);
  if (!watch) return watch.error();
  outputs.late_writes.emplace(std::move(*watch));
  if (!kind.owns_outputs) return outputs;
  auto own = OwnOutputs::of(arenas, geometry, *start.size);
  if (!own) return own.error();
  outputs.own.emplace(std::move(*own));
  return outputs;
}

WorkerProcess::WorkerProcess(const WorkerKind& kind, std::unique_ptr<SandboxedProcess> process,
                             Channel channel, Mailbox mailbox, Outputs outputs,
                             std::optional<WrittenFiles> files, KnownCode known_code,
                             WorkerOutput output, const WorkerStart& start)
    : kind_(kind),
      process_(std::move(process)),
      channel_(std::move(channel)),
      mailbox_(std::move(mailbox)),
      style_(start.device == "cuda" ? WaitStyle::kSpin : WaitStyle::kFutex),
      late_writes_(std::move(outputs.late_writes)),
      own_outputs_(std::move(outputs.own)),
      size_(*start.size),
      heap_bytes_(start.arenas->geometry.heap_bytes),
      files_(std::move(files)),
      known_code_(std::move(known_code)),
      output_(std::move(output)),
      threads_(start.threads),
      cores_(start.threads) {}

bool WorkerProcess::has_ended() const {
  pollfd poll_fd{process_->exit_fd(), POLLIN, 0};
  return ::poll(&poll_fd, 1, 0) > 0;
}

EarlyEnd WorkerProcess::describe_end(const std::string& during) {
  const auto exit =
      process_->wait(std::chrono::duration_cast<std::chrono::milliseconds>(kReapPatience));
  if (!exit && exit.error().code == ErrorCode::kTimeout) {
    process_->kill();
    return {State::kCrash,
            fmt::format("the submission closed or misused its worker's channel {}", during),
            "descriptors that a submission did not open are not its own to close"};
  }
  if (!exit) return {State::kInfrastructureError, exit.error().message, exit.error().hint};
  if (exit->exited) {
    return {State::kCrash,
            fmt::format("the submission ended its process {} (exit code {})", during, exit->code),
            "a submission returns from kbench_forward, it never exits"};
  }
  const char* name = ::sigabbrev_np(exit->signal);
  return {State::kCrash,
          fmt::format("the submission crashed {} (SIG{})", during, name != nullptr ? name : "?"),
          fmt::format("{}; {}", kind_.crash_step,
                      exit->signal == SIGABRT
                          ? "an exception that nobody caught, an assertion, or a heap written past "
                            "its bounds ends so"
                          : kind_.crash_causes)};
}

// Until it loads, only our own code has run in there: what goes wrong is ours.
EarlyEnd WorkerProcess::not_ready(const std::string& what, const std::string& hint) {
  process_->kill();
  return {State::kInfrastructureError, "the worker could not take the submission: " + what,
          hint.empty() ? "`kbench doctor` says what the sandbox can do here" : hint};
}

std::optional<EarlyEnd> WorkerProcess::hear_ready(std::chrono::milliseconds timeout) {
  const auto heard = channel_.receive(timeout);
  if (!heard && heard.error().code == ErrorCode::kTimeout)
    return not_ready("it did not start in time");
  if (!heard && heard.error().code == ErrorCode::kBadInput) return not_ready(heard.error().message);
  if (!heard) return not_ready(describe_end("before it was loaded").message);
  const std::string type = words_in(heard->body, "type");
  if (type == "error")
    return not_ready(words_in(heard->body, "message"), words_in(heard->body, "hint"));
  if (type != "ready") return not_ready("it answered with something else than asked");
  ready_ = true;
  return std::nullopt;
}

std::optional<EarlyEnd> WorkerProcess::await_ready(std::chrono::milliseconds timeout) {
  if (auto end = hear_ready(timeout)) return end;
  if (auto end = freeze()) return end;
  const bool memory_counts = style_ == WaitStyle::kFutex && !kind_.code.memory_allowed;
  if (auto trusted = known_code_.trust(processes_, memory_counts); !trusted)
    return not_ready(trusted.error().message, trusted.error().hint);
  looked_at_ = true;
  if (own_outputs_ && !processes_.empty())
    copies_outputs_ = !ForeignMemory(processes_.front()).is_open();
  return std::nullopt;
}

std::optional<EarlyEnd> WorkerProcess::enlist() {
  auto processes = process_->processes();
  if (!processes) return from_error(processes.error());
  processes_ = std::move(*processes);
  if (processes_.empty() && !has_ended()) return not_ready("its processes cannot be found");
  return std::nullopt;
}

std::optional<EarlyEnd> WorkerProcess::load() {
  if (!frozen_)
    if (auto end = enlist()) return end;
  // The worker raises "done" for this before it loads, so it is not waited for.
  loads_ = true;
  mailbox_.page().kind = CallKind::kLoad;
  Mailbox::raise(mailbox_.page().go, ++calls_, style_);
  return thaw();
}

std::optional<EarlyEnd> WorkerProcess::await_word(std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (Clock::now() < deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const auto pause = files_ ? std::min<std::chrono::milliseconds>(left, kFilesEvery) : left;
    pollfd poll_fd{channel_.fd(), POLLIN, 0};
    if (::poll(&poll_fd, 1, static_cast<int>(std::max<long>(pause.count(), 1))) > 0) break;
    if (auto end = check_files(kFilesEvery)) return end;
  }
  return std::nullopt;
}

std::optional<EarlyEnd> WorkerProcess::await_loaded(std::chrono::milliseconds timeout) {
  if (!ready_)
    if (auto end = hear_ready(timeout)) return end;
  if (auto end = await_word(timeout)) return end;
  // The first bytes of its word are there, or its time is over.
  const auto heard = channel_.receive(std::chrono::milliseconds{1'000});
  if (!heard && heard.error().code == ErrorCode::kTimeout) {
    process_->kill();
    return EarlyEnd{State::kTimeout,
                    fmt::format("the submission did not load within {} s", seconds_of(timeout)),
                    "constructors of static objects run while it loads, and all that an import "
                    "does"};
  }
  if (!heard && heard.error().code == ErrorCode::kBadInput)
    return misused_channel(heard.error().message);
  // A closed channel means that the process is gone, or that its code closed what it should not.
  if (!heard) return describe_end("while it was loaded");
  const Json& body = heard->body;
  if (words_in(body, "type") == "loaded") {
    has_prepare_ = body.value("has_prepare", Json()) == Json(true);
    model_account_ = read_model_account(body);
    return freeze();
  }
  if (words_in(body, "type") == "error") {
    // The submission's constructors can speak here as well, so nothing but its own fault counts.
    const std::string why = words_in(body, "message");
    return EarlyEnd{state_of_loading(words_in(body, "state")),
                    why.empty() ? "the submission did not load, and gave no reason" : why,
                    words_in(body, "hint")};
  }
  return EarlyEnd{
      State::kCrash,
      "the submission wrote to its worker's channel: an answer came that nobody asked for",
      "nothing but kbench's worker may write there"};
}

EarlyEnd WorkerProcess::misused_channel(const std::string& how) {
  process_->kill();
  return {State::kCrash, "the submission misused its worker's channel while it was loaded: " + how,
          "descriptors that a submission did not open are not its own to use"};
}

Result<std::vector<MappedCode>> WorkerProcess::mapped_code() {
  auto processes = process_->processes();
  if (!processes) return processes.error();
  auto code = known_code_.look_at(*processes);
  if (code || !looked_at_) return code;
  // The code could be looked at before, so the submission has hidden it.
  return Error{ErrorCode::kSubmission, "the submission hides which code it has mapped",
               "a submission leaves its process as it is"};
}

void WorkerProcess::run_on(std::span<const int> cores) {
  if (frozen_)
    for (const pid_t process : processes_) bind_to_cores(process, cores);
}

EarlyEnd WorkerProcess::ran_while_stopped(const std::string& how) {
  process_->kill();
  return {State::kRanWhileStopped, how,
          "a call leaves nothing running behind, and nobody may continue it"};
}

std::optional<EarlyEnd> WorkerProcess::freeze() {
  if (auto end = stop()) return end;
  return take_stock();
}

std::optional<EarlyEnd> WorkerProcess::stop() {
  if (!stands(Defence::kStoppedBetweenCalls)) return std::nullopt;
  if (auto stopped = process_->freeze(); !stopped) {
    const Error& error = stopped.error();
    if (error.code == ErrorCode::kTimeout) {
      return ran_while_stopped("the submission's processes could not be stopped after a call: " +
                               error.message);
    }
    process_->kill();
    return from_error(error);
  }
  frozen_ = true;
  return std::nullopt;
}

std::optional<EarlyEnd> WorkerProcess::take_stock() {
  if (!frozen_) return std::nullopt;
  if (auto end = enlist()) return end;
  auto times = run_times(processes_);
  if (!times) return from_error(times.error());
  run_times_ = std::move(*times);
  return check_files(std::chrono::nanoseconds{0});
}

std::optional<EarlyEnd> WorkerProcess::check_files(std::chrono::nanoseconds every) {
  return files_ ? judge_files(files_->look(processes_, every)) : std::nullopt;
}

// Where a look takes long, the paced ones may all come too early in a short evaluation.
std::optional<EarlyEnd> WorkerProcess::check_written() {
  return files_ ? judge_files(files_->look_now(processes_)) : std::nullopt;
}

std::optional<EarlyEnd> WorkerProcess::judge_files(const Result<std::string>& too_much) {
  if (too_much && too_much->empty()) return std::nullopt;
  process_->kill();
  if (!too_much) return from_error(too_much.error());
  return EarlyEnd{State::kOverBudget, "the submission " + *too_much,
                  "all that a session has written counts together, also what is open and has no "
                  "name any more"};
}

std::optional<EarlyEnd> WorkerProcess::check_stop() {
  if (!frozen_) return std::nullopt;
  auto times = run_times(processes_);
  if (!times) return from_error(times.error());
  before_call_ = std::move(*times);
  const auto meanwhile = ran_meanwhile(run_times_, before_call_);
  if (!stops_.ran(meanwhile) || !stands(Defence::kStopWatched)) return std::nullopt;
  return ran_while_stopped(
      fmt::format("the submission ran for {:.3f} ms while it was stopped",
                  static_cast<double>(meanwhile.again_ns + meanwhile.leaving_ns) * 1e-6));
}

std::optional<EarlyEnd> WorkerProcess::thaw() {
  if (!frozen_) return std::nullopt;
  if (auto thawed = process_->thaw(); !thawed) {
    const Error& error = thawed.error();
    if (error.code == ErrorCode::kSubmission)
      return ran_while_stopped("the submission did not stand still: " + error.message);
    process_->kill();
    return from_error(error);
  }
  frozen_ = false;
  return std::nullopt;
}

std::optional<EarlyEnd> WorkerProcess::check_cores(std::chrono::nanoseconds call) {
  const bool counts = style_ == WaitStyle::kFutex && frozen_ && before_call_.total_ns != 0;
  if (!counts || !stands(Defence::kGivenCores)) return std::nullopt;
  const std::uint64_t ran_ns = run_times_.total_ns - before_call_.total_ns;
  if (!cores_.ran_on_more(ran_ns, call)) return std::nullopt;
  process_->kill();
  return EarlyEnd{
      State::kTimingInconsistent,
      fmt::format("the submission's threads ran for {:.3f} ms in a call of {:.3f} ms, more than {} "
                  "can on the {} given",
                  static_cast<double>(ran_ns) * 1e-6, static_cast<double>(call.count()) * 1e-6,
                  threads_ == 1 ? "one" : std::to_string(threads_),
                  threads_ == 1 ? "core that is" : "cores that are"),
      "use as many threads as the context says, and leave them on the cores that they start on"};
}

// OpenMP binds its threads to cores. Where a stranger keeps one of those busy, the others may wait
// for its thread at a barrier until the call's time is up.
bool WorkerProcess::has_stalled(StallWatch& watch, std::chrono::nanoseconds into_call) const {
  if (into_call <= kLongCall) return false;
  const auto times = run_times(processes_);
  return times && watch.stalled(into_call, times->total_ns);
}

std::optional<EarlyEnd> WorkerProcess::look_into_call(bool unawares) {
  if (auto end = stop()) return end;
  profiler_.look(processes_, unawares);
  return thaw();
}

EarlyEnd WorkerProcess::describe_silence(const PlayerCall& call) {
  if (has_ended()) return describe_end("in a call");
  process_->kill();
  return {State::kTimeout,
          fmt::format("the submission did not finish a call within {} s", seconds_of(call.timeout)),
          "it loops for ever, deadlocks, or is far slower than eager"};
}

PlayerAnswer WorkerProcess::call(const PlayerCall& asked) {
  PlayerCall call = asked;
  call.copies_outputs = copies_outputs_;
  PlayerAnswer answer;
  answer.failure = check_stop();
  const auto continued = Clock::now();
  const bool on_cpu = style_ == WaitStyle::kFutex;
  if (!answer.failure && !on_cpu) answer.failure = thaw();
  if (answer.failure) return answer;
  const bool observed = call.kind == CallKind::kObserved;
  const bool writes = late_writes_ && (observed || call.kind == CallKind::kForward);
  if (writes) late_writes_->choose(call.places.output_base);
  const bool owns = writes && own_outputs_ && !processes_.empty();
  StallWatch watch;
  bool unawares = call.first_look.count() > 0;
  const MailboxCall made =
      go_and_wait(mailbox_, call, ++calls_, style_,
                  {.is_over =
                       [&] {
                         if (!answer.failure && Clock::now() > continued + kFilesEvery)
                           answer.failure = check_files(kFilesEvery);
                         return answer.failure || has_ended();
                       },
                   .has_stalled = [&](auto into_call) { return has_stalled(watch, into_call); },
                   .move_threads = [&] { process_->move_threads(); },
                   .let_run =
                       [&] {
                         answer.failure = thaw();
                         return !answer.failure;
                       },
                   .stop =
                       [&] {
                         if (writes) late_writes_->remember();
                         if (owns)
                           own_outputs_->note(ToldPlaces(mailbox_.page().places),
                                              ForeignMemory(processes_.front()));
                         answer.failure = stop();
                       },
                   .look =
                       [&] {
                         if (!answer.failure) answer.failure = look_into_call(unawares);
                         unawares = false;
                       }});
  answer.wall_ns = made.wall_ns;
  answer.done_at_ns = made.done_at_ns;
  if (answer.failure) return answer;
  if (!made.answered) {
    answer.failure =
        loads_ ? describe_silence(call) : not_ready("it does not answer an empty call");
    return answer;
  }
  // Each field of the page is read once: the worker may change it at any time.
  const std::int32_t status = mailbox_.page().status;
  answer.claimed_ns = mailbox_.page().claimed_ns;
  answer.failure = on_cpu ? take_stock() : freeze();
  answer.waited_ns = waited_ns(before_call_, run_times_);
  if (!answer.failure) answer.failure = check_cores(Clock::now() - continued);
  if (answer.failure) return answer;
  if (writes && stands(Defence::kNoLateWrites) && wrote_late()) {
    process_->kill();
    answer.failure = EarlyEnd{State::kTimingInconsistent,
                              "its outputs changed after the submission had said that it was done",
                              "a call is over when all of its threads have written their part"};
    return answer;
  }
  if (observed) hear_torch_use();
  if (call.look_every.count() > 0) {
    if (auto resolved = profiler_.resolve(processes_, known_code_); !resolved) {
      answer.failure = from_error(resolved.error());
      return answer;
    }
  }
  if (made.done != calls_) {
    process_->kill();
    answer.failure = EarlyEnd{
        State::kCrash, "the submission wrote to its mailbox: a call was answered that was not made",
        "nothing but kbench's worker may write there"};
  } else if (status != 0) {
    answer.failure = loads_ ? kind_.ended_with(status)
                            : not_ready("an empty call failed: " + output_.last_lines());
  } else if (kind_.owns_outputs && (observed || call.kind == CallKind::kForward)) {
    answer.failure = take_outputs(call, answer);
  }
  return answer;
}

bool WorkerProcess::wrote_late() const {
  if (late_writes_->found()) return true;
  return own_outputs_ && !processes_.empty() &&
         own_outputs_->changed(ForeignMemory(processes_.front()));
}

std::optional<EarlyEnd> WorkerProcess::take_outputs(const PlayerCall& call, PlayerAnswer& answer) {
  if (processes_.empty()) return describe_end("in a call");
  const pid_t process = processes_.front();
  auto taken = own_outputs_ ? own_outputs_->take(process, ForeignMemory(process),
                                                 call.places.output_base, copies_outputs_)
                            : places_in_heap(ToldPlaces(mailbox_.page().places));
  if (!taken && has_ended()) return describe_end("in a call");
  if (!taken && taken.error().code == ErrorCode::kSubmission)
    return EarlyEnd{State::kWrongResult, taken.error().message, taken.error().hint};
  if (!taken) return from_error(taken.error());
  answer.places = std::move(*taken);
  answer.copied = own_outputs_ ? own_outputs_->copied()
                               : std::count(answer.places.in_heap.begin(),
                                            answer.places.in_heap.end(), std::nullopt) > 0;
  return std::nullopt;
}

Result<OutputPlaces> WorkerProcess::places_in_heap(const ToldPlaces& told) const {
  const auto places = held_against(told, size_);
  if (!places) return places.error();
  OutputPlaces taken;
  for (const auto& place : *places) {
    taken.in_heap.emplace_back();
    taken.orders.push_back(place ? place->order : 0);
    if (!place) continue;
    if (!place->in_a_row)
      return Error{ErrorCode::kSubmission, "an output has gaps between its elements",
                   "return it dense"};
    if (place->address > heap_bytes_ || place->bytes > heap_bytes_ - place->address)
      return Error{ErrorCode::kSubmission, "an output lies behind the heap of its process",
                   "return tensors that torch has made"};
    taken.in_heap.back() = HeapPlace{place->address};
  }
  return taken;
}

// Reads the report, which was sent before "done".
void WorkerProcess::hear_torch_use() {
  constexpr std::chrono::milliseconds kPatience{1'000};
  const auto heard = channel_.receive(kPatience);
  torch_use_ = heard ? read_torch_use(heard->body) : TorchUse{.hooks_stand = false};
}

}  // namespace kbench
