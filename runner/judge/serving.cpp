#include "runner/judge/serving.hpp"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/device/device_session.hpp"
#include "runner/gate/standard_streams.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/serve/gate_process.hpp"
#include "runner/serve/token.hpp"
#include "runner/store/file/database_path.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWho = "local";
constexpr std::chrono::milliseconds kMessagePatience{10'000};

// One for each database, by where that lies.
Result<fs::path> spool_folder(const fs::path& database_file, const Installation& installation) {
  if (installation.state.empty())
    return Error{ErrorCode::kInfrastructure, "there is no place for the queue",
                 "set HOME or XDG_STATE_HOME, which it lies below"};
  std::error_code failed;
  const fs::path database = fs::weakly_canonical(fs::absolute(database_file), failed);
  if (failed)
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: {}", clean_name(database_file.string(), 300), failed.message()),
                 "name another database with --db"};
  return installation.state / "serve" / sha256(database.string()).substr(0, 16);
}

struct ServingParts {
  UniqueFd signals;  // a signalfd of SIGINT and SIGTERM
  std::unique_ptr<ServingJudge> judge;
  Spool spool;
};

// To be called before there are threads, which inherit that these signals are blocked.
Result<ServingParts> prepare_serving(ServeJudging judging) {
  const fs::path database = judging.database;
  if (auto sound = check_database_path(database); !sound) return sound.error();
  if (auto there = check_database_folder(database); !there) return there.error();
  auto signals = signals_to_read();
  if (!signals) return signals.error();
  const auto folder = spool_folder(database, judging.place.device.installation());
  if (!folder) return folder.error();
  auto judge = make_serve_judge(std::move(judging));
  if (!judge) return judge.error();
  auto spool = Spool::open(*folder);
  if (!spool) return spool.error();
  return ServingParts{std::move(*signals), std::move(*judge), std::move(*spool)};
}

struct TokenFile {
  fs::path file;
  bool is_new = false;
  std::vector<KnownToken> tokens{};
};

// The file that is named, which must be there; or the usual one, which is made.
Result<TokenFile> find_tokens(const std::optional<fs::path>& named,
                              const Installation& installation) {
  TokenFile found{named.value_or(installation.state / "serve/tokens")};
  std::error_code unknown;
  if (!named && !fs::exists(fs::symlink_status(found.file, unknown))) {
    fs::create_directories(found.file.parent_path(), unknown);
    if (auto made = make_tokens(found.file); !made) return made.error();
    found.is_new = true;
  }
  auto tokens = read_tokens(found.file);
  if (!tokens) return tokens.error();
  found.tokens = std::move(*tokens);
  return found;
}

std::string url_of(const std::string& address, int port) {
  const bool six = address.find(':') != std::string::npos;
  return six ? fmt::format("http://[{}]:{}", address, port)
             : fmt::format("http://{}:{}", address, port);
}

class HttpServer {
 public:
  HttpServer(const HttpServing& how, DeviceSession& device, const ServingTalk& talk)
      : how_(how),
        device_(device),
        installation_(device.installation()),
        talk_(talk),
        port_(how.port) {}

  Result<ServeEnd> run(ServeJudging judging) {
    // Tries the address first, so that a user who may not listen there learns it at once.
    if (auto free = listen_on(how_.address, port_); !free) return free.error();
    auto tokens = find_tokens(how_.tokens, installation_);
    if (!tokens) return tokens.error();
    if (auto ready = talk_.prepare_device(); !ready) return ready.error();
    const fs::path database = judging.database;
    auto parts = prepare_serving(std::move(judging));
    if (!parts) return parts.error();
    const auto openapi = read_file(installation_.root / "data/serve/openapi.json");
    if (!openapi)
      return Error{ErrorCode::kInfrastructure, "data/serve/openapi.json is missing",
                   how_to_mend(installation_)};
    const auto sandbox = device_.sandbox();
    talk_.note(fmt::format("tokens: {}{}", clean_name(tokens->file.string(), 300),
                           tokens->is_new ? " (new)" : ""));
    talk_.note(fmt::format("judges on {}; rows go into {}; the gate's sandbox: {}",
                           parts->judge->device().name, clean_name(database.string(), 300),
                           sandbox->level(false).to_string()));
    if (const std::string why = parts->judge->unfit(); !why.empty())
      talk_.note(fmt::format("answers nothing: {}", why));
    ServeSettings settings;
    settings.batch *= parts->judge->lanes();
    settings.hello = hello_of(parts->judge->device(), std::move(tokens->tokens), *openapi);
    settings.open_gate = [&] { return open_gate(*sandbox); };
    settings.end_fd = parts->signals.get();
    settings.abandon = talk_.abandon;
    settings.note = talk_.note;
    return serve(settings, *parts->judge, parts->spool);
  }

 private:
  [[nodiscard]] GateHello hello_of(const ServedDevice& device, std::vector<KnownToken> tokens,
                                   const std::string& openapi) const {
    return {.version = std::string(build_info().version),
            .device = device.kind,
            .device_name = device.name,
            .names = how_.names,
            .tokens = std::move(tokens),
            .openapi = openapi,
            .patience = {.headers = std::chrono::seconds(how_.header_timeout_s),
                         .body = std::chrono::seconds(how_.body_timeout_s)}};
  }

  // Opens a gate, at the same port when it is not the first one.
  Result<Gate> open_gate(Sandbox& sandbox) {
    auto listener = listen_on(how_.address, port_);
    if (!listener) return listener.error();
    port_ = port_of(*listener);
    auto gate = start_gate(sandbox, installation_.gate, std::move(*listener));
    if (gate && !std::exchange(announced_, true)) talk_.announce(url_of(how_.address, port_));
    return gate;
  }

  const HttpServing& how_;
  DeviceSession& device_;
  const Installation& installation_;
  const ServingTalk& talk_;
  int port_;
  bool announced_ = false;
};

}  // namespace

Result<ServeEnd> serve_http(const HttpServing& how, ServeJudging judging, const ServingTalk& talk) {
  DeviceSession& device = judging.place.device;
  return HttpServer(how, device, talk).run(std::move(judging));
}

Result<ServeEnd> serve_standard_streams(ServeJudging judging,
                                        const std::function<void(const std::string&)>& note) {
  // The reader of standard output may be gone before the writer to standard input.
  ::signal(SIGPIPE, SIG_IGN);
  auto parts = prepare_serving(std::move(judging));
  if (!parts) return parts.error();
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  const UniqueFd end(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  ServeSettings settings;
  settings.hello = {.version = std::string(build_info().version),
                    .device = parts->judge->device().kind,
                    .device_name = parts->judge->device().name,
                    .tokens = {{kWho, {.read = true, .evaluate = true, .workspace = true}, ""}}};
  settings.open_gate = [&]() -> Result<Gate> {
    if (!ends->first.valid())
      return Error{ErrorCode::kInfrastructure, "nobody reads what is answered any more", ""};
    return Gate{nullptr, Channel(std::move(ends->first))};
  };
  settings.end_fd = end.get();
  settings.note = note;
  std::optional<Result<ServeEnd>> ended;
  std::thread supervisor([&] { ended = serve(settings, *parts->judge, parts->spool); });
  {
    Channel channel(std::move(ends->second));
    if (const auto hello = channel.receive(kMessagePatience))
      if (auto known = hello_from_json(hello->body))
        StandardStreams(kWho, channel, std::move(*known), end.get(), parts->signals.get()).run();
    // The channel's end closes here: whatever the supervisor waits for, it learns that nobody is
    // there.
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(end.get(), &one, sizeof one);
  supervisor.join();
  return std::move(*ended);
}

}  // namespace kbench
