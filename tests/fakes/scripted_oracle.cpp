// An oracle without LibTorch: it speaks the real protocol, in the real sandbox, and makes up every
// number. It finds each output right, unless the name of its program says otherwise; a test gives
// it another name by copying it:
//
//   no_device   cannot open its device
//   wrong       finds every output of a submission wrong
//   dies_at_X   dies where it is to compute the reference of a task whose file has X in its name
//   no_room     has no memory for any task
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/channel.hpp"
#include "runner/oracle/protocol.hpp"

namespace kbench {
namespace {

constexpr int kControlDescriptor = 3;
constexpr std::uint64_t kSlotBytes = 8u << 20;  // a task of tests/tiny, and the slack
constexpr double kFarOff = 1e6;

Json failure(ErrorCode code, const char* message) {
  return {{"error", Error{code, message, "mend it"}}};
}

class Answers {
 public:
  explicit Answers(std::string name) : name_(std::move(name)) {}

  Json to(const Json& request, std::vector<UniqueFd>& files) {
    const auto operation = request.at("op").get<std::string>();
    if (operation == "hello") return hello();
    if (operation == "load") return load(request);
    if (operation == "place") return place(request, files);
    if (operation == "reference") {
      if (dies()) ::_exit(1);
      return {{"outputs", std::vector{EagerError{.max_error = 1e-6, .rms = 1}}}};
    }
    if (operation == "perturbed")
      return {{"outputs", std::vector{EagerError{.max_error = 1e-6, .rms = 1}}}};
    if (operation == "judge") return judge();
    if (operation == "reveal") return Revealed{};
    if (operation == "audit") return Audit{};
    if (operation == "flush") return {{"ns", 1000}};
    if (operation == "time") return BaselineTime{.ns = 2'000'000, .flush_ns = 1000};
    if (operation == "peaks") return DevicePeaks{1e9, 1e9};
    if (operation == "clock") return {{"khz", 0}};
    return Json::object();
  }

 private:
  [[nodiscard]] Json hello() const {
    if (name_ == "no_device")
      return failure(ErrorCode::kInfrastructure, "no device answers the scripted oracle");
    DeviceFacts facts;
    facts.name = "a scripted device";
    facts.threads = 2;
    facts.cache_bytes = 1 << 20;
    return {{"facts", facts}, {"torch", "2.11.0"}, {"precision", "torch-default"}};
  }

  Json load(const Json& request) {
    task_ = request.at("task_file").get<std::string>();
    return {{"compiled_reason", ""}};
  }

  [[nodiscard]] bool dies() const {
    const std::string word = "dies_at_";
    return name_.starts_with(word) && task_.find(name_.substr(word.size())) != std::string::npos;
  }

  [[nodiscard]] Json place(const Json& request, std::vector<UniqueFd>& files) const {
    if (name_ == "no_room")
      return failure(ErrorCode::kDoesNotFit, "the scripted device has no memory");
    const auto asked = request.get<PlaceRequest>();
    const std::uint64_t bytes = kSlotBytes * static_cast<std::uint64_t>(asked.slots);
    for (int arena = 0; arena < (asked.seats_baselines ? 6 : 3); ++arena) {
      UniqueFd file(::memfd_create("arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
      if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
          ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        return failure(ErrorCode::kInfrastructure, "no file in memory");
      files.push_back(std::move(file));
    }
    return PlaceReply{{bytes, bytes, bytes}, kSlotBytes, kSlotBytes};
  }

  [[nodiscard]] Json judge() const {
    CompareResult result;
    result.sum_squared_reference = 1;
    if (name_ == "wrong") {
      result.wrong = 7;
      result.max_error = result.sum_squared_error = kFarOff;
    }
    return {{"outputs", std::vector{result}}};
  }

  const std::string name_;
  std::string task_;
};

int serve(Channel& channel, const std::string& name) {
  Answers answers(name);
  while (true) {
    auto request = channel.receive();
    if (!request) return 0;
    std::vector<UniqueFd> files;
    const Json body = answers.to(request->body, files);
    std::vector<int> descriptors;
    for (const UniqueFd& file : files) descriptors.push_back(file.get());
    if (!channel.send(body, descriptors)) return 1;
  }
}

// The fork server's side (runner/oracle/fork_server.hpp), without a folder for each oracle: returns
// in each of them with its channel, and in the server with nothing.
std::optional<Channel> become_an_oracle(Channel server) {
  ::signal(SIGCHLD, SIG_IGN);
  const pid_t self = ::getpid();
  while (true) {
    auto request = server.receive();
    if (!request || request->descriptors.size() != 1) return std::nullopt;
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != self) return std::nullopt;
      ::setsid();
      return Channel(std::move(request->descriptors.front()));
    }
    if (!server.send({{"forked", child > 0}})) return std::nullopt;
  }
}

}  // namespace
}  // namespace kbench

int main(int, char** argv) {
  using namespace kbench;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  auto own = become_an_oracle(Channel(UniqueFd(kControlDescriptor)));
  return own ? serve(*own, std::filesystem::path(argv[0]).filename()) : 0;
}
