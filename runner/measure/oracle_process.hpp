// A kbench-oracle process and the control channel to it. Starting returns at once: LibTorch loads
// while the supervisor compiles submissions; the first request waits for it.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "runner/core/channel.hpp"
#include "runner/measure/oracle.hpp"

namespace kbench {

struct OracleOptions {
  std::filesystem::path program;  // kbench-oracle or kbench-oracle-cuda
  std::string device;             // "cpu" or "cuda"
  int device_index = 0;
  int threads = 1;
  std::string precision;
  std::filesystem::path log;  // its stderr
};

class OracleProcess final : public Oracle {
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
  Status inputs(const std::vector<SlotInputs>& slots) override;
  Result<std::vector<EagerError>> reference() override;
  Status release() override;
  Result<std::int64_t> time(Side side) override;
  Status arm(const std::vector<SlotPlaces>& slots) override;
  Status snapshot() override;
  Result<std::vector<CompareResult>> judge(Against against,
                                           const std::vector<OutputBound>& bounds) override;
  Result<std::vector<CompareResult>> judge_compiled(
      const std::vector<OutputBound>& bounds) override;
  Result<std::int64_t> sm_clock_khz() override;
  Status freeze() override;
  Status thaw() override;

 private:
  explicit OracleProcess(OracleOptions options);
  Status spawn();
  void end();
  void remove_temporary_folders();
  Result<Message> ask(const Json& request);
  template <class T>
  Result<T> ask_for(const Json& request, const char* field);

  OracleOptions options_;
  std::filesystem::path temporary_;           // its TMPDIR: a killed one leaves files behind
  std::set<std::filesystem::path> unpacked_;  // compiled packages, likewise
  pid_t pid_ = -1;
  Channel channel_;
};

}  // namespace kbench
