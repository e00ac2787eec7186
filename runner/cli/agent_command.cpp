#include "runner/cli/agent_command.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/episode_list.hpp"
#include "runner/agent/agent_process.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/episode/agent_run.hpp"
#include "runner/episode/endpoint_key.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/database_path.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

Result<AgentRunRequest> request_of(const AgentRunOptions& options, RewardRule rule) {
  auto endpoint = parse_endpoint(options.endpoint);
  if (!endpoint) return endpoint.error();
  auto key = read_endpoint_key(options.key_env, options.key_file);
  if (!key) return key.error();
  AgentRunRequest request;
  request.run.suite = options.common.suite;
  request.run.levels = options.levels;
  request.run.tasks = options.tasks;
  request.run.size = options.size;
  request.run.device = options.device;
  request.run.quick = options.quick;
  request.run.allow_torch = options.allow_torch;
  request.resume = options.resume;
  request.model = options.model;
  request.episodes = options.episodes;
  request.parallel = options.parallel;
  request.budget = options.budget;
  request.sampling = options.sampling;
  request.seed = options.seed;
  request.endpoint = std::move(*endpoint);
  request.key = std::move(*key);
  request.timeout = std::chrono::seconds(options.timeout_s);
  request.reward = std::move(rule);
  request.trust = options.common.trust;
  request.database = options.database;
  request.command_line = options.command_line;
  return request;
}

// One signal, if one comes in time.
bool take_signal(int signals, std::chrono::milliseconds wait) {
  pollfd watched{signals, POLLIN, 0};
  if (::poll(&watched, 1, static_cast<int>(wait.count())) <= 0) return false;
  signalfd_siginfo info{};
  return ::read(signals, &info, sizeof info) == sizeof info;
}

Result<AgentRunOutcome> perform(const AgentRunOptions& options, const AgentRunRequest& request,
                                const Installation& installation) {
  const auto signals = signals_to_read();
  if (!signals) return signals.error();
  DeviceSession device(installation, SessionTurns::kMany);
  DeviceBenches benches(device);
  RunFace face(options.common);
  RunFace quiet(with_verbosity(options.common, -1));
  const auto sandbox = make_sandbox();
  std::mutex printing;
  AgentRunSurroundings around{
      .device = device,
      .benches = benches,
      .sink = face,
      .quiet = quiet,
      .start_agent = [&] { return start_agent(*sandbox, installation.agent); },
      .asked_to_stop =
          [&](std::chrono::milliseconds wait) { return take_signal(signals->get(), wait); },
      .abandon = [] { ::_exit(to_int(ExitCode::kInterrupted)); },
      .note =
          [&](const std::string& text) {
            if (options.common.verbosity < 0) return;
            const std::scoped_lock lock(printing);
            fmt::print(stderr, "{}\n", printable(text));
          }};
  return run_agent(request, around);
}

Result<std::vector<ListedEpisode>> read_episodes(const AgentRunOptions& options,
                                                 const RewardRule& rule, const std::string& run,
                                                 const Installation& installation) {
  auto store = Store::open(options.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  if (auto key = read_chain_key(installation.state)) store->use(std::move(*key));
  return load_episodes(*store, run, rule, options.common.trust);
}

int report(const AgentRunOptions& options, const std::string& run,
           const std::vector<ListedEpisode>& episodes) {
  const int verbosity = options.common.verbosity;
  fmt::print("{}", render_episodes(episodes, output_style(options.common)));
  std::size_t open = 0;
  std::size_t ours = 0;
  for (const ListedEpisode& one : episodes) {
    const auto& reason = one.summary.head.stop_reason;
    open += reason ? 0u : 1u;
    ours += reason && is_infrastructure(*reason) ? 1u : 0u;
  }
  const std::string saved =
      fmt::format("run {} saved in {}", short_id(run), options.database.string());
  if (open > 0)
    return finish(ExitCode::kInterrupted,
                  fmt::format("interrupted; {} of {} episodes go on with --resume; {}", open,
                              episodes.size(), saved),
                  verbosity);
  if (ours > 0)
    return finish(ExitCode::kInfrastructure,
                  fmt::format("{} of {} episodes ended by a fault of the endpoint, of kbench or "
                              "of the machine; {}",
                              ours, episodes.size(), saved),
                  verbosity);
  return finish(
      ExitCode::kGood,
      fmt::format("{} episode{}; {}", episodes.size(), episodes.size() == 1 ? "" : "s", saved),
      verbosity);
}

Status check_options(const AgentRunOptions& options) {
  if (!options.resume &&
      (options.model.empty() || (options.tasks.empty() && options.levels.empty())))
    return Error{ErrorCode::kUsage, "kbench agent run needs a model and tasks, or --resume",
                 "kbench agent run --endpoint http://127.0.0.1:8000/v1 --model NAME --task "
                 "level1/019_relu"};
  if (auto sound = check_database_path(options.database); !sound) return sound;
  return check_database_folder(options.database);
}

}  // namespace

int agent_run_command(const AgentRunOptions& options, const Installation& installation) {
  const Terminal terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  if (auto fine = check_options(options); !fine) return fail(fine.error(), terminal);
  const auto rule = find_reward(options.reward);
  if (!rule) return fail(rule.error(), terminal);
  const auto request = request_of(options, *rule);
  if (!request) return fail(request.error(), terminal);
  const auto outcome = perform(options, *request, installation);
  if (!outcome) return fail(outcome.error(), terminal);
  if (outcome->run_id.empty())
    return finish(ExitCode::kInterrupted, "interrupted; no episode was begun",
                  options.common.verbosity);
  const auto episodes = read_episodes(options, *rule, outcome->run_id, installation);
  if (!episodes) return fail(episodes.error(), terminal);
  return report(options, outcome->run_id, *episodes);
}

}  // namespace kbench
