// An oracle, its fork server, and the control channel to it. Starting returns at once: LibTorch
// loads while the supervisor compiles submissions; the first request waits for it. Restarting gives
// a fresh process within milliseconds.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "runner/measure/mutations.hpp"
#include "runner/measure/oracle.hpp"
#include "runner/measure/oracle_child.hpp"
#include "runner/measure/oracle_fork_server.hpp"
#include "runner/sandbox/process_tree.hpp"

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
  Result<std::string> load(const std::filesystem::path& task_file, const std::string& size,
                           const std::filesystem::path& package) override;
  Result<PlacedArenas> place(const PlaceRequest& request) override;
  Result<std::unique_ptr<Player>> start_player(const PlacedArenas& arenas,
                                               std::uint64_t param_offset) override;
  Status keep_eager() override;
  Status inputs(const std::vector<SlotInputs>& slots) override;
  Result<std::vector<EagerError>> reference() override;
  Result<std::vector<EagerError>> perturbed() override;
  Status release() override;
  Result<BaselineTime> time(Side side) override;
  Result<std::int64_t> flush() override;
  Status arm(Seat seat, const std::vector<SlotPlaces>& slots) override;
  Result<Revealed> reveal(int slot) override;
  Status snapshot(int slot, const std::vector<OutputOrder>& orders) override;
  Result<Audit> audit(bool everything) override;
  Result<DevicePeaks> peaks() override;
  Result<std::vector<CompareResult>> judge(Against against,
                                           const std::vector<OutputBound>& bounds) override;
  Result<std::vector<CompareResult>> judge_eager(const std::vector<OutputBound>& bounds) override;
  Result<std::vector<CompareResult>> judge_compiled(
      const std::vector<OutputBound>& bounds) override;
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
  Status meet();
  void end();
  Result<Message> ask(const Json& request);
  template <class T>
  Result<T> ask_for(const Json& request, const char* field);

  OracleOptions options_;
  std::unique_ptr<OracleForkServer> fork_server_;
  // Of the players, so that either side can be stopped without the other.
  std::unique_ptr<OracleForkServer> player_server_;
  Json loaded_;  // what a player loads as well
  OracleChild child_;
  std::optional<FrozenTree> tree_;  // the fork server's children: the oracle alone
  std::optional<DevicePeaks> peaks_;
};

}  // namespace kbench
