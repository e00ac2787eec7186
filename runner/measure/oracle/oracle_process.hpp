// An oracle, its fork server, and the control channel to it. Starting returns at once: LibTorch
// loads while the supervisor compiles submissions; the first request waits for it. Restarting gives
// a fresh process within milliseconds.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/device_limits.hpp"
#include "runner/measure/oracle/mutations.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/measure/oracle/oracle_child.hpp"
#include "runner/measure/oracle/oracle_fork_server.hpp"

namespace kbench {

class OracleProcess final : public Oracle, public MutationSource {
 public:
  static Result<std::unique_ptr<OracleProcess>> start(const OracleOptions& options);
  ~OracleProcess() override;
  OracleProcess(const OracleProcess&) = delete;
  OracleProcess& operator=(const OracleProcess&) = delete;

  Result<OracleHello> hello() override;
  // Whether this process opened its device in the time given. What does not answer is killed.
  Status answers_within(std::chrono::milliseconds timeout);
  Status restart() override;
  // Ends the oracle and forgets what it measured. The fork servers stay, and know whose tasks they
  // ran; false where one of them is not alone in its sandbox or has ended: then nothing is to be
  // kept.
  [[nodiscard]] bool rest();
  [[nodiscard]] const OracleOptions& options() const { return options_; }
  Result<std::string> load(const std::filesystem::path& task_file, const std::string& size,
                           const std::filesystem::path& package, int parameters = -1) override;
  Result<PlacedArenas> place(const PlaceRequest& request) override;
  Result<std::unique_ptr<Player>> start_player(const PlacedArenas& arenas,
                                               std::uint64_t param_offset) override;
  Status keep_eager() override;
  Status inputs(const std::vector<SlotInputs>& slots) override;
  Result<std::vector<EagerError>> reference() override;
  Result<std::vector<EagerError>> perturbed() override;
  Status release() override;
  Result<BaselineTime> time(Side side) override;
  Result<BaselineTime> record(Side side, const std::filesystem::path& cupti, int file) override;
  Result<std::int64_t> flush() override;
  Status arm(Seat seat, const std::vector<SlotPlaces>& slots) override;
  Result<Revealed> reveal(int slot) override;
  Status snapshot(int slot, const OutputPlaces& places) override;
  Result<Audit> audit(bool everything) override;
  Result<DevicePeaks> peaks() override;
  void doubt_peaks() override { peaks_doubted_ = true; }
  // Limits of the device, for `kbench calibrate`; measured anew by every call.
  Result<DeviceLimits> limits();
  Result<std::vector<CompareResult>> judge(Against against,
                                           const std::vector<OutputBound>& bounds) override;
  Result<std::vector<CompareResult>> judge_baseline(
      Side side, const std::vector<OutputBound>& bounds) override;
  Result<std::int64_t> sm_clock_khz() override;
  Status freeze() override;
  Status thaw() override;
  void run_on(int core) override;

  Status remember() override;
  Result<std::vector<BypassableNode>> bypassable() override;
  Result<MutationReply> mutate(const MutationRequest& request) override;

 private:
  explicit OracleProcess(OracleOptions options);
  Status spawn();
  void end();
  // Prepares for a task of another suite: an oracle that ran one of another suite does not judge
  // it, nor does the process that forked it.
  Status change_suite(const std::filesystem::path& task_file);
  Result<Message> ask(const Json& request, const std::vector<int>& files = {});
  // The reply as `read` reads it; it may throw.
  template <class T>
  Result<T> ask_for(const Json& request, const std::function<T(const Json&)>& read,
                    const std::vector<int>& files = {});
  template <class T>
  Result<T> ask_for(const Json& request, const char* field);
  template <class T>
  Result<T> ask_for(const Json& request);
  // One for each output of the task.
  template <class T>
  Result<std::vector<T>> ask_for_outputs(const Json& request);

  OracleOptions options_;
  std::unique_ptr<OracleForkServer> fork_server_;
  // Fork server of the players, so that either side can be stopped without the other.
  std::unique_ptr<OracleForkServer> player_server_;
  std::filesystem::path suite_;  // suite of all tasks that ran in these
  std::size_t outputs_ = 0;      // outputs of the loaded task
  Json loaded_;                  // request that a player loads as well
  std::vector<UniqueFd> files_;  // files of the task: its own, and its package's if there is one
  OracleChild child_;
  std::optional<DevicePeaks> peaks_;
  bool peaks_doubted_ = false;
};

}  // namespace kbench
