// serve_load GATE [EVALUATIONS [WAITING [KIB]]]: 16 clients have so many submissions (1,000) judged
// by a judge that judges nothing, through the real gate, supervisor and queue. Prints how long
// requests took, which is what gate and supervisor take by themselves. Then, with WAITING, as many
// clients of one token order something of KIB kibibytes (16), each its own, and wait for it, while
// the judge stands still: prints how long short requests take meanwhile and the gate's memory. Of
// 2,048 one hangs up, and another request gets its place. Exit status 1 where an evaluation was
// lost or judged twice, a place was, or the gate took 128 MiB or more.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/os/files.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/serve/gate_process.hpp"
#include "runner/serve/supervisor.hpp"
#include "tests/fakes/scripted_judge.hpp"

namespace {

using namespace kbench;
using Clock = std::chrono::steady_clock;

constexpr int kClients = 16;
constexpr std::size_t kMostGateKib = 128 << 10;
constexpr int kProbes = 500;
constexpr std::chrono::seconds kPatience{120};  // for the gate to listen, and for an answer of it

std::string token_of(int number) {
  return std::string(62, 'a') + "0123456789abcdef"[number / 16] + "0123456789abcdef"[number % 16];
}

// One connection, one request after the other.
class Client {
 public:
  Client(int port, std::string token) : token_(std::move(token)) {
    socket_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const timeval patience{kPatience.count(), 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ok_ = ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }

  // The status; 0 where the connection is lost.
  int ask(const std::string& method, const std::string& path, const std::string& body) {
    return send(method, path, body) ? receive() : 0;
  }
  bool send(const std::string& method, const std::string& path, const std::string& body) {
    const std::string request = fmt::format(
        "{} {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n"
        "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
        method, path, token_, body.size(), body);
    return ok_ && ::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
                      static_cast<ssize_t>(request.size());
  }
  [[nodiscard]] const std::string& body() const { return body_; }

  int receive() {
    std::string answer;
    std::size_t head = std::string::npos;
    std::size_t length = 0;
    char buffer[16384];
    while (head == std::string::npos || answer.size() < head + 4 + length) {
      const ssize_t got = ::recv(socket_.get(), buffer, sizeof buffer, 0);
      if (got <= 0) return 0;
      answer.append(buffer, static_cast<std::size_t>(got));
      if (head != std::string::npos) continue;
      head = answer.find("\r\n\r\n");
      const std::size_t field = answer.find("Content-Length: ");
      if (head != std::string::npos && field < head)
        length = std::strtoull(answer.c_str() + field + 16, nullptr, 10);
    }
    body_ = answer.substr(head + 4);
    return std::atoi(answer.c_str() + 9);
  }

 private:
  std::string token_;
  UniqueFd socket_;
  std::string body_;
  bool ok_ = false;
};

struct Shared {
  std::mutex mutex;
  std::vector<double> milliseconds;
  std::set<std::string> ids;
  std::atomic<int> lost = 0;
};

void run_client(int number, int port, int count, Shared& shared) {
  Client client(port, token_of(number));
  for (int i = 0; i < count; ++i) {
    const std::string body = fmt::format(
        R"({{"task": "level1/019_relu", "files": {{"a.cpp": "// {} of {}"}}}})", i, number);
    const auto begun = Clock::now();
    const int status = client.ask("POST", "/v1/evaluations", body);
    const std::chrono::duration<double, std::milli> took = Clock::now() - begun;
    const Json answer = Json::parse(client.body(), nullptr, false);
    if ((status != 200 && status != 202) || !answer.contains("id")) {
      ++shared.lost;
      continue;
    }
    const auto id = answer.at("id").get<std::string>();
    if (client.ask("GET", "/v1/evaluations/" + id + "?wait_s=60", "") != 200) ++shared.lost;
    const std::lock_guard lock(shared.mutex);
    shared.milliseconds.push_back(took.count());
    shared.ids.insert(id);
  }
}

double quantile(std::vector<double>& times, double q) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0.0 : times[static_cast<std::size_t>(q * double(times.size() - 1))];
}

// The value of a line of /proc/PID/status: "VmRSS:   123 kB". 0 where there is none.
std::size_t status_of(const std::filesystem::path& process, const std::string& name) {
  std::ifstream lines(process / "status");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + ":"))
      return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10);
  return 0;
}

// The gate that this process started, some levels below it: its folder in /proc.
std::filesystem::path gate_process() {
  const auto self = static_cast<std::size_t>(::getpid());
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::string name;
    std::ifstream(entry.path() / "comm") >> name;
    if (name != "kbench-gate") continue;
    std::size_t parent = status_of(entry.path(), "PPid");
    while (parent > 1 && parent != self)
      parent = status_of(std::filesystem::path("/proc") / std::to_string(parent), "PPid");
    if (parent == self) return entry.path();
  }
  return {};
}

// How long a request takes that nobody need wait for.
void probe(int port, const std::string& name, const std::string& path) {
  Client client(port, token_of(0));
  std::vector<double> times;
  int wrong = 0;
  for (int i = 0; i < kProbes; ++i) {
    const auto begun = Clock::now();
    const int status = client.ask("GET", path, "");
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begun).count());
    wrong += status == 200 || status == 202 ? 0 : 1;
  }
  fmt::print("  {}: p50 {:.2f} ms, p99 {:.2f} ms, most {:.2f} ms, {} not answered\n", name,
             quantile(times, 0.5), quantile(times, 0.99), quantile(times, 1), wrong);
}

// Looks until `condition` holds, for kPatience at most.
template <class Condition>
void wait_until(Condition&& condition) {
  const auto deadline = Clock::now() + kPatience;
  while (!condition() && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
}

// Whether a token that has all its requests waiting gets another one when a client hangs up.
bool run_hang_up(int port, const std::string& id, std::deque<Client>& clients) {
  const auto look = [&] {
    return Client(port, token_of(kClients)).ask("GET", "/v1/evaluations/" + id, "");
  };
  const bool was_full = look() == 429;
  clients.pop_back();
  int status = 429;
  wait_until([&] { return (status = look()) != 429; });
  fmt::print("  a place was free {} a client hung up\n",
             was_full && status == 202 ? "once" : "not when");
  return was_full && status == 202;
}

// True if all got their row, and the gate stayed small.
bool run_waiting(int port, int count, std::size_t kib, test::ScriptedJudge& judge,
                 const std::filesystem::path& spool) {
  const std::filesystem::path gate = gate_process();
  const auto memory = [&](const char* name) { return status_of(gate, name); };
  const auto said = [&](const char* when) {
    fmt::print("{}: the gate has {:.1f} MiB, most {:.1f} MiB\n", when,
               double(memory("VmRSS")) / 1024, double(memory("VmHWM")) / 1024);
  };
  said("nobody waits");
  probe(port, "health", "/health");
  judge.hold();
  std::deque<Client> clients;
  const auto begun = Clock::now();
  for (int i = 0; i < count; ++i) {
    Client& client = clients.emplace_back(port, token_of(kClients));
    client.send(
        "POST", "/v1/evaluations",
        fmt::format(
            R"({{"task": "level1/019_relu", "wait_s": 600, "files": {{"a.cpp": "// {} {}"}}}})", i,
            std::string(kib << 10, 'x')));
  }
  // Waits until all orders wait: each order is a file.
  const auto orders = [&] { return std::distance(std::filesystem::directory_iterator(spool), {}); };
  wait_until([&] { return orders() > count; });  // and the lock
  Client poll(port, token_of(0));
  (void)poll.ask("POST", "/v1/evaluations",
                 R"({"task": "level1/019_relu", "files": {"a.cpp": "// last"}})");
  const auto answer = Json::parse(poll.body(), nullptr, false);
  const std::string id = answer.is_object() ? answer.value("id", "") : "";
  fmt::print("{} wait after {:.1f} s\n", count,
             std::chrono::duration<double>(Clock::now() - begun).count());
  probe(port, "health", "/health");
  probe(port, "poll", "/v1/evaluations/" + id);
  said(fmt::format("{} wait", count).c_str());
  const bool is_full = static_cast<std::size_t>(count) == limits::kMostWaitingOfOne;
  const bool left = !is_full || run_hang_up(port, id, clients);
  judge.release();
  int rewarded = 0;
  for (Client& client : clients) rewarded += client.receive() == 200 ? 1 : 0;
  said("all have their row");
  fmt::print("{} of {} got their row\n", rewarded, clients.size());
  return left && rewarded == static_cast<int>(clients.size()) && memory("VmHWM") < kMostGateKib;
}

int complain(const Error& error) {
  std::fprintf(stderr, "serve_load: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // how far it came is seen where it is ended
  const int each = (argc > 2 ? std::atoi(argv[2]) : 1000) / kClients;
  const auto folder = ScratchFolder::make("kbench-serve-load");
  if (!folder) return complain(folder.error());
  auto spool = Spool::open(folder->path() / "spool");
  if (!spool) return complain(spool.error());
  const auto sandbox = make_sandbox();
  test::ScriptedJudge judge;
  const UniqueFd end(::eventfd(0, EFD_CLOEXEC));
  std::atomic<int> port = 0;
  ServeSettings settings;
  settings.end_fd = end.get();
  for (int i = 0; i <= kClients; ++i)
    settings.hello.tokens.push_back(
        {fmt::format("client{}", i), {.read = true, .evaluate = true}, sha256(token_of(i))});
  settings.open_gate = [&]() -> Result<Gate> {
    auto listener = listen_on("127.0.0.1", 0);
    if (!listener) return listener.error();
    const int number = port_of(*listener);
    auto gate = start_gate(*sandbox, std::filesystem::absolute(argv[1]), std::move(*listener));
    if (gate) port = number;
    return gate;
  };
  std::optional<Result<ServeEnd>> ended;
  std::atomic<bool> over = false;
  std::thread supervisor([&] {
    ended = serve(settings, judge, *spool);
    over = true;
  });
  wait_until([&] { return port != 0 || over; });
  if (port == 0) std::fprintf(stderr, "serve_load: no gate listens\n");

  Shared shared;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients && port != 0; ++i)
    clients.emplace_back(run_client, i, port.load(), each, std::ref(shared));
  for (std::thread& client : clients) client.join();
  const auto judged = judge.judged();
  const int waiting = argc > 3 ? std::atoi(argv[3]) : 0;
  const std::size_t kib = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 16;
  const bool waited =
      waiting == 0 || port == 0 || run_waiting(port, waiting, kib, judge, folder->path() / "spool");
  const std::uint64_t one = 1;
  if (::write(end.get(), &one, sizeof one) < 0) return 1;
  supervisor.join();
  if (!*ended) return complain(ended->error());

  auto& times = shared.milliseconds;
  const auto expected = static_cast<std::size_t>(each * kClients);
  const std::set<std::string> once(judged.begin(), judged.end());
  fmt::print("{} evaluations of {} clients: p50 {:.2f} ms, p99 {:.2f} ms, most {:.2f} ms\n",
             times.size(), kClients, quantile(times, 0.5), quantile(times, 0.99),
             quantile(times, 1));
  fmt::print("lost {}, judged twice {}\n", shared.lost.load() + int(expected - once.size()),
             judged.size() - once.size());
  const bool right = shared.lost == 0 && judged.size() == expected && once == shared.ids;
  return right && waited ? 0 : 1;
}
