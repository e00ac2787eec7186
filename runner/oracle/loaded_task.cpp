#include "runner/oracle/loaded_task.hpp"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>

#include "baselines/executor.hpp"
#include "baselines/package.hpp"
#include "runner/backend/gate.hpp"
#include "runner/core/defence.hpp"
#include "runner/oracle/memory_plan.hpp"
#include "runner/oracle/mutate.hpp"
#include "runner/oracle/slice_errors.hpp"
#include "runner/oracle/tensors.hpp"
#include "runner/task/hard_draws.hpp"
#include "runner/task/large_biases.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

// The inputs as a hard draw wants them; as they are for an empty name.
Result<std::vector<TensorSpec>> drawn_as(const std::vector<TensorSpec>& inputs,
                                         const std::string& hard_draw) {
  if (hard_draw.empty()) return inputs;
  const auto draw = hard_draw_from_string(hard_draw);
  if (!draw) return draw.error();
  std::vector<TensorSpec> hard;
  for (const TensorSpec& input : inputs) hard.push_back(hardened(input, *draw));
  return hard;
}

// Frees the memory of a GPU that LibTorch keeps for later: no other process can have it meanwhile.
void release_cached_memory(const at::Device& device) {
  if (device.is_cuda()) c10::getDeviceAllocator(device.type())->emptyCache();
}

std::uint64_t free_memory_bytes() {
  struct sysinfo now {};
  if (::sysinfo(&now) != 0) return 0;
  return std::uint64_t{now.freeram} * now.mem_unit;
}

CompareResult worse_of(const CompareResult& a, const CompareResult& b) {
  CompareResult result = b.max_error > a.max_error ? b : a;
  if (a.wrong > 0 && b.wrong == 0) result = a;
  if (b.wrong > 0 && a.wrong == 0) result = b;
  result.wrong = std::max(a.wrong, b.wrong);
  return result;
}

// Chance makes the largest error of one fp32 run many times smaller than that of another one in six
// times, where it depends on a single ill-conditioned element; of eight such runs one in ten
// thousand.
constexpr int kPerturbations = 8;

// Flips the last bit of the numbers in which the deciding bit is set. Other dtypes are kept.
at::Tensor perturbed(const at::Tensor& input, int deciding_bit) {
  const at::ScalarType type = input.scalar_type();
  if (type != at::kFloat && type != at::kHalf && type != at::kBFloat16) return input;
  const at::Tensor bits = input.view(type == at::kFloat ? at::kInt : at::kShort);
  return at::bitwise_right_shift(bits, deciding_bit).bitwise_and_(1).bitwise_xor_(bits).view(type);
}

// Operations a second, of the best of a few products of two squares.
Result<double> products_per_s(Backend& backend, const at::Device& device, at::ScalarType type,
                              std::int64_t n, int times) {
  const at::Tensor a = at::ones({n, n}, at::TensorOptions().dtype(type).device(device));
  std::int64_t best_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < times; ++i) {
    if (auto started = backend.start_timer(); !started) return started.error();
    const at::Tensor product = at::matmul(a, a);
    auto nanoseconds = backend.stop_timer();
    if (!nanoseconds) return nanoseconds.error();
    best_ns = std::min(best_ns, *nanoseconds);
  }
  return 2.0 * static_cast<double>(n) * static_cast<double>(n * n) /
         (static_cast<double>(best_ns) * 1e-9);
}

// Memory that one player maps.
struct SeatMemory {
  std::unique_ptr<SharedArena> inputs;
  std::unique_ptr<SharedArena> params;
  std::unique_ptr<SharedArena> outputs;
  std::unique_ptr<SharedArena> heap;   // CUDA: from which its process takes memory
  std::unique_ptr<SharedArena> taken;  // private: snapshot of the outputs
  std::vector<SlotPlaces> places;
  std::vector<std::vector<OutputOrder>> orders;  // order of each slot's outputs in the snapshot
  bool has_snapshot = false;

  // How an output lies, where that is not as declared.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> dimensions_of(
      std::size_t slot, std::size_t output, const TensorSpec& spec) const {
    const auto& of_slot = orders.at(slot);
    return outermost_first(output < of_slot.size() ? of_slot[output] : 0, spec.shape.size());
  }
};

}  // namespace

struct LoadedTask::Impl {
  [[nodiscard]] SeatMemory& here() { return seat == Seat::kBaselines ? baselines : submission; }
  [[nodiscard]] const SeatMemory& here() const {
    return seat == Seat::kBaselines ? baselines : submission;
  }

  Backend& backend;
  TaskSize size;
  DType type;  // type in the place of float32
  at::Device device;
  GraphExecutor executor;
  std::optional<CompiledPackage> package;
  std::string compiled_reason;
  Layout input_layout;
  Layout param_layout;
  Layout output_layout;

  int slots = 0;
  PlaceRequest placed;
  SeatMemory submission;
  SeatMemory baselines;
  Seat seat = Seat::kSubmission;  // seat of the last arm()
  std::unique_ptr<SharedArena> private_inputs;
  std::unique_ptr<SharedArena> private_params;
  std::unique_ptr<SharedArena> ballast;
  Tensors params;
  std::vector<std::byte*> slot_bases;  // start of each slot's private inputs
  std::vector<Tensors> slot_inputs;    // views of them
  std::vector<Tensors> eager_outputs;
  Tensors reference_outputs;
  Tensors previous_outputs;     // lint: eager's, for the inputs before these
  std::uint32_t revealed = 0;   // inputs shown so far: what the gate opens with
  double copied_per_ns = 0;     // CUDA: bytes of inputs; 0 until the first were copied
  bool original_draws = false;  // KernelBench's draws, if the last place() asked for them
  UniqueFd initial_parameters;  // packed; not valid: they are drawn

  // The tensors with the distributions that count in this profile.
  [[nodiscard]] std::vector<TensorSpec> own_draws(std::vector<TensorSpec> specs) const {
    for (TensorSpec& spec : specs)
      if (original_draws && spec.kernelbench) spec.draw = *spec.kernelbench;
    return specs;
  }

  [[nodiscard]] std::vector<TensorSpec> parameter_draws(std::uint64_t placement_key) const {
    std::vector<TensorSpec> specs = own_draws(size.parameters);
    if (draws_large_biases(placement_key))
      std::transform(specs.begin(), specs.end(), specs.begin(), with_large_bias);
    return specs;
  }

  [[nodiscard]] std::uint64_t slack() const { return slack_bytes(backend.facts().kind); }
  [[nodiscard]] std::uint64_t input_stride() const { return input_layout.bytes + slack(); }
  [[nodiscard]] std::uint64_t output_stride() const { return output_layout.bytes + slack(); }

  [[nodiscard]] static std::byte* gate_of(const SeatMemory& memory) {
    return memory.inputs->data() + memory.inputs->bytes() - kGateBytes;
  }

  [[nodiscard]] Tensors view(const std::vector<TensorSpec>& specs, const Layout& layout,
                             std::byte* base) const {
    return tensors_at(specs, layout, base, device.str());
  }

  Status draw(const std::vector<TensorSpec>& specs, const Layout& layout, std::byte* base,
              std::uint64_t key, std::uint64_t first_index) {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const DrawKey which{key, first_index + i};
      if (auto drawn = backend.draw(specs[i], which, base + layout.offsets[i]); !drawn)
        return drawn;
    }
    return Done{};
  }

  // Overwrites parameters that were drawn here by those that a Model holds. By pread: the file may
  // be shorter than it ought to be.
  Status read_initial_parameters(std::byte* base) {
    if (!initial_parameters.valid()) return Done{};
    std::vector<std::byte> piece(std::size_t{16} << 20);
    for (std::size_t i = 0; i < size.parameters.size(); ++i) {
      const TensorSpec& spec = size.parameters[i];
      for (std::uint64_t done = 0; !spec.fqn.empty() && done < spec.bytes();) {
        const std::uint64_t at = param_layout.offsets[i] + done;
        const ssize_t got = ::pread(initial_parameters.get(), piece.data(),
                                    std::min<std::uint64_t>(piece.size(), spec.bytes() - done),
                                    static_cast<off_t>(at));
        if (got <= 0)
          return Error{ErrorCode::kInfrastructure,
                       "the parameters of the task's Model cannot be read", ""};
        if (auto copied = backend.copy(base + at, piece.data(), static_cast<std::uint64_t>(got));
            !copied)
          return copied;
        if (auto synchronized = backend.synchronize(); !synchronized) return synchronized;
        done += static_cast<std::uint64_t>(got);
      }
    }
    return Done{};
  }

  // Copies a slot's inputs to their shared place, behind what is queued.
  [[nodiscard]] Status show(std::size_t slot, std::uint64_t first, std::uint64_t bytes) {
    return backend.copy_uncached(here().inputs->data() + here().places.at(slot).input_base + first,
                                 slot_bases.at(slot) + first, bytes);
  }

  // CUDA: shows a slot's inputs and returns while the device is still busy with that, for about
  // kBusyBeforeACall. Where the copy alone takes longer than that, it returns in its midst, since
  // a worker's second stream may copy whatever shows, and since a worker with work on two streams
  // that waits for more than its time slice of 2 ms gets the next one 2 ms late (H200).
  Status show_and_be_busy(std::size_t slot) {
    const std::uint64_t bytes = input_layout.bytes;
    if (copied_per_ns == 0) {
      if (auto started = backend.start_timer(); !started) return started;
      if (auto shown = show(slot, 0, bytes); !shown) return shown;
      const auto nanoseconds = backend.stop_timer();
      if (!nanoseconds) return nanoseconds.error();
      copied_per_ns = static_cast<double>(bytes) / static_cast<double>(*nanoseconds);
    }
    const std::chrono::nanoseconds busy = kBusyBeforeACall;
    const double while_busy = copied_per_ns * static_cast<double>(busy.count());
    const std::uint64_t ahead = while_busy < static_cast<double>(bytes)
                                    ? bytes - static_cast<std::uint64_t>(while_busy)
                                    : 0;
    const std::chrono::microseconds by_waiting =
        ahead == 0 ? kBusyBeforeACall : kBusyBeforeACall.zero();
    if (auto occupied = backend.occupy(by_waiting); !occupied) return occupied;
    if (ahead != 0) {
      if (auto shown = show(slot, 0, ahead); !shown) return shown;
      if (auto reached = backend.synchronize(); !reached) return reached;
    }
    return show(slot, ahead, bytes - ahead);
  }

  // Makes the arenas cold before a call. Inputs are shown and outputs poisoned past a CPU's caches;
  // with the parameters, all that a call reads and writes in its arenas is in memory then, for
  // every side and however large the caches are.
  Status make_cold() {
    if (auto flushed = backend.flush_cache(); !flushed) return flushed;
    return backend.evict(here().params->data(), here().params->bytes());
  }

  Status replace_arena(std::unique_ptr<SharedArena>& arena, std::uint64_t bytes) {
    arena.reset();
    auto created = backend.create_arena(bytes);
    if (!created) return created.error();
    arena = std::move(*created);
    return Done{};
  }

  // CPU: unused memory. What programs before have freed is scattered page by page, and the kernel
  // hands it out first: so the arenas made first had 8,449 runs of pages where those made last had
  // 30, and the same relu took 10 to 15 % longer in the one than in the other, always to the
  // disadvantage of the same side. With this in the kernel's way all sides get pages in long runs.
  // Where there is no memory for it the task is measured without.
  void take_scattered_pages() {
    constexpr std::uint64_t kShare = 10;
    const auto placed_bytes =
        static_cast<std::uint64_t>(slots) * (input_stride() + output_stride());
    const std::uint64_t wanted = std::min(kShare * placed_bytes, free_memory_bytes() / 8);
    if (!ballast || ballast->bytes() < wanted) (void)replace_arena(ballast, wanted);
  }

  // Makes the arenas of a player, with the parameters in theirs.
  Status make_seat(SeatMemory& made, std::uint64_t param_offset) {
    const auto count = static_cast<std::uint64_t>(slots);
    const std::pair<std::unique_ptr<SharedArena>*, std::uint64_t> wanted[] = {
        {&made.inputs, count * input_stride() + kGateBytes},
        {&made.params, param_layout.bytes + slack()},
        {&made.outputs, count * output_stride()}};
    for (const auto& [arena, bytes] : wanted)
      if (auto created = replace_arena(*arena, bytes); !created) return created;
    const std::byte* own = private_params->data() + placed.private_param_offset;
    if (auto copied = backend.copy(made.params->data() + param_offset, own, param_layout.bytes);
        !copied)
      return copied;
    for (SharedArena* arena : {made.inputs.get(), made.params.get()})
      if (auto sealed = stands(Defence::kSealedInputs) ? arena->seal() : Status(Done{}); !sealed)
        return sealed;
    return Done{};
  }

  // Memory of the device that a heap leaves free beside the oracle's own plan: for contexts, and
  // for what a submission allocates elsewhere.
  static constexpr std::uint64_t kLeftOver = std::uint64_t{2} << 30;

  // Makes the heap, and overwrites all of it: it may hold memory that the oracle has freed, answers
  // too. Where the device has little left it is smaller, and none where there is nothing to give.
  void make_heap(std::uint64_t wanted) {
    release_cached_memory(device);
    const std::uint64_t own = kLeftOver + planned_later(size, input_layout.bytes,
                                                        param_layout.bytes, output_layout.bytes);
    const auto free = backend.free_bytes();
    const std::uint64_t bytes = free && *free > own ? std::min(wanted, *free - own) : 0;
    if (bytes == 0 || !replace_arena(submission.heap, bytes)) return;
    if (!backend.poison(submission.heap->data(), submission.heap->bytes())) submission.heap.reset();
  }

  // A submission of Python takes from the device what does not lie in its heap: graphs have pools
  // of their own. Where little is left LibTorch gives back what it keeps; only between checks,
  // since the next allocation of a baseline would be in its time.
  void make_room() {
    if (!device.is_cuda()) return;
    const auto free = backend.free_bytes();
    if (free && *free < kLeftOver + placed.heap_bytes) release_cached_memory(device);
  }

  // Takes outputs that lie in the heap into the snapshot, as they lie.
  Status take_from_heap(std::size_t slot, const std::vector<std::optional<HeapPlace>>& in_heap) {
    const std::uint64_t base = here().places.at(slot).output_base;
    for (std::size_t o = 0; o < in_heap.size(); ++o) {
      if (!in_heap[o]) continue;
      const std::uint64_t bytes = size.outputs.at(o).bytes();
      const std::uint64_t offset = in_heap[o]->offset;
      if (!here().heap || offset > here().heap->bytes() || bytes > here().heap->bytes() - offset)
        return Error{ErrorCode::kInfrastructure, "an output lies behind the heap", ""};
      std::byte* const taken = here().taken->data() + base + output_layout.offsets[o];
      if (auto copied = backend.copy(taken, here().heap->data() + offset, bytes); !copied)
        return copied;
    }
    return Done{};
  }

  // A part of the outputs' arena, from and to.
  struct Range {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };

  [[nodiscard]] Range outputs_of(std::size_t slot) const {
    const std::uint64_t from = here().places.at(slot).output_base;
    return {from, from + output_layout.bytes};
  }

  Status take(Range range) {
    return backend.copy(here().taken->data() + range.from, here().outputs->data() + range.from,
                        range.to - range.from);
  }

  // Takes a range without others in it, which are in order.
  Status take(Range range, const std::vector<Range>& without) {
    for (const Range& other : without) {
      if (auto took = take({range.from, other.from}); !took) return took;
      range.from = other.to;
    }
    return take(range);
  }

  // Takes the surroundings of a slot's outputs, and those outputs that lie in the arena. With the
  // last slot it takes everything but the outputs of earlier ones, which were taken when their
  // calls were done. Outputs in the heap are taken from there alone: the strict clock runs, and
  // grants a call what an empty one takes. Slots lie in the order of their numbers.
  Status take_from_arena(std::size_t slot, const std::vector<std::optional<HeapPlace>>& in_heap) {
    const bool last = slot + 1 == here().places.size();
    std::vector<Range> without;
    for (std::size_t earlier = 0; last && earlier < slot; ++earlier)
      without.push_back(outputs_of(earlier));
    const std::uint64_t base = here().places.at(slot).output_base;
    for (std::size_t o = 0; o < std::min(in_heap.size(), size.outputs.size()); ++o) {
      const std::uint64_t from = base + output_layout.offsets[o];
      if (in_heap[o]) without.push_back({from, from + size.outputs[o].bytes()});
    }
    return take(last ? Range{0, here().outputs->bytes()} : outputs_of(slot), without);
  }

  // The parts of the snapshot before, between and behind the outputs.
  [[nodiscard]] std::vector<MemoryRegion> around_outputs(const SeatMemory& memory) const {
    std::vector<MemoryRegion> regions;
    std::uint64_t from = 0;
    for (const SlotPlaces& place : memory.places) {
      for (std::size_t o = 0; o < size.outputs.size(); ++o) {
        const std::uint64_t start = place.output_base + output_layout.offsets[o];
        regions.push_back({memory.taken->data() + from, start - from});
        from = start + size.outputs[o].bytes();
      }
    }
    regions.push_back({memory.taken->data() + from, memory.taken->bytes() - from});
    return regions;
  }

  // Where the first bytes around the submission's outputs lie that are poison no more. Between two
  // outputs they belong to the nearer one.
  [[nodiscard]] Result<std::string> place_outside() {
    const auto regions = around_outputs(submission);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const auto all = backend.count_unpoisoned(std::span(&regions[i], 1));
      if (!all) return all.error();
      if (*all == 0) continue;
      const MemoryRegion half{regions[i].data, regions[i].bytes / 2};
      const auto first_half = backend.count_unpoisoned(std::span(&half, 1));
      if (!first_half) return first_half.error();
      const bool is_behind = i > 0 && (i + 1 == regions.size() || *first_half > 0);
      const std::size_t output = (is_behind ? i - 1 : i) % size.outputs.size();
      return (is_behind ? "behind " : "in front of ") + size.outputs[output].name;
    }
    return std::string();
  }

  Tensors run(Side side, int slot) {
    const auto index = static_cast<std::size_t>(slot);
    return side == Side::kCompiled ? package->run(slot_inputs[index], params)
                                   : executor.run(slot_inputs[index], params);
  }

  void forget_outputs() {
    eager_outputs.clear();
    reference_outputs.clear();
    submission.has_snapshot = baselines.has_snapshot = false;
  }

  Result<CompareResult> compare(const void* got, DType got_dtype, const at::Tensor& reference,
                                const TensorSpec& spec, const OutputBound& bound) {
    const auto reference_dtype = dtype_of(reference);
    if (!reference_dtype || reference.numel() != spec.elements()) {
      return Error{ErrorCode::kInfrastructure,
                   "the reference's output " + spec.name + " is not what the task declares",
                   "re-lower the task"};
    }
    const at::Tensor contiguous = reference.contiguous();
    return backend.compare({.got = got,
                            .got_dtype = got_dtype,
                            .reference = contiguous.const_data_ptr(),
                            .reference_dtype = *reference_dtype,
                            .elements = static_cast<std::uint64_t>(spec.elements()),
                            .absolute_bound = bound.absolute,
                            .ulp_factor = bound.ulp_factor,
                            .rms = bound.rms,
                            .relative_bound = bound.relative,
                            .scaled_bound = bound.scaled});
  }

  // True if the precision class lets cuDNN use TF32. Its heuristics often take float32 all the
  // same.
  [[nodiscard]] bool may_convolve_in_tf32() const {
    return type == DType::kFloat32 && device.is_cuda() && at::globalContext().allowTF32CuDNN() &&
           executor.has_convolutions();
  }

  // Eager's outputs of slot 0, with a task in a 16-bit type. Not every operator has a kernel in it,
  // and what a graph makes of constants may come out wider.
  Result<Tensors> run_in_type() {
    constexpr const char* kHint = "run it in another precision class";
    const std::string words = "eager in " + std::string(to_string(type));
    auto outputs =
        guarded(words.c_str(), [&]() -> Result<Tensors> { return run(Side::kEager, 0); });
    if (!outputs) {
      Error error = outputs.error();
      const bool is_devices = error.message.find("CUDA error") != std::string::npos;
      if (error.code == ErrorCode::kInfrastructure && !is_devices)
        error = {ErrorCode::kNotFound, error.message, kHint};
      return error;
    }
    for (std::size_t o = 0; o < size.outputs.size(); ++o)
      if (dtype_of(outputs->at(o)) != size.outputs[o].dtype)
        return Error{ErrorCode::kNotFound,
                     words + " gives an output of another type: " + size.outputs[o].name, kHint};
    return outputs;
  }

  // How far a run of eager is from the reference; one entry for each output.
  Result<std::vector<EagerError>> errors_of(const Tensors& outputs) {
    const OutputBound unbounded{std::numeric_limits<double>::infinity(), 0, 0};
    const std::vector<OutputBound> bounds(size.outputs.size(), unbounded);
    auto compared = compare_all(outputs, reference_outputs, bounds);
    if (!compared) return compared.error();
    std::vector<EagerError> errors;
    for (std::size_t o = 0; o < compared->size(); ++o) {
      const CompareResult& result = (*compared)[o];
      const auto elements = static_cast<double>(size.outputs[o].elements());
      EagerError error;
      error.max_error = result.max_error;
      error.not_finite = result.wrong;  // nothing else is wrong within an infinite bound
      if (result.sum_squared_reference > 0)
        error.relative_l2 = std::sqrt(result.sum_squared_error / result.sum_squared_reference);
      error.rms = std::sqrt(result.sum_squared_reference / elements);
      const int bits = significand_bits(size.outputs[o].dtype);
      if (bits > 0 && bits < significand_bits(DType::kFloat32))
        add_slice_errors(slice_errors(outputs[o], reference_outputs[o], error.rms), error);
      errors.push_back(error);
    }
    return errors;
  }

  // An output in the snapshot of a seat, in the declared order of dimensions.
  [[nodiscard]] at::Tensor taken(const SeatMemory& memory, std::size_t slot, std::size_t o) const {
    std::byte* base = memory.taken->data() + memory.places[slot].output_base;
    const at::Tensor output = view(size.outputs, output_layout, base)[o];
    const auto dimensions = memory.dimensions_of(slot, o, size.outputs[o]);
    return dimensions ? as_it_lies(output, *dimensions) : output;
  }

  // The outputs in the snapshot of a seat.
  Result<std::vector<CompareResult>> compare_seat(const SeatMemory& memory, Against against,
                                                  const std::vector<OutputBound>& bounds) {
    const std::size_t judged = against == Against::kReference ? 1 : memory.places.size();
    std::vector<CompareResult> worst(size.outputs.size());
    for (std::size_t slot = 0; slot < judged; ++slot) {
      const Tensors& expected =
          against == Against::kReference ? reference_outputs : eager_outputs.at(slot);
      for (std::size_t o = 0; o < worst.size(); ++o) {
        const std::byte* got =
            memory.taken->data() + memory.places[slot].output_base + output_layout.offsets[o];
        const TensorSpec& spec = size.outputs[o];
        const auto dimensions = memory.dimensions_of(slot, o, spec);
        const at::Tensor wanted = dimensions ? expected.at(o).permute(*dimensions) : expected.at(o);
        auto result = compare(got, spec.dtype, wanted, spec, bounds.at(o));
        if (!result) return result.error();
        if (dimensions && result->wrong > 0)
          result->first_wrong = declared_index(result->first_wrong, spec.shape, *dimensions);
        // The elements speak first, and nothing is summed where they do.
        if (!bounds[o].slices.empty() && result->wrong == 0)
          judge_slices(slice_errors(taken(memory, slot, o), expected.at(o), bounds[o].rms),
                       bounds[o], *result);
        worst[o] = slot == 0 ? *result : worse_of(worst[o], *result);
      }
    }
    return worst;
  }

  Result<std::vector<CompareResult>> compare_all(const Tensors& got, const Tensors& reference,
                                                 const std::vector<OutputBound>& bounds) {
    std::vector<CompareResult> results;
    for (std::size_t o = 0; o < size.outputs.size(); ++o) {
      const at::Tensor contiguous = got[o].contiguous();
      auto result = compare(contiguous.const_data_ptr(), size.outputs[o].dtype, reference[o],
                            size.outputs[o], bounds[o]);
      if (!result) return result.error();
      if (!bounds[o].slices.empty() && result->wrong == 0)
        judge_slices(slice_errors(contiguous, reference[o], bounds[o].rms), bounds[o], *result);
      results.push_back(*result);
    }
    return results;
  }

  Result<std::vector<CompareResult>> judge_vendor(const std::vector<OutputBound>& bounds) {
    if (!baselines.has_snapshot || reference_outputs.empty())
      return Error{ErrorCode::kInfrastructure, "nothing is judged before its snapshot", ""};
    return guarded("judging a vendor's library",
                   [&] { return compare_seat(baselines, Against::kReference, bounds); });
  }

  Result<std::vector<CompareResult>> judge_eager(const std::vector<OutputBound>& bounds) {
    if (eager_outputs.empty() || reference_outputs.empty())
      return Error{ErrorCode::kInfrastructure, "eager's outputs or the reference are not there",
                   ""};
    return guarded("judging eager",
                   [&] { return compare_all(eager_outputs[0], reference_outputs, bounds); });
  }

  Result<std::vector<CompareResult>> judge_compiled(const std::vector<OutputBound>& bounds) {
    return guarded("the compiled baseline", [&]() -> Result<std::vector<CompareResult>> {
      const c10::NoGradGuard no_grad;
      return compare_all(run(Side::kCompiled, 0), eager_outputs.at(0), bounds);
    });
  }
};

LoadedTask::LoadedTask(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LoadedTask::LoadedTask(LoadedTask&&) noexcept = default;
LoadedTask& LoadedTask::operator=(LoadedTask&&) noexcept = default;
LoadedTask::~LoadedTask() = default;

const std::string& LoadedTask::compiled_reason() const { return impl_->compiled_reason; }

Result<LoadedTask> LoadedTask::load(Backend& backend, const Task& task, const std::string& size,
                                    const std::string& torch_device,
                                    const std::filesystem::path& package, UniqueFd parameters,
                                    DType type) {
  const TaskSize* found = task.find_size(size);
  if (found == nullptr) return Error{ErrorCode::kNotFound, task.id + " has no size " + size, ""};
  const Layout inputs = pack(found->inputs);
  const Layout params = pack(found->parameters);
  const Layout outputs = pack(found->outputs);
  release_cached_memory(at::Device(torch_device));  // memory of the task before this one
  auto free = backend.free_bytes();
  if (!free) return free.error();
  const std::uint64_t seats = backend.facts().kind == DeviceKind::kCpu ? 2 : 1;
  if (const auto planned = planned_bytes(*found, inputs.bytes, params.bytes, outputs.bytes, seats);
      planned > *free) {
    return Error{ErrorCode::kDoesNotFit,
                 task.id + " at " + size + " needs " + gibibytes(planned) + ", the device has " +
                     gibibytes(*free) + " free",
                 "use --size small or a device with more memory"};
  }
  return guarded("loading", [&]() -> Result<LoadedTask> {
    auto executor = GraphExecutor::load(task.file, size, torch_device, type);
    if (!executor) return executor.error();
    auto impl = std::unique_ptr<Impl>(
        new Impl{backend, *found, type, at::Device(torch_device), std::move(*executor)});
    impl->input_layout = inputs;
    impl->param_layout = params;
    impl->output_layout = outputs;
    impl->initial_parameters = std::move(parameters);
    if (package.empty()) {
      impl->compiled_reason = "no package";
    } else if (auto loaded = CompiledPackage::load(package); loaded) {
      impl->package.emplace(std::move(*loaded));
    } else {
      impl->compiled_reason = loaded.error().message;
    }
    return LoadedTask(std::move(impl));
  });
}

Result<Arenas> LoadedTask::place(const PlaceRequest& request) {
  Impl& t = *impl_;
  return guarded("placing buffers", [&]() -> Result<Arenas> {
    t.forget_outputs();
    t.slot_bases.clear();
    t.slot_inputs.clear();
    t.params.clear();
    t.slots = request.slots;
    t.placed = request;
    const auto count = static_cast<std::uint64_t>(request.slots);
    t.submission = {};
    t.baselines = {};
    if (request.seats_baselines && request.timed && t.device.is_cpu()) t.take_scattered_pages();
    if (auto made = t.replace_arena(t.private_inputs, count * t.input_stride()); !made)
      return made.error();
    const std::uint64_t param_bytes = t.param_layout.bytes + t.slack();
    if (auto made = t.replace_arena(t.private_params, param_bytes); !made) return made.error();

    t.original_draws = request.original_draws;
    const auto& specs = t.size.parameters;
    std::byte* own = t.private_params->data() + request.private_param_offset;
    const std::vector<TensorSpec> drawn_as = t.parameter_draws(request.key);
    if (auto drawn = t.draw(drawn_as, t.param_layout, own, request.key, 0); !drawn)
      return drawn.error();
    if (auto read = t.read_initial_parameters(own); !read) return read.error();
    if (auto made = t.make_seat(t.submission, request.param_offset); !made) return made.error();
    if (request.seats_baselines)
      if (auto made = t.make_seat(t.baselines, request.baselines_param_offset); !made)
        return made.error();
    if (request.heap_bytes > 0) t.make_heap(request.heap_bytes);
    t.params = t.view(specs, t.param_layout, own);
    t.executor.adopt_parameters(t.params);
    for (const SeatMemory* seat : {&t.submission, &t.baselines}) {
      if (!seat->inputs) continue;
      if (auto shut = t.backend.open_gate(t.gate_of(*seat), 0); !shut) return shut.error();
    }
    if (auto synchronized = t.backend.synchronize(); !synchronized) return synchronized.error();
    Arenas arenas{.input_stride = t.input_stride(), .output_stride = t.output_stride()};
    arenas.heap = t.submission.heap.get();
    for (const SeatMemory* seat : {&t.submission, &t.baselines})
      if (seat->inputs)
        arenas.seats.push_back({seat->inputs.get(), seat->params.get(), seat->outputs.get()});
    return arenas;
  });
}

Status LoadedTask::inputs(const std::vector<SlotInputs>& slots) {
  Impl& t = *impl_;
  if (static_cast<int>(slots.size()) > t.slots)
    return Error{ErrorCode::kInfrastructure, "more inputs than slots", ""};
  t.forget_outputs();
  t.slot_bases.clear();
  t.slot_inputs.clear();
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    std::byte* base =
        t.private_inputs->data() + slot * t.input_stride() + slots[slot].private_offset;
    // Inputs and parameters share the numbering of tensors: an input's index follows the last
    // parameter's, so that one key never gives two tensors the same values.
    const std::uint64_t first = t.size.parameters.size();
    auto specs = drawn_as(t.own_draws(t.size.inputs), slots[slot].hard_draw);
    if (!specs) return specs.error();
    if (auto drawn = t.draw(*specs, t.input_layout, base, slots[slot].key, first); !drawn)
      return drawn;
    t.slot_bases.push_back(base);
    t.slot_inputs.push_back(t.view(t.size.inputs, t.input_layout, base));
  }
  return t.backend.synchronize();
}

Result<std::vector<EagerError>> LoadedTask::reference() {
  Impl& t = *impl_;
  return guarded("the fp64 reference", [&]() -> Result<std::vector<EagerError>> {
    const c10::NoGradGuard no_grad;
    Tensors params = to_double(t.params);
    t.executor.adopt_parameters(params);
    t.reference_outputs = to_contiguous(t.executor.run(to_double(t.slot_inputs[0]), params));
    params.clear();
    t.eager_outputs.clear();
    auto eager =
        t.type == DType::kFloat32 ? Result<Tensors>(t.run(Side::kEager, 0)) : t.run_in_type();
    if (!eager) return eager.error();
    t.eager_outputs.push_back(to_contiguous(std::move(*eager)));
    auto errors = t.errors_of(t.eager_outputs[0]);
    if (errors && t.may_convolve_in_tf32()) {
      const auto of_tf32 =
          t.errors_of(t.executor.run_with_tf32_convolutions(t.slot_inputs[0], t.params));
      errors = of_tf32 ? worst_of(*errors, *of_tf32) : of_tf32;
    }
    t.make_room();
    return errors;
  });
}

Result<std::vector<EagerError>> LoadedTask::perturbed_errors() {
  Impl& t = *impl_;
  if (t.reference_outputs.empty())
    return Error{ErrorCode::kInfrastructure, "perturbed inputs need a reference", ""};
  return guarded("eager on perturbed inputs", [&]() -> Result<std::vector<EagerError>> {
    const c10::NoGradGuard no_grad;
    std::vector<EagerError> worst;
    for (int deciding_bit = 1; deciding_bit <= kPerturbations; ++deciding_bit) {
      Tensors inputs;
      for (const at::Tensor& input : t.slot_inputs[0])
        inputs.push_back(perturbed(input, deciding_bit));
      auto errors = t.errors_of(t.executor.run(inputs, t.params));
      if (!errors) return errors.error();
      worst = worst_of(worst, *errors);
    }
    t.make_room();
    return worst;
  });
}

Result<std::int64_t> LoadedTask::flush() {
  Backend& backend = impl_->backend;
  if (!impl_->placed.timed) return std::int64_t{0};  // no call is timed
  if (auto flushed = backend.flush_cache(); !flushed) return flushed.error();
  return backend.last_flush_ns();
}

Result<BaselineTime> LoadedTask::time(Side side) {
  Impl& t = *impl_;
  if (side == Side::kCompiled && !t.package)
    return Error{ErrorCode::kNotFound, "there is no compiled baseline", t.compiled_reason};
  return guarded("a baseline", [&]() -> Result<BaselineTime> {
    const c10::NoGradGuard no_grad;
    // Eager's outputs are freed before the clock starts: the next run gets the same warm memory.
    if (side == Side::kEager) t.eager_outputs.clear();
    std::vector<Tensors> outputs;
    outputs.reserve(t.slot_inputs.size());
    if (auto busy = t.backend.occupy(kBusyBeforeABaseline); !busy) return busy.error();
    for (const auto& step : {&Backend::flush_cache, &Backend::prologue})
      if (auto done = (t.backend.*step)(); !done) return done.error();
    if (t.device.is_cpu()) warm_dispatcher();
    if (auto started = t.backend.start_timer(); !started) return started.error();
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t slot = 0; slot < t.slot_inputs.size(); ++slot)
      outputs.push_back(t.run(side, static_cast<int>(slot)));
    const std::chrono::nanoseconds launching = std::chrono::steady_clock::now() - start;
    auto nanoseconds = t.backend.stop_timer();
    if (!nanoseconds) return nanoseconds.error();
    auto flushed = t.backend.last_flush_ns();
    if (!flushed) return flushed.error();
    if (side == Side::kEager)
      for (Tensors& of_a_slot : outputs)
        t.eager_outputs.push_back(to_contiguous(std::move(of_a_slot)));
    return BaselineTime{*nanoseconds, *flushed, 0, launching.count()};
  });
}

Status LoadedTask::arm(Seat seat, const std::vector<SlotPlaces>& slots) {
  Impl& t = *impl_;
  t.seat = seat;
  SharedArena* outputs = t.here().outputs.get();
  if (outputs == nullptr) return Error{ErrorCode::kInfrastructure, "nobody has this seat", ""};
  t.here().places = slots;
  t.here().orders.assign(slots.size(), {});
  t.here().has_snapshot = false;
  if (!stands(Defence::kPoisonedOutputs)) return Done{};
  if (auto poisoned = t.backend.poison(outputs->data(), outputs->bytes()); !poisoned)
    return poisoned;
  return t.backend.synchronize();
}

Result<Revealed> LoadedTask::reveal(int slot) {
  Impl& t = *impl_;
  const auto index = static_cast<std::size_t>(slot);
  const bool cuda = t.device.is_cuda();
  auto shown = cuda ? t.show_and_be_busy(index) : t.show(index, 0, t.input_layout.bytes);
  if (!shown) return shown.error();
  if (slot == 0 && t.placed.timed)
    if (auto cold = t.make_cold(); !cold) return cold.error();
  Revealed revealed;
  if (!cuda) {
    const auto flush_ns = t.backend.last_flush_ns();
    if (!flush_ns) return flush_ns.error();
    if (slot == 0) revealed.flush_ns = *flush_ns;
    return revealed;
  }
  if (++t.revealed == 0) ++t.revealed;  // 0 says that there is no gate
  revealed.gate = t.revealed;
  if (auto opened = t.backend.open_gate(t.gate_of(t.here()), t.revealed); !opened)
    return opened.error();
  return revealed;
}

Status LoadedTask::snapshot(int slot, const OutputPlaces& places) {
  Impl& t = *impl_;
  SeatMemory& here = t.here();
  if (!here.taken) {
    if (auto created = t.replace_arena(here.taken, here.outputs->bytes()); !created) return created;
  }
  const auto index = static_cast<std::size_t>(slot);
  const bool last = index + 1 == here.places.size();
  if (auto taken = t.take_from_arena(index, places.in_heap); !taken) return taken;
  if (auto taken = t.take_from_heap(index, places.in_heap); !taken) return taken;
  here.orders.at(index) = places.orders;
  here.has_snapshot = last;
  return t.backend.synchronize();
}

Status LoadedTask::keep_eager() {
  Impl& t = *impl_;
  if (!t.baselines.has_snapshot)
    return Error{ErrorCode::kInfrastructure, "there is nothing of eager's to keep", ""};
  t.eager_outputs.clear();
  for (std::size_t slot = 0; slot < t.baselines.places.size(); ++slot) {
    Tensors outputs;
    for (std::size_t o = 0; o < t.size.outputs.size(); ++o)
      outputs.push_back(t.taken(t.baselines, slot, o));
    t.eager_outputs.push_back(std::move(outputs));
  }
  return Done{};
}

Result<Audit> LoadedTask::audit(bool everything) {
  Impl& t = *impl_;
  if (!t.submission.has_snapshot)
    return Error{ErrorCode::kInfrastructure, "an audit needs a snapshot", ""};
  Audit audit;
  auto outside = t.backend.count_unpoisoned(t.around_outputs(t.submission));
  if (!outside) return outside.error();
  audit.outside_outputs = *outside;
  if (*outside > 0) {
    auto place = t.place_outside();
    if (!place) return place.error();
    audit.outside_at = std::move(*place);
  }
  if (!everything) return audit;
  for (std::size_t slot = 0; slot < t.submission.places.size(); ++slot) {
    auto changed = t.backend.count_differing(
        t.submission.inputs->data() + t.submission.places[slot].input_base, t.slot_bases.at(slot),
        t.input_layout.bytes);
    if (!changed) return changed.error();
    audit.inputs_changed += *changed;
  }
  auto changed = t.backend.count_differing(t.submission.params->data() + t.placed.param_offset,
                                           t.private_params->data() + t.placed.private_param_offset,
                                           t.param_layout.bytes);
  if (!changed) return changed.error();
  audit.params_changed = *changed;
  return audit;
}

Result<DevicePeaks> measure_peaks(Backend& backend, const std::string& torch_device, DType type) {
  return guarded("measuring the device's peaks", [&]() -> Result<DevicePeaks> {
    const c10::InferenceMode guard;
    const at::Device device(torch_device);
    auto bandwidth = backend.copy_bandwidth();
    if (!bandwidth) return bandwidth.error();
    const bool cuda = device.is_cuda();
    constexpr int kProducts = 6;  // the first one loads the library
    auto products = products_per_s(backend, device, cuda ? at::kBFloat16 : at::kFloat,
                                   cuda ? 8192 : 1024, kProducts);
    if (!products) return products.error();
    double most = *products;
    if (!cuda && type != DType::kFloat32) {
      // These products are smaller and fewer: a CPU without instructions for it takes a hundred
      // times as long.
      auto of_type = products_per_s(backend, device,
                                    type == DType::kBFloat16 ? at::kBFloat16 : at::kHalf, 512, 3);
      if (!of_type) return of_type.error();
      most = std::max(most, *of_type);
    }
    release_cached_memory(device);
    return DevicePeaks{*bandwidth, most};
  });
}

Result<std::vector<CompareResult>> LoadedTask::judge(Against against,
                                                     const std::vector<OutputBound>& bounds) {
  Impl& t = *impl_;
  if (!t.submission.has_snapshot)
    return Error{ErrorCode::kInfrastructure, "nothing is judged before its snapshot", ""};
  return guarded("judging", [&] { return t.compare_seat(t.submission, against, bounds); });
}

Result<std::vector<CompareResult>> LoadedTask::judge_baseline(
    Side side, const std::vector<OutputBound>& bounds) {
  if (side == Side::kVendor) return impl_->judge_vendor(bounds);
  if (side == Side::kEager) return impl_->judge_eager(bounds);
  if (side == Side::kCompiled) return impl_->judge_compiled(bounds);
  return Error{ErrorCode::kBadInput, "a submission is no baseline", ""};
}

Status LoadedTask::remember_outputs() {
  impl_->previous_outputs = impl_->eager_outputs.at(0);
  return Done{};
}

Result<std::vector<BypassableNode>> LoadedTask::bypassable_nodes() {
  Impl& t = *impl_;
  return guarded("looking at the graph", [&]() -> Result<std::vector<BypassableNode>> {
    std::vector<BypassableNode> nodes;
    for (const std::size_t node : t.executor.bypassable_nodes(t.slot_inputs.at(0), t.params))
      nodes.push_back({static_cast<int>(node), t.executor.operator_of(node)});
    return nodes;
  });
}

Result<MutationReply> LoadedTask::mutate(const MutationRequest& request) {
  Impl& t = *impl_;
  return guarded("a mutation", [&]() -> Result<MutationReply> {
    const c10::NoGradGuard no_grad;
    auto mutation =
        make_mutation(request, {t.executor, t.size, t.slot_inputs.at(0), t.params,
                                t.eager_outputs.at(0), t.reference_outputs, t.previous_outputs});
    for (std::size_t o = 0; o < mutation.outputs.size(); ++o) {
      const at::Tensor& wrong = mutation.outputs[o];
      const std::uint64_t bytes = t.size.outputs[o].bytes();
      std::byte* target = t.submission.outputs->data() + t.submission.places.at(0).output_base +
                          t.output_layout.offsets[o];
      // An undefined tensor was not written: what lies there is what arm() left.
      const Status written = wrong.defined() ? t.backend.copy(target, wrong.const_data_ptr(), bytes)
                                             : t.backend.poison(target, bytes);
      if (!written) return written.error();
    }
    t.submission.has_snapshot = false;
    if (auto done = t.backend.synchronize(); !done) return done.error();
    return mutation.reply;
  });
}

void LoadedTask::release_reference_memory() {
  impl_->reference_outputs.clear();
  // Freeing takes 0.1 s of a relu at full; where half of a device is free, no process is short of
  // it. But within what the reference leaves a convolution's workspace would begin anywhere in a
  // page, which slows eager down by up to 6 % (a transposed one on an H200).
  const auto free = impl_->backend.free_bytes();
  const bool is_plentiful = free && *free > impl_->backend.facts().memory_bytes / 2;
  if (is_plentiful && !impl_->executor.has_convolutions()) return;
  release_cached_memory(impl_->device);
}

Status check_threads(int threads) {
  const int found = at::get_num_threads();
  if (found == threads) return Done{};
  return Error{ErrorCode::kInfrastructure,
               "LibTorch would run on " + std::to_string(found) + " threads instead of " +
                   std::to_string(threads),
               ""};
}

Status configure_torch(const std::string& precision) {
  return guarded("configuring LibTorch", [&]() -> Status {
    at::set_num_interop_threads(1);
    auto& context = at::globalContext();
    const bool convolutions = precision != "fp32";  // else as PyTorch does by default
    const bool matmuls = precision == "tf32";
    context.setAllowTF32CuDNN(convolutions);
    context.setAllowTF32CuBLAS(matmuls);
    return Done{};
  });
}

// Version of the library that was loaded, not of the headers: an installed oracle meets any patch
// release.
std::string torch_version() {
  const std::uint64_t version = aoti_torch_abi_version();  // a byte each: major, minor, patch
  const auto part = [&](int byte) { return std::to_string(version >> (8 * byte) & 0xff); };
  return part(7) + "." + part(6) + "." + part(5);
}

}  // namespace kbench
