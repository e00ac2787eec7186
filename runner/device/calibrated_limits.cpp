#include "runner/device/calibrated_limits.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/utc_now.hpp"
#include "runner/device/device_session.hpp"
#include "runner/machine/host_facts.hpp"
#include "runner/measure/task_limit.hpp"

namespace kbench {
namespace {

constexpr double kFarBelow = 0.70;
constexpr double kFarAbove = 1.05;
constexpr double kRestless = 0.15;

}  // namespace

Result<MeasuredDevice> measure_device_limits(const Installation& around, const Target& target) {
  if (around.state.empty())
    return Error{ErrorCode::kUsage, "there is no place to keep a calibration",
                 "set HOME or XDG_STATE_HOME"};
  DeviceSession session(around, SessionTurns::kOne);
  session.prepare();
  const auto installation = session.with_libtorch();
  if (!installation) return installation.error();
  std::error_code failed;  // then the oracle cannot be started, and says so
  std::filesystem::create_directories(installation->cache, failed);  // the folder of its log
  auto turn = DeviceTurn::take(
      session, {.installation = &*installation, .target = &target, .what = "kbench calibrate"});
  if (!turn) return turn.error();
  if (auto started = turn->start_oracle(*installation, target, "fp32"); !started)
    return started.error();
  const auto hello = turn->hello();
  if (!hello) return hello.error();
  auto limits = turn->oracle().limits();
  turn->drop_oracle();
  if (!limits) return limits.error();
  limits->measured_at = utc_now();
  MeasuredDevice measured{describe_device(target, hello->facts), std::move(*limits)};
  if (auto kept = keep_limits(around.state, measured.device, measured.limits); !kept)
    return kept.error();
  return measured;
}

Result<std::vector<MeasuredDevice>> measure_limits_of_each(const Installation& around,
                                                           std::span<const Target> targets) {
  std::vector<MeasuredDevice> all;
  for (const Target& target : targets) {
    auto measured = measure_device_limits(around, target);
    if (!measured) return measured.error();
    all.push_back(std::move(*measured));
  }
  return all;
}

std::uint64_t cache_bytes_of(const Target& target) {
  constexpr std::uint64_t kLargestOfAGpu = std::uint64_t{96} << 20;  // L40S
  return target.device == "cpu" ? cpu::cache_bytes() : kLargestOfAGpu;
}

std::vector<std::pair<std::string, std::string>> describe_limits(const DeviceLimits& limits,
                                                                 const Work& work,
                                                                 std::uint64_t cache_bytes,
                                                                 const std::string& precision) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"memory bandwidth, measured", fmt::format("{:.4g} GB/s", limits.bandwidth() * 1e-9)}};
  for (const auto& [one, products] : limits.products)
    facts.emplace_back(fmt::format("products of matrices in {}, measured", one),
                       fmt::format("{:.4g} TFLOP/s", products.value * 1e-12));
  const TaskLimit limit = limit_of(work, precision, {}, limits, cache_bytes);
  facts.emplace_back(
      "least time of this task in " + precision,
      limit.ns ? fmt::format("{:.4g} ms, bound by its {}: {:.4g} MB have to move, {:.4g} Gflop of "
                             "products",
                             *limit.ns * 1e-6, limit.basis.substr(0, limit.basis.find(',')),
                             work.least_bytes() * 1e-6, work.least_products * 1e-9)
               : fmt::format("not known: {}", limit.basis));
  return facts;
}

std::vector<std::string> cautions_of(const DeviceLimits& limits, const DeviceSheet* sheet) {
  std::vector<std::string> cautions;
  const auto restless = [&](const std::string& what, const MeasuredLimit& one) {
    if (one.spread > kRestless)
      cautions.push_back(
          fmt::format("{} differed by {:.0f} % between rounds: other programs ran, "
                      "and the device can do more",
                      what, 100 * one.spread));
  };
  restless("bandwidth", limits.copy);
  for (const auto& [precision, products] : limits.products)
    restless(precision + " products", products);
  if (sheet == nullptr) return cautions;
  const auto look = [&](const std::string& what, double measured, double stated) {
    if (!(measured > 0) || !(stated > 0)) return;
    const double share = measured / stated;
    if (share >= kFarBelow && share <= kFarAbove) return;
    cautions.push_back(
        fmt::format("{} is {:.0f} % of what {} states", what, 100 * share, sheet->source));
  };
  look("bandwidth", limits.bandwidth(), sheet->bytes_per_s);
  for (const auto& [precision, products] : limits.products) {
    const auto stated = sheet->products.find(precision);
    if (stated != sheet->products.end())
      look(precision + " products", products.value, stated->second);
  }
  return cautions;
}

Json limits_json(const MeasuredDevice& measured, const DeviceSheet* sheet) {
  Json json = {{"schema_version", 1},
               {"device", measured.device.device},
               {"name", measured.device.name},
               {"driver", measured.device.driver},
               {"limits", measured.limits},
               {"data_sheet", nullptr},
               {"cautions", cautions_of(measured.limits, sheet)}};
  if (sheet != nullptr) {
    json["data_sheet"] = {{"name", sheet->name},
                          {"bytes_per_s", sheet->bytes_per_s},
                          {"products_per_s", sheet->products},
                          {"source", sheet->source}};
  }
  return json;
}

Json limits_json(const std::vector<MeasuredDevice>& measured) {
  const auto with_sheet = [](const MeasuredDevice& one) {
    return limits_json(one, find_device_sheet(one.device.name));
  };
  if (measured.size() == 1) return with_sheet(measured.front());
  Json json = {{"schema_version", 1}, {"devices", Json::array()}};
  for (const MeasuredDevice& one : measured) {
    json["devices"].push_back(with_sheet(one));
    json["devices"].back()["uuid"] = one.device.identity;
  }
  return json;
}

}  // namespace kbench
