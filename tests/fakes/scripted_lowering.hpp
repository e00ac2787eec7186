// A sandbox that starts nothing: it composes and lowers candidates of a synthesis itself, into
// tasks of one relu. A candidate's number decides how many rows its input has at scale 1; nine
// numbers on, the same comes again.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runner/core/channel.hpp"
#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/os/pipe.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "tests/unit/paths.hpp"

namespace kbench::test {

class LoweringSandbox final : public Sandbox {
 public:
  Result<std::unique_ptr<SandboxedProcess>> start(const SandboxCommand& command) override {
    for (const auto& [ours, theirs] : command.descriptors) {
      if (theirs == 0) return std::unique_ptr<SandboxedProcess>(std::make_unique<Lowering>(ours));
      if (theirs == 1) compose(command.argv.back(), ours);
    }
    return std::unique_ptr<SandboxedProcess>(std::make_unique<Process>());
  }
  [[nodiscard]] const SandboxLevel& level(bool) const override { return level_; }
  [[nodiscard]] int undead() const override { return 0; }

 private:
  // One that has ended.
  class Process : public SandboxedProcess {
   public:
    Process() : ended_(std::move(make_pipe().value())) { ended_.write.reset(); }
    Result<Exit> wait(std::chrono::milliseconds) override { return Exit{.exited = true}; }
    void kill() override {}
    Status freeze() override { return Done{}; }
    Status thaw() override { return Done{}; }
    void move_threads() override {}
    Result<std::vector<pid_t>> processes() override { return std::vector<pid_t>(); }
    [[nodiscard]] int exit_fd() const override { return ended_.read.get(); }

   private:
    Pipe ended_;
  };

  // One that answers until it is not needed any more.
  class Lowering final : public Process {
   public:
    explicit Lowering(int socket)
        : held_(::dup(socket)), thread_([own = ::dup(socket)] { serve(own); }) {}
    ~Lowering() override {
      ::shutdown(held_.get(), SHUT_RDWR);  // the thread ends
      thread_.join();
    }
    Lowering(const Lowering&) = delete;
    Lowering& operator=(const Lowering&) = delete;

   private:
    static void serve(int socket) {
      Channel channel{UniqueFd(socket)};
      (void)channel.send({{"ready", "warm"}});
      for (auto asked = channel.receive(); asked; asked = channel.receive())
        (void)channel.send({{"task", lower(asked->body)}});
    }

    UniqueFd held_;
    std::thread thread_;
  };

  static std::int64_t rows(std::int64_t number, double scale) {
    constexpr std::array<double, 9> kRows = {4, 100, 40'000, 8, 200, 50'000, 16, 300, 60'000};
    const double whole = std::round(kRows[static_cast<std::size_t>(number) % kRows.size()] * scale);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(whole));
  }

  static void compose(const std::string& asked, int out) {
    const Json request = Json::parse(asked);
    std::string lines = Json{{"grammar", 1}}.dump() + "\n";
    for (const Json& candidate : request.at("candidates")) {
      const auto number = candidate.at(0).get<std::int64_t>();
      const auto made = rows(number, candidate.at(1).get<double>());
      lines += Json{{"index", number},
                    {"name", "tiny"},
                    {"level", 1},
                    {"operators", {"relu"}},
                    {"source", std::to_string(made) + " rows"}}
                   .dump() +
               "\n";
    }
    [[maybe_unused]] const ssize_t written = ::write(out, lines.data(), lines.size());
  }

  static std::string lower(const Json& request) {
    static const Json relu =
        read_strict_json(std::filesystem::path(kTinySuites) / "level1/019_relu.json").value();
    const std::string file = request.at("file");
    const std::string source = request.at("source");
    const std::int64_t made = std::stoll(source);
    Json task = relu;
    task["level"] = request.at("level");
    task["number"] = std::stoi(file);
    task["name"] = "tiny";
    task["source"] = file;
    task["source_sha256"] = sha256(source);
    for (Json& size : task["sizes"]) {
      size["inputs"][0]["shape"] = {made, 64};
      size["outputs"][0]["shape"] = {made, 64};
      size["peak_bytes_fp32"] = made * 64 * 4;
      size["peak_bytes_fp64"] = made * 64 * 8;
    }
    return task.dump();
  }

  SandboxLevel level_{.bubblewrap = true};  // so that nobody needs a scratch folder
};

}  // namespace kbench::test
