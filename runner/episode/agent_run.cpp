#include "runner/episode/agent_run.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/agent/agent_process.hpp"
#include "runner/core/random_id.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/judge/agent_judge.hpp"
#include "runner/judge/shared_store.hpp"
#include "runner/plan/device_choice.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/run/run_session.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "runner/store/run_name.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestAgent = 64;
constexpr std::chrono::milliseconds kTick{200};
constexpr std::chrono::milliseconds kLookPatience{20'000};

class AgentRun {
 public:
  AgentRun(const AgentRunRequest& request, AgentRunSurroundings& around)
      : request_(request), around_(around), installation_(around.device.installation()) {}

  Result<AgentRunOutcome> perform() {
    if (auto ready = request_.resume ? resume() : begin(); !ready) return ready.error();
    if (run_id_.empty()) return AgentRunOutcome{};
    const auto judge = make_agent_judge({.place = {choices_.suite, around_.device, around_.benches},
                                         .sink = around_.quiet,
                                         .trust = request_.trust,
                                         .store = *store_,
                                         .run_id = run_id_,
                                         .agent = agent_name(episodes_.front().model),
                                         .quick = choices_.quick,
                                         .allow_torch = choices_.allow_torch,
                                         .reward = request_.reward,
                                         .stop = [this] { return stop_.load(); }});
    AgentSurroundings around{.store = *store_,
                             .judge = *judge,
                             .precision = choices_.precision,
                             .start_agent = around_.start_agent,
                             .endpoint = request_.endpoint,
                             .key = request_.key,
                             .timeout = request_.timeout,
                             .stop = [this] { return stop_.load(); },
                             .note = around_.note,
                             .injection = injection_};
    work(around);
    return end();
  }

 private:
  // --- which episodes ---

  // Baselines are measured first: their run is what episodes and rows belong to.
  Status begin() {
    if (auto loaded = load_injection(request_.sampling); !loaded) return loaded;
    choices_ = request_.run;
    RunRequest run = request_.run;
    run.baselines_only = true;
    const auto target = choose_target(run, installation_);
    if (!target) return target.error();
    const auto tasks = choose_tasks(run, installation_);
    if (!tasks) return tasks.error();
    if (tasks->empty())
      return Error{ErrorCode::kNotFound, "no task matches",
                   "`kbench tasks list` shows all of them"};
    // Tasks are checked before anything is measured: what cannot be begun is not.
    for (const Task& task : *tasks)
      if (auto texts = prepare_texts(task.id, size_of(task, *target), target_name(*target)); !texts)
        return texts;
    if (auto there = look_at_endpoint(); !there) return there;
    const RunTerms terms{.database = request_.database,
                         .command_line = request_.command_line,
                         .stop = [this] { return look_at_signals(); }};
    const auto outcome = RunSession(around_.benches, std::move(run), terms, around_.sink).run();
    if (!outcome) return outcome.error();
    if (look_at_signals()) return Done{};
    if (!outcome->is_complete())
      return Error{ErrorCode::kInfrastructure, summarize(*outcome, terms),
                   "without baselines nothing is judged"};
    if (auto opened = open_store(); !opened) return opened;
    run_id_ = outcome->run.id;
    return plan_episodes(*tasks, *target);
  }

  // Baselines take minutes: an address without a server must be told before. An endpoint that goes
  // away later is asked again, episode by episode.
  Status look_at_endpoint() const {
    const auto connected = connect_to(request_.endpoint, kLookPatience);
    if (connected) return Done{};
    return Error{connected.error().code,
                 "the endpoint does not answer: " + connected.error().message,
                 "start the model's server first, or correct --endpoint; nothing was measured"};
  }

  Status plan_episodes(const std::vector<Task>& tasks, const Target& target) {
    std::int64_t seed = request_.seed;
    for (const Task& task : tasks) {
      for (int i = 0; i < request_.episodes; ++i) {
        Episode episode;
        episode.id = random_id();
        episode.run_id = run_id_;
        episode.task = task.id;
        episode.size = size_of(task, target);
        episode.device = target.device;
        episode.model = request_.model;
        episode.sampling = to_json(request_.sampling).dump();
        episode.seed = seed++;
        episode.budget = to_json(request_.budget).dump();
        episode.started_at = utc_now();
        const Status begun =
            store_->with([&](Store& store) { return store.begin_episode(episode); });
        if (!begun) return begun;
        episodes_.push_back(std::move(episode));
      }
    }
    return Done{};
  }

  // The size to measure; a run takes the only one that there is, too.
  static std::string size_of(const Task& task, const Target& target) {
    return task.find_size(target.size) != nullptr ? target.size : task.sizes.front().name;
  }

  static std::string target_name(const Target& target) {
    return target.device == "cuda" ? fmt::format("cuda:{}", target.device_index) : target.device;
  }

  Status resume() {
    // The database is opened for reading first: opening it for writing would make one.
    if (const auto there = Store::open(request_.database, Store::Mode::kReadOnly); !there)
      return there.error();
    if (auto opened = open_store(); !opened) return opened;
    const auto run =
        store_->with([&](const Store& store) { return find_run_named(store, *request_.resume); });
    if (!run) return run.error();
    choices_ = with_choices_of({}, *run);
    const auto listed = store_->with([&](const Store& store) { return store.episodes(run->id); });
    if (!listed) return listed.error();
    for (auto one = listed->rbegin(); one != listed->rend(); ++one) {
      if (one->head.stop_reason) continue;
      auto episode =
          store_->with([&](const Store& store) { return store.read_episode(one->head.id); });
      if (!episode) return episode.error();
      if (auto texts = prepare_texts(episode->task, episode->size, episode->device); !texts)
        return texts;
      if (auto loaded = load_injection(sampling_from_json(episode->sampling)); !loaded)
        return loaded;
      episodes_.push_back(std::move(*episode));
    }
    if (episodes_.empty())
      return Error{ErrorCode::kNotFound,
                   fmt::format("every episode of run {} has ended", short_id(*run)),
                   "`kbench episodes list` shows them"};
    run_id_ = run->id;
    return Done{};
  }

  // The texts for the workspaces of a task, each made once.
  Status prepare_texts(const std::string& task, const std::string& size,
                       const std::string& device) {
    if (texts_.contains(task)) return Done{};
    const auto prompt = prompt_of_task(
        choices_.suite, {}, task,
        {.size = size, .device = device, .language = std::nullopt, .precision = choices_.precision},
        installation_);
    if (!prompt) return prompt.error();
    auto texts = workspace_texts(*prompt, installation_);
    if (!texts) return texts.error();
    texts_.emplace(task, std::move(*texts));
    return Done{};
  }

  Status load_injection(const EpisodeSampling& sampling) {
    if (!sampling.feedback || injection_) return Done{};
    auto loaded = shipped_injection(installation_);
    if (!loaded) return loaded.error();
    injection_ = std::move(*loaded);
    return Done{};
  }

  Status open_store() {
    auto store = Store::open(request_.database, Store::Mode::kReadWrite);
    if (!store) return store.error();
    if (auto key = keep_chain_key(installation_.state)) store->use(std::move(*key));
    store_ = std::make_unique<SharedStore>(std::move(*store));
    return Done{};
  }

  // --- the episodes ---

  void work(AgentSurroundings& around) {
    const auto count = static_cast<std::size_t>(request_.parallel);
    std::vector<std::thread> workers;
    running_ = std::min(count, episodes_.size());
    for (std::size_t i = std::min(count, episodes_.size()); i > 0; --i)
      workers.emplace_back([&] {
        while (auto episode = next_episode()) run_one(around, std::move(*episode));
        --running_;
      });
    while (running_ > 0) (void)look_at_signals(kTick);
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
    stop_ = true;  // any failure would hit the others as well
  }

  // Whether everybody is to stop. The second signal ends the program at once.
  bool look_at_signals(std::chrono::milliseconds wait = {}) {
    if (!around_.asked_to_stop(wait)) return stop_;
    if (stop_.exchange(true)) around_.abandon();
    around_.note("finishing what is at hand; again to abandon it");
    return true;
  }

  Result<AgentRunOutcome> end() {
    if (failed_) return *failed_;
    if (stop_) return AgentRunOutcome{run_id_};
    const Status finished =
        store_->with([&](Store& store) { return store.finish_run(run_id_, utc_now()); });
    if (!finished) return finished.error();
    return AgentRunOutcome{run_id_};
  }

  const AgentRunRequest& request_;
  AgentRunSurroundings& around_;
  const Installation& installation_;
  RunRequest choices_;  // choices of the run, as it was begun
  std::unique_ptr<SharedStore> store_;
  std::string run_id_;  // empty: nothing was begun
  std::vector<Episode> episodes_;
  std::map<std::string, WorkspaceTexts> texts_;  // prompts by task
  std::optional<InjectionTemplate> injection_;   // none unless an episode's feedback is chosen
  std::mutex mutex_;                             // guards the next two
  std::size_t next_ = 0;
  std::optional<Error> failed_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> running_ = 0;
};

}  // namespace

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

Result<AgentRunOutcome> run_agent(const AgentRunRequest& request, AgentRunSurroundings& around) {
  return AgentRun(request, around).perform();
}

}  // namespace kbench
