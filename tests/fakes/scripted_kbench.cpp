// `kbench run` and `kbench serve` on a bench that measures nothing (scripted_bench.hpp): plan,
// exchange, store, queue and gate are the real ones, so that tests of many machines and of
// schedulers take what those take, and no device. Whether a submission is right says the hash of
// its sources.
//
//   scripted_kbench run --db FILE --exchange DIR --shard I/N --group NAME --submissions FOLDER
//   scripted_kbench serve --db FILE --exchange DIR --port N --tokens FILE
//
// KBENCH names the built kbench, beside which the gate lies. KBENCH_SCRIPTED_MS: what a row takes.
// KBENCH_SCRIPTED_LOG: a file that gets a line for each row that is measured.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/judge/serving.hpp"
#include "runner/machine/host_facts.hpp"
#include "runner/os/environment.hpp"
#include "runner/run/run_session.hpp"
#include "tests/fakes/kept_progress.hpp"
#include "tests/fakes/scripted_bench.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name, const std::string& without = "") {
  const char* value = std::getenv(name);
  return value == nullptr ? without : value;
}

// Options of one value each, without the verb.
class Words {
 public:
  Words(int count, char** words) {
    for (int i = 2; i + 1 < count; i += 2) values_[words[i]] = words[i + 1];
  }
  [[nodiscard]] std::optional<std::string> find(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::optional<fs::path> file(const std::string& name) const {
    const auto found = find(name);
    return found ? std::optional<fs::path>(*found) : std::nullopt;
  }
  [[nodiscard]] std::string get(const std::string& name, const std::string& without) const {
    return find(name).value_or(without);
  }
  // An option that nobody here knows: the test means something else than it says.
  [[nodiscard]] std::string unknown() const {
    static const std::set<std::string> kKnown = {
        "--db",   "--exchange", "--shard",       "--group",  "--suite",
        "--port", "--tokens",   "--submissions", "--device", "--task"};
    for (const auto& [name, value] : values_)
      if (!kKnown.contains(name)) return name;
    return "";
  }

 private:
  std::map<std::string, std::string> values_;
};

class QuietSink final : public RunSink {
 public:
  ProgressSink& progress() override { return told_; }
  void row(const Evaluation&, std::span<const Blob>) override {}

 private:
  KeptProgress told_;
};

// A line at once, so that processes may write beside each other.
void log_row(const PlannedRow& unit) {
  const std::string file = variable("KBENCH_SCRIPTED_LOG");
  if (file.empty()) return;
  const UniqueFd log(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  const std::string line = fmt::format("{} {}\n", ::getpid(), unit.id.name);
  [[maybe_unused]] const ssize_t written = ::write(log.get(), line.data(), line.size());
}

int fail(const Error& error) {
  fmt::print(stderr, "scripted_kbench: {} ({})\n", error.message, error.hint);
  return error.code == ErrorCode::kUsage ? 2 : 3;
}

class Program {
 public:
  Program(Installation installation, Words words)
      : words_(std::move(words)), device_(installation, SessionTurns::kMany) {
    benches_.place = std::move(installation);
    device_.prepare();
    benches_.script.compiler = device_.toolchain().host_version;
    benches_.script.nvcc = device_.toolchain().nvcc_version;
    benches_.script.device_name = cpu::model_name();
    const std::chrono::milliseconds takes{std::stoi(variable("KBENCH_SCRIPTED_MS", "0"))};
    benches_.script.while_measuring = [this, takes](const PlannedRow& unit) {
      log_row(unit);
      benches_.script.states[unit.id.agent] =
          unit.id.source_hash.find_first_of("01234567") == 0 ? State::kOk : State::kWrongResult;
      std::this_thread::sleep_for(takes);
    };
  }

  int run() {
    RunRequest request;
    request.device = "cpu";
    request.suite = words_.file("--suite");
    if (const auto task = words_.find("--task")) request.tasks = {*task};
    request.submissions = words_.get("--submissions", "submissions");
    request.group = words_.get("--group", "");
    if (const auto shard = words_.find("--shard")) {
      const auto parsed = parse_shard(*shard);
      if (!parsed) return fail(parsed.error());
      request.shard = *parsed;
    }
    RunTerms terms{.database = words_.get("--db", "kbench.sqlite"), .command_line = "scripted run"};
    terms.exchange = words_.file("--exchange");
    QuietSink sink;
    const auto outcome = RunSession(benches_, std::move(request), terms, sink).run();
    if (!outcome) return fail(outcome.error());
    fmt::print(stderr, "scripted_kbench: {}\n", summarize(*outcome, terms));
    if (!outcome->is_complete()) return 3;
    return outcome->failed > 0 ? 1 : 0;
  }

  int serve() {
    QuietSink sink;
    const JudgingPlace place{words_.file("--suite"), device_, benches_};
    ServeJudging judging{.place = place,
                         .device = "cpu",
                         .size = std::nullopt,
                         .database = words_.get("--db", "kbench.sqlite"),
                         .exchange = words_.file("--exchange"),
                         .group = words_.get("--group", kJudgesGroup),
                         .trust = {},
                         .sink = sink,
                         .quiet = sink};
    HttpServing how;
    how.port = std::stoi(words_.get("--port", "0"));
    how.tokens = words_.file("--tokens");
    const ServingTalk talk{
        .note = [](const std::string& text) { fmt::print(stderr, "{}\n", text); },
        .announce =
            [](const std::string& url) {
              fmt::print("{}\n", url);
              std::fflush(stdout);
            },
        .abandon = [] { ::_exit(130); },
        .prepare_device = [] { return Status(Done{}); }};
    const auto end = serve_http(how, std::move(judging), talk);
    if (!end) return fail(end.error());
    fmt::print(stderr, "scripted_kbench: {} judged, {} left\n", end->judged, end->left);
    return 0;
  }

 private:
  Words words_;
  DeviceSession device_;
  ScriptedBenches benches_;
};

int run_program(int count, char** words) {
  const std::string verb = count > 1 ? words[1] : "";
  const Words rest(count, words);
  if (const std::string unknown = rest.unknown(); !unknown.empty())
    return fail({ErrorCode::kUsage, "unknown option " + unknown, ""});
  auto installation = find_installation(variable("KBENCH"), process_environment(), {});
  if (!installation) return fail(installation.error());
  Program program(std::move(*installation), rest);
  if (verb == "run") return program.run();
  if (verb == "serve") return program.serve();
  return fail({ErrorCode::kUsage, "unknown verb " + verb, ""});
}

}  // namespace
}  // namespace kbench::test

int main(int count, char** words) { return kbench::test::run_program(count, words); }
