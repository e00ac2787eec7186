// Serving from its first look at the address to its end: the Model Context Protocol on standard
// streams, HTTP through a gate, and all that keeps a server from starting.
#include "runner/judge/serving.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <thread>

#include <gmock/gmock.h>

#include "runner/serve/gate_process.hpp"
#include "runner/serve/token.hpp"
#include "tests/fakes/await.hpp"
#include "tests/unit/judge_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class Serving : public JudgeTest {
 protected:
  Serving() {
    benches_.place.oracle = folder_.write("kbench-oracle", "");
    benches_.place.gate = KBENCH_GATE;
    serving_.emplace(benches_.place, SessionTurns::kOne);
    serving_->prepare();
    benches_.script.compiler = serving_->toolchain().host_version;
    benches_.script.nvcc = serving_->toolchain().nvcc_version;
    talk_.note = [this](const std::string& text) { notes_.push_back(text); };
    talk_.announce = [this](const std::string& url) { address_.set_value(url); };
    talk_.abandon = [] {};
    talk_.prepare_device = [] { return Status(Done{}); };
    how_.port = 0;
  }

  ServeJudging judging() {
    return {.place = {std::nullopt, *serving_, benches_},
            .device = "cpu",
            .size = std::nullopt,
            .database = terms_.database,
            .trust = {},
            .sink = kept_,
            .quiet = kept_};
  }
  Error refusal() {
    const auto ended = serve_http(how_, judging(), talk_);
    EXPECT_FALSE(ended.ok());
    return ended ? Error{} : ended.error();
  }

  std::optional<DeviceSession> serving_;
  HttpServing how_;
  ServingTalk talk_;
  std::vector<std::string> notes_;
  std::promise<std::string> address_;
};

// --- over HTTP ---

// A server in a thread of its own, whose signals are its own as well.
class HttpServingTest : public Serving {
 protected:
  void start() {
    thread_ = std::thread([this] { ended_ = serve_http(how_, judging(), talk_); });
    auto address = address_.get_future();
    ASSERT_EQ(address.wait_for(kPatience), std::future_status::ready) << "it is not announced";
    url_ = address.get();
  }
  // Asked to end as by Ctrl-C.
  ServeEnd stop() {
    ::pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
    EXPECT_TRUE(ended_ && ended_->ok());
    return ended_ && *ended_ ? **ended_ : ServeEnd{};
  }
  [[nodiscard]] int port() const { return std::stoi(url_.substr(url_.rfind(':') + 1)); }
  // The whole answer.
  [[nodiscard]] std::string get(const std::string& path, const std::string& token = "") const {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port()));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    const std::string asked =
        "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port()) +
        "\r\nConnection: close\r\n" +
        (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n") + "\r\n";
    EXPECT_EQ(::write(socket, asked.data(), asked.size()), static_cast<ssize_t>(asked.size()));
    std::string answer(65536, '\0');
    std::size_t size = 0;
    for (ssize_t got = 1;
         got > 0 && size<answer.size(); size += got> 0 ? static_cast<std::size_t>(got) : 0)
      got = ::read(socket, answer.data() + size, answer.size() - size);
    ::close(socket);
    answer.resize(size);
    return answer;
  }
  static std::string token_in(const fs::path& file) {
    std::ifstream lines(file);
    std::string token, line;
    while (std::getline(lines, line))
      if (!line.starts_with('#')) token = line.substr(line.rfind(' ') + 1);
    return token;
  }

  std::thread thread_;
  std::optional<Result<ServeEnd>> ended_;
  std::string url_;
};

TEST_F(HttpServingTest, AnswersAtTheAnnouncedAddressWhoHasItsToken) {
  start();
  EXPECT_THAT(url_, StartsWith("http://127.0.0.1:"));
  EXPECT_NE(port(), 0);
  const fs::path tokens = benches_.place.state / "serve/tokens";
  EXPECT_THAT(get("/health"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("/metrics"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(get("/metrics", token_in(tokens)), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("/openapi.json"), HasSubstr("\"openapi\""));
  const ServeEnd end = stop();
  EXPECT_EQ(end.judged, 0u);
  EXPECT_EQ(end.left, 0u);
  EXPECT_THAT(notes_, Contains("tokens: " + tokens.string() + " (new)"));
  EXPECT_THAT(notes_, Contains(StartsWith("judges on ")));
  EXPECT_TRUE(fs::is_directory(benches_.place.state / "serve"));
}

TEST_F(HttpServingTest, TokensThatAreThereAreKept) {
  start();
  stop();
  const std::string before = token_in(benches_.place.state / "serve/tokens");
  address_ = {};
  notes_.clear();
  ended_.reset();
  start();
  stop();
  EXPECT_EQ(token_in(benches_.place.state / "serve/tokens"), before);
  EXPECT_THAT(notes_, Contains("tokens: " + (benches_.place.state / "serve/tokens").string()));
}

// --- what keeps it from starting ---

TEST_F(Serving, AnAddressThatIsTakenIsSaidBeforeAnythingElse) {
  const auto listener = listen_on("127.0.0.1", 0);
  ASSERT_TRUE(listener.ok());
  how_.port = port_of(*listener);
  bool prepared = false;
  talk_.prepare_device = [&] {
    prepared = true;
    return Status(Done{});
  };
  refusal();
  EXPECT_FALSE(prepared);
  EXPECT_FALSE(fs::exists(benches_.place.state / "serve/tokens"));
}

TEST_F(Serving, TokensThatAreNamedMustBeThere) {
  how_.tokens = folder_ / "tokens";
  refusal();
  EXPECT_FALSE(fs::exists(folder_ / "tokens"));
}

TEST_F(Serving, ADeviceThatCannotBePreparedServesNobody) {
  talk_.prepare_device = [] { return Status(Error{ErrorCode::kInfrastructure, "no device", ""}); };
  EXPECT_EQ(refusal().message, "no device");
  EXPECT_FALSE(fs::exists(terms_.database));
}

TEST_F(Serving, ADatabaseThatCannotBeOneIsRefused) {
  terms_.database = folder_ / "not/there/kbench.sqlite";
  refusal();
  EXPECT_THAT(notes_, IsEmpty());
  terms_.database = folder_.path();
  refusal();
}

TEST_F(Serving, WithoutAPlaceForItsStateThereIsNoQueue) {
  how_.tokens = folder_ / "tokens";
  ASSERT_TRUE(make_tokens(*how_.tokens).ok());
  Installation nowhere = benches_.place;
  nowhere.state.clear();
  serving_.emplace(nowhere, SessionTurns::kOne);
  EXPECT_EQ(refusal().message, "there is no place for the queue");
}

TEST_F(Serving, AnInstallationWithoutItsInterfaceIsIncomplete) {
  Installation part = benches_.place;
  part.root = folder_.path();
  serving_.emplace(part, SessionTurns::kOne);
  EXPECT_EQ(refusal().message, "data/serve/openapi.json is missing");
}

// --- on standard streams ---

class StandardServing : public Serving {
 protected:
  // Answers by their ids, to these lines, after which nothing comes.
  std::map<int, Json> answers_to(const std::vector<Json>& lines) {
    std::string text;
    for (const Json& line : lines) text += line.dump() + "\n";
    const fs::path output = folder_ / "answers";
    const int in = ::open(folder_.write("requests", text).c_str(), O_RDONLY | O_CLOEXEC);
    const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    serve_on(in, out);
    std::map<int, Json> answers;
    std::ifstream stream(output);
    for (std::string line; std::getline(stream, line);) {
      Json json = Json::parse(line, nullptr, false);
      EXPECT_TRUE(json.is_object()) << line;
      if (json.contains("id")) answers[json.at("id").get<int>()] = json;
    }
    return answers;
  }
  // Serves in a thread of its own, for the signals that it blocks.
  void serve_on(int in, int out) {
    ::fflush(stdout);
    const int own_in = ::dup(STDIN_FILENO), own_out = ::dup(STDOUT_FILENO);
    ::dup2(in, STDIN_FILENO), ::dup2(out, STDOUT_FILENO);
    ::close(in), ::close(out);
    std::thread server([this] {
      ended_ = serve_standard_streams(judging(),
                                      [this](const std::string& text) { notes_.push_back(text); });
    });
    if (meanwhile_) meanwhile_(server);
    server.join();
    ::dup2(own_in, STDIN_FILENO), ::dup2(own_out, STDOUT_FILENO);
    ::close(own_in), ::close(own_out);
    ::signal(SIGPIPE, SIG_DFL);
    ASSERT_TRUE(ended_);
    EXPECT_TRUE(ended_->ok()) << ended_->error().message;
  }
  static Json call(int id, const std::string& method, Json params = Json::object()) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
  }
  static std::vector<Json> hello() {
    return {call(1, "initialize",
                 {{"protocolVersion", "2025-06-18"},
                  {"capabilities", Json::object()},
                  {"clientInfo", {{"name", "a test"}, {"version", "1"}}}}),
            {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}};
  }

  std::function<void(std::thread&)> meanwhile_;
  std::optional<Result<ServeEnd>> ended_;
};

TEST_F(StandardServing, EndsOnceAllIsAnsweredThatWasAsked) {
  auto lines = hello();
  lines.push_back(call(2, "tools/list"));
  lines.push_back(call(3, "tools/call", {{"name", "list_tasks"}, {"arguments", Json::object()}}));
  const auto answers = answers_to(lines);
  ASSERT_TRUE(answers.contains(1) && answers.contains(2) && answers.contains(3));
  EXPECT_TRUE(answers.at(1).contains("result")) << answers.at(1);
  EXPECT_FALSE(answers.at(2).at("result").at("tools").empty());
  EXPECT_EQ((*ended_)->left, 0u);
}

TEST_F(StandardServing, ASignalEndsItWhileItWaits) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  // It waits for requests once it can hear signals; before that, one would end this test.
  meanwhile_ = [](std::thread& server) { ::pthread_kill(server.native_handle(), SIGTERM); };
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, nullptr);
  serve_on(ends[0], nowhere);
  ::pthread_sigmask(SIG_UNBLOCK, &term, nullptr);
  ::close(ends[1]);
  EXPECT_EQ((*ended_)->judged, 0u);
}

}  // namespace
}  // namespace kbench::test
