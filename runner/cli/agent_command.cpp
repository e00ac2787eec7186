#include "runner/cli/agent_command.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/episode_list.hpp"
#include "runner/agent/endpoint.hpp"
#include "runner/cli/agent_session.hpp"
#include "runner/cli/endpoint_key.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/run_end.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/core/random_id.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/judge/agent_judge.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/reward/reward.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/run/run_session.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/database_path.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestAgent = 64;
constexpr int kTickMs = 200;

// A model's name as that of whoever submits: "Qwen/Qwen3-8B" is "Qwen-Qwen3-8B".
std::string agent_name(const std::string& model) {
  std::string name;
  for (const char c : model.substr(0, kLongestAgent)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '+' || c == '-';
    name += plain ? c : '-';
  }
  const std::size_t first = name.find_first_not_of(".-");
  return first == name.npos ? "model" : name.substr(first);
}

class AgentRun {
 public:
  AgentRun(const AgentRunOptions& options, const Installation& installation, RewardRule rule)
      : options_(options), installation_(installation), rule_(std::move(rule)) {}

  Result<int> perform() {
    auto endpoint = parse_endpoint(options_.endpoint);
    if (!endpoint) return endpoint.error();
    auto key = read_endpoint_key(options_.key_env, options_.key_file);
    if (!key) return key.error();
    auto signals = signals_to_read();
    if (!signals) return signals.error();
    signals_ = std::move(*signals);
    if (auto ready = options_.resume ? resume() : begin(); !ready) return ready.error();
    if (run_id_.empty()) return stopped_early();
    const auto sandbox = make_sandbox();
    RunFace quiet(with_verbosity(options_.common, -1));
    const auto judge = make_agent_judge({.place = {options_.common.suite, device_, benches_},
                                         .sink = quiet,
                                         .trust = options_.common.trust,
                                         .store = *store_,
                                         .run_id = run_id_,
                                         .agent = agent_name(episodes_.front().model),
                                         .quick = quick_,
                                         .allow_torch = allow_torch_,
                                         .reward = rule_,
                                         .stop = [this] { return stop_.load(); }});
    AgentSurroundings around{.store = *store_,
                             .judge = *judge,
                             .sandbox = *sandbox,
                             .program = installation_.agent,
                             .endpoint = std::move(*endpoint),
                             .key = std::move(*key),
                             .timeout = std::chrono::seconds(options_.timeout_s),
                             .stop = [this] { return stop_.load(); },
                             .note = [this](const std::string& text) { note(text); }};
    work(around);
    return report();
  }

 private:
  // --- which episodes ---

  // Baselines are measured first: their run is what episodes and rows belong to.
  Status begin() {
    RunRequest run;
    run.suite = options_.common.suite;
    run.levels = options_.levels;
    run.tasks = options_.tasks;
    run.size = options_.size;
    run.device = options_.device;
    run.quick = quick_ = options_.quick;
    run.allow_torch = allow_torch_ = options_.allow_torch;
    run.baselines_only = true;
    const auto target = choose_target(run, installation_);
    if (!target) return target.error();
    const auto tasks = choose_tasks(run, installation_);
    if (!tasks) return tasks.error();
    if (tasks->empty()) return Error{ErrorCode::kNotFound, "no task matches", ""};
    // Before anything is measured: what cannot be begun is not.
    for (const Task& task : *tasks)
      if (auto texts = prepare_texts(task.id, size_of(task, *target), target_name(*target)); !texts)
        return texts;
    const RunTerms terms{.database = options_.database,
                         .id = random_id(),
                         .command_line = options_.command_line,
                         .stop = [this] { return look_at_signals(); }};
    RunFace face(options_.common);
    const auto outcome = RunSession(device_, run, terms, face).run();
    if (!outcome) return outcome.error();
    if (look_at_signals()) return Done{};
    if (!outcome->is_complete())
      return Error{ErrorCode::kInfrastructure, end_of_run(*outcome, terms).summary,
                   "without baselines nothing is judged"};
    if (auto opened = open_store(); !opened) return opened;
    run_id_ = terms.id;
    return plan_episodes(*tasks, *target);
  }

  Status plan_episodes(const std::vector<Task>& tasks, const Target& target) {
    const EpisodeBudget budget{.turns = options_.turns,
                               .tokens = options_.tokens,
                               .evaluations = options_.evaluations,
                               .seconds = options_.seconds,
                               .window = options_.window};
    const EpisodeSampling sampling{.style = options_.style,
                                   .temperature = options_.temperature,
                                   .max_tokens = options_.max_tokens};
    std::int64_t seed = options_.seed;
    for (const Task& task : tasks) {
      for (int i = 0; i < options_.episodes; ++i) {
        Episode episode;
        episode.id = random_id();
        episode.run_id = run_id_;
        episode.task = task.id;
        episode.size = size_of(task, target);
        episode.device = target.device;
        episode.model = options_.model;
        episode.sampling = to_json(sampling).dump();
        episode.seed = seed++;
        episode.budget = to_json(budget).dump();
        episode.started_at = utc_now();
        const Status begun =
            store_->with([&](Store& store) { return store.begin_episode(episode); });
        if (!begun) return begun;
        episodes_.push_back(std::move(episode));
      }
    }
    return Done{};
  }

  // As a run takes the only size that there is.
  static std::string size_of(const Task& task, const Target& target) {
    return task.find_size(target.size) != nullptr ? target.size : task.sizes.front().name;
  }

  static std::string target_name(const Target& target) {
    return target.device == "cuda" ? fmt::format("cuda:{}", target.device_index) : target.device;
  }

  Status resume() {
    // Opening it for writing would make one.
    if (const auto there = Store::open(options_.database, Store::Mode::kReadOnly); !there)
      return there.error();
    if (auto opened = open_store(); !opened) return opened;
    const auto run =
        store_->with([&](const Store& store) { return find_run_named(store, *options_.resume); });
    if (!run) return run.error();
    const RunRequest as_begun = with_choices_of({}, *run);
    quick_ = as_begun.quick;
    allow_torch_ = as_begun.allow_torch;
    common_.suite = as_begun.suite;
    const auto listed = store_->with([&](const Store& store) { return store.episodes(run->id); });
    if (!listed) return listed.error();
    for (auto one = listed->rbegin(); one != listed->rend(); ++one) {
      if (one->head.stop_reason) continue;
      auto episode =
          store_->with([&](const Store& store) { return store.read_episode(one->head.id); });
      if (!episode) return episode.error();
      if (auto texts = prepare_texts(episode->task, episode->size, episode->device); !texts)
        return texts;
      episodes_.push_back(std::move(*episode));
    }
    if (episodes_.empty())
      return Error{ErrorCode::kNotFound,
                   fmt::format("every episode of run {} has ended", short_id(*run)),
                   "`kbench episodes list` shows them"};
    run_id_ = run->id;
    return Done{};
  }

  // What the workspaces of a task hold, each made once.
  Status prepare_texts(const std::string& task, const std::string& size,
                       const std::string& device) {
    if (texts_.contains(task)) return Done{};
    const auto prompt =
        prompt_of_task(common_.suite, {}, task,
                       {.size = size, .device = device, .language = std::nullopt}, installation_);
    if (!prompt) return prompt.error();
    auto texts = workspace_texts(*prompt, installation_);
    if (!texts) return texts.error();
    texts_.emplace(task, std::move(*texts));
    return Done{};
  }

  Status open_store() {
    auto store = Store::open(options_.database, Store::Mode::kReadWrite);
    if (!store) return store.error();
    if (auto key = keep_chain_key(installation_.state)) store->use(std::move(*key));
    store_ = std::make_unique<SharedStore>(std::move(*store));
    return Done{};
  }

  // --- the episodes ---

  void work(AgentSurroundings& around) {
    const auto count = static_cast<std::size_t>(options_.parallel);
    std::vector<std::thread> workers;
    running_ = std::min(count, episodes_.size());
    for (std::size_t i = std::min(count, episodes_.size()); i > 0; --i)
      workers.emplace_back([&] {
        while (auto episode = next_episode()) run_one(around, std::move(*episode));
        --running_;
      });
    while (running_ > 0) (void)look_at_signals(kTickMs);
    for (std::thread& worker : workers) worker.join();
  }

  std::optional<Episode> next_episode() {
    const std::scoped_lock lock(mutex_);
    if (stop_ || failed_ || next_ == episodes_.size()) return std::nullopt;
    return episodes_[next_++];
  }

  void run_one(AgentSurroundings& around, Episode episode) {
    const WorkspaceTexts& texts = texts_.at(episode.task);
    EpisodeSession session(around, std::move(episode), texts);
    const Status done = session.run();
    if (done) return;
    const std::scoped_lock lock(mutex_);
    if (!failed_) failed_ = done.error();
    stop_ = true;  // whatever it is, it would hit the others as well
  }

  // Whether everybody is to stop. The second signal ends the program at once.
  bool look_at_signals(int wait_ms = 0) {
    pollfd watched{signals_.get(), POLLIN, 0};
    if (::poll(&watched, 1, wait_ms) <= 0) return stop_;
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof info) != sizeof info) return stop_;
    if (stop_.exchange(true)) ::_exit(to_int(ExitCode::kInterrupted));
    note("finishing what is at hand; again to abandon it");
    return true;
  }

  void note(const std::string& text) {
    if (options_.common.verbosity < 0) return;
    const std::scoped_lock lock(printing_);
    fmt::print(stderr, "{}\n", printable(text));
  }

  // --- the end ---

  Result<int> stopped_early() {
    return finish(ExitCode::kInterrupted, "interrupted; no episode was begun",
                  options_.common.verbosity);
  }

  Result<int> report() {
    if (failed_) return *failed_;
    if (!stop_) {
      const Status finished =
          store_->with([&](Store& store) { return store.finish_run(run_id_, utc_now()); });
      if (!finished) return finished.error();
    }
    const auto episodes = store_->with([&](const Store& store) {
      return load_episodes(store, run_id_, rule_, options_.common.trust);
    });
    if (!episodes) return episodes.error();
    fmt::print("{}", render_episodes(*episodes, output_style(options_.common)));
    std::size_t open = 0;
    std::size_t ours = 0;
    for (const ListedEpisode& one : *episodes) {
      const auto& reason = one.summary.head.stop_reason;
      open += reason ? 0u : 1u;
      ours += reason && is_infrastructure(*reason) ? 1u : 0u;
    }
    const std::string saved =
        fmt::format("run {} saved in {}", short_id(run_id_), options_.database.string());
    if (open > 0)
      return finish(ExitCode::kInterrupted,
                    fmt::format("interrupted; {} of {} episodes go on with --resume; {}", open,
                                episodes->size(), saved),
                    options_.common.verbosity);
    if (ours > 0)
      return finish(ExitCode::kInfrastructure,
                    fmt::format("{} of {} episodes ended by a fault of the endpoint, of kbench or "
                                "of the machine; {}",
                                ours, episodes->size(), saved),
                    options_.common.verbosity);
    return finish(
        ExitCode::kGood,
        fmt::format("{} episode{}; {}", episodes->size(), episodes->size() == 1 ? "" : "s", saved),
        options_.common.verbosity);
  }

  const AgentRunOptions& options_;
  const Installation& installation_;
  DeviceSession device_{installation_, SessionTurns::kMany};
  DeviceBenches benches_{device_};
  RewardRule rule_;
  CommonOptions common_ = options_.common;
  UniqueFd signals_;
  std::unique_ptr<SharedStore> store_;
  std::string run_id_;  // empty: nothing was begun
  bool quick_ = false;
  std::string allow_torch_;
  std::vector<Episode> episodes_;
  std::map<std::string, WorkspaceTexts> texts_;  // by task
  std::mutex mutex_;                             // of the next two
  std::size_t next_ = 0;
  std::optional<Error> failed_;
  std::mutex printing_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> running_ = 0;
};

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
  auto rule = find_reward(options.reward);
  if (!rule) return fail(rule.error(), terminal);
  const auto status = AgentRun(options, installation, std::move(*rule)).perform();
  return status ? *status : fail(status.error(), terminal);
}

}  // namespace kbench
