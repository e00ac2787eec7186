#include "runner/run/row_order.hpp"

#include <chrono>
#include <cmath>

#include "runner/core/usable_cores.hpp"
#include "runner/measure/players/python_program.hpp"
#include "runner/measure/players/torch_use.hpp"
#include "runner/measure/secret.hpp"

namespace kbench {

bool python_plays_eager(const RunRequest& request, const Target& target) {
  return target.device != "cuda" && !request.checks_only;
}

EvaluationRequest evaluation_request(const RowOrder& order) {
  const auto& [run, profile, target, unit, device, calibration, limits] = order;
  EvaluationRequest request;
  request.task = unit.task;
  request.size = unit.task->find_size(target.size);
  request.device = target.device;
  request.device_index = target.device_index;
  request.threads = usable_threads();
  request.cores = target.cores;
  request.cache_bytes = device.cache_bytes;
  request.device_name = device.name;
  request.precision = run.precision;
  request.package = unit.package.file;
  request.package_reason = run.checks_only ? kNotTimed : unit.package.reason;
  request.package_key = unit.package.key;
  request.submission = unit.submission;
  request.seed =
      run.seed ? known_seed(*run.seed, unit.task->id + " " + target.size) : random_seed();
  request.eager_is_a_worker = unit.is_python && python_plays_eager(run, target);
  if (unit.is_python && target.device != "cpu")
    request.heap_bytes = python_heap_bytes(*request.size);
  return request;
}

EvaluationSettings evaluation_settings(const RowOrder& order) {
  const RunRequest& run = order.request;
  const std::string& device = order.target.device;
  EvaluationSettings settings;
  settings.profile = order.profile.name;
  settings.acceptance = order.profile.acceptance;
  settings.original_draws = order.profile.original_draws;
  if (run.checks_only) settings.times = Times::kNone;
  settings.calibration = order.calibration;
  settings.limits = order.limits;
  settings.repeat_busy = run.repeat_busy;
  // Their median is what bounds a GPU's claims: its own noise is to be small beside 20 us.
  if (device == "cuda") settings.null_calls = 25;
  if (const auto policy = allow_torch_from_string(run.allow_torch)) settings.allow_torch = *policy;
  settings.budget = std::chrono::seconds{run.budget_seconds};
  if (run.call_limit_seconds)
    settings.call_limit = std::chrono::milliseconds{std::llround(1000 * *run.call_limit_seconds)};
  const Ranked ranked = order.unit.submission ? Ranked::kYes : Ranked::kNo;
  settings.stop = run.quick ? quick_stop_rule(device) : stop_rule_for(device, ranked);
  return settings;
}

}  // namespace kbench
