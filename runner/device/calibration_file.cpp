#include "runner/device/calibration_file.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/machine/host_facts.hpp"
#include "runner/os/files.hpp"

namespace kbench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CalibratedDevice, device, identity, name, driver, kbench)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Calibration, between_sessions, between_runs, measured_at)

// Each half of a calibration stands in the file only where it was measured.
static void to_json(Json& json, const StoredCalibration& stored) {
  json = {{"device", stored.device}};
  if (stored.has_timing) {
    json["calibration"] = stored.calibration;
    json["runs"] = stored.runs;
    json["database"] = stored.database;
    if (stored.failed_checks > 0) json["failed_checks"] = stored.failed_checks;
  }
  if (stored.limits) json["limits"] = *stored.limits;
}

static void from_json(const Json& json, StoredCalibration& stored) {
  json.at("device").get_to(stored.device);
  stored.has_timing = json.contains("calibration");
  if (stored.has_timing) {
    json.at("calibration").get_to(stored.calibration);
    json.at("runs").get_to(stored.runs);
    json.at("database").get_to(stored.database);
    stored.failed_checks = json.value("failed_checks", 0);
  }
  if (json.contains("limits")) stored.limits = json.at("limits").get<DeviceLimits>();
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "kbench-calibration/1";
constexpr std::string_view kEnding = ".json";

fs::path old_file_in(const fs::path& state) { return state / "calibration.json"; }

fs::path folder_in(const fs::path& state) { return state / "calibrations"; }

// The file of a device, by its identity alone: another driver or kbench replaces what was known.
fs::path file_of(const fs::path& state, const CalibratedDevice& device) {
  constexpr std::size_t kDigits = 16;
  return folder_in(state) /
         fmt::format("{}-{}{}", device.device, sha256(device.identity).substr(0, kDigits), kEnding);
}

Error damaged(const fs::path& file, const std::string& how) {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", file.string(), how),
          "remove it and run `kbench calibrate` again"};
}

bool is_sound(const Calibration& calibration) {
  return std::isfinite(calibration.between_sessions) && calibration.between_sessions >= 0 &&
         std::isfinite(calibration.between_runs) && calibration.between_runs >= 0;
}

// Values that a device could have: a rate a second from a million, slower than any, to 10^18, and
// less than a second for a launch. An absurd peak would put the floor out of reach.
bool is_sound(const DeviceLimits& limits) {
  const auto within = [](const MeasuredLimit& one, double least, double most) {
    return one.value >= least && one.value <= most && one.spread >= 0 && one.spread <= 1;
  };
  const auto sound = [&](const MeasuredLimit& rate) {
    return within(rate, 0, 0) || within(rate, 1e6, 1e18);  // 0: not measured
  };
  const auto all = [&](const auto& list) {
    return std::all_of(list.begin(), list.end(),
                       [&](const auto& one) { return sound(one.second); });
  };
  return sound(limits.copy) && sound(limits.read) && sound(limits.write) &&
         within(limits.launch_ns, 0, 1e9) && all(limits.products) && all(limits.vectors);
}

// Empty where there is no such file. Errors: kBadInput.
Result<std::vector<StoredCalibration>> read_one(const fs::path& file) {
  std::vector<StoredCalibration> found;
  std::error_code none;
  if (!fs::exists(file, none)) return found;
  const auto text = read_file(file);
  if (!text) return damaged(file, "cannot be read");
  try {
    const Json json = Json::parse(*text);
    if (json.at("schema") != kSchema) return damaged(file, "is of another schema");
    json.at("devices").get_to(found);
  } catch (const Json::exception& problem) {
    return damaged(file, problem.what());
  }
  for (const StoredCalibration& one : found)
    if (!is_sound(one.calibration)) return damaged(file, "holds what is no deviation");
  for (const StoredCalibration& one : found)
    if (one.limits && !is_sound(*one.limits)) return damaged(file, "holds what is no limit");
  return found;
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
  std::vector<StoredCalibration> all;
  if (state.empty()) return all;
  std::vector<fs::path> files;
  std::error_code none;  // no folder: no device has a file of its own
  for (const auto& entry : fs::directory_iterator(folder_in(state), none))
    if (entry.path().extension() == kEnding) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    auto own = read_one(file);
    if (!own) return own.error();
    all.insert(all.end(), own->begin(), own->end());
  }
  const auto old = read_one(old_file_in(state));
  if (!old) return old.error();
  for (const StoredCalibration& one : *old)
    if (!fs::exists(file_of(state, one.device), none)) all.push_back(one);
  return all;
}

namespace {

const StoredCalibration* find_timing(std::span<const StoredCalibration> all,
                                     const CalibratedDevice& device) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.device == device; });
  return found == all.end() || !found->has_timing ? nullptr : &*found;
}

// The device's own file; the old one where it has none.
Result<std::vector<StoredCalibration>> read_for(const fs::path& state,
                                                const CalibratedDevice& device) {
  if (state.empty()) return std::vector<StoredCalibration>();
  std::error_code none;
  const fs::path own = file_of(state, device);
  return read_one(fs::exists(own, none) ? own : old_file_in(state));
}

}  // namespace

std::optional<Calibration> find_calibration(std::span<const StoredCalibration> all,
                                            const CalibratedDevice& device) {
  const StoredCalibration* found = find_timing(all, device);
  return found == nullptr ? std::nullopt : std::optional(found->calibration);
}

Result<std::optional<Calibration>> find_calibration(const fs::path& state,
                                                    const CalibratedDevice& device) {
  const auto all = read_for(state, device);
  if (!all) return all.error();
  return find_calibration(*all, device);
}

int failed_clock_checks(std::span<const StoredCalibration> all, const CalibratedDevice& device) {
  const StoredCalibration* found = find_timing(all, device);
  return found == nullptr ? 0 : found->failed_checks;
}

int failed_clock_checks(const fs::path& state, const CalibratedDevice& device) {
  const auto all = read_for(state, device);
  return all ? failed_clock_checks(*all, device) : 0;
}

namespace {

// The stored calibration of this very device, driver and kbench; nothing where its file is damaged.
std::optional<StoredCalibration> kept(const fs::path& state, const CalibratedDevice& device) {
  const auto all = read_one(file_of(state, device));
  if (!all) return std::nullopt;
  for (const StoredCalibration& one : *all)
    if (one.device == device) return one;
  return std::nullopt;
}

Status write_calibration(const fs::path& state, const StoredCalibration& calibration) {
  if (state.empty()) {
    return Error{ErrorCode::kUsage, "there is no place to keep a calibration",
                 "set HOME or XDG_STATE_HOME"};
  }
  std::error_code failure;
  fs::create_directories(folder_in(state), failure);
  const Json json = {{"schema", kSchema}, {"devices", Json::array({calibration})}};
  return write_atomically(file_of(state, calibration.device), json.dump(2) + "\n", 0644);
}

}  // namespace

Result<std::optional<DeviceLimits>> find_limits(const fs::path& state,
                                                const CalibratedDevice& device) {
  if (state.empty()) return std::optional<DeviceLimits>();
  const auto all = read_one(file_of(state, device));
  if (!all) return all.error();
  for (const StoredCalibration& one : *all)
    if (one.device == device) return one.limits;
  return std::optional<DeviceLimits>();
}

Status keep_calibration(const fs::path& state, const StoredCalibration& calibration) {
  StoredCalibration both = calibration;
  if (!both.limits && !state.empty())
    if (const auto before = kept(state, calibration.device)) both.limits = before->limits;
  return write_calibration(state, both);
}

Status keep_limits(const fs::path& state, const CalibratedDevice& device,
                   const DeviceLimits& limits) {
  StoredCalibration both{.device = device, .calibration = {}, .database = "", .has_timing = false};
  if (!state.empty())
    if (const auto before = kept(state, device)) both = *before;
  both.limits = limits;
  return write_calibration(state, both);
}

std::string why_uncalibrated(const std::filesystem::path& state, const CalibratedDevice& device) {
  const auto known = find_calibration(state, device);
  if (!known) return "the device is calibrated anew, since " + known.error().message;
  return *known ? "" : "the device was never calibrated";
}

std::string Uncalibrated::words() const { return fmt::format("{}", fmt::join(places, ",")); }

Uncalibrated find_uncalibrated(const fs::path& state, std::span<const Target> targets) {
  Uncalibrated missing;
  for (const Target& target : targets) {
    const std::string why = why_uncalibrated(state, describe_device(target));
    if (why.empty()) continue;
    missing.places.push_back(target.device == "cuda" ? fmt::format("cuda:{}", target.device_index)
                                                     : target.device);
    if (targets.size() > 1)
      missing.why +=
          fmt::format("{}{}: {}", missing.why.empty() ? "" : "; ", missing.places.back(), why);
    else
      missing.why = why;
  }
  return missing;
}

}  // namespace kbench
