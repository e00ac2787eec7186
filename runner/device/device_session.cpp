#include "runner/device/device_session.hpp"

#include <system_error>
#include <utility>

#include "runner/device/oracle_options.hpp"
#include "runner/installation/torch_search.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::map<fs::path, fs::file_time_type> written(const Toolchain& tools) {
  std::map<fs::path, fs::file_time_type> times;
  for (const fs::path& tool : {tools.host_compiler, tools.nvcc, tools.ninja}) {
    std::error_code gone;  // then its time is the smallest one
    if (!tool.empty()) times[tool] = fs::last_write_time(tool, gone);
  }
  return times;
}

bool are_alike(const OracleOptions& one, const OracleOptions& other) {
  return one.sandbox == other.sandbox && one.program == other.program &&
         one.device == other.device && one.device_index == other.device_index &&
         one.threads == other.threads && one.precision == other.precision &&
         one.libraries == other.libraries && one.log == other.log;
}

}  // namespace

DeviceSession::DeviceSession(Installation installation, SessionTurns turns)
    : installation_(std::move(installation)), turns_(turns), sandbox_(make_sandbox()) {}

void DeviceSession::prepare() {
  if (trial_.valid()) trial_.wait();
  if (sandbox_->undead() > 0) {
    resting_.reset();
    sandbox_ = make_sandbox();
    trial_ = {};
  }
  if (!trial_.valid()) {
    starts_.emplace_back("tried the sandbox");
    trial_ = std::async(std::launch::async,
                        [sandbox = sandbox_] { (void)sandbox->level(/*needs_cuda=*/false); });
  }
  look_for_tools();
}

void DeviceSession::look_for_tools() {
  if (tools_.valid() && knows_tools()) return;
  starts_.emplace_back("looked for compilers");
  tools_ = std::async(std::launch::async, [] {
             Toolchain found = find_toolchain();
             auto times = written(found);
             return Tools{std::move(found), std::move(times)};
           }).share();
}

// Whether those that were found are what lies there still. A compiler that was not found may have
// come since.
bool DeviceSession::knows_tools() const {
  const Tools& tools = tools_.get();
  return !tools.toolchain.host_version.empty() && written(tools.toolchain) == tools.written;
}

Result<Installation> DeviceSession::with_libtorch() {
  if (!complete_) {
    auto complete = with_torch(installation_, process_environment(), ask_for_torch);
    if (!complete) return complete.error();
    complete_ = std::move(*complete);
  }
  return *complete_;
}

Result<DeviceTurn> DeviceTurn::take(DeviceSession& session, const LockRequest& request) {
  auto lock = take_measuring_lock(request);
  if (!lock) return lock.error();
  return DeviceTurn(session, std::move(*lock));
}

Status DeviceTurn::take_whole_device(LockRequest request) {
  drop_oracle();
  lock_ = MeasuringLock();  // or the device's holder would wait for this turn to end
  request.turn_only = false;
  auto lock = take_measuring_lock(request);
  if (!lock) return lock.error();
  lock_ = std::move(*lock);
  return replace_oracle();
}

Status DeviceTurn::start_oracle(const Installation& installation, const Target& target,
                                const std::string& precision) {
  sandbox_ = session_->sandbox();
  options_ = oracle_options(*sandbox_, installation, target, precision);
  oracle_ = std::move(session_->resting_);
  rested_ = oracle_ && are_alike(oracle_->options(), options_) && oracle_->restart();
  return rested_ ? Status(Done{}) : replace_oracle();
}

Status DeviceTurn::replace_oracle() {
  rested_ = false;
  oracle_.reset();
  session_->starts_.emplace_back("started an oracle");
  auto oracle = OracleProcess::start(options_);
  if (!oracle) return oracle.error();
  oracle_ = std::move(*oracle);
  return Done{};
}

Result<OracleHello> DeviceTurn::hello() {
  auto hello = oracle_->hello();
  if (hello || !rested_) return hello;
  // The oracle's fork server was killed meanwhile, and had not ended yet when it was asked.
  if (auto replaced = replace_oracle(); !replaced) return replaced.error();
  return oracle_->hello();
}

void DeviceTurn::rest_oracle() {
  auto oracle = std::move(oracle_);
  if (!oracle || session_->turns_ == SessionTurns::kOne || !oracle->rest()) return;
  session_->resting_ = std::move(oracle);
}

}  // namespace kbench
