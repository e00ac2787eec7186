#include "runner/oracle/player.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include "baselines/executor.hpp"
#include "baselines/package.hpp"
#include "runner/backend/cpu/cold_memory.hpp"
#include "runner/oracle/given_files.hpp"
#include "runner/oracle/tensors.hpp"
#include "runner/task/working_type.hpp"
#include "runner/worker/mailbox.hpp"

namespace kbench {
namespace {

// Times that the kernel took a core away from a thread of this process that wanted to go on.
std::int64_t involuntary_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

Result<std::byte*> map(const UniqueFd& fd, std::uint64_t bytes, int protection) {
  // The arena is populated now, so that no timed call pays for page faults.
  void* mapped = ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_POPULATE, fd.get(), 0);
  if (mapped == MAP_FAILED) {
    return Error{ErrorCode::kInfrastructure,
                 std::string("cannot map an arena: ") + std::strerror(errno), ""};
  }
  return static_cast<std::byte*>(mapped);
}

constexpr std::int32_t kFailed = 1;

// Takes a result out of the caches: the next call writes its outputs there, and a submission's lie
// in arenas that are in no cache.
void evict(const at::Tensor& result) {
  const at::Storage& storage = result.storage();
  const auto* memory = static_cast<const std::byte*>(storage.data());
  const auto bytes = static_cast<std::int64_t>(storage.nbytes());
  constexpr auto kPiece = static_cast<std::int64_t>(cpu::kMemoryPiece);
  at::parallel_for(0, bytes, kPiece, [memory](std::int64_t from, std::int64_t to) {
    cpu::evict(memory + from, static_cast<std::uint64_t>(to - from));
  });
}

}  // namespace

struct CpuPlayer::Impl {
  TaskSize size;
  GraphExecutor executor;
  std::optional<CompiledPackage> package;
  Mailbox mailbox;
  std::byte* inputs = nullptr;
  std::byte* outputs = nullptr;
  Layout input_layout;
  Layout output_layout;
  Tensors params;
  Tensors results;  // results of the last call, until they are handed over

  // Eager's outputs come from the heap, a submission's lie in pages that have been touched. A new
  // process has never touched most of its heap, and the first operators would pay for that inside
  // the clock: so as much as the graph and its outputs can take is touched once and freed, and the
  // allocator keeps it (see main.cpp).
  void warm_heap() const {
    const std::uint64_t wanted = size.peak_bytes_fp32 + 2 * output_layout.bytes;
    constexpr std::uint64_t kPiece = std::uint64_t{32} << 20;
    Tensors pieces;
    for (std::uint64_t warm = 0; warm < wanted; warm += kPiece)
      pieces.push_back(at::zeros({static_cast<std::int64_t>(kPiece)}, at::kByte));
  }

  void compute(const MailboxPage& page, const Tensors& views) {
    if (page.kind == CallKind::kEager) results = executor.run(views, params);
    if (page.kind == CallKind::kCompiled) results = package.value().run(views, params);
  }

  // Makes one call. Everything but the mailbox is in here, and most of it before the clock of our
  // own claim.
  std::int32_t call(MailboxPage& page) {
    const Tensors views = tensors_at(size.inputs, input_layout, inputs + page.input_base[0], "cpu");
    warm_dispatcher();
    const std::int64_t switches = involuntary_switches();
    const auto start = std::chrono::steady_clock::now();
    compute(page, views);
    page.claimed_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
    page.switches = involuntary_switches() - switches;
    return 0;
  }

  // Copies the outputs by all of LibTorch's threads, which are then as awake before the next call
  // as a submission's, whose last call was its computation.
  std::int32_t hand_over(const MailboxPage& page) {
    const Tensors arena =
        tensors_at(size.outputs, output_layout, outputs + page.output_base[0], "cpu");
    for (std::size_t o = 0; o < results.size(); ++o) {
      if (results[o].sizes() != arena.at(o).sizes() || results[o].dtype() != arena[o].dtype())
        return kFailed;
      arena[o].copy_(results[o]);
      evict(results[o]);
    }
    results.clear();  // freed outside of the clock: the next call gets the same warm memory
    return 0;
  }

  std::int32_t play(MailboxPage& page) {
    try {
      return page.kind == CallKind::kHandOver ? hand_over(page) : call(page);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "kbench-oracle: a baseline failed: %s\n", error.what());
      return kFailed;
    }
  }
};

CpuPlayer::CpuPlayer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CpuPlayer::CpuPlayer(CpuPlayer&&) noexcept = default;
CpuPlayer::~CpuPlayer() = default;

Result<CpuPlayer> CpuPlayer::load(const PlayRequest& request, DType type,
                                  std::vector<UniqueFd> descriptors) {
  constexpr std::size_t kOwn = 4;
  if (descriptors.size() < kOwn || request.arena_bytes.size() != 3)
    return Error{ErrorCode::kInfrastructure, "a player needs a mailbox and three arenas", ""};
  std::vector<UniqueFd> files(std::make_move_iterator(descriptors.begin() + kOwn),
                              std::make_move_iterator(descriptors.end()));
  const auto given = keep_given_files(request.task_file, std::move(files));
  if (!given) return given.error();
  auto task = load_task_in(type, given->task);
  if (!task) return task.error();
  const TaskSize* size = task->find_size(request.size);
  if (size == nullptr)
    return Error{ErrorCode::kNotFound, task->id + " has no size " + request.size, ""};
  auto executor = GraphExecutor::load(task->file, request.size, "cpu", type);
  if (!executor) return executor.error();
  auto mailbox = Mailbox::open(std::move(descriptors[0]));
  if (!mailbox) return mailbox.error();
  std::vector<std::byte*> arenas;
  for (std::size_t i = 0; i < 3; ++i) {
    auto mapped = map(descriptors[i + 1], request.arena_bytes[i],
                      i == 2 ? PROT_READ | PROT_WRITE : PROT_READ);
    if (!mapped) return mapped.error();
    arenas.push_back(*mapped);
  }
  return guarded("loading the baselines", [&]() -> Result<CpuPlayer> {
    auto impl = std::unique_ptr<Impl>(new Impl{.size = *size,
                                               .executor = std::move(*executor),
                                               .package = {},
                                               .mailbox = std::move(*mailbox),
                                               .inputs = arenas[0],
                                               .outputs = arenas[2],
                                               .input_layout = pack(size->inputs),
                                               .output_layout = pack(size->outputs),
                                               .params = {},
                                               .results = {}});
    const Layout params = pack(size->parameters);
    impl->params = tensors_at(size->parameters, params, arenas[1] + request.param_offset, "cpu");
    impl->executor.adopt_parameters(impl->params);
    if (!given->package.empty())
      if (auto package = CompiledPackage::load(given->package); package)
        impl->package.emplace(std::move(*package));
    impl->warm_heap();
    return CpuPlayer(std::move(impl));
  });
}

void CpuPlayer::serve() {
  const c10::NoGradGuard no_grad;
  MailboxPage& page = impl_->mailbox.page();
  std::uint32_t served = 0;
  while (true) {
    Mailbox::wait_while_equal(page.go, served, WaitStyle::kFutex, [] { return false; });
    served = page.go.load(std::memory_order_acquire);
    page.status = impl_->play(page);
    Mailbox::raise(page.done, served, WaitStyle::kFutex);
  }
}

}  // namespace kbench
