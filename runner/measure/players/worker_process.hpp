// A worker of any kind inside the sandbox. The worker is frozen whenever no call is outstanding, so
// that it can neither look at the answer nor slow a baseline down. The supervisor's clock around a
// call stops when done is seen. On a CPU the clock starts before the worker is continued, and
// writes to outputs after done are seen as well (late_writes.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/core/channel.hpp"
#include "runner/measure/players/late_writes.hpp"
#include "runner/measure/players/own_outputs.hpp"
#include "runner/measure/players/worker.hpp"
#include "runner/measure/players/worker_output.hpp"
#include "runner/measure/players/worker_program.hpp"
#include "runner/measure/watch/known_code.hpp"
#include "runner/measure/watch/worker_watch.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

class WorkerProcess final : public Worker {
 public:
  static Result<std::unique_ptr<Worker>> start(WorkerProgram& program, const WorkerStart& start);

  [[nodiscard]] const WorkerKind& kind() const override { return kind_; }
  std::optional<EarlyEnd> await_ready(std::chrono::milliseconds timeout) override;
  std::optional<EarlyEnd> load() override;
  std::optional<EarlyEnd> await_loaded(std::chrono::milliseconds timeout) override;
  PlayerAnswer call(const PlayerCall& call) override;
  void run_on(std::span<const int> cores) override;
  [[nodiscard]] bool has_prepare() const override { return has_prepare_; }
  [[nodiscard]] ModelAccount model_account() override { return model_account_; }
  [[nodiscard]] Result<std::vector<MappedCode>> mapped_code() override;
  std::optional<EarlyEnd> check_written() override;
  [[nodiscard]] std::string last_output() override { return output_.last_lines(); }
  [[nodiscard]] TorchUse torch_use() override { return torch_use_; }
  [[nodiscard]] CodeProfiles take_code_profile() override { return profiler_.take(); }

 private:
  // The files that it writes, and where they are counted.
  struct Outputs {
    std::optional<LateWrites> late_writes;
    std::optional<OwnOutputs> own;
  };
  WorkerProcess(const WorkerKind& kind, std::unique_ptr<SandboxedProcess> process, Channel channel,
                Mailbox mailbox, Outputs outputs, std::optional<WrittenFiles> files,
                KnownCode known_code, WorkerOutput output, const WorkerStart& start);
  static Result<Outputs> watch(const WorkerKind& kind, const WorkerStart& start,
                               const SeatArenas& arenas);
  [[nodiscard]] bool has_ended() const;
  EarlyEnd describe_end(const std::string& during);
  EarlyEnd not_ready(const std::string& what, const std::string& hint = "");
  std::optional<EarlyEnd> hear_ready(std::chrono::milliseconds timeout);
  // Waits for a message on the channel. Returns how the worker ends if it writes too much
  // meanwhile.
  std::optional<EarlyEnd> await_word(std::chrono::milliseconds timeout);
  // Lists the worker's processes while only our own code runs there. From then on none of them can
  // hide, and none can start another one.
  std::optional<EarlyEnd> enlist();
  EarlyEnd misused_channel(const std::string& how);
  EarlyEnd ran_while_stopped(const std::string& how);
  std::optional<EarlyEnd> freeze();  // stop(), then take_stock()
  std::optional<EarlyEnd> stop();
  std::optional<EarlyEnd> take_stock();  // lists its processes and their run times so far
  // Checks that the worker stood still since take_stock().
  std::optional<EarlyEnd> check_stop();
  std::optional<EarlyEnd> thaw();
  // Checks the cores used by a finished call that began so long ago.
  std::optional<EarlyEnd> check_cores(std::chrono::nanoseconds call);
  [[nodiscard]] bool has_stalled(StallWatch& watch, std::chrono::nanoseconds into_call) const;
  // Python: returns how the worker ends for the files that it has written, and kills it then.
  std::optional<EarlyEnd> check_files(std::chrono::nanoseconds every);
  std::optional<EarlyEnd> judge_files(const Result<std::string>& too_much);
  // Stops the worker in the middle of a call, sees where its threads are, and continues it.
  std::optional<EarlyEnd> look_into_call(bool unawares);
  EarlyEnd describe_silence(const PlayerCall& call);
  void hear_torch_use();
  // Python, after a call: puts the places of its outputs into the answer. Returns how the worker
  // ends if an output lies where it may not.
  std::optional<EarlyEnd> take_outputs(const PlayerCall& call, PlayerAnswer& answer);
  // CUDA: the told places, none of which has gaps or reaches behind the heap.
  [[nodiscard]] Result<OutputPlaces> places_in_heap(const ToldPlaces& told) const;
  [[nodiscard]] bool wrote_late() const;  // CPU: what it looked like when it was done, and now

  const WorkerKind& kind_;
  std::unique_ptr<SandboxedProcess> process_;
  Channel channel_;
  Mailbox mailbox_;
  WaitStyle style_;
  std::optional<LateWrites> late_writes_;  // CPU
  std::optional<OwnOutputs> own_outputs_;  // CPU, Python
  const TaskSize& size_;
  std::uint64_t heap_bytes_;           // CUDA, Python
  bool copies_outputs_ = false;        // Python: the kernel does not let us read its memory
  std::optional<WrittenFiles> files_;  // Python
  KnownCode known_code_;
  WorkerOutput output_;
  bool looked_at_ = false;  // its code, before it loaded
  std::uint32_t calls_ = 0;
  bool ready_ = false;  // it said so
  bool loads_ = false;  // it was told to: from then on the submission's code may run
  bool frozen_ = false;
  std::vector<pid_t> processes_;  // processes when it was frozen; frozen ones start no others
  RunTimes run_times_;            // times when it was frozen
  RunTimes before_call_;          // times when it was continued
  StopLedger stops_;
  int threads_;
  CoreLedger cores_;
  bool has_prepare_ = false;
  ModelAccount model_account_;
  TorchUse torch_use_;
  CodeProfiler profiler_;
};

}  // namespace kbench
