#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/serving.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/device/device_session.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/options/terminal.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/serve/gate_process.hpp"
#include "runner/serve/supervisor.hpp"
#include "runner/serve/token.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct TokenFile {
  fs::path file;
  bool is_new = false;
  std::vector<KnownToken> tokens{};
};

// The file that is named, which must be there; or the usual one, which is made.
Result<TokenFile> find_tokens(const ServeOptions& options, const Installation& installation) {
  TokenFile found{options.tokens.value_or(installation.state / "serve/tokens")};
  std::error_code unknown;
  if (!options.tokens && !fs::exists(fs::symlink_status(found.file, unknown))) {
    fs::create_directories(found.file.parent_path(), unknown);
    if (auto made = make_tokens(found.file); !made) return made.error();
    found.is_new = true;
  }
  auto tokens = read_tokens(found.file);
  if (!tokens) return tokens.error();
  found.tokens = std::move(*tokens);
  return found;
}

std::string url_of(const ServeOptions& options, int port) {
  const bool six = options.address.find(':') != std::string::npos;
  return six ? fmt::format("http://[{}]:{}", options.address, port)
             : fmt::format("http://{}:{}", options.address, port);
}

class Serving {
 public:
  Serving(const ServeOptions& options, const Installation& installation)
      : options_(options),
        installation_(installation),
        port_(options.port),
        device_(installation, SessionTurns::kMany) {}

  Result<ServeEnd> run() {
    // Whoever may not listen there learns so at once.
    if (auto free = listen_on(options_.address, port_); !free) return free.error();
    auto tokens = find_tokens(options_, installation_);
    if (!tokens) return tokens.error();
    // Before signals are blocked: Ctrl-C ends it.
    if (auto calibrated = calibrate_once(); !calibrated) return calibrated.error();
    auto parts = prepare_serving(options_, device_);
    if (!parts) return parts.error();
    const auto openapi = read_file(installation_.root / "data/serve/openapi.json");
    if (!openapi)
      return Error{ErrorCode::kInfrastructure, "data/serve/openapi.json is missing",
                   how_to_mend(installation_)};
    const auto sandbox = device_.sandbox();
    const ServedDevice& device = parts->judge->device();
    note(fmt::format("tokens: {}{}", clean_name(tokens->file.string(), 300),
                     tokens->is_new ? " (new)" : ""));
    note(fmt::format("judges on {}; rows go into {}; the gate's sandbox: {}", device.name,
                     clean_name(options_.database.string(), 300),
                     sandbox->level(false).to_string()));
    ServeSettings settings;
    settings.hello = {.version = std::string(build_info().version),
                      .device = device.kind,
                      .device_name = device.name,
                      .names = options_.names,
                      .tokens = std::move(tokens->tokens),
                      .openapi = *openapi,
                      .patience = {.headers = std::chrono::seconds(options_.header_timeout_s),
                                   .body = std::chrono::seconds(options_.body_timeout_s)}};
    settings.open_gate = [&] { return open_gate(*sandbox); };
    settings.end_fd = parts->signals.get();
    settings.abandon = [] { ::_exit(to_int(ExitCode::kInterrupted)); };
    settings.note = [this](const std::string& text) { note(text); };
    return serve(settings, *parts->judge, parts->spool);
  }

 private:
  void note(const std::string& text) const {
    if (options_.common.verbosity >= 0) fmt::print(stderr, "{}\n", text);
  }

  // Without a calibration no row has a verdict, and a trainer gets no number for most of them.
  [[nodiscard]] Status calibrate_once() const {
    if (options_.common.trust.estimates) return Done{};
    RunRequest run;
    run.device = options_.device;
    const auto target = choose_target(run, installation_);
    if (!target) return target.error();
    const auto known = find_calibration(installation_.state, describe_device(*target));
    if (known && *known) return Done{};
    note(
        fmt::format("{}, so that is done first, which takes some minutes; --trust-estimates goes "
                    "without",
                    known ? "the device was never calibrated"
                          : "the device is calibrated anew, since " + known.error().message));
    TimingSelftestRequest request{.common = options_.common, .device = options_.device};
    request.common.suite.reset();   // it measures shipped tasks
    request.common.verbosity = -1;  // its rows are nobody's here
    return calibrate(request, installation_);
  }

  // At the same port, when it is not the first one.
  Result<Gate> open_gate(Sandbox& sandbox) {
    auto listener = listen_on(options_.address, port_);
    if (!listener) return listener.error();
    port_ = port_of(*listener);
    auto gate = start_gate(sandbox, installation_.gate, std::move(*listener));
    if (gate && !announced_) announce();
    return gate;
  }

  // The one line on standard output: what starts a server waits for it.
  void announce() {
    fmt::print("{}\n", url_of(options_, port_));
    std::fflush(stdout);
    announced_ = true;
  }

  const ServeOptions& options_;
  const Installation& installation_;
  int port_;
  DeviceSession device_;  // outlives the judge
  bool announced_ = false;
};

void add_timeout(CLI::App& app, const char* name, int& seconds, const char* help) {
  app.add_option(name, seconds, help)
      ->check(CLI::Range(1, 3600).description(""))
      ->type_name("SECONDS");
}

}  // namespace

CLI::App* add_serve(CLI::App& app, ServeOptions& options) {
  auto* serve = app.add_subcommand("serve", "Judge what agents and trainers send over HTTP");
  serve->footer(help_of("serve"));
  serve
      ->add_option("--bind", options.address,
                   "Address to listen on, a loopback one (default: 127.0.0.1)")
      ->type_name("ADDRESS");
  serve->add_option("--port", options.port, "Port; 0 for one that is free (default: 8377)")
      ->check(CLI::Range(0, 65535).description(""))
      ->type_name("N");
  serve
      ->add_option("--host", options.names,
                   "A further name that clients call this host by; may be given several times")
      ->allow_extra_args(false)
      ->type_name("NAME");
  add_path(*serve, "--tokens", options.tokens,
           "Who may ask (default: a file of the state folder, made once)")
      ->type_name("FILE");
  add_timeout(*serve, "--header-timeout", options.header_timeout_s,
              "Seconds for the headers of a request (default: 10)");
  add_timeout(*serve, "--body-timeout", options.body_timeout_s,
              "Seconds for its body (default: 30)");
  add_judging(*serve, options);
  return serve;
}

int call(const ServeOptions& options, const Installation& installation) {
  const auto end = Serving(options, installation).run();
  if (!end) return fail(end.error(), inspect_terminal(STDERR_FILENO, options.common.color));
  const std::string left =
      end->left == 0 ? "" : fmt::format("; {} wait for the next server", end->left);
  return finish(ExitCode::kGood, fmt::format("{} judged{}", end->judged, left),
                options.common.verbosity);
}

}  // namespace kbench
