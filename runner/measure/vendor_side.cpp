#include "runner/measure/vendor_side.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "runner/core/lines.hpp"
#include "runner/core/vendor_words.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;

constexpr auto kLoadTimeout = milliseconds{30'000};
// The first call chooses among algorithms, and cuDNN compiles some of them.
constexpr auto kCallTimeout = milliseconds{300'000};

// The rest of the last line that begins so; empty without any.
std::string line_after(std::string_view text, std::string_view word) {
  const std::size_t begin = text.rfind(word);
  if (begin == std::string_view::npos) return "";
  text.remove_prefix(begin + word.size());
  return first_line(text);
}

}  // namespace

std::string vendor_failure(Worker& worker, const EarlyEnd& end) {
  const std::string said = line_after(worker.last_output(), kFailureWord);
  return said.empty() ? end.message : said;
}

VendorSide::VendorSide(const EvaluationRequest& request, Oracle& oracle, Evaluation& record)
    : request_(request), oracle_(oracle), record_(record) {
  if (!request.vendor) return;
  record_.vendor_reason = request.vendor->reason;
  plays_ = record_.vendor_reason.empty();
}

void VendorSide::leave_out(std::string reason) {
  plays_ = false;
  worker_.reset();
  record_.vendor_algorithm.clear();
  record_.vendor_reason = reason.empty() ? "it gave no reason" : std::move(reason);
  for (auto* samples : {&record_.samples, &record_.alone})
    std::erase_if(*samples, [](const Sample& sample) { return sample.side == Side::kVendor; });
}

bool VendorSide::fine(const Status& status) {
  if (!status) leave_out(status.error().message);
  return status.ok();
}

bool VendorSide::fine(const std::optional<EarlyEnd>& end) {
  if (!end) return true;
  leave_out(worker_ ? vendor_failure(*worker_, *end) : end->message);
  return false;
}

void VendorSide::start(const PlacedArenas& arenas, std::uint64_t parameter_base) {
  if (!plays_) return;
  parameter_base_ = parameter_base;
  auto worker = request_.vendor->start({.device = request_.device,
                                        .device_index = request_.device_index,
                                        .threads = request_.threads,
                                        .size = request_.size,
                                        .arenas = &arenas,
                                        .seat = Seat::kBaselines,
                                        .parameter_base = parameter_base,
                                        .precision = request_.precision});
  if (!worker) return leave_out(worker.error().message);
  worker_ = std::move(*worker);
  if (!fine(worker_->await_ready(kLoadTimeout)) || !fine(worker_->load())) return;
  (void)fine(worker_->await_loaded(kLoadTimeout));
}

void VendorSide::run_on(int core) {
  if (worker_) worker_->run_on({&core, 1});
}

std::optional<std::int64_t> VendorSide::play(const SlotPlaces& places) {
  if (!plays_ || !fine(oracle_.arm(Seat::kBaselines, {places}))) return std::nullopt;
  const auto revealed = oracle_.reveal(0);
  if (!revealed) {
    leave_out(revealed.error().message);
    return std::nullopt;
  }
  const PlayerAnswer answer = worker_->call({.kind = CallKind::kForward,
                                             .parameter_base = parameter_base_,
                                             .places = places,
                                             .gate = revealed->gate,
                                             .timeout = kCallTimeout});
  if (!fine(answer.failure)) return std::nullopt;
  return answer.claimed_ns;
}

std::optional<std::int64_t> VendorSide::call(const SlotPlaces& places) {
  const auto nanoseconds = play(places);
  if (!nanoseconds || *nanoseconds > 0) return nanoseconds;
  leave_out("its call took no time");
  return std::nullopt;
}

bool VendorSide::call_and_take(const SlotPlaces& places) {
  if (!play(places)) return false;
  record_.vendor_algorithm = line_after(worker_->last_output(), kAlgorithmWord);
  if (record_.vendor_algorithm.empty()) record_.vendor_algorithm = "not told";
  return fine(oracle_.snapshot(0, OutputPlaces{}));
}

}  // namespace kbench
