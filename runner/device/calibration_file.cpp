#include "runner/device/calibration_file.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "runner/backend/cpu/host_facts.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/os/files.hpp"

namespace kbench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CalibratedDevice, device, identity, name, driver, kbench)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Calibration, between_sessions, between_runs, measured_at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoredCalibration, device, calibration, runs, database)

namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "kbench-calibration/1";

fs::path file_in(const fs::path& state) { return state / "calibration.json"; }

Error damaged(const fs::path& file, const std::string& how) {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", file.string(), how),
          "remove it and run `kbench selftest timing` again"};
}

bool is_sound(const Calibration& calibration) {
  return std::isfinite(calibration.between_sessions) && calibration.between_sessions >= 0 &&
         std::isfinite(calibration.between_runs) && calibration.between_runs >= 0;
}

}  // namespace

CalibratedDevice describe_device(const Target& target, const DeviceFacts& facts) {
  CalibratedDevice device{.device = target.device, .name = facts.name};
  device.kbench = fmt::format("{}, protocol {}", build_info().version, kProtocol);
  if (target.device == "cuda") {
    const bool known = target.gpu && !target.gpu->uuid.empty();
    device.identity = known ? target.gpu->uuid : facts.name;
    device.driver = target.gpu ? target.gpu->driver : facts.driver;
    return device;
  }
  utsname names{};
  ::uname(&names);
  device.identity = fmt::format("{}, {} threads", facts.name, facts.threads);
  device.driver = names.release;
  return device;
}

CalibratedDevice describe_device(const Target& target) {
  DeviceFacts facts;
  if (target.device == "cuda") {
    if (target.gpu) facts.name = target.gpu->name;
  } else {
    facts.name = cpu::model_name();
    facts.threads = static_cast<int>(usable_cores().size());
  }
  return describe_device(target, facts);
}

Result<std::vector<StoredCalibration>> read_calibrations(const fs::path& state) {
  std::vector<StoredCalibration> found;
  const auto text = state.empty() ? std::nullopt : read_file(file_in(state));
  if (!text) return found;
  try {
    const Json json = Json::parse(*text);
    if (json.at("schema") != kSchema) return damaged(file_in(state), "is of another schema");
    json.at("devices").get_to(found);
  } catch (const Json::exception& problem) {
    return damaged(file_in(state), problem.what());
  }
  for (const StoredCalibration& one : found)
    if (!is_sound(one.calibration)) return damaged(file_in(state), "holds what is no deviation");
  return found;
}

std::optional<Calibration> find_calibration(std::span<const StoredCalibration> all,
                                            const CalibratedDevice& device) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.device == device; });
  if (found == all.end()) return std::nullopt;
  return found->calibration;
}

std::optional<Calibration> find_calibration(const fs::path& state, const CalibratedDevice& device) {
  const auto all = read_calibrations(state);
  if (!all) return std::nullopt;
  return find_calibration(*all, device);
}

Status keep_calibration(const fs::path& state, const StoredCalibration& calibration) {
  if (state.empty()) {
    return Error{ErrorCode::kUsage, "there is no place to keep a calibration",
                 "set HOME or XDG_STATE_HOME"};
  }
  auto all = read_calibrations(state);
  std::vector<StoredCalibration> kept = all ? std::move(*all) : std::vector<StoredCalibration>{};
  std::erase_if(kept, [&](const StoredCalibration& one) {
    return one.device.device == calibration.device.device &&
           one.device.identity == calibration.device.identity;
  });
  kept.push_back(calibration);
  std::error_code failure;
  fs::create_directories(state, failure);
  const Json json = {{"schema", kSchema}, {"devices", kept}};
  return write_atomically(file_in(state), json.dump(2) + "\n", 0644);
}

}  // namespace kbench
