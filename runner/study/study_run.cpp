#include "runner/study/study_run.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/text_in.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/episode/agent_talk.hpp"
#include "runner/feedback/command_report.hpp"
#include "runner/feedback/row_report.hpp"
#include "runner/judge/agent_judge.hpp"
#include "runner/judge/kernel_words.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/run/run_session.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "runner/study/cell_lines.hpp"
#include "runner/study/study_cost.hpp"
#include "runner/study/study_plan.hpp"
#include "runner/study/study_states.hpp"
#include "runner/trajectory/leak_check.hpp"

namespace kbench {
namespace {

constexpr std::chrono::milliseconds kTick{200};
constexpr std::size_t kMostTextBytes = 8u << 20;
constexpr std::size_t kShownOfAHash = 12;
constexpr std::size_t kNotes = 20;  // notes of progress, in all
constexpr int kMostJudgings = 2;    // tries of one tree, where the machine is at fault

Error damaged() {
  return {ErrorCode::kBadInput, "a text of a cell is damaged",
          "`kbench db check` says what is damaged."};
}

// A planner's message is kept with what it cost: a cell counts its tokens once, with the reply.
std::string plan_blob(const AskedOnce& answer) {
  auto message = parse_bounded_json(answer.reply);
  Json json = message && message->is_object() ? std::move(*message) : Json::object();
  Json usage = Json::object();
  if (answer.tokens_in) usage["prompt_tokens"] = *answer.tokens_in;
  if (answer.tokens_out) usage["completion_tokens"] = *answer.tokens_out;
  json["usage"] = std::move(usage);
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::optional<std::int64_t> count_in(const Json& json, const char* name) {
  const Json usage = json.value("usage", Json::object());
  if (!usage.is_object() || !usage.contains(name) || !usage.at(name).is_number_integer())
    return std::nullopt;
  return usage.at(name).get<std::int64_t>();
}

// The sum, or nothing where either is unknown.
std::optional<std::int64_t> sum(const std::optional<std::int64_t>& a,
                                const std::optional<std::int64_t>& b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

struct Work {
  std::size_t state = 0;  // place in the plan
  CellPlace place;
};

// How a step of a cell ended.
enum class Step { kDone, kStopped, kOver };  // kOver: the cell is complete

class StudyRun {
 public:
  StudyRun(const StudyRequest& request, AgentRunSurroundings& around)
      : request_(request), around_(around), installation_(around.device.installation()) {}

  Result<StudyOutcome> perform() {
    auto plan = read_study_plan(request_.plan);
    if (!plan) return plan.error();
    plan_ = std::move(*plan);
    outcome_.study = study_id(request_.plan);
    auto with = shipped_injection(installation_);
    if (!with) return with.error();
    if (with->id != plan_.injection)
      return Error{ErrorCode::kUsage, "the plan is for another template of injections",
                   "make a new plan with this kbench"};
    with_ = std::move(*with);
    if (auto opened = open_store(); !opened) return opened.error();
    if (auto ready = request_.resume ? find() : begin(); !ready) return ready.error();
    if (outcome_.run_id.empty()) return outcome_;
    make_judge();
    if (auto ready = prepare_states(); !ready) return ready.error();
    if (auto listed = list_work(); !listed) return listed.error();
    if (!work_.empty() && !stop_)
      if (auto probed = probe(); !probed) return probed.error();
    work();
    return end();
  }

 private:
  // --- which run ---

  Status open_store() {
    // The database is opened for reading first: opening it for writing would make one.
    if (const auto there = Store::open(request_.database, Store::Mode::kReadOnly); !there)
      return there.error();
    auto store = Store::open(request_.database, Store::Mode::kReadWrite);
    if (!store) return store.error();
    if (auto key = keep_chain_key(installation_.state)) store->use(std::move(*key));
    store_ = std::make_unique<SharedStore>(std::move(*store));
    return Done{};
  }

  Status find() {
    auto run = store_->with([&](const Store& store) { return store.run_of_study(outcome_.study); });
    if (!run) return run.error();
    outcome_.run_id = std::move(*run);
    return Done{};
  }

  // Measures the baselines first, where anything is timed: their run is what cells and rows belong
  // to.
  Status begin() {
    const auto before =
        store_->with([&](const Store& store) { return store.run_of_study(outcome_.study); });
    if (before)
      return Error{ErrorCode::kUsage, "this study is begun already",
                   "--resume goes on with it; another --seed makes another study"};
    if (before.error().code != ErrorCode::kNotFound) return before.error();
    std::vector<std::string> nodes;
    for (const PlannedState& state : plan_.states) nodes.push_back(state.node);
    const auto held =
        store_->with([&](const Store& store) { return with_ancestors(store, nodes); });
    if (!held) return held.error();
    auto run = baselines();
    if (!run) return run.error();
    if (run->empty()) return Done{};
    return store_->with([&](Store& store) -> Status {
      if (auto added = store.add_trajectories(*run, *held, {}); !added) return added;
      if (auto begun = store.begin_study(*run, request_.plan); !begun) return begun;
      outcome_.run_id = *run;
      return Done{};
    });
  }

  // The run's id; empty where it was stopped.
  Result<std::string> baselines() {
    RunRequest run;
    run.suite = request_.suite;
    std::set<std::string> tasks;
    for (const PlannedState& state : plan_.states) tasks.insert(state.task);
    run.tasks.assign(tasks.begin(), tasks.end());
    run.size = plan_.size;
    run.device = request_.device.value_or(plan_.device);
    run.checks_only = !times_anything(plan_);
    run.quick = plan_.quick && !run.checks_only;
    run.baselines_only = true;
    const RunTerms terms{.database = request_.database,
                         .command_line = request_.command_line,
                         .stop = [this] { return look_at_signals(); }};
    const auto outcome = RunSession(around_.benches, std::move(run), terms, around_.sink).run();
    if (!outcome) return outcome.error();
    if (look_at_signals()) return std::string();
    if (!outcome->is_complete())
      return Error{ErrorCode::kInfrastructure, summarize(*outcome, terms),
                   "without baselines nothing is judged"};
    return outcome->run.id;
  }

  void make_judge() {
    judge_ = make_agent_judge({.place = {request_.suite, around_.device, around_.benches},
                               .sink = around_.quiet,
                               .trust = request_.trust,
                               .store = *store_,
                               .run_id = outcome_.run_id,
                               .agent = agent_name(plan_.model),
                               .quick = plan_.quick,
                               .allow_torch = "data",
                               .reward = *find_reward(kDefaultReward),
                               .stop = [this] { return stop_.load(); }});
    model_ = {.start_agent = around_.start_agent,
              .endpoint = request_.endpoint,
              .key = request_.key,
              .timeout = request_.timeout,
              .window = plan_.window,
              .stop = [this] { return stop_.load(); },
              .note = around_.note};
    strong_ = model_;
    if (!request_.strong) return;
    strong_.endpoint = request_.strong->endpoint;
    strong_.key = request_.strong->key;
    strong_.timeout = request_.strong->timeout;
  }

  // --- states ---

  Status prepare_states() {
    for (const PlannedState& planned : plan_.states) {
      auto state =
          store_->with([&](const Store& store) { return read_study_state(store, planned); });
      if (!state) return state.error();
      states_.push_back(std::move(*state));
    }
    auto before = stored_reports();
    if (!before) return before.error();
    spoken_ = std::move(*before);
    for (StudyState& state : states_) {
      if (look_at_signals()) return Done{};
      if (!state.dropped.empty()) continue;
      if (auto spoken = let_components_speak(state); !spoken) return spoken;
    }
    return take_reports();
  }

  // Hashes of what was said, by state, component and version. The first words of a version stay,
  // whoever had them spoken.
  using Spoken = std::map<std::tuple<std::string, std::string, std::string>, std::string>;
  Result<Spoken> stored_reports() {
    const auto held =
        store_->with([&](const Store& store) { return store.trajectories(outcome_.run_id); });
    if (!held) return held.error();
    Spoken spoken;
    for (const StateReport& report : held->reports)
      if (report.form == "raw")
        spoken[{report.state, report.component, report.version}] = report.content;
    return spoken;
  }

  Status take_reports() {
    const auto hashes = stored_reports();
    if (!hashes) return hashes.error();
    around_.note(fmt::format("{} reports of components, {} of them said now", hashes->size(),
                             hashes->size() - std::min(hashes->size(), spoken_.size())));
    std::vector<std::string> wanted;
    for (const auto& [place, hash] : *hashes) wanted.push_back(hash);
    const auto texts =
        store_->with([&](const Store& store) { return store.contents(wanted, 512u << 20); });
    if (!texts) return texts.error();
    for (StudyState& state : states_) {
      if (!state.dropped.empty()) continue;
      for (const Component& component : plan_.components) {
        const std::string* hash = words_in(*hashes, component, state);
        if (hash == nullptr) continue;
        if (const auto text = texts->find(*hash); text != texts->end())
          state.reports[component.name] = text->second;
      }
      look_for_leaks(state);
    }
    return Done{};
  }

  Status let_components_speak(StudyState& state) {
    const WorkspaceTask task{state.node.state.task, state.node.state.size, state.node.state.device};
    if (auto same = check_task(state, task); !same || !state.dropped.empty()) return same;
    const KernelVerdict verdict =
        judged(task, state.tree, !plan_.checks_only || tells_times(state));
    if (verdict.interrupted) return Done{};
    if (verdict.error == CallError::kInfrastructure || verdict.evaluation.empty()) {
      state.dropped = "its kernel could not be judged";
      return Done{};
    }
    const auto rows =
        store_->with([&](const Store& store) { return store.read_key(verdict.evaluation); });
    if (!rows) return rows.error();
    for (const Evaluation& row : rows->evaluations)
      if (row.run_id == outcome_.run_id) return store_reports(state, row);
    return Error{ErrorCode::kInfrastructure, "the row of a state's kernel is not there", ""};
  }

  // Whether a component has yet to speak of the state's kernel that needs to know how long it
  // takes.
  bool tells_times(const StudyState& state) const {
    return std::any_of(plan_.components.begin(), plan_.components.end(), [&](const Component& one) {
      return reads_times(one) && has_to_speak(one, state);
    });
  }

  bool has_to_speak(const Component& component, const StudyState& state) const {
    const auto& available = state.planned->available;
    return std::binary_search(available.begin(), available.end(), component.name) &&
           words_in(spoken_, component, state) == nullptr;
  }

  // A row that was not timed may tell less: words on it are a version of their own, and only those
  // take them who time no kernel.
  static std::string spoken_version(const Component& component, bool timed) {
    return timed || reads_kernel(component) ? component.version : component.version + ":checks";
  }

  // Hash of the component's words on the state; null without any. Words on checks alone come first
  // where they will do: they were asked for before the others were there.
  const std::string* words_in(const Spoken& spoken, const Component& component,
                              const StudyState& state) const {
    for (const bool timed : {!plan_.checks_only, true})
      if (const auto found = spoken.find(
              {state.node.node.state, component.name, spoken_version(component, timed)});
          found != spoken.end())
        return &found->second;
    return nullptr;
  }

  // A state is of a task as it was then.
  Status check_task(StudyState& state, const WorkspaceTask& task) {
    if (!tasks_.contains(task.task)) {
      auto prompt = prompt_of_task(
          request_.suite, {}, task.task,
          {.size = task.size, .device = task.device, .language = std::nullopt}, installation_);
      if (!prompt) return prompt.error();
      tasks_.emplace(task.task, std::pair(prompt->task.hash, prompt->text));
    }
    if (tasks_.at(task.task).first != state.node.state.task_hash)
      state.dropped = "its task is another one now";
    return Done{};
  }

  Status store_reports(const StudyState& state, const Evaluation& row) {
    for (const Component& component : plan_.components) {
      if (!has_to_speak(component, state)) continue;
      const auto report = words_of(component, state, row);
      if (!report) return report.error();
      const Blob blob = pack(report->text);
      const StateReport stored{
          state.node.node.state, component.name, spoken_version(component, row.timed), "raw",
          report->status,        blob.hash};
      const Status put =
          store_->with([&](Store& store) { return store.put_report(stored, std::span(&blob, 1)); });
      if (!put) return put;
    }
    return Done{};
  }

  Result<CommandReport> words_of(const Component& component, const StudyState& state,
                                 const Evaluation& row) {
    if (reads_row(component)) return CommandReport{"answered", row_report(component, row)};
    const FrozenState& frozen = state.node.state;
    if (reads_kernel(component))
      return kernel_words(component, state.tree, {frozen.task, frozen.size, frozen.device},
                          {request_.suite, around_.device, around_.benches});
    const auto sandbox = around_.device.sandbox();
    return command_report(*sandbox, component, state_json(state, row));
  }

  void look_for_leaks(StudyState& state) const {
    std::vector<std::string> reports;
    for (const auto& [name, text] : state.reports) reports.push_back(text);
    const std::size_t leaks = count_leaks(reports, all_text(state.context), state.kernel,
                                          tasks_.at(state.node.state.task).second);
    if (leaks > 0) state.dropped = "its context tells already what a report would";
    for (const std::string& name : state.planned->available)
      if (state.dropped.empty() && !state.reports.contains(name))
        state.dropped = name + " has not spoken of it";
  }

  // --- cells ---

  using Place = std::tuple<std::string, std::string, std::string, std::int64_t>;
  static Place place_of(const StateCell& cell) {
    return {cell.node, cell.arm, cell.coalition, cell.replicate};
  }

  Status list_work() {
    const auto stored =
        store_->with([&](const Store& store) { return store.read_study(outcome_.study); });
    if (!stored) return stored.error();
    std::map<Place, StateCell> before;
    for (const StateCell& cell : stored->cells) before.emplace(place_of(cell), cell);
    for (const StudyState& state : states_)
      if (!state.dropped.empty())
        outcome_.dropped.push_back(fmt::format(
            "node {}: {}", state.planned->node.substr(0, kShownOfAHash), state.dropped));
    for (int replicate = 0; replicate < plan_.replicates; ++replicate) {
      for (std::size_t at = 0; at < plan_.states.size(); ++at) {
        for (CellPlace& place : cells_of(plan_, plan_.states[at], replicate)) {
          ++outcome_.cells;
          if (!states_[at].dropped.empty()) continue;
          StateCell cell{.node = plan_.states[at].node,
                         .arm = place.arm,
                         .coalition = coalition_text(place.coalition),
                         .replicate = place.replicate};
          if (const auto found = before.find(place_of(cell)); found != before.end())
            cell = found->second;
          if (!cell.status.empty()) {
            ++outcome_.complete;
            outcome_.faults += is_fault(cell.status) ? 1u : 0u;
            continue;
          }
          work_.push_back({at, std::move(place)});
          cells_.push_back(std::move(cell));
        }
      }
    }
    return Done{};
  }

  // Whether the endpoint answers at all, and how it samples. Nothing of the analysis rests on it.
  Status probe() {
    const StudyState& state = states_[work_.front().state];
    const ArmTreatment treatment{};
    const auto messages = coder_messages({with_, state.context, treatment, {}, state.reports}, "");
    if (!messages) return messages.error();
    std::vector<std::string> replies;
    for (const std::int64_t seed : {plan_.seed, plan_.seed, plan_.seed + 1}) {
      auto answer = ask(plan_.model, seed, *messages);
      if (!answer) return answer.error();
      if (answer->stopped) return Done{};
      if (answer->reply.empty() && !answer->too_large)
        return Error{ErrorCode::kInfrastructure, "the endpoint does not answer: " + answer->why,
                     "nothing was stored of the study's cells"};
      replies.push_back(std::move(answer->reply));
    }
    outcome_.sampling.emplace_back(replies[0] == replies[1]
                                       ? "the endpoint answers one seed twice alike"
                                       : "the endpoint does not heed the seed");
    if (replies[0] == replies[2])
      outcome_.sampling.emplace_back("it answers another seed alike: replicates may be copies");
    return Done{};
  }

  void work() {
    std::vector<std::thread> workers;
    const std::size_t count = std::min(static_cast<std::size_t>(request_.parallel), work_.size());
    running_ = count;
    for (std::size_t i = 0; i < count; ++i)
      workers.emplace_back([this] {
        for (auto at = next(); at; at = next()) one(*at);
        --running_;
      });
    while (running_ > 0) (void)look_at_signals(kTick);
    for (std::thread& worker : workers) worker.join();
  }

  std::optional<std::size_t> next() {
    const std::scoped_lock lock(mutex_);
    if (stop_ || failed_ || next_ == work_.size()) return std::nullopt;
    return next_++;
  }

  void one(std::size_t at) {
    const auto done = try_cell(work_[at], cells_[at]);
    const std::scoped_lock lock(mutex_);
    if (!done) {
      if (!failed_) failed_ = done.error();
      stop_ = true;  // any failure would hit the others as well
      return;
    }
    if (cells_[at].status.empty()) return;
    ++outcome_.complete;
    outcome_.faults += is_fault(cells_[at].status) ? 1u : 0u;
    const std::size_t step = std::max<std::size_t>(1, outcome_.cells / kNotes);
    if (outcome_.complete % step == 0)
      around_.note(fmt::format("{} of {} cells", outcome_.complete, outcome_.cells));
  }

  Status try_cell(const Work& work, StateCell& cell) {
    const StudyState& state = states_[work.state];
    const auto treatment = treatment_of(cell.arm, injection_mode(plan_));
    if (!treatment) return treatment.error();
    const Reports* reports = &state.reports;
    if (treatment->reports == ArmTreatment::Reports::kOther) {
      reports = reports_of_other(state);
      if (reports == nullptr) return Done{};  // stays open
    }
    const Injection injection{with_, state.context, *treatment, work.place.coalition, *reports};
    Json plan = Json::object();
    if (treatment->planner) {
      const auto step = ask_planner(injection, cell, plan);
      if (!step || *step != Step::kDone) return step ? Status(Done{}) : Status(step.error());
    }
    const auto step = ask_coder(injection, plan, treatment->planner, cell);
    if (!step || *step != Step::kDone) return step ? Status(Done{}) : Status(step.error());
    return judge_reply(state, cell);
  }

  const Reports* reports_of_other(const StudyState& state) const {
    const PlannedState* other = other_state(plan_, *state.planned);
    for (const StudyState& one : states_)
      if (one.planned == other && one.dropped.empty()) return &one.reports;
    return nullptr;
  }

  Result<Step> ask_planner(const Injection& injection, StateCell& cell, Json& plan) {
    if (cell.plan.empty()) {
      const auto messages = planner_messages(injection);
      if (!messages) return messages.error();
      const auto answer = ask(planner_of(plan_, cell.arm), plan_.seed + cell.replicate, *messages);
      if (!answer) return answer.error();
      if (answer->reply.empty()) return no_reply(*answer, cell);
      const std::string text = plan_blob(*answer);
      const Blob blob = pack(text);
      cell.plan = blob.hash;
      if (auto put = put_cell(cell, std::span(&blob, 1)); !put) return put.error();
    }
    auto json = text_of(cell.plan);
    if (!json) return json.error();
    plan = std::move(*json);
    return Step::kDone;
  }

  Result<Step> ask_coder(const Injection& injection, const Json& plan, bool planned,
                         StateCell& cell) {
    if (!cell.reply.empty()) return Step::kDone;
    const auto messages = coder_messages(injection, text_in(plan, "content"));
    if (!messages) return messages.error();
    const auto answer = ask(coder_of(plan_, cell.arm), plan_.seed + cell.replicate, *messages);
    if (!answer) return answer.error();
    if (answer->reply.empty()) return no_reply(*answer, cell);
    const Blob blob = pack(answer->reply);
    cell.reply = blob.hash;
    cell.tokens_in =
        planned ? sum(answer->tokens_in, count_in(plan, "prompt_tokens")) : answer->tokens_in;
    cell.tokens_out =
        planned ? sum(answer->tokens_out, count_in(plan, "completion_tokens")) : answer->tokens_out;
    if (auto put = put_cell(cell, std::span(&blob, 1)); !put) return put.error();
    return Step::kDone;
  }

  Result<Step> no_reply(const AskedOnce& answer, StateCell& cell) {
    if (answer.stopped) return Step::kStopped;
    cell.status = answer.too_large ? cell_status::kWindow : cell_status::kEndpoint;
    if (!answer.too_large) around_.note("a cell has no reply: " + answer.why);
    if (auto put = put_cell(cell, {}); !put) return put.error();
    return Step::kOver;
  }

  Status judge_reply(const StudyState& state, StateCell& cell) {
    const auto reply = text_of(cell.reply);
    if (!reply) return reply.error();
    const auto tree = tree_in_reply(text_in(*reply, "content"), state.node.state.device);
    if (!tree || tree->files.empty()) {
      cell.status = tree ? cell_status::kNoCode : cell_status::kRefused;
      return put_cell(cell, {});
    }
    const KernelVerdict verdict =
        judged({state.node.state.task, state.node.state.size, state.node.state.device}, *tree,
               !plan_.checks_only);
    if (verdict.interrupted) return Done{};
    cell.evaluation = verdict.evaluation;
    cell.status = verdict.error == CallError::kInfrastructure ? cell_status::kInfrastructure
                  : verdict.evaluation.empty()                ? cell_status::kRefused
                                                              : cell_status::kJudged;
    return put_cell(cell, {});
  }

  // A tree is a row of the run, once; once more where the machine was at fault.
  KernelVerdict judged(const WorkspaceTask& task, const KernelTree& tree, bool timed) {
    for (int tries = 1;; ++tries) {
      const std::string variant =
          tries == 1 ? variant_of(tree) : fmt::format("{}-{}", variant_of(tree), tries);
      KernelVerdict verdict =
          timed ? judge_->submit(task, tree, variant) : judge_->check(task, tree, variant);
      if (verdict.interrupted || verdict.error != CallError::kInfrastructure ||
          tries == kMostJudgings)
        return verdict;
    }
  }

  Status put_cell(const StateCell& cell, std::span<const Blob> blobs) {
    return store_->with([&](Store& store) { return store.put_cell(outcome_.study, cell, blobs); });
  }

  // A message that a cell names.
  Result<Json> text_of(const std::string& hash) {
    const std::vector<std::string> hashes = {hash};
    const auto contents =
        store_->with([&](const Store& store) { return store.contents(hashes, kMostTextBytes); });
    if (!contents) return contents.error();
    const auto text = contents->find(hash);
    if (text == contents->end()) return damaged();
    auto json = parse_bounded_json(text->second);
    if (!json || !json->is_object()) return damaged();
    return std::move(*json);
  }

  [[nodiscard]] Result<AskedOnce> ask(const std::string& model, std::int64_t seed,
                                      const Json& messages) const {
    Json settings = {{"model", model}, {"seed", seed}, {"stream", false}};
    if (plan_.temperature) settings["temperature"] = *plan_.temperature;
    if (plan_.max_tokens) settings["max_tokens"] = *plan_.max_tokens;
    return ask_once(model == plan_.model ? model_ : strong_, settings, messages);
  }

  // --- the end ---

  // Whether everybody is to stop. The second signal ends the program at once.
  bool look_at_signals(std::chrono::milliseconds wait = {}) {
    if (!around_.asked_to_stop(wait)) return stop_;
    if (stop_.exchange(true)) around_.abandon();
    around_.note("finishing what is at hand; again to abandon it");
    return true;
  }

  Result<StudyOutcome> end() {
    if (failed_) return *failed_;
    outcome_.was_stopped = stop_;
    if (!stop_) {
      const Status finished =
          store_->with([&](Store& store) { return store.finish_run(outcome_.run_id, utc_now()); });
      if (!finished) return finished.error();
    }
    return outcome_;
  }

  const StudyRequest& request_;
  AgentRunSurroundings& around_;
  const Installation& installation_;
  StudyPlan plan_;
  InjectionTemplate with_;
  StudyOutcome outcome_;
  std::unique_ptr<SharedStore> store_;
  std::unique_ptr<EpisodeJudge> judge_;
  AskedModel model_;
  AskedModel strong_;
  std::vector<StudyState> states_;                                    // order: the plan's
  std::map<std::string, std::pair<std::string, std::string>> tasks_;  // hash and prompt
  Spoken spoken_;  // words that were there before this run of the program
  std::vector<Work> work_;
  std::vector<StateCell> cells_;  // cells of the work, as far as they are stored
  std::mutex mutex_;              // guards the next two, and the counts
  std::size_t next_ = 0;
  std::optional<Error> failed_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> running_ = 0;
};

}  // namespace

Result<StudyOutcome> run_study(const StudyRequest& request, AgentRunSurroundings& around) {
  return StudyRun(request, around).perform();
}

std::string words(const StudyOutcome& outcome, const std::filesystem::path& database) {
  std::string text =
      fmt::format("{} of {} cells, {} without an outcome by a fault of the endpoint or the machine",
                  outcome.complete, outcome.cells, outcome.faults);
  if (outcome.was_stopped)
    text = fmt::format("interrupted; {}; the others go on with --resume", text);
  return fmt::format("{}; study {} in run {} of {}", text, short_id(outcome.study),
                     short_id(outcome.run_id), database.string());
}

}  // namespace kbench
