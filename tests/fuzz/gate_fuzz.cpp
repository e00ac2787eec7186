// A request from anybody who knows a token, to what decides in the gate. The target plays the
// network (as server.cpp takes a request apart, more or less; Boost's own parser is gate_soak.py's
// matter), the supervisor, whose answers are in order, and the clock. Beyond crashes, a finding is
// a request that is answered twice or never, by a status that there is none of or "our fault", or
// by what is no JSON.
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/gate/desk.hpp"
#include "runner/serve/client_limits.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using kbench::Desk;
using kbench::HttpRequest;
using kbench::HttpResponse;
using kbench::Json;

constexpr int kOurFault = 500;

void require(bool holds) {
  if (!holds) std::abort();
}

// Takes the text before `mark`, and `mark` as well; all that is left where there is none.
std::string_view take(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + mark.size());
  return taken;
}

HttpRequest request_of(std::string_view text) {
  HttpRequest request;
  std::string_view head = take(text, "\r\n\r\n");
  std::string_view first = take(head, "\r\n");
  request.method = take(first, " ");
  request.target = take(first, " ");
  while (!head.empty()) {
    std::string_view line = take(head, "\r\n");
    std::string name(take(line, ": "));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    request.headers[name] = line;
  }
  request.body = text;
  return request;
}

// The supervisor, in turn: it has the row, it has it later, the client or kbench is at fault.
class Supervisor {
 public:
  void hear(const Json& message) { asked_.push_back(message); }

  // Answers until there is nothing left to answer.
  void answer_all(Desk& desk) {
    for (; answered_ < asked_.size(); ++answered_) answer(desk, Json(asked_[answered_]), answered_);
  }

 private:
  static Json row() {
    return {{"state", "wrong_result"},
            {"fault", "submission"},
            {"correct", false},
            {"message", "it differs"},
            {"hint", nullptr},
            {"max_error", 0.5},
            {"device_name", "a CPU"},
            {"time_ns", nullptr},
            {"speedup", nullptr},
            {"reward", {{"name", "kernrl"}, {"value", -0.25}, {"reason", nullptr}}}};
  }

  static void answer(Desk& desk, const Json& question, std::size_t turn) {
    const std::string id(64, static_cast<char>('1' + turn % 9));
    const auto say = [&](int status, const Json& body) {
      desk.hear({{"answer", question.at("ask")}, {"status", status}, {"body", body}});
    };
    const std::string what = question.at("what");
    if (what == "task")
      return say(200, {{"result",
                        {{"task", "level1/019_relu"},
                         {"size", "small"},
                         {"device", "cpu"},
                         {"device_name", "a CPU"},
                         {"prompt", "Write it."},
                         {"reference", "class Model: pass"}}}});
    if (what == "tool" && turn % 2 == 0) return say(200, {{"result", {{"text", "of a file"}}}});
    switch (turn % 4) {
      case 0: return say(200, {{"id", id}, {"run_id", "r"}, {"row", row()}});
      case 1:
        say(202, {{"id", id}, {"state", "queued"}});
        return desk.hear({{"event", "done"}, {"id", id}, {"task", "t"}, {"agent", "ann"}});
      case 2: return say(422, kbench::refusal_json("it is refused", "", "client"));
      default: return say(202, {{"id", id}, {"state", "running"}});
    }
  }

  std::vector<Json> asked_;
  std::size_t answered_ = 0;
};

void check(const HttpResponse& response) {
  require(response.status >= 200 && response.status < 600 && response.status != kOurFault);
  if (response.type == "application/json" && !response.body.empty())
    require(Json::accept(response.body));
}

// As many answers as there were requests; two of one are found when the second comes.
class Answers {
 public:
  kbench::Respond expect() {
    return [once = one_more()](const HttpResponse& response) {
      once();
      check(response);
    };
  }
  Desk::Reply expect_message() {
    return [once = one_more()](const std::optional<std::string>& text) {
      once();
      require(!text || Json::accept(*text));
    };
  }
  [[nodiscard]] bool all() const { return open_ == 0; }

 private:
  std::function<void()> one_more() {
    ++open_;
    return [this, given = std::make_shared<bool>(false)] {
      require(!std::exchange(*given, true));
      --open_;
    };
  }

  int open_ = 0;
};

kbench::GateHello hello() {
  static const std::string kHash = kbench::sha256(std::string(64, 'a'));
  return {.version = "1.2.3",
          .device = "cpu",
          .device_name = "a CPU",
          .names = {},
          .tokens = {{"ann", {true, true, true}, kHash}},
          .openapi = "{}"};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const HttpRequest request = request_of({reinterpret_cast<const char*>(data), size});
  Supervisor supervisor;
  Desk::Clock::time_point now{};
  Answers answers;
  Desk desk(
      hello(), [&](const Json& message) { supervisor.hear(message); }, [&] { return now; });
  auto admission = desk.admit(request);
  if (admission.refused) {
    check(*admission.refused);
    return 0;
  }
  Desk::Socket socket;
  std::string_view messages = request.body;
  switch (admission.visit.kind()) {
    case Desk::Kind::kAnswered: desk.handle(admission.visit, request, answers.expect()); break;
    case Desk::Kind::kWebSocket:
      while (!messages.empty()) {
        desk.hear_socket(admission.visit, socket, std::string(take(messages, "\n")),
                         answers.expect_message());
        supervisor.answer_all(desk);
      }
      break;
    case Desk::Kind::kEvents:
      desk.unlisten(desk.listen(admission.visit, [](const std::string&) {}));
  }
  supervisor.answer_all(desk);
  now += kbench::limits::kMostWait + std::chrono::seconds{1};
  desk.tick();
  supervisor.answer_all(desk);
  require(answers.all() && desk.waiting() == 0);
  return 0;
}
