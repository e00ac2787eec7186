// GET /metrics: the numbers of the supervisor (serve/serve_meter.hpp) as the text of
// OpenMetrics 1.0, which Prometheus and others read.
#pragma once

#include <cstddef>
#include <string>

#include "runner/core/json.hpp"
#include "runner/gate/shapes/errand.hpp"
#include "runner/serve/gate_protocol.hpp"

namespace kbench {

inline constexpr const char* kOpenMetricsType =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

// `numbers`: as ServeMeter::read() has them. `requests`: those of clients that wait for an answer.
[[nodiscard]] std::string open_metrics(const Json& numbers, std::size_t requests,
                                       const GateHello& hello);

// `requests` is called when the answer is written. `hello` must live as long.
[[nodiscard]] Errand metrics_errand(std::function<std::size_t()> requests, const GateHello& hello);

}  // namespace kbench
