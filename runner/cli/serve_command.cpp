#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/serve_surroundings.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/plan/device_choice.hpp"

namespace kbench {
namespace {

// Without a calibration no row has a verdict, and a trainer gets no number for most of them.
Status calibrate_once(const ServeOptions& options, const Installation& installation,
                      const std::function<void(const std::string&)>& note) {
  if (options.common.trust.estimates) return Done{};
  const auto chosen = choose_devices_of(options.device, options.devices, installation);
  if (!chosen) return chosen.error();
  const Uncalibrated missing = find_uncalibrated(installation.state, chosen->with_cores());
  if (missing.places.empty()) return Done{};
  note(missing.why +
       ", so that is done first, which takes minutes; --trust-estimates goes without");
  TimingSelftestRequest request;
  request.common = options.common;
  (missing.places.size() > 1 ? request.devices : request.device) = missing.words();
  request.common.suite.reset();   // it measures shipped tasks
  request.common.verbosity = -1;  // its rows are not shown here
  return calibrate(request, installation);
}

// The one line on standard output: what starts a server waits for it.
void announce(const std::string& url) {
  fmt::print("{}\n", url);
  std::fflush(stdout);
}

}  // namespace

CLI::App* add_serve(CLI::App& app, ServeOptions& options) {
  auto& serve = add_verb(app, "serve", "Judge what agents and trainers send over HTTP");
  add_value(serve, "--bind", options.address, "ADDRESS",
            "Address to listen on, a loopback one (default: 127.0.0.1)");
  add_number(serve, "--port", options.port, 0, 65535,
             "Port; 0 for one that is free (default: 8377)");
  add_many(serve, "--host", options.names, "NAME",
           "Another name by which clients reach this host; may be given several times");
  add_path(
      serve, "--tokens", options.tokens, "FILE",
      "File of the clients' tokens (default: one in the state folder, made at the first start)");
  add_number(serve, "--header-timeout", options.header_timeout_s, 1, 3600,
             "Seconds for the headers of a request (default: 10)", "SECONDS");
  add_number(serve, "--body-timeout", options.body_timeout_s, 1, 3600,
             "Seconds for the body of a request (default: 30)", "SECONDS");
  add_judging(serve, options);
  add_devices(serve, options.devices);
  auto* exchange =
      add_path(serve, "--exchange", options.exchange, "DIR",
               "Folder in which judges share rows, so that each row is measured only once");
  add_value(serve, "--group", options.group, "NAME",
            "Group of these judges in the exchange (default: serve)")
      ->needs(exchange);
  return &serve;
}

Result<End> call(const ServeOptions& options, const Installation& installation) {
  ServeSurroundings around(options, installation);
  const auto note = around.note();
  const auto end =
      serve_http(options, around.judging(),
                 {.note = note,
                  .announce = announce,
                  .abandon = [] { ::_exit(to_int(ExitCode::kInterrupted)); },
                  .prepare_device = [&] { return calibrate_once(options, installation, note); }});
  if (!end) return end.error();
  const std::string left =
      end->left == 0 ? "" : fmt::format("; {} wait for the next server", end->left);
  return good(fmt::format("{} judged{}", end->judged, left));
}

}  // namespace kbench
