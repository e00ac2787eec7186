#include "runner/synthesis/trial_devices.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "runner/device/measuring_lock.hpp"
#include "runner/device/oracle_options.hpp"
#include "runner/measure/oracle/oracle_process.hpp"
#include "runner/synthesis/synth_trial.hpp"

namespace kbench {
namespace {

class OneTrialDevice final : public TrialDevices {
 public:
  OneTrialDevice(const Installation& installation, const Target& target,
                 std::unique_ptr<OracleProcess> oracle, OracleHello hello, ProgressSink& progress)
      : installation_(installation),
        target_(target),
        oracle_(std::move(oracle)),
        hello_(std::move(hello)),
        progress_(progress) {}

  [[nodiscard]] const OracleHello& hello() const override { return hello_; }

  Result<TrialAnswers> try_all(const std::vector<TrialOrder>& orders,
                               const std::function<bool()>& stop) override {
    TrialAnswers answers(orders.size());
    if (orders.empty()) return answers;
    const auto lock = take_measuring_lock({.installation = &installation_,
                                           .target = &target_,
                                           .what = "synth",
                                           .progress = &progress_});
    if (!lock) return lock.error();
    progress_.begin(std::string(describe(orders.front().kind)),
                    std::vector<double>(orders.size(), 0));
    for (std::size_t i = 0; i < orders.size() && !stop(); ++i) {
      progress_.item(i, orders[i].task);
      auto answer = make_trial(*oracle_, target_.device, orders[i]);
      if (!answer) return answer.error();
      if (answer->spoils_oracle())
        if (auto renewed = renew_oracle(*oracle_); !renewed) return renewed.error();
      answers[i] = std::move(*answer);
    }
    progress_.end();
    return answers;
  }

 private:
  const Installation& installation_;
  const Target& target_;
  std::unique_ptr<OracleProcess> oracle_;
  OracleHello hello_;
  ProgressSink& progress_;
};

}  // namespace

Result<std::unique_ptr<TrialDevices>> start_trial_device(Sandbox& sandbox,
                                                         const Installation& installation,
                                                         const Target& target,
                                                         ProgressSink& progress) {
  auto oracle =
      OracleProcess::start(oracle_options(sandbox, installation, target, kSynthPrecision));
  if (!oracle) return oracle.error();
  auto hello = (*oracle)->hello();
  if (!hello) return hello.error();
  return std::unique_ptr<TrialDevices>(std::make_unique<OneTrialDevice>(
      installation, target, std::move(*oracle), std::move(*hello), progress));
}

}  // namespace kbench
