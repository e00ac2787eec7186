// kbench-worker: the untrusted process. It loads one submission and runs it when told to.
//
// It holds nothing worth stealing: no reference, no key, no verdict. Descriptor 3 is the control
// channel; the first message brings the mailbox, the three arenas and the compiled submission. It
// answers "ready", serves empty calls through the mailbox until it is told to load, answers
// "loaded", and serves calls. Once it loads, all that the supervisor believes of it is "call N is
// done", and a claimed time that is checked against the supervisor's own clock.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/activity/activity_collector.hpp"
#include "runner/backend/gate.hpp"
#include "runner/core/channel.hpp"
#include "runner/core/defence.hpp"
#include "runner/sandbox/lockdown.hpp"
#include "runner/worker/loader.hpp"
#include "runner/worker/mailbox.hpp"
#include "runner/worker/worker_device.hpp"

namespace kbench {
namespace {

constexpr int kControlDescriptor = 3;

Result<std::unique_ptr<WorkerDevice>> open_device(const Json& request) {
  if (request.at("device") == "cpu")
    return make_cpu_worker_device(request.at("threads").get<int>());
#ifdef KBENCH_WITH_CUDA
  return make_cuda_worker_device();
#else
  return Error{ErrorCode::kInfrastructure, "this worker was built without CUDA", ""};
#endif
}

std::uint32_t await_call(Mailbox& mailbox, const WorkerDevice& device, std::uint32_t served) {
  MailboxPage& page = mailbox.page();
  Mailbox::wait_while_equal(page.go, served, device.wait_style(), [] { return false; });
  return page.go.load(std::memory_order_acquire);
}

void answer(Mailbox& mailbox, const WorkerDevice& device, std::uint32_t call,
            const WorkerDevice::Timed& timed) {
  MailboxPage& page = mailbox.page();
  page.status = timed.status;
  page.claimed_ns = timed.nanoseconds;
  Mailbox::raise(page.done, call, device.wait_style());
}

WorkerDevice::Timed timed_call(WorkerDevice& device, const MailboxPage& page, const std::byte* gate,
                               const std::function<std::int32_t()>& body) {
  device.wait_for_gate(gate, page.gate);
  return device.time(body);
}

// Serves empty calls, whose cost the supervisor learns while no foreign code can slow them down.
// Returns the number of the last call, which says that the submission is to be loaded.
std::uint32_t serve_empty_calls(Mailbox& mailbox, WorkerDevice& device, const std::byte* gate) {
  std::uint32_t served = 0;
  while (true) {
    served = await_call(mailbox, device, served);
    const bool last = mailbox.page().kind == CallKind::kLoad;
    const auto empty = [&] { return timed_call(device, mailbox.page(), gate, [] { return 0; }); };
    answer(mailbox, device, served, last ? WorkerDevice::Timed{} : empty());
    if (last) return served;
  }
}

// Records what the device does in calls, of a player that is there for a profile.
struct Recorder {
  std::unique_ptr<ActivityCollector> collector;  // null: it cannot, and the file says why
  std::optional<ActivityWriter> writer;          // none: no profile is made

  // Opens the recorder before the submission is loaded, so that nothing of it can be in the way.
  static Result<Recorder> open(const Json& request, std::vector<UniqueFd>& descriptors) {
    Recorder recorder;
    if (!request.contains("cupti")) return recorder;
    if (descriptors.empty())
      return Error{ErrorCode::kInfrastructure, "a profile has no file to write to", ""};
    auto writer = ActivityWriter::open(std::move(descriptors.back()));
    descriptors.pop_back();
    if (!writer) return writer.error();
    recorder.writer.emplace(std::move(*writer));
    auto collector = start_collecting(request.at("cupti").get<std::string>());
    if (collector)
      recorder.collector = std::move(*collector);
    else
      recorder.writer->set_problem(collector.error().message);
    return recorder;
  }

  WorkerDevice::Timed record(const std::function<WorkerDevice::Timed()>& call,
                             const std::int64_t& host_ns) {
    if (!collector) return call();
    collector->begin_call();
    const WorkerDevice::Timed timed = call();
    collector->end_call(timed.nanoseconds, host_ns, CallBegins::kAtOnce, *writer);
    return timed;
  }
};

// One loaded submission with its arenas.
struct Session {
  std::unique_ptr<WorkerDevice> device;
  Mailbox mailbox;
  LoadedSubmission submission;
  std::uint32_t served = 0;  // number of the last call
  kb_context context{};
  const std::byte* gate = nullptr;
  std::byte* inputs = nullptr;
  std::byte* params = nullptr;
  std::byte* outputs = nullptr;
  TensorStruct input_struct;
  TensorStruct param_struct;
  TensorStruct output_struct;
  Recorder recorder = {};

  std::int32_t run(const MailboxPage& page) {
    if (page.kind == CallKind::kNull) return 0;
    param_struct.rebase(params + page.parameter_base);
    if (page.kind == CallKind::kPrepare)
      return submission.has_prepare() ? submission.prepare(param_struct, context) : 0;
    for (std::uint32_t slot = 0; slot < page.slots; ++slot) {
      input_struct.rebase(inputs + page.input_base[slot]);
      output_struct.rebase(outputs + page.output_base[slot]);
      if (const auto status =
              submission.forward(input_struct, param_struct, output_struct, context);
          status != 0)
        return status;
    }
    return 0;
  }

  [[noreturn]] void serve() {
    while (true) {
      served = await_call(mailbox, *device, served);
      std::int64_t host_ns = 0;
      const auto body = [&] {
        const auto start = std::chrono::steady_clock::now();
        const std::int32_t status = run(mailbox.page());
        host_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
        return status;
      };
      const auto call = [&] { return timed_call(*device, mailbox.page(), gate, body); };
      const bool counts = mailbox.page().kind == CallKind::kForward;
      answer(mailbox, *device, served, counts ? recorder.record(call, host_ns) : call());
    }
  }
};

// The message of a failure. State "" is ours: the submission has not run yet.
Json failure(const Error& error, const char* state) {
  return {{"type", "error"}, {"state", state}, {"message", error.message}, {"hint", error.hint}};
}

Result<Session> open_session(const Json& request, std::vector<UniqueFd> descriptors,
                             Channel& channel, const char*& state) {
  state = "";
  auto device = open_device(request);
  if (!device) return device.error();
  auto recorder = Recorder::open(request, descriptors);
  if (!recorder) return recorder.error();
  if (descriptors.size() != 5)
    return Error{ErrorCode::kInfrastructure, "the worker got the wrong number of descriptors", ""};
  auto mailbox = Mailbox::open(std::move(descriptors[0]));
  if (!mailbox) return mailbox.error();
  const auto bytes = request.at("arena_bytes").get<std::vector<std::uint64_t>>();
  std::vector<std::byte*> arenas;
  for (std::size_t i = 0; i < 3; ++i) {
    auto mapped = (*device)->map_arena(descriptors[i + 1], bytes.at(i), i == 2);
    if (!mapped) return mapped.error();
    arenas.push_back(*mapped);
    descriptors[i + 1] = UniqueFd();  // the submission needs the mapping alone
  }

  const std::byte* gate = arenas[0] + bytes[0] - kGateBytes;

  if (auto locked = lock_down(); !locked) return locked.error();
  if (auto told = channel.send({{"type", "ready"}}); !told) return told.error();
  const std::uint32_t served = serve_empty_calls(*mailbox, **device, gate);
  // From here on the submission's own code runs, its constructors first: it may start no process.
  state = "load_error";
  bool missing_symbol = false;
  auto submission = LoadedSubmission::load(descriptors[4], missing_symbol);
  if (missing_symbol) state = "missing_symbol";
  if (!submission) return submission.error();
  if (request.at("device") == "cpu" && stands(Defence::kNoNewCode))
    if (auto sealed = allow_no_new_code(); !sealed) return sealed.error();

  using Offsets = std::vector<std::uint64_t>;
  Session session{std::move(*device),
                  std::move(*mailbox),
                  *submission,
                  served,
                  {},
                  gate,
                  arenas[0],
                  arenas[1],
                  arenas[2],
                  TensorStruct(request.at("input_offsets").get<Offsets>()),
                  TensorStruct(request.at("param_offsets").get<Offsets>()),
                  TensorStruct(request.at("output_offsets").get<Offsets>())};
  session.recorder = std::move(*recorder);
  session.context.size = sizeof(kb_context);
  session.context.abi_version = KBENCH_ABI_VERSION;
  session.device->describe(session.context);
  if (const std::uint64_t wanted = session.submission.workspace_bytes(); wanted > 0) {
    auto workspace = session.device->allocate_workspace(wanted);
    if (!workspace) return workspace.error();
    session.context.workspace = *workspace;
    session.context.workspace_bytes = wanted;
  }
  return session;
}

int run_worker() {
  Channel channel{UniqueFd(kControlDescriptor)};
  auto request = channel.receive();
  if (!request) return 1;
  const char* state = nullptr;
  auto session = open_session(request->body, std::move(request->descriptors), channel, state);
  if (!session) {
    (void)channel.send(failure(session.error(), state));
    return 1;
  }
  const auto told = channel.send({{"type", "loaded"},
                                  {"workspace_bytes", session->context.workspace_bytes},
                                  {"has_prepare", session->submission.has_prepare()}});
  if (!told) return 1;
  session->serve();
}

// The program with which the sandbox is tried: some layers break CUDA on some machines.
int start_cuda() {
#ifdef KBENCH_WITH_CUDA
  const auto device = make_cuda_worker_device();
  if (device) return 0;
  std::fprintf(stderr, "%s\n", device.error().message.c_str());
#endif
  return 1;
}

}  // namespace
}  // namespace kbench

int main(int argc, char** argv) {
  const bool trial = argc == 2 && std::strcmp(argv[1], "--start-cuda") == 0;
  return trial ? kbench::start_cuda() : kbench::run_worker();
}
