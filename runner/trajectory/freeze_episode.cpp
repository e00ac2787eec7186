#include "runner/trajectory/freeze_episode.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/text_in.hpp"
#include "runner/trajectory/leak_check.hpp"
#include "runner/trajectory/state_context.hpp"

namespace kbench {
namespace {

constexpr std::size_t kShownOfAnId = 8;

class EpisodeFreezer {
 public:
  explicit EpisodeFreezer(const EpisodeToFreeze& input) : input_(input) {}

  Result<FrozenTexts> freeze() {
    const auto sampling = parse_bounded_json(input_.episode.sampling);
    refine_ = sampling && text_in(*sampling, "style") == "refine";
    chosen_ = refine_ && sampling->contains("feedback");
    for (std::size_t t = 0; t < input_.episode.turns.size(); ++t) {
      const auto judged = judged_call(input_.episode.turns[t]);
      if (!judged) continue;
      if (auto frozen = freeze_turn(t, *judged); !frozen) return frozen.error();
    }
    return std::move(found_);
  }

 private:
  struct Judged {
    const ToolCall& call;
    const Evaluation& row;
  };

  // The last call of the turn that brought a row of a kernel.
  std::optional<Judged> judged_call(const Turn& turn) const {
    for (auto call = turn.calls.rbegin(); call != turn.calls.rend(); ++call) {
      if (call->evaluation.empty()) continue;
      const auto row = input_.rows.find(call->evaluation);
      if (row != input_.rows.end()) return Judged{*call, row->second};
    }
    return std::nullopt;
  }

  Result<std::string> text_of(const std::string& hash) const {
    const auto text = input_.contents.find(hash);
    if (text != input_.contents.end()) return text->second;
    return Error{ErrorCode::kBadInput,
                 fmt::format("episode {}: text {} is missing",
                             input_.episode.id.substr(0, kShownOfAnId), hash.substr(0, 12)),
                 "`kbench db check` says what else is damaged."};
  }

  Status freeze_turn(std::size_t turn, const Judged& judged) {
    if (judged.row.sources.empty() || fault_of(judged.row.state) == Fault::kInfrastructure) {
      found_.left_out.push_back(fmt::format("turn {} of episode {} has no kernel that was judged",
                                            turn + 1, input_.episode.id.substr(0, kShownOfAnId)));
      return Done{};
    }
    const auto said = text_of(judged.call.result);
    const auto kernel = kernel_of(judged.row);
    if (!said || !kernel) return said ? kernel.error() : said.error();
    auto context = refine_ ? refined(turn, *said) : fresh(*kernel);
    if (!context) return context.error();
    add(judged, *context, *said, *kernel);
    return Done{};
  }

  Result<std::string> kernel_of(const Evaluation& row) const {
    std::string kernel;
    for (const TreeFile& file : row.sources) {
      const auto text = text_of(file.hash);
      if (!text) return text.error();
      kernel += *text;
    }
    return kernel;
  }

  Result<ContextMessage> message_of(const std::string& hash) const {
    const auto text = text_of(hash);
    if (!text) return text.error();
    const auto json = parse_bounded_json(*text);
    if (!json) return json.error();
    return ContextMessage{text_in(*json, "role"), text_in(*json, "content"), {}};
  }

  // The prompt that follows on the turn, with the judge's words cut out of its last message.
  Result<StateContext> refined(std::size_t turn, const std::string& said) const {
    const Episode& episode = input_.episode;
    StateContext context;
    const bool has_next = turn + 1 < episode.turns.size();
    std::vector<std::string> prompt = prompt_of(episode, has_next ? turn + 1 : turn);
    if (!has_next) prompt.push_back(episode.turns[turn].reply);
    for (const std::string& hash : prompt) {
      auto message = message_of(hash);
      if (!message) return message.error();
      context.push_back(std::move(*message));
    }
    // Where feedback was chosen the next message holds that, or the question to a planner.
    if (has_next && chosen_) context.pop_back();
    if (!has_next || chosen_) context.push_back({"user", input_.next_message(said), {}});
    ContextMessage& last = context.back();
    const std::size_t at = last.content.find(said);
    if (said.empty() || at == last.content.npos)
      return Error{ErrorCode::kBadInput,
                   fmt::format("episode {}: the prompt after turn {} does not hold what the judge "
                               "said",
                               episode.id.substr(0, kShownOfAnId), turn + 1),
                   ""};
    last.after = last.content.substr(at + said.size());
    last.content.resize(at);
    return context;
  }

  // The task's prompt is the first message of a user.
  Result<StateContext> fresh(const std::string& kernel) {
    for (const std::string& hash : prompt_of(input_.episode, 0)) {
      const auto message = message_of(hash);
      if (!message) return message.error();
      if (message->role == "user") {
        ++found_.fresh;
        return fresh_context(message->content, kernel);
      }
    }
    return Error{ErrorCode::kBadInput, "an episode has no prompt of its task", ""};
  }

  void add(const Judged& judged, const StateContext& context, const std::string& said,
           const std::string& kernel) {
    const Episode& episode = input_.episode;
    FrozenState state = {.task = episode.task,
                         .task_hash = judged.row.task_hash,
                         .size = episode.size,
                         .device = episode.device,
                         .files = judged.row.sources,
                         .context = {}};
    found_.texts.push_back(state_context_text(context));
    state.context = sha256(found_.texts.back());
    const std::size_t leaks = leaks_in(context, judged.row, said, kernel);
    if (leaks > 0) ++found_.leaks;
    Json outcome = {{"stratum", stratum_of(judged.row)},
                    {"state", to_string(judged.row.state)},
                    {"run", episode.run_id},
                    {"evaluation", judged.row.key}};
    if (leaks > 0) outcome["leaks"] = leaks;
    TrajectoryNode node = {.state = state_id(state),
                           .parents = {},
                           .trajectory = episode.id,
                           .generation = generation_++,
                           .origin = "episode",
                           .outcome = outcome.dump()};
    if (!last_.empty()) node.parents = {last_};
    last_ = node_id(node);
    found_.trajectories.states.push_back(std::move(state));
    found_.trajectories.nodes.push_back(std::move(node));
  }

  // The judge's words are what `error` would report.
  std::size_t leaks_in(const StateContext& context, const Evaluation& row, const std::string& said,
                       const std::string& kernel) const {
    std::vector<std::string> reports = {row.message, row.hint};
    const auto json = parse_bounded_json(said);
    reports.push_back(json ? std::string() : said);
    if (json && row.state != State::kOk) {
      const Json answer = json->is_object() ? json->value("row", *json) : *json;
      for (const char* member : {"message", "hint"}) reports.push_back(text_in(answer, member));
    }
    const auto first = prompt_of(input_.episode, 0);
    std::string task;
    for (const std::string& hash : first)
      if (const auto message = message_of(hash)) task += message->content;
    return count_leaks(reports, all_text(context), kernel, task);
  }

  const EpisodeToFreeze& input_;
  FrozenTexts found_;
  bool refine_ = false;
  bool chosen_ = false;  // its feedback is, so that no prompt holds what the judge said
  std::int64_t generation_ = 0;
  std::string last_;
};

}  // namespace

std::string_view stratum_of(const Evaluation& row) {
  switch (row.state) {
    case State::kRefused:
    case State::kCompileError:
    case State::kMissingSymbol:
    case State::kLoadError:
    case State::kImportError: return stratum::kNotBuilt;
    case State::kOk: return row.correct.value_or(false) ? stratum::kCorrect : stratum::kWrong;
    case State::kNoSubmission:
    case State::kSkipped:
    case State::kParametersDiffer:
    case State::kSubmissionError:
    case State::kWrongResult:
    case State::kCrash:
    case State::kTimeout:
    case State::kOverBudget:
    case State::kDoesNotFit:
    case State::kTimingInconsistent:
    case State::kRedzoneViolation:
    case State::kInputModified:
    case State::kDeviceNotIdle:
    case State::kRanWhileStopped:
    case State::kForbiddenLibrary:
    case State::kSuspect:
    case State::kInfrastructureError: return stratum::kWrong;
  }
  return stratum::kWrong;
}

Result<FrozenTexts> freeze_episode(const EpisodeToFreeze& input) {
  return EpisodeFreezer(input).freeze();
}

}  // namespace kbench
