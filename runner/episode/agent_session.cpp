#include "runner/episode/agent_session.hpp"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/agent/chat.hpp"
#include "runner/agent/driver.hpp"
#include "runner/core/bounded_json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/text_in.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/episode/agent_talk.hpp"
#include "runner/episode/chosen_feedback.hpp"
#include "runner/episode/kept_words.hpp"
#include "runner/feedback/component.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostTexts = 64u << 20;  // bytes of an episode that goes on
constexpr std::size_t kShownOfAnId = 8;

template <class T>
void take(const Json& json, const char* name, T& value) {
  if (json.is_object() && json.contains(name) && json.at(name).is_number())
    value = json.at(name).get<T>();
}

template <class T>
void take(const Json& json, const char* name, std::optional<T>& value) {
  if (json.is_object() && json.contains(name) && json.at(name).is_number())
    value = json.at(name).get<T>();
}

Json recorded_object(const std::string& text) {
  const auto json = parse_bounded_json(text);
  return json && json->is_object() ? *json : Json::object();
}

std::string kernel_path(const WorkspaceTask& task) {
  return task.device == "cuda" ? "kernels/main.cu" : "kernels/main.cpp";
}

Error out_of_turn() {
  return {ErrorCode::kInfrastructure, "kbench-agent said what makes no sense here",
          "this is a bug in kbench; please report it"};
}

}  // namespace

Json to_json(const EpisodeBudget& budget) {
  return {{"turns", budget.turns},
          {"tokens", budget.tokens},
          {"evaluations", budget.evaluations},
          {"seconds", budget.seconds},
          {"window", budget.window}};
}

EpisodeBudget budget_from_json(const std::string& text) {
  const Json json = recorded_object(text);
  EpisodeBudget budget;
  take(json, "turns", budget.turns);
  take(json, "tokens", budget.tokens);
  take(json, "evaluations", budget.evaluations);
  take(json, "seconds", budget.seconds);
  take(json, "window", budget.window);
  return budget;
}

Json to_json(const EpisodeSampling& sampling) {
  Json json = {{"style", to_string(sampling.style)}};
  if (sampling.temperature) json["temperature"] = *sampling.temperature;
  if (sampling.max_tokens) json["max_tokens"] = *sampling.max_tokens;
  if (sampling.feedback) json["feedback"] = *sampling.feedback;
  if (sampling.plan) json["plan"] = true;
  return json;
}

EpisodeSampling sampling_from_json(const std::string& text) {
  const Json json = recorded_object(text);
  EpisodeSampling sampling;
  if (json.value("style", Json()) == std::string(to_string(AgentStyle::kRefine)))
    sampling.style = AgentStyle::kRefine;
  take(json, "temperature", sampling.temperature);
  take(json, "max_tokens", sampling.max_tokens);
  sampling.plan = json.value("plan", Json()) == true;
  const Json feedback = json.value("feedback", Json());
  if (!feedback.is_array()) return sampling;
  sampling.feedback.emplace();
  for (const Json& name : feedback)
    if (name.is_string()) sampling.feedback->push_back(name.get<std::string>());
  return sampling;
}

EpisodeSession::EpisodeSession(AgentSurroundings& around, Episode episode,
                               const WorkspaceTexts& texts)
    : around_(around),
      episode_(std::move(episode)),
      texts_(texts),
      budget_(budget_from_json(episode_.budget)),
      sampling_(sampling_from_json(episode_.sampling)),
      begun_(Clock::now()) {}

Status EpisodeSession::run() {
  if (auto ready = prepare(); !ready) return ready;
  auto next = finish_last_turn();
  if (next && *next == Next::kGoOn) next = talk();
  return next ? Status(Done{}) : Status(next.error());
}

// --- where it was ---

Status EpisodeSession::prepare() {
  auto scratch = ScratchFolder::make("kbench-episode");
  if (!scratch) return scratch.error();
  scratch_ = std::move(*scratch);
  const WorkspaceTask task{episode_.task, episode_.size, episode_.device, around_.precision};
  const std::filesystem::path folder = scratch_.path() / "workspace";
  if (auto made = make_workspace(folder, task, texts_); !made) return made;
  const std::set<std::string> texts = texts_of(episode_);
  const std::vector<std::string> hashes(texts.begin(), texts.end());
  auto contents =
      around_.store.with([&](const Store& store) { return store.contents(hashes, kMostTexts); });
  if (!contents) return contents.error();
  contents_ = std::move(*contents);
  tools_.emplace(
      EpisodeTools::Setting{.folder = folder,
                            .task = task,
                            .handle = episode_.id,
                            .evaluations = budget_.evaluations,
                            .text = [this](const std::string& hash) { return text_of(hash); }},
      around_.judge);
  return repeat_calls();
}

// The kernels become what they were: files are all that a workspace has.
Status EpisodeSession::repeat_calls() {
  for (const Turn& turn : episode_.turns) {
    seconds_before_ += static_cast<double>(turn.wall_ms) / 1000;
    for (const ToolCall& call : turn.calls) {
      seconds_before_ += static_cast<double>(call.wall_ms) / 1000;
      if (call.tool == "submit") ++submissions_;
      tools_->repeat(call, text_of(call.arguments).value_or(""));
      if (tools_->tree() != call.tree_after)
        return Error{ErrorCode::kInfrastructure,
                     fmt::format("the kernels of episode {} cannot be made again",
                                 episode_.id.substr(0, kShownOfAnId)),
                     "start a new one: leave --resume out"};
    }
  }
  return Done{};
}

Result<EpisodeSession::Next> EpisodeSession::finish_last_turn() {
  if (episode_.turns.empty()) return Next::kGoOn;
  const auto reply = parse_bounded_json(text_of(episode_.turns.back().reply).value_or(""));
  if (!reply) return Error{ErrorCode::kBadInput, "the last reply of the episode is damaged", ""};
  // The calls as they were handed over: what is answered is stored, and of the others the reply
  // tells.
  AgentHello asked;
  asked.style = sampling_.style;
  asked.kernel_path = kernel_path({episode_.task, episode_.size, episode_.device});
  asked.workspace = episode_.id;
  const bool plans = is_of_planner(episode_.turns.size() - 1);
  const auto answered =
      answer_calls(plans ? std::vector<ReportedCall>() : reported_calls(asked, *reply));
  if (!answered) return answered.error();
  if (!*answered) return Next::kOver;
  const bool asks_nothing =
      sampling_.style == AgentStyle::kReact && episode_.turns.back().calls.empty();
  if (const auto reason = reason_to_stop()) return end(*reason, "");
  if (asks_nothing) return end(StopReason::kAnswered, "the model called no tool");
  return Next::kGoOn;
}

// --- the conversation ---

Result<EpisodeSession::Next> EpisodeSession::talk() {
  auto greeting = hello();
  if (!greeting) return around_.stop() ? Result<Next>(Next::kOver) : greeting.error();
  auto agent = around_.start_agent();
  if (!agent) return agent.error();
  if (auto sent = agent->channel.send(to_json(*greeting)); !sent) return sent.error();
  for (;;) {
    const auto heard = hear_agent(
        *agent, around_.endpoint, [this] { return around_.stop() || out_of_time(); },
        [this](const std::string& text) {
          endpoint_failure_ = text;
          note(text);
        });
    if (!heard) return heard.error();
    if (!heard->gone.empty())
      return end(StopReason::kInfrastructure, "kbench-agent ended: " + heard->gone);
    if (!heard->message) return around_.stop() ? Result<Next>(Next::kOver) : end_in_time();
    const auto next = hear(*agent, *heard->message);
    if (!next || *next == Next::kOver) return next;
  }
}

Result<EpisodeSession::Next> EpisodeSession::hear(AgentProcess& agent, const Json& message) {
  if (text_in(message, "type") == "turn") return take_turn(agent, message);
  const std::string reason = text_in(message, "reason");
  const std::string text = text_in(message, "text");
  if (reason == "answered") return end(StopReason::kAnswered, text);
  if (reason == "window") return end(StopReason::kWindow, text);
  return end(StopReason::kEndpoint, text);
}

Result<EpisodeSession::Next> EpisodeSession::take_turn(AgentProcess& agent, const Json& message) {
  auto report = turn_report_from_json(message);
  if (!report) return report.error();
  endpoint_failure_.clear();
  // A plan may hold what looks like a kernel.
  if (is_of_planner(episode_.turns.size())) report->calls.clear();
  Turn turn;
  turn.continues = report->continues && !episode_.turns.empty();
  if (turn.continues != report->continues) return out_of_turn();
  std::vector<Blob> blobs;
  const auto store_text = [&](const std::string& text) {
    blobs.push_back(pack(text));
    return keep(text);
  };
  for (const std::string& text : report->messages) turn.messages.push_back(store_text(text));
  if (sampling_.style == AgentStyle::kReact) turn.tools = store_text(message_text(offered_tools()));
  turn.reply = store_text(report->reply);
  turn.finish_reason = clean_name(report->finish_reason, 64);
  turn.prompt_tokens = report->prompt_tokens;
  turn.completion_tokens = report->completion_tokens;
  turn.compacted = static_cast<int>(report->compacted);
  turn.wall_ms = report->wall_ms;
  for (const ReportedCall& call : report->calls)
    turn.invalid_calls += is_invalid(check_call(call.tool, call.arguments).error) ? 1 : 0;
  const auto position = static_cast<int>(episode_.turns.size());
  const Status stored = around_.store.with(
      [&](Store& store) { return store.add_turn(episode_.id, position, turn, blobs); });
  if (!stored) return stored.error();
  episode_.turns.push_back(std::move(turn));
  const auto answered = answer_calls(report->calls);
  if (!answered) return answered.error();
  if (!*answered) return Next::kOver;
  const auto reason = reason_to_stop();
  TurnAnswer answer{results_of_last_turn(), reason.has_value()};
  if (!reason) {
    auto next = next_message();
    if (!next) return around_.stop() ? Result<Next>(Next::kOver) : next.error();
    answer.next = std::move(*next);
  }
  if (auto sent = agent.channel.send(to_json(answer)); !sent && !reason) return sent.error();
  return reason ? end(*reason, "") : Result<Next>(Next::kGoOn);
}

Result<bool> EpisodeSession::answer_calls(const std::vector<ReportedCall>& calls) {
  std::vector<std::string> names;
  for (std::size_t i = episode_.turns.back().calls.size(); i < calls.size(); ++i) {
    bool interrupted = around_.stop();
    if (!interrupted)
      if (auto answered = answer_call(i, calls[i], interrupted); !answered) return answered.error();
    if (interrupted) return false;
    names.push_back(clean_name(calls[i].tool, 40));
  }
  note(fmt::format("turn {}{}{}", episode_.turns.size(), names.empty() ? "" : ": ",
                   fmt::join(names, ", ")));
  return true;
}

Status EpisodeSession::answer_call(std::size_t position, const ReportedCall& call,
                                   bool& interrupted) {
  ToolCall made;
  made.tool = call.tool;
  made.tree_before = tools_->tree();
  const auto begin = Clock::now();
  EpisodeTools::Answer answer = tools_->use(call.tool, call.arguments, variant());
  interrupted = answer.interrupted;
  if (interrupted) return Done{};
  if (call.tool == "submit") ++submissions_;
  made.wall_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
  made.tree_after = tools_->tree();
  made.error = answer.error;
  made.evaluation = std::move(answer.evaluation);
  const std::vector<Blob> blobs = {pack(call.arguments), pack(answer.result)};
  made.arguments = keep(call.arguments);
  made.result = keep(answer.result);
  const auto turn = static_cast<int>(episode_.turns.size()) - 1;
  const Status stored = around_.store.with([&](Store& store) {
    return store.add_call(episode_.id, turn, static_cast<int>(position), made, blobs);
  });
  if (stored) episode_.turns.back().calls.push_back(std::move(made));
  return stored;
}

// --- the end ---

std::optional<StopReason> EpisodeSession::reason_to_stop() const {
  const std::vector<ToolCall>& calls = episode_.turns.back().calls;
  std::int64_t tokens = 0;
  for (const Turn& turn : episode_.turns)
    tokens += turn.prompt_tokens.value_or(0) + turn.completion_tokens.value_or(0);
  const bool last = budget_.turns > 0 && coder_turns() >= budget_.turns;
  bool judged = false;
  for (const ToolCall& call : calls) {
    if (call.error == CallError::kInfrastructure) return StopReason::kInfrastructure;
    judged = judged || !call.evaluation.empty();
  }
  // An agent without tools submits each time, and may do so as often as there are turns.
  if (judged && (sampling_.style == AgentStyle::kReact || last)) return StopReason::kSubmit;
  for (const ToolCall& call : calls)
    if (call.error == CallError::kOverBudget) return StopReason::kEvaluations;
  if (last) return StopReason::kTurns;
  if (budget_.tokens > 0 && tokens >= budget_.tokens) return StopReason::kTokens;
  if (out_of_time()) return StopReason::kSeconds;
  return std::nullopt;
}

// A model answers for the time that it takes. The time between an endpoint's failure and its next
// answer is the endpoint's.
Result<EpisodeSession::Next> EpisodeSession::end_in_time() {
  if (endpoint_failure_.empty()) return end(StopReason::kSeconds, "");
  return end(StopReason::kEndpoint, "no seconds are left; " + endpoint_failure_);
}

Result<EpisodeSession::Next> EpisodeSession::end(StopReason reason, const std::string& text) {
  const Status stored = around_.store.with(
      [&](Store& store) { return store.finish_episode(episode_.id, utc_now(), reason); });
  if (!stored) return stored.error();
  note(fmt::format("ended by {}{}{}", to_string(reason), text.empty() ? "" : ": ", text));
  return Next::kOver;
}

// --- parts ---

Result<AgentHello> EpisodeSession::hello() {
  AgentHello greeting = hello_to(around_.endpoint, around_.key);
  greeting.settings = {{"model", episode_.model}, {"seed", episode_.seed}, {"stream", false}};
  if (sampling_.temperature) greeting.settings["temperature"] = *sampling_.temperature;
  if (sampling_.max_tokens) greeting.settings["max_tokens"] = *sampling_.max_tokens;
  greeting.style = sampling_.style;
  greeting.tools = sampling_.style == AgentStyle::kReact ? offered_tools() : Json::array();
  greeting.kernel_path = kernel_path({episode_.task, episode_.size, episode_.device});
  greeting.workspace = episode_.id;
  greeting.window = budget_.window;
  greeting.timeout_s = around_.timeout.count();
  greeting.prompt = opening();
  greeting.opening = greeting.prompt.size();
  greeting.turns = static_cast<int>(episode_.turns.size());
  if (episode_.turns.empty()) return greeting;
  greeting.opening = episode_.turns.front().messages.size();
  greeting.prompt = Json::array();
  std::vector<std::string> hashes = prompt_of(episode_, episode_.turns.size() - 1);
  hashes.push_back(episode_.turns.back().reply);
  for (const std::string& hash : hashes) {
    auto json = parse_bounded_json(text_of(hash).value_or(""));
    if (!json || !json->is_object())
      return Error{ErrorCode::kBadInput, "a message of the episode is damaged",
                   "`kbench db check` says more"};
    greeting.prompt.push_back(std::move(*json));
  }
  auto next = next_message();
  if (!next) return next.error();
  greeting.last = AnsweredTurn{greeting.prompt.back(), results_of_last_turn(), std::move(*next),
                               is_of_planner(episode_.turns.size() - 1)};
  greeting.prompt.erase(greeting.prompt.size() - 1);
  const Turn& turn = episode_.turns.back();
  if (turn.prompt_tokens && turn.completion_tokens)
    greeting.tokens = *turn.prompt_tokens + *turn.completion_tokens;
  return greeting;
}

bool EpisodeSession::is_of_planner(std::size_t turn) const {
  return sampling_.plan && is_planner_turn(episode_, turn);
}

// The planner's turns are no tries.
int EpisodeSession::coder_turns() const {
  int count = 0;
  for (std::size_t t = 0; t < episode_.turns.size(); ++t) count += is_of_planner(t) ? 0 : 1;
  return count;
}

Result<std::optional<NextMessage>> EpisodeSession::next_message() {
  using Follows = std::optional<NextMessage>;
  if (!sampling_.feedback) return Follows();
  const std::size_t last = episode_.turns.size() - 1;
  const bool planned = is_of_planner(last);
  const Turn& judged = episode_.turns[planned ? last - 1 : last];
  if (judged.calls.empty()) return Follows();
  if (!around_.injection)
    return Error{ErrorCode::kInfrastructure, "the template of injections is not there",
                 "this is a bug in kbench; please report it"};
  const auto reports = reports_of(judged);
  if (!reports) return reports.error();
  std::string plan;
  if (planned) {
    const auto reply = parse_bounded_json(text_of(episode_.turns[last].reply).value_or(""));
    if (!reply) return Error{ErrorCode::kBadInput, "a plan of the episode is damaged", ""};
    plan = text_in(*reply, "content");
  }
  auto message = sampling_.plan && !planned ? planner_question(*around_.injection, *reports)
                                            : coder_feedback(*around_.injection, *reports, plan);
  if (!message) return message.error();
  return Follows(std::move(*message));
}

Result<Reports> EpisodeSession::reports_of(const Turn& turn) {
  const ToolCall& judged = turn.calls.back();
  if (judged.evaluation.empty())
    return reports_of_refusal(*sampling_.feedback, text_of(judged.result).value_or(""));
  const auto rows =
      around_.store.with([&](const Store& store) { return store.read_key(judged.evaluation); });
  if (!rows) return rows.error();
  for (const Evaluation& row : rows->evaluations)
    if (row.run_id == episode_.run_id)
      return chosen_reports(*sampling_.feedback, row,
                            [&](const std::string& component) { return words_of(component, row); });
  return Error{ErrorCode::kInfrastructure, "the row of a kernel is not there", ""};
}

// A planner and the coder behind it are told the same, also where a kill came between.
Result<std::string> EpisodeSession::words_of(const std::string& component, const Evaluation& row) {
  const std::pair about(component, tools_->tree());
  if (const auto said = spoken_.find(about); said != spoken_.end()) return said->second;
  const auto known = find_component(component);
  if (!known) return known.error();
  KeptWords kept(around_.store, episode_.id, row);
  auto before = kept.find(*known);
  if (!before) return before.error();
  if (*before) return spoken_[about] = std::move(**before);
  const KernelVerdict verdict = tools_->report(component);
  const Json report = verdict.result.value("report", Json());
  if (verdict.interrupted || !report.is_object())
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{} said nothing: {}", component, text_in(verdict.result, "message")),
                 "leave it out of --feedback"};
  std::string words = text_in(report, "text");
  // A component that ended by a limit or a signal may answer another time.
  if (text_in(report, "status") == "answered")
    if (auto stored = kept.keep(*known, words); !stored) return stored.error();
  return spoken_[about] = std::move(words);
}

Json EpisodeSession::opening() const {
  std::string system;
  if (sampling_.style == AgentStyle::kReact) {
    system = fmt::format(
        "You write a kernel for the task below, with tools. Your workspace is open; its handle is "
        "{}. Read SKILL.md in it first. Write the kernel below kernels/ (as {}), compile it, "
        "verify "
        "it, and make it faster. submit measures it in full and ends the work: call it once, when "
        "you are done. You have at most {} turns",
        episode_.id, kernel_path({episode_.task, episode_.size, episode_.device}), budget_.turns);
    system += budget_.evaluations > 0
                  ? fmt::format(" and {} calls of verify and submit.", budget_.evaluations)
                  : ".";
  } else {
    system = fmt::format(
        "You write a kernel for the task below. Answer with the whole source of {} in one fence "
        "(```), and nothing behind it. It is judged, you are told what became of it, and may "
        "answer "
        "again, {} times in all.",
        kernel_path({episode_.task, episode_.size, episode_.device}), budget_.turns);
  }
  return Json::array({{{"role", "system"}, {"content", system}}, user_message(texts_.task_md)});
}

std::vector<std::string> EpisodeSession::results_of_last_turn() const {
  std::vector<std::string> results;
  for (const ToolCall& call : episode_.turns.back().calls)
    results.push_back(text_of(call.result).value_or(""));
  return results;
}

std::optional<std::string> EpisodeSession::text_of(const std::string& hash) const {
  const auto found = contents_.find(hash);
  return found == contents_.end() ? std::nullopt : std::optional(found->second);
}

// Tells the submissions of one model for one task apart, and finds the row of one that was stored
// just before a kill.
std::string EpisodeSession::variant() const {
  return fmt::format("{}-{}", episode_.id.substr(0, kShownOfAnId), submissions_ + 1);
}

double EpisodeSession::seconds_used() const {
  return seconds_before_ + std::chrono::duration<double>(Clock::now() - begun_).count();
}

bool EpisodeSession::out_of_time() const {
  return budget_.seconds > 0 && seconds_used() >= budget_.seconds;
}

std::string EpisodeSession::keep(const std::string& text) {
  std::string hash = sha256(text);
  contents_.emplace(hash, text);
  return hash;
}

void EpisodeSession::note(const std::string& text) const {
  around_.note(
      fmt::format("episode {} ({}): {}", episode_.id.substr(0, kShownOfAnId), episode_.task, text));
}

}  // namespace kbench
