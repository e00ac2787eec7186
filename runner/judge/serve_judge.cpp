#include "runner/judge/serve_judge.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/facts/model.hpp"
#include "reports/formats/json_report.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/core/suggest.hpp"
#include "runner/judge/agent_tools.hpp"
#include "runner/judge/judge_pool.hpp"
#include "runner/judge/kernel_profile.hpp"
#include "runner/judge/kernel_words.hpp"
#include "runner/judge/without_places.hpp"
#include "runner/machine/host_facts.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/plan/device_choice.hpp"
#include "runner/plan/evaluation_key.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/pool/again.hpp"
#include "runner/reward/reward.hpp"
#include "runner/run/machine_fingerprint.hpp"
#include "runner/run/run_session.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "runner/store/store.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/submission/submission.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/working_type.hpp"
#include "runner/workspace/kernel_tree.hpp"
#include "runner/workspace/tool_result.hpp"
#include "runner/workspace/workspace.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSourceBytes = 1u << 20;
constexpr std::size_t kVariantDigits = 16;  // start of a tree's hash: tells an agent's trees apart

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

// A variant's name, by which two submissions of one agent for a task are told apart.
std::string variant_of(const KernelTree& tree) { return tree.hash.substr(0, kVariantDigits); }

// Tells another sink of all, and the queue of each row.
class TellingSink final : public RunSink {
 public:
  // `answers`: tells whether the row is the answer of its key, once it is stored.
  TellingSink(RunSink& sink, const Judge::Listener& listener,
              std::function<bool(const Evaluation&)> answers)
      : sink_(sink), listener_(listener), answers_(std::move(answers)) {}

  ProgressSink& progress() override { return sink_.progress(); }
  Status begin(const Plan& plan) override { return sink_.begin(plan); }
  void row(const Evaluation& evaluation, std::span<const Blob> sources) override {
    if (answers_(evaluation)) listener_.told(evaluation.key, std::nullopt);
    sink_.row(evaluation, sources);
  }
  Status done(const Store& store, const Run& run) override { return sink_.done(store, run); }

 private:
  RunSink& sink_;
  const Judge::Listener& listener_;
  const std::function<bool(const Evaluation&)> answers_;
};

class StoreJudge final : public ServingJudge {
 public:
  StoreJudge(ServeJudging judging, Target target, std::size_t lanes, std::vector<TaskEntry> entries,
             Store store, bool chained, std::optional<JudgePool> pool)
      : judging_(std::move(judging)),
        installation_(judging_.place.device.installation()),
        target_(std::move(target)),
        lanes_(lanes),
        entries_(std::move(entries)),
        toolchain_(judging_.place.device.toolchain()),
        store_(std::move(store)),
        chained_(chained),
        pool_(std::move(pool)),
        device_{target_.device, target_.gpu ? target_.gpu->name : cpu::model_name()},
        tools_(installation_.state / "workspaces") {}

  [[nodiscard]] const ServedDevice& device() const override { return device_; }
  [[nodiscard]] std::size_t lanes() const override { return lanes_; }
  [[nodiscard]] std::string unfit() const override { return pool_ ? pool_->unfit() : ""; }

  Result<Identity> identify(const Order& order) override {
    if (!order.device.empty() && order.device != target_.device)
      return Error{ErrorCode::kUsage, fmt::format("this server judges on {}", target_.device),
                   "leave the device out, or ask another server"};
    const auto task = task_of(order);
    if (!task) return task.error();
    const auto size = size_for(**task, order.size);
    if (!size) return size.error();
    const auto tree = kernel_tree_of(order.files);
    if (!tree) return tree.error();
    if (!order.is_stored()) {
      const Json parts = {order.what, (*task)->hash,     *size, target_.device, order.agent,
                          tree->hash, judging_.precision};
      return Identity{sha256(parts.dump()), (*task)->id, *size};
    }
    const auto submission = submission_of(order, *tree, (*task)->id);
    if (!submission) return submission.error();
    const SubmissionId& id = submission->id;
    const bool is_usual = submission->kind != SubmissionKind::kPython ||
                          judging_.allow_torch == RunRequest().allow_torch;
    return Identity{evaluation_key({.task_hash = (*task)->hash,
                                    .size = *size,
                                    .device = target_.device,
                                    .precision = judging_.precision,
                                    .profile = RunRequest().profile,
                                    .agent = id.agent,
                                    .submission = id.name,
                                    .source_hash = id.source_hash,
                                    .host_compiler = toolchain_.host_version,
                                    .nvcc = toolchain_.nvcc_version,
                                    .device_name = device_.name,
                                    .allow_torch = is_usual ? "" : judging_.allow_torch}),
                    (*task)->id, *size};
  }

  Result<std::optional<Json>> find(const std::string& id, const std::string& reward,
                                   Rows rows) override {
    const auto rule = find_reward(reward.empty() ? kDefaultReward : std::string_view(reward));
    if (!rule) return rule.error();
    auto stored = store_.read_key(id);
    if (!stored) return stored.error();
    for (auto row = stored->evaluations.rbegin(); row != stored->evaluations.rend(); ++row) {
      const auto chain = stored->chains.find(row->run_id);
      if (chain == stored->chains.end()) continue;
      if (is_again(*row)) continue;  // another judge's row answers
      if (rows == Rows::kThatCount && !counts(*row, chain->second)) continue;
      auto report = row_report(store_, std::move(*row), chain->second);
      if (!report) return report.error();
      report->trust = judging_.trust;
      if (rows == Rows::kThatCount && report->quick) {
        // This row was moved from; rows before it are still whole.
        continue;
      }
      return std::optional(
          Json{{"id", id},
               {"run_id", report->run.id},
               {"row", result_json(derive(*report, report->evaluations.front()), *rule)}});
    }
    return std::optional<Json>();
  }

  Status judge(std::span<const QueuedOrder> orders, const Listener& listener) override {
    if (orders.empty()) return Done{};
    if (!orders.front().order.is_stored()) return answer_each(orders, listener);
    std::set<std::string> told;
    const Listener once{.told =
                            [&](const std::string& id, std::optional<Json> result) {
                              told.insert(id);
                              listener.told(id, std::move(result));
                            },
                        .waits = listener.waits};
    auto open = tell_answered(orders, once);
    if (!open) return open.error();
    if (open->empty()) return Done{};
    if (auto measured = measure(*open, once); !measured) return measured;
    // Another judge may have been faster with some.
    std::erase_if(*open, [&](const QueuedOrder& one) { return told.contains(one.id); });
    const auto left = tell_answered(*open, once);
    return left ? Status(Done{}) : left.error();
  }

  void stop() override { stopping_ = true; }

  Result<Json> describe(const std::string& task, const std::string& size) override {
    const auto prompt = prompt_of(task.empty() ? any_task() : task, size);
    if (!prompt) return prompt.error();
    const auto reference = read_bounded_file(prompt->task.source, kMostSourceBytes);
    if (!reference) return reference.error();
    return Json{{"task", prompt->task.id},     {"size", prompt->size},   {"device", prompt->device},
                {"device_name", device_.name}, {"prompt", prompt->text}, {"reference", *reference}};
  }

  Result<std::variant<Json, Order>> use_tool(const std::string& tool, const Json& arguments,
                                             const std::string& agent) override {
    return tools_.use(tool, arguments, agent,
                      {.entries = entries_,
                       .open = [&](const fs::path& folder, const std::string& task,
                                   const std::string& size) -> Result<WorkspaceTask> {
                         const auto prompt = prompt_of(task, size);
                         if (!prompt) return prompt.error();
                         const auto texts = workspace_texts(*prompt, installation_);
                         if (!texts) return texts.error();
                         const WorkspaceTask opened{prompt->task.id, prompt->size, prompt->device,
                                                    prompt->precision};
                         if (auto made = make_workspace(folder, opened, *texts); !made)
                           return made.error();
                         return opened;
                       }});
  }

 private:
  [[nodiscard]] std::string device_option() const {
    return target_.device == "cuda" ? fmt::format("cuda:{}", target_.device_index) : "cpu";
  }

  // --- tasks ---

  Result<const Task*> task_of(const Order& order) {
    return order.reference.empty() ? task_named(order.task) : task_like(order.reference);
  }

  Result<const Task*> task_named(const std::string& id) {
    const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const TaskEntry& one) { return one.id == id; });
    if (entry != entries_.end()) return load(*entry);
    std::vector<std::string> known;
    for (const TaskEntry& one : entries_) known.push_back(one.id);
    const auto guess = nearest(id.substr(0, 100), known);
    return Error{ErrorCode::kNotFound, fmt::format("there is no task {}", clean_name(id, 100)),
                 guess ? fmt::format("did you mean {}?", *guess) : "list_tasks shows all of them"};
  }

  // The task whose module has this text.
  Result<const Task*> task_like(const std::string& reference) {
    if (by_text_.empty()) {
      for (const TaskEntry& entry : entries_) {
        auto source = entry.file;
        const auto text = read_bounded_file(source.replace_extension(".py"), kMostSourceBytes);
        if (text) by_text_.emplace(sha256(trimmed(*text)), entry.id);
      }
    }
    const auto found = by_text_.find(sha256(trimmed(reference)));
    if (found != by_text_.end()) return task_named(found->second);
    return Error{ErrorCode::kNotFound, "no task of this server has that reference",
                 "`kbench import` makes a task of it; start the server with --suite"};
  }

  Result<const Task*> load(const TaskEntry& entry) {
    const auto known = tasks_.find(entry.id);
    if (known != tasks_.end()) return &known->second;
    auto task = load_task_in(working_type(judging_.precision), entry.file);
    if (!task) return task.error();
    return &tasks_.emplace(entry.id, std::move(*task)).first->second;
  }

  Result<std::string> size_for(const Task& task, const std::string& asked) const {
    if (!asked.empty() && task.find_size(asked) == nullptr)
      return Error{ErrorCode::kUsage,
                   fmt::format("{} has no size {}", task.id, clean_name(asked, 40)),
                   fmt::format("it has {}", task.sizes.front().name)};
    if (!asked.empty()) return asked;
    // The order's size; a run takes the only one that there is, too.
    return task.find_size(target_.size) != nullptr ? target_.size : task.sizes.front().name;
  }

  // A task for an episode that names no problem: one of those that count in a score.
  [[nodiscard]] std::string any_task() const {
    std::vector<std::string> ids;
    for (const TaskEntry& one : entries_)
      if (one.problem.empty() && one.unranked.empty()) ids.push_back(one.id);
    if (ids.empty()) return "";
    return ids[std::uniform_int_distribution<std::size_t>(0, ids.size() - 1)(random_)];
  }

  Result<TaskPrompt> prompt_of(const std::string& task, const std::string& size) const {
    PromptRequest request;
    if (!size.empty()) request.size = size;
    request.device = device_option();
    request.precision = judging_.precision;
    return prompt_of_task(judging_.place.suite, {}, task, request, installation_);
  }

  // --- orders ---

  // The order's submission, found as a run finds it.
  Result<Submission> submission_of(const Order& order, const KernelTree& tree,
                                   const std::string& task) const {
    auto scratch = ScratchFolder::make("kbench-order");
    if (!scratch) return scratch.error();
    if (auto added = add_submission(scratch->path(), tree, task, order.agent, variant_of(tree));
        !added)
      return added.error();
    auto found = find_submissions(scratch->path());
    if (!found) return found.error();
    if (!found->submissions.empty()) {
      const Submission& submission = found->submissions.front();
      if (submission.is_for(target_.device)) return submission;
      return Error{ErrorCode::kSubmission,
                   fmt::format("the files are for {}, and this server judges on {}",
                               submission.device, target_.device),
                   target_.device == "cuda" ? "CUDA kernels stand in .cu files"
                                            : "kernels for a CPU stand in .cpp files"};
    }
    if (found->problems.empty())
      return Error{ErrorCode::kSubmission, "the files are no submission",
                   "send a .cpp, .cu or .py file"};
    // The path is cut off: clients need not know where the files lie here.
    Error error = found->problems.front().error;
    error.code = ErrorCode::kSubmission;
    const std::size_t path = error.message.find(": ");
    if (path != std::string::npos) error.message.erase(0, path + 2);
    error.message = without_places(std::move(error.message), scratch->path());
    return error;
  }

  // True for a row that need not be measured again.
  [[nodiscard]] bool counts(const Evaluation& row, const ChainFinding& chain) const {
    if (fault_of(row.state) == Fault::kInfrastructure) return false;
    // "The same key" means on this machine, and as it was stored here.
    return chain.state == ChainFinding::State::kHolds ||
           (!chained_ && chain.state == ChainFinding::State::kUnchained);
  }

  // Tells of the orders that a judge of the pool has answered. Returns the others.
  Result<std::vector<QueuedOrder>> tell_answered(std::span<const QueuedOrder> orders,
                                                 const Listener& listener) {
    std::vector<QueuedOrder> open;
    for (const QueuedOrder& one : orders) {
      const auto there = pool_ ? pool_->bring(one.id) : Result<bool>(false);
      if (!there) return there.error();
      if (*there)
        listener.told(one.id, std::nullopt);
      else
        open.push_back(one);
    }
    return open;
  }

  // Whether the row answers its key. Of a slower one the winner's is brought; if it cannot be, the
  // order is tried again.
  bool answers(const Evaluation& row) {
    if (!pool_ || !is_again(row)) return true;
    const auto there = pool_->bring(row.key);
    return there && *there;
  }

  // Measures all orders as one run.
  Status measure(std::span<const QueuedOrder> orders, const Listener& listener) {
    auto scratch = ScratchFolder::make("kbench-serve");
    if (!scratch) return scratch.error();
    RunRequest run;
    run.suite = judging_.place.suite;
    run.size = orders.front().order.size;
    if (!judging_.devices) run.device = device_option();
    run.submissions = scratch->path();
    run.repeat_busy = true;
    run.precision = judging_.precision;
    run.allow_torch = judging_.allow_torch;
    run.vendor = judging_.vendor;
    std::set<std::string> tasks;
    for (const QueuedOrder& one : orders) {
      const auto tree = kernel_tree_of(one.order.files);
      if (!tree) return tree.error();
      if (auto added = add_submission(scratch->path(), *tree, one.order.task, one.order.agent,
                                      variant_of(*tree));
          !added)
        return added;
      tasks.insert(one.order.task);
    }
    run.tasks.assign(tasks.begin(), tasks.end());
    RunTerms terms{.database = judging_.database,
                   .command_line = "kbench serve",
                   .devices = judging_.devices,
                   .stop = [this] { return stopping_.load(); },
                   .waits = listener.waits};
    if (pool_) {
      terms.exchange = pool_->exchange();
      run.group = pool_->group();
    }
    TellingSink sink(judging_.sink, listener,
                     [this](const Evaluation& row) { return answers(row); });
    const auto outcome = RunSession(judging_.place.benches, std::move(run), terms, sink).run();
    if (!outcome) return outcome.error();
    if (stopping_ || outcome->is_complete()) return Done{};
    return Error{ErrorCode::kInfrastructure, summarize(*outcome, terms), ""};
  }

  // Answers orders that are not stored, one at a time; their results are not kept.
  Status answer_each(std::span<const QueuedOrder> orders, const Listener& listener) {
    for (const QueuedOrder& one : orders) {
      if (stopping_) return Done{};
      const auto tree = kernel_tree_of(one.order.files);
      if (!tree) return tree.error();
      const WorkspaceTask task{one.order.task, one.order.size, target_.device, judging_.precision};
      const auto staged = stage_tree(*tree, task, "workspace");
      if (!staged) return staged.error();
      Json result = answer_one({*staged, task, judging_.place}, one.order.what, listener);
      result["tree"] = tree->hash;
      listener.told(one.id, Json::parse(fit(std::move(result))));
    }
    return Done{};
  }

  Json answer_one(const KernelRequest& request, const std::string& what, const Listener& listener) {
    if (what == "compile") return compile_kernels(request).result;
    if (const auto component = component_of_tool(what); !component.empty())
      return spoken_kernels(component, request, listener.waits).result;
    if (what == "profile")
      return profile_kernels(request, judging_.quiet.progress(), listener.waits).result;
    const auto run = run_kernels(request,
                                 {.database = std::nullopt,
                                  .command_line = "kbench serve",
                                  .stop = [this] { return stopping_.load(); },
                                  .allow_torch = judging_.allow_torch,
                                  .waits = listener.waits},
                                 judging_.quiet);
    if (!run) return error_result(run.error());
    if (!run->row) return error_result({ErrorCode::kInfrastructure, run->summary(), ""});
    return verify_result(*run->row);
  }

  const ServeJudging judging_;
  const Installation& installation_;
  const Target target_;
  const std::size_t lanes_;
  const std::vector<TaskEntry> entries_;
  mutable std::mt19937_64 random_{std::random_device{}()};
  const Toolchain toolchain_;
  const Store store_;
  const bool chained_;
  std::optional<JudgePool> pool_;  // judges that share its rows
  const ServedDevice device_;
  AgentTools tools_;
  std::map<std::string, Task> tasks_;           // tasks asked for, by id
  std::map<std::string, std::string> by_text_;  // ids, by the hash of their modules
  std::atomic<bool> stopping_ = false;
};

// The devices that measure at once; one where the machine decides.
Result<std::size_t> lanes_of(const std::optional<std::string>& devices, const Target& target) {
  if (!devices) return std::size_t{1};
  Plan plan;
  plan.target = target;
  const auto gpus = target.device == "cuda" ? probe_gpus() : std::vector<GpuInfo>();
  if (auto taken = take_devices(*devices, gpus, plan); !taken) return taken.error();
  return std::max<std::size_t>(plan.devices.size(), 1);
}

// Precision, size and use of torch are parts of a row's key, so judges of a pool may differ there.
Result<JudgePool> join_pool(const ServeJudging& judging, const Target& target,
                            std::optional<ChainKey> key) {
  const Installation& installation = judging.place.device.installation();
  Json terms =
      terms_of_judges(installation, target, judging.place.device.toolchain(), judging.vendor);
  return JudgePool::join({.state = installation.state,
                          .exchange = *judging.exchange,
                          .group = judging.group,
                          .database = judging.database,
                          .key = std::move(key),
                          .terms = std::move(terms)});
}

Status check_oracle(const Target& target, const Installation& installation) {
  const fs::path& oracle = target.device == "cuda" ? installation.oracle_cuda : installation.oracle;
  std::error_code unknown;
  if (fs::exists(oracle, unknown)) return Done{};
  return Error{ErrorCode::kInfrastructure,
               fmt::format("there is no {} to measure with", oracle.filename().string()),
               how_to_mend(installation)};
}

}  // namespace

Result<std::unique_ptr<ServingJudge>> make_serve_judge(ServeJudging judging) {
  const Installation& installation = judging.place.device.installation();
  if (installation.state.empty())
    return Error{ErrorCode::kInfrastructure, "there is no place for the queue",
                 "set HOME or XDG_STATE_HOME, which it lies below"};
  RunRequest run;
  run.device = judging.devices ? named_device(*judging.devices) : judging.device;
  run.size = judging.size;
  auto target = choose_target(run, installation);
  if (!target) return target.error();
  const auto lanes = lanes_of(judging.devices, *target);
  if (!lanes) return lanes.error();
  if (auto there = check_oracle(*target, installation); !there) return there.error();
  auto entries = tasks_of_suite(judging.place.suite, installation);
  if (!entries) return entries.error();
  // Makes the file, or brings it up to date: what reads it later does neither.
  if (auto made = Store::open(judging.database, Store::Mode::kReadWrite); !made)
    return made.error();
  auto store = Store::open(judging.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  auto key = keep_chain_key(installation.state);
  const bool chained = key.ok();
  if (key) store->use(*key);
  judging.place.device.prepare();
  std::optional<JudgePool> pool;
  if (judging.exchange) {
    auto joined = join_pool(judging, *target, key ? std::optional(*key) : std::nullopt);
    if (!joined) return joined.error();
    pool.emplace(std::move(*joined));
  }
  return std::unique_ptr<ServingJudge>(std::make_unique<StoreJudge>(
      std::move(judging), std::move(*target), *lanes, std::move(*entries), std::move(*store),
      chained, std::move(pool)));
}

}  // namespace kbench
