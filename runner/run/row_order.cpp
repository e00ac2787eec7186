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
  const auto& [run, profile, plan, unit, device, calibration, limits, packages] = order;
  const Task& task = plan.tasks[unit.task];
  EvaluationRequest request;
  request.task = &task;
  request.size = task.find_size(plan.target.size);
  request.device = plan.target.device;
  request.device_index = plan.target.device_index;
  request.threads = usable_threads();
  request.cores = plan.target.cores;
  request.cache_bytes = device.cache_bytes;
  request.device_name = device.name;
  request.precision = run.precision;
  if (const auto package = packages.find(unit.task); package != packages.end()) {
    request.package = package->second.file;
    request.package_reason = package->second.reason;
    request.package_key = package->second.key;
  }
  if (run.checks_only) request.package_reason = kNotTimed;
  if (unit.submission) request.submission = unit.id;
  request.seed = run.seed ? known_seed(*run.seed, task.id + " " + plan.target.size) : random_seed();
  request.eager_is_a_worker = unit.is_python() && python_plays_eager(run, plan.target);
  if (unit.is_python() && plan.target.device != "cpu")
    request.heap_bytes = python_heap_bytes(*request.size);
  return request;
}

EvaluationSettings evaluation_settings(const RowOrder& order) {
  const RunRequest& run = order.request;
  const std::string& device = order.plan.target.device;
  EvaluationSettings settings;
  settings.profile = order.profile.name;
  settings.acceptance = order.profile.acceptance;
  settings.original_draws = order.profile.original_draws;
  if (run.checks_only) settings.times = Times::kNone;
  settings.calibration = order.calibration;
  settings.limits = order.limits;
  settings.repeat_busy = run.repeat_busy;
  // Their median is what bounds a GPU's claims: its own noise is to be small beside 15 us.
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
