// A lane that measures nothing: a real process with a real lock, which answers a unit with what
// comes with it. What else becomes of it stands in the order and in the unit; tests/fakes/
// scripted_fleet.hpp says what.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "runner/core/evaluation_json.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/lane/lane_server.hpp"
#include "runner/os/device_lock.hpp"
#include "tests/fakes/first_mark.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

Error failure(const char* message) { return {ErrorCode::kInfrastructure, message, "mend it"}; }

class ScriptedWork final : public LaneWork {
 public:
  explicit ScriptedWork(ProgressSink& progress) : progress_(progress) {}

  Status take(const Json& order) override {
    order_ = order;
    append("pids", fmt::format("{}\n", ::getpid()));
    if (order.value("fails", "") == "take") return failure("the lock is nobody's");
    auto lock = DeviceLock::take(order.at("locks").get<std::string>(), device(),
                                 {std::to_string(::getpid()), "a scripted lane"}, [&](const auto&) {
                                   progress_.note("waits for its device");
                                   return true;
                                 });
    if (!lock) return lock.error();
    lock_.emplace(std::move(*lock));
    return Done{};
  }

  Result<Json> start() override {
    if (order_.value("fails", "") == "start") return failure("there is no device");
    if (order_.value("dies", "") == "start") ::raise(SIGKILL);
    return Json{{"device", order_.value("facts", device())}};
  }

  LaneResult measure(const LaneRequest& request) override {
    const Json& unit = request.body;
    progress_.step("measures");
    append("log", fmt::format("{} {}\n", device(), unit.value("name", "")));
    if (unit.contains("notes")) progress_.note(unit.at("notes").get<std::string>());
    if (unit.value("dies", "") == "always" || (unit.value("dies", "") == "once" && is_first(unit)))
      ::raise(SIGKILL);
    if (unit.contains("until")) wait_for(unit.at("until").get<std::string>());
    std::this_thread::sleep_for(std::chrono::milliseconds{unit.value("milliseconds", 0)});
    if (unit.contains("creates")) std::ofstream{unit.at("creates").get<std::string>()};
    LaneResult result;
    if (unit.contains("fails"))
      result.failure = failure(unit.at("fails").get<std::string>().c_str());
    else if (unit.contains("answer"))
      result.body = unit.at("answer");
    else
      result.body = evaluation_json(row_of(unit));
    if (unit.value("loses", "") == device()) result.lost = failure("the device is lost");
    return result;
  }

  void end(bool lost) override { append("ends", fmt::format("{} {}\n", device(), lost)); }

 private:
  [[nodiscard]] std::string device() const { return order_.at("device").get<std::string>(); }
  [[nodiscard]] fs::path place() const { return order_.at("folder").get<std::string>(); }

  [[nodiscard]] Evaluation row_of(const Json& unit) const {
    Evaluation row = *evaluation_from_json(unit.at("row"));
    row.device_uuid = "GPU-" + device();
    stretch(row);
    row.message.resize(unit.value("swells", row.message.size()), 'x');
    return row;
  }

  // Kernels of this device take longer once there is a file that says by how much.
  void stretch(Evaluation& row) const {
    std::ifstream slower(place() / ("slower-" + device()));
    double factor = 1;
    if (!(slower >> factor)) return;
    for (Sample& sample : row.samples)
      if (sample.side == Side::kSubmission)
        sample.time_ns = static_cast<std::int64_t>(factor * static_cast<double>(sample.time_ns));
  }

  // A line at once, so that lanes may write beside each other.
  void append(const char* file, const std::string& line) const {
    const UniqueFd log(
        ::open((place() / file).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    [[maybe_unused]] const ssize_t written = ::write(log.get(), line.data(), line.size());
  }

  [[nodiscard]] bool is_first(const Json& unit) const {
    return test::makes_first(place() / fmt::format("died-{}", unit.value("number", 0)));
  }

  static void wait_for(const std::string& file) {
    while (!fs::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }

  ProgressSink& progress_;
  Json order_;
  std::optional<DeviceLock> lock_;
};

}  // namespace
}  // namespace kbench

int main() {
  using namespace kbench;
  const auto served = serve_lane(Channel(UniqueFd(kLaneSocket)), [](ProgressSink& progress) {
    return std::make_unique<ScriptedWork>(progress);
  });
  return served ? 0 : 1;
}
