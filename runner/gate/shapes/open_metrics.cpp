#include "runner/gate/shapes/open_metrics.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

// A label's value: what would end it is escaped.
std::string label_value(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '\n') {
      escaped += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped + '"';
}

// A family's head. `unit`: the last word of its name, or empty.
std::string family_head(std::string_view name, std::string_view type, std::string_view unit,
                        std::string_view help) {
  std::string text = fmt::format("# TYPE {} {}\n", name, type);
  if (!unit.empty()) text += fmt::format("# UNIT {} {}\n", name, unit);
  return text + fmt::format("# HELP {} {}\n", name, help);
}

std::uint64_t count_in(const Json& numbers, const char* name) {
  return numbers.at(name).get<std::uint64_t>();
}

double seconds_in(const Json& numbers, const char* name) { return numbers.at(name).get<double>(); }

}  // namespace

std::string open_metrics(const Json& numbers, std::size_t requests, const GateHello& hello) {
  std::string text =
      family_head("kbench_build", "info", "", "The server, and the device it judges on.");
  text += fmt::format("kbench_build_info{{version={},device={},device_name={}}} 1\n",
                      label_value(hello.version), label_value(hello.device),
                      label_value(hello.device_name));
  text += family_head("kbench_evaluations", "gauge", "", "Evaluations that have no row yet.");
  for (const char* state : {"queued", "waiting", "running"})
    text += fmt::format("kbench_evaluations{{state=\"{}\"}} {}\n", state, count_in(numbers, state));
  text += family_head("kbench_evaluations_ended", "counter", "",
                      "Evaluations that left the queue: done, with a row, or failed, without one.");
  for (const char* state : {"done", "failed"})
    text += fmt::format("kbench_evaluations_ended_total{{state=\"{}\"}} {}\n", state,
                        count_in(numbers, state));
  text += family_head("kbench_requests_waiting", "gauge", "", "Requests of clients that wait.");
  text += fmt::format("kbench_requests_waiting {}\n", requests);
  text += family_head("kbench_oldest_wait_seconds", "gauge", "seconds",
                      "How long the oldest queued evaluation has waited; 0 if none waits.");
  text += fmt::format("kbench_oldest_wait_seconds {}\n", seconds_in(numbers, "oldest_wait_s"));
  text += family_head("kbench_row_seconds", "summary", "seconds",
                      "From one row to the next, while the judge had work.");
  text += fmt::format("kbench_row_seconds_count {}\nkbench_row_seconds_sum {}\n",
                      count_in(numbers, "rows"), seconds_in(numbers, "row_s"));
  text +=
      family_head("kbench_device_busy", "gauge", "",
                  "1 while the judge has work for the device, waiting for other runs included.");
  text += fmt::format("kbench_device_busy {}\n", numbers.at("busy").get<bool>() ? 1 : 0);
  text += family_head("kbench_device_busy_seconds", "counter", "seconds", "How long that was.");
  text += fmt::format("kbench_device_busy_seconds_total {}\n", seconds_in(numbers, "busy_s"));
  return text + "# EOF\n";
}

Errand metrics_errand(std::function<std::size_t()> requests, const GateHello& hello) {
  Errand errand;
  errand.wanted.push_back(want_metrics());
  errand.answer = [requests = std::move(requests),
                   &hello](const std::vector<OrderOutcome>& outcomes) -> HttpResponse {
    const OrderOutcome& outcome = outcomes.front();
    if (outcome.kind != OrderOutcome::Kind::kDone)
      return json_response(outcome.status, outcome.body);
    return {.status = 200,
            .body = open_metrics(outcome.body, requests(), hello),
            .type = kOpenMetricsType};
  };
  return errand;
}

}  // namespace kbench
