#include "runner/agent/driver.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runner/agent/refine.hpp"
#include "runner/agent/retry.hpp"
#include "runner/core/text_in.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
}

std::string words_of(const HttpAnswer& answer) {
  const std::string words = error_words(answer.body);
  return fmt::format("the endpoint answers with status {}{}{}", answer.status,
                     words.empty() ? "" : ": ", words);
}

}  // namespace

std::vector<ReportedCall> reported_calls(const AgentHello& hello, const Json& message) {
  std::vector<ReportedCall> calls;
  if (hello.style == AgentStyle::kOnce) return calls;
  if (hello.style == AgentStyle::kReact) {
    for (const Json& call : message.value("tool_calls", Json::array())) {
      const Json function = call.value("function", Json());
      calls.push_back({text_in(function, "name"), text_in(function, "arguments")});
    }
    return calls;
  }
  for (const auto& [path, text] : refined_files(text_in(message, "content"), hello.kernel_path)) {
    const Json write = {{"workspace", hello.workspace}, {"path", path}, {"text", text}};
    calls.push_back({"write", message_text(write)});
  }
  if (calls.empty()) return calls;
  const Json submit = {{"workspace", hello.workspace}};
  calls.push_back({"submit", message_text(submit)});
  return calls;
}

AgentDriver::AgentDriver(AgentHello hello, AgentOutside outside)
    : hello_(std::move(hello)),
      outside_(std::move(outside)),
      messages_(hello_.prompt),
      turns_(hello_.turns) {
  if (!hello_.last) return;
  // The driver goes on as if the turn had just been.
  anew_ = false;
  tokens_ = hello_.tokens;
  asks_planner_ = hello_.last->of_planner;
  take(hello_.last->reply, hello_.last->results, hello_.last->next);
}

AgentEnd AgentDriver::run() {
  for (;;) {
    if (!make_fit())
      return {"window", fmt::format("the prompt takes some {} tokens of a window of {}",
                                    compacted_.tokens, hello_.window)};
    const auto begin = Clock::now();
    const auto reply = ask();
    if (!reply) return {"endpoint", reply.error().message};
    const TurnReport report = report_of(*reply, milliseconds_since(begin));
    const auto answer = outside_.hand_over(report);
    if (!answer || answer->stop) return {};
    if (hello_.style == AgentStyle::kReact && reply->calls.empty())
      return {"answered", "the model called no tool"};
    ++turns_;
    anew_ = false;
    tokens_.reset();
    if (reply->prompt_tokens && reply->completion_tokens)
      tokens_ = *reply->prompt_tokens + *reply->completion_tokens;
    take(reply->message, answer->results, answer->next);
  }
}

bool AgentDriver::make_fit() {
  const bool has_recall = hello_.style == AgentStyle::kReact;
  compacted_ = compact(messages_, hello_.opening, told_,
                       {.window = hello_.window, .tokens = tokens_, .counted = told_}, has_recall);
  anew_ = anew_ || compacted_.changed;
  return compacted_.fits;
}

Result<ChatReply> AgentDriver::ask() {
  const std::string body = message_text(chat_request(hello_.settings, messages_, hello_.tools));
  Error last{ErrorCode::kTimeout, "the endpoint was not asked", ""};
  for (int tries = 1;; ++tries) {
    const auto answer = outside_.post(body);
    int status = 0;
    std::optional<std::chrono::seconds> retry_after;
    if (!answer) {
      last = answer.error();
      if (last.code == ErrorCode::kBadInput) return last;
    } else if (answer->status == 200) {
      auto reply = read_chat_reply(answer->body, turns_ + 1);
      if (reply) return reply;
      return reply.error();
    } else {
      status = answer->status;
      retry_after = answer->retry_after;
      last = {ErrorCode::kUsage, words_of(*answer), ""};
      if (status >= 300 && status < 400) last.message += " (redirects are not followed)";
    }
    const auto wait = wait_before_retry(tries, status, retry_after);
    if (!wait) return last;
    outside_.note(fmt::format("{}; try {} of {} in {:.1f} s", last.message, tries + 1, kMostTries,
                              static_cast<double>(wait->count()) / 1000));
    outside_.wait(*wait);
  }
}

TurnReport AgentDriver::report_of(const ChatReply& reply, std::int64_t wall_ms) const {
  TurnReport report;
  report.continues = !anew_;
  const std::size_t first = anew_ ? 0 : told_;
  for (std::size_t i = first; i < messages_.size(); ++i)
    report.messages.push_back(message_text(messages_[i]));
  report.reply = message_text(reply.message);
  report.finish_reason = reply.finish_reason;
  report.prompt_tokens = reply.prompt_tokens;
  report.completion_tokens = reply.completion_tokens;
  report.compacted = compacted_.shortened;
  report.wall_ms = wall_ms;
  if (!asks_planner_) report.calls = reported_calls(hello_, reply.message);
  return report;
}

void AgentDriver::take(const Json& reply, const std::vector<std::string>& results,
                       const std::optional<NextMessage>& next) {
  if (asks_planner_) {
    messages_.erase(messages_.size() - 1);  // the question; the plan is in what is said next
    anew_ = true;
    tokens_.reset();
  } else {
    messages_.push_back(reply);
  }
  told_ = messages_.size();
  asks_planner_ = next && next->to_planner;
  if (hello_.style == AgentStyle::kRefine) {
    messages_.push_back(
        user_message(next ? next->text : refine_feedback(results.empty() ? "" : results.back())));
    return;
  }
  const Json calls = reply.value("tool_calls", Json::array());
  for (std::size_t i = 0; i < calls.size() && i < results.size(); ++i)
    messages_.push_back(tool_message(calls[i].value("id", ""), results[i]));
}

}  // namespace kbench
