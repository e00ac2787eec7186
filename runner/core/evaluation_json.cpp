#include "runner/core/evaluation_json.hpp"

#include <cmath>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace kbench {
namespace {

// --- members, by name ---
// Each struct is taken apart as a whole, so that a member which is added to it and not here is an
// error of the compiler.

template <class Row, class Struct>
concept Of = std::same_as<std::remove_const_t<Row>, Struct>;

template <class Visit, Of<SubmissionId> Row>
void members(Visit& visit, Row& row) {
  auto& [agent, name, variant, source_hash, precision, vendor_library] = row;
  visit("agent", agent);
  visit("name", name);
  visit("variant", variant);
  visit("source_hash", source_hash);
  visit("precision", precision);
  visit("vendor_library", vendor_library);
}

template <class Visit, Of<Attempt> Row>
void members(Visit& visit, Row& row) {
  auto& [reason, seed, state, message, counts, null_call_ns, null_strict_ns, wall_seconds] = row;
  visit("reason", reason);
  visit("seed", seed);
  visit("state", state);
  visit("message", message);
  visit("counts", counts);
  visit("null_call_ns", null_call_ns);
  visit("null_strict_ns", null_strict_ns);
  visit("wall_seconds", wall_seconds);
}

template <class Visit, Of<Calibration> Row>
void members(Visit& visit, Row& row) {
  auto& [between_sessions, between_runs, measured_at] = row;
  visit("between_sessions", between_sessions);
  visit("between_runs", between_runs);
  visit("measured_at", measured_at);
}

template <class Visit, Of<Block> Row>
void members(Visit& visit, Row& row) {
  auto& [attempt, block, start_khz, end_khz, stolen_ns, involuntary_switches, strangers,
         sentinel_ns, cpu_pressure_ns, memory_pressure_ns, clock_limits, baselines_waited_ns,
         submission_waited_ns] = row;
  visit("attempt", attempt);
  visit("block", block);
  visit("start_khz", start_khz);
  visit("end_khz", end_khz);
  visit("stolen_ns", stolen_ns);
  visit("involuntary_switches", involuntary_switches);
  visit("strangers", strangers);
  visit("sentinel_ns", sentinel_ns);
  visit("cpu_pressure_ns", cpu_pressure_ns);
  visit("memory_pressure_ns", memory_pressure_ns);
  visit("clock_limits", clock_limits);
  visit("baselines_waited_ns", baselines_waited_ns);
  visit("submission_waited_ns", submission_waited_ns);
}

template <class Visit, Of<Sample> Row>
void members(Visit& visit, Row& row) {
  auto& [attempt, placement, block, visits, side, calls, time_ns, wall_ns, claimed_ns, strict_ns,
         sm_clock_khz, dropped, drop_reason] = row;
  visit("attempt", attempt);
  visit("placement", placement);
  visit("block", block);
  visit("visit", visits);
  visit("side", side);
  visit("calls", calls);
  visit("time_ns", time_ns);
  visit("wall_ns", wall_ns);
  visit("claimed_ns", claimed_ns);
  visit("strict_ns", strict_ns);
  visit("sm_clock_khz", sm_clock_khz);
  visit("dropped", dropped);
  visit("drop_reason", drop_reason);
}

template <class Visit, Of<Check> Row>
void members(Visit& visit, Row& row) {
  auto& [draw, distribution, passed, max_error, tolerance, eager_max_error, relative_l2,
         eager_relative_l2, wrong_elements, message] = row;
  visit("draw", draw);
  visit("distribution", distribution);
  visit("passed", passed);
  visit("max_error", max_error);
  visit("tolerance", tolerance);
  visit("eager_max_error", eager_max_error);
  visit("relative_l2", relative_l2);
  visit("eager_relative_l2", eager_relative_l2);
  visit("wrong_elements", wrong_elements);
  visit("message", message);
}

template <class Visit, Of<TreeFile> Row>
void members(Visit& visit, Row& row) {
  auto& [path, hash, bytes] = row;
  visit("path", path);
  visit("hash", hash);
  visit("bytes", bytes);
}

template <class Visit, Of<Evaluation> Row>
void members(Visit& visit, Row& row) {
  auto& [run_id, key, task, level, size, device, precision, profile, submission, worker_kind, state,
         correct, message, hint, eager_reason, compiled_reason, submission_reason, vendor_reason,
         vendor_algorithm, checks, attempts, blocks, samples, alone, set_aside, prepare_ns,
         null_call_ns, null_strict_ns, copy_ns, floor_ns, limit_ns, unfused_limit_ns, limit_basis,
         repeats, rule_c, rule_k, rule_allclose, task_hash, task_source, sources, tree_hash,
         package_key, sandbox_level, labels, seed, started_at, wall_seconds, protocol, timed,
         calibration, torch_operators, allow_torch, unranked, build_seconds, device_uuid] = row;
  visit("run_id", run_id);
  visit("key", key);
  visit("task", task);
  visit("level", level);
  visit("size", size);
  visit("device", device);
  visit("precision", precision);
  visit("profile", profile);
  visit("submission", submission);
  visit("worker_kind", worker_kind);
  visit("state", state);
  visit("correct", correct);
  visit("message", message);
  visit("hint", hint);
  visit("eager_reason", eager_reason);
  visit("compiled_reason", compiled_reason);
  visit("submission_reason", submission_reason);
  visit("vendor_reason", vendor_reason);
  visit("vendor_algorithm", vendor_algorithm);
  visit("checks", checks);
  visit("attempts", attempts);
  visit("blocks", blocks);
  visit("samples", samples);
  visit("alone", alone);
  visit("set_aside", set_aside);
  visit("prepare_ns", prepare_ns);
  visit("null_call_ns", null_call_ns);
  visit("null_strict_ns", null_strict_ns);
  visit("copy_ns", copy_ns);
  visit("floor_ns", floor_ns);
  visit("limit_ns", limit_ns);
  visit("unfused_limit_ns", unfused_limit_ns);
  visit("limit_basis", limit_basis);
  visit("repeats", repeats);
  visit("rule_c", rule_c);
  visit("rule_k", rule_k);
  visit("rule_allclose", rule_allclose);
  visit("task_hash", task_hash);
  visit("task_source", task_source);
  visit("sources", sources);
  visit("tree_hash", tree_hash);
  visit("package_key", package_key);
  visit("sandbox_level", sandbox_level);
  visit("labels", labels);
  visit("seed", seed);
  visit("started_at", started_at);
  visit("wall_seconds", wall_seconds);
  visit("protocol", protocol);
  visit("timed", timed);
  visit("calibration", calibration);
  visit("torch_operators", torch_operators);
  visit("allow_torch", allow_torch);
  visit("unranked", unranked);
  visit("build_seconds", build_seconds);
  visit("device_uuid", device_uuid);
}

// --- values ---

constexpr const char* kInfinite = "inf";
constexpr const char* kNegativeInfinite = "-inf";
constexpr const char* kNotANumber = "nan";

class Writer {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    json_[name] = written(value);
  }
  [[nodiscard]] Json take() { return std::move(json_); }

  template <class T>
  static Json whole(const T& row) {
    Writer writer;
    members(writer, row);
    return writer.take();
  }

 private:
  static Json written(const std::string& value) { return value; }
  static Json written(State value) { return to_string(value); }
  static Json written(Side value) { return to_string(value); }
  // JSON has no word for these.
  static Json written(double value) {
    if (std::isnan(value)) return kNotANumber;
    if (std::isinf(value)) return value > 0 ? kInfinite : kNegativeInfinite;
    return value;
  }
  template <std::integral T>
  static Json written(T value) {
    return value;
  }
  template <class T>
  static Json written(const std::optional<T>& value) {
    return value ? written(*value) : Json();
  }
  template <class T>
  static Json written(const std::vector<T>& values) {
    Json all = Json::array();
    for (const T& value : values) all.push_back(written(value));
    return all;
  }
  template <class T>
    requires std::is_aggregate_v<T>
  static Json written(const T& row) {
    return whole(row);
  }

  Json json_ = Json::object();
};

// Throws std::invalid_argument.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {
    if (!json.is_object()) throw std::invalid_argument("no object");
  }
  template <class T>
  void operator()(const char* name, T& value) {
    const auto found = json_.find(name);
    if (found == json_.end() || !take(*found, value)) throw std::invalid_argument(name);
  }

 private:
  static bool take(const Json& json, std::string& value) {
    if (!json.is_string()) return false;
    value = json.get<std::string>();
    return true;
  }
  static bool take(const Json& json, State& value) {
    const auto known = json.is_string() ? state_from_string(json.get<std::string>()) : std::nullopt;
    if (known) value = *known;
    return known.has_value();
  }
  static bool take(const Json& json, Side& value) {
    const auto known = json.is_string() ? side_from_string(json.get<std::string>()) : std::nullopt;
    if (known) value = *known;
    return known.has_value();
  }
  static bool take(const Json& json, bool& value) {
    if (!json.is_boolean()) return false;
    value = json.get<bool>();
    return true;
  }
  static bool take(const Json& json, double& value) {
    if (json.is_number()) {
      value = json.get<double>();
    } else if (json == kNotANumber) {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (json == kInfinite || json == kNegativeInfinite) {
      value = json == kInfinite ? HUGE_VAL : -HUGE_VAL;
    } else {
      return false;
    }
    return true;
  }
  template <std::integral T>
  static bool take(const Json& json, T& value) {
    if (!json.is_number_integer()) return false;
    value = json.get<T>();
    return true;
  }
  template <class T>
  static bool take(const Json& json, std::optional<T>& value) {
    value.reset();
    return json.is_null() || take(json, value.emplace());
  }
  template <class T>
  static bool take(const Json& json, std::vector<T>& values) {
    values.clear();
    if (!json.is_array()) return false;
    for (const Json& one : json)
      if (!take(one, values.emplace_back())) return false;
    return true;
  }
  template <class T>
    requires std::is_aggregate_v<T>
  static bool take(const Json& json, T& row) {
    Reader reader(json);
    members(reader, row);
    return true;
  }

  const Json& json_;
};

template <class T>
Result<T> read_whole(const Json& json, const char* what) {
  try {
    T row;
    Reader reader(json);
    members(reader, row);
    return row;
  } catch (const std::invalid_argument& wrong) {
    return Error{ErrorCode::kBadInput, std::string(what) + ": " + wrong.what(), ""};
  }
}

}  // namespace

Json evaluation_json(const Evaluation& evaluation) { return Writer::whole(evaluation); }

Result<Evaluation> evaluation_from_json(const Json& json) {
  return read_whole<Evaluation>(json, "not an evaluation");
}

Json submission_id_json(const SubmissionId& id) { return Writer::whole(id); }

Result<SubmissionId> submission_id_from_json(const Json& json) {
  return read_whole<SubmissionId>(json, "not a submission");
}

}  // namespace kbench
