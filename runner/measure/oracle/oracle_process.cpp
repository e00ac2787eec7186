#include "runner/measure/oracle/oracle_process.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "runner/measure/oracle/baseline_player.hpp"
#include "runner/measure/oracle/oracle_reply.hpp"
#include "runner/measure/watch/core_pin.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// A healthy oracle answers in seconds; the longest answer is an fp64 reference on a CPU.
constexpr auto kPatience = std::chrono::minutes{5};

std::string name_of(const Json& request) { return request.at("op").get<std::string>(); }

Status as_status(const Result<Message>& reply) {
  if (!reply) return reply.error();
  return Done{};
}

Result<UniqueFd> open_to_read(const fs::path& file) {
  UniqueFd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.valid()) return opened;
  return Error{ErrorCode::kInfrastructure,
               "cannot open " + file.string() + ": " + std::strerror(errno), ""};
}

Result<std::size_t> number_of_outputs(const fs::path& task_file, const std::string& size) {
  const auto task = load_task(task_file);
  if (!task) return task.error();
  if (const TaskSize* found = task->find_size(size)) return found->outputs.size();
  return Error{ErrorCode::kNotFound, task->id + " has no size " + size, ""};
}

std::vector<int> numbers_of(const std::vector<UniqueFd>& files) {
  std::vector<int> numbers;
  for (const UniqueFd& file : files) numbers.push_back(file.get());
  return numbers;
}

}  // namespace

Result<std::unique_ptr<OracleProcess>> OracleProcess::start(const OracleOptions& options) {
  std::unique_ptr<OracleProcess> oracle(new OracleProcess(options));
  if (auto spawned = oracle->spawn(); !spawned) return spawned.error();
  return oracle;
}

OracleProcess::OracleProcess(OracleOptions options) : options_(std::move(options)) {}

OracleProcess::~OracleProcess() = default;

Status OracleProcess::restart() {
  end();
  return spawn();
}

bool OracleProcess::rest() {
  end();
  files_.clear();
  loaded_ = Json();
  peaks_.reset();
  return fork_server_ && fork_server_->is_alone() &&
         (!player_server_ || player_server_->is_alone());
}

Status OracleProcess::spawn() {
  if (!fork_server_ || !fork_server_->alive()) {
    auto started = OracleForkServer::start(options_);
    if (!started) return started.error();
    fork_server_ = std::move(*started);
  }
  return child_.request(*fork_server_, options_.log);
}

void OracleProcess::end() { child_.end(); }

Result<Message> OracleProcess::ask(const Json& request, const std::vector<int>& files) {
  const std::string what = name_of(request);
  const auto dead = [&](const Error& error) {
    return Error{ErrorCode::kInfrastructure,
                 "the oracle did not answer \"" + what + "\": " + error.message,
                 "its log is " + options_.log.string()};
  };
  if (auto met = child_.meet(); !met) return met.error();
  if (auto sent = child_.channel().send(request, files); !sent) return dead(sent.error());
  auto reply = child_.channel().receive(kPatience);
  if (!reply) return dead(reply.error());
  if (auto error = error_in(reply->body, what)) return *error;
  return reply;
}

template <class T>
Result<T> OracleProcess::ask_for(const Json& request, const std::function<T(const Json&)>& read,
                                 const std::vector<int>& files) {
  auto reply = ask(request, files);
  if (!reply) return reply.error();
  return understood<T>(reply->body, name_of(request), read);
}

template <class T>
Result<T> OracleProcess::ask_for(const Json& request, const char* field) {
  return ask_for<T>(request, [&](const Json& body) { return body.at(field).get<T>(); });
}

template <class T>
Result<T> OracleProcess::ask_for(const Json& request) {
  return ask_for<T>(request, [](const Json& body) { return body.get<T>(); });
}

template <class T>
Result<std::vector<T>> OracleProcess::ask_for_outputs(const Json& request) {
  auto outputs = ask_for<std::vector<T>>(request, "outputs");
  if (outputs && outputs->size() != outputs_) return not_understood(name_of(request));
  return outputs;
}

Result<OracleHello> OracleProcess::hello() {
  return ask_for<OracleHello>({{"op", "hello"}}, [](const Json& body) {
    return OracleHello{body.at("facts").get<DeviceFacts>(), body.at("torch").get<std::string>(),
                       body.at("precision").get<std::string>()};
  });
}

Status OracleProcess::answers_within(std::chrono::milliseconds timeout) {
  if (auto met = child_.meet(); !met) return met;
  if (auto sent = child_.channel().send({{"op", "hello"}}); !sent) return sent;
  auto reply = child_.channel().receive(timeout);
  const auto said = reply ? error_in(reply->body, "hello") : reply.error();
  if (!said) return Done{};
  end();
  return Error{ErrorCode::kInfrastructure, "a fresh oracle cannot use the device: " + said->message,
               "its log is " + options_.log.string()};
}

Status OracleProcess::change_suite(const fs::path& task_file) {
  const fs::path suite = suite_folder(task_file);
  const bool another = !suite_.empty() && suite != suite_;
  suite_ = suite;
  if (!another) return Done{};
  end();
  fork_server_.reset();
  player_server_.reset();
  peaks_.reset();
  return spawn();
}

Result<std::string> OracleProcess::load(const fs::path& task_file, const std::string& size,
                                        const fs::path& package, int parameters) {
  auto outputs = number_of_outputs(task_file, size);
  if (!outputs) return outputs.error();
  outputs_ = *outputs;
  if (auto changed = change_suite(task_file); !changed) return changed.error();
  files_.clear();
  for (const fs::path& file : {task_file, package}) {
    if (file.empty()) continue;
    auto opened = open_to_read(file);
    if (!opened) return opened.error();
    files_.push_back(std::move(*opened));
  }
  loaded_ = {{"task_file", task_file.string()}, {"size", size}};
  Json body = loaded_;
  body["op"] = "load";
  body["package"] = package.string();
  body["has_parameters"] = parameters >= 0;
  std::vector<int> descriptors = numbers_of(files_);
  if (parameters >= 0) descriptors.push_back(parameters);
  return ask_for<std::string>(
      body, [](const Json& reply) { return reply.at("compiled_reason").get<std::string>(); },
      descriptors);
}

Result<PlacedArenas> OracleProcess::place(const PlaceRequest& request) {
  Json body = request;
  body["op"] = "place";
  auto reply = ask(body);
  if (!reply) return reply.error();
  auto geometry = understood<PlaceReply>(reply->body, "place",
                                         [](const Json& json) { return json.get<PlaceReply>(); });
  if (!geometry) return geometry.error();
  auto& descriptors = reply->descriptors;
  if (auto fine = check_arenas(request, *geometry, descriptors, options_.device == "cpu"); !fine)
    return fine.error();
  PlacedArenas placed{.geometry = std::move(*geometry)};
  placed.submission = {std::move(descriptors[0]), std::move(descriptors[1]),
                       std::move(descriptors[2])};
  if (request.seats_baselines)
    placed.baselines = {std::move(descriptors[3]), std::move(descriptors[4]),
                        std::move(descriptors[5])};
  if (placed.geometry.heap_bytes > 0) placed.heap = std::move(descriptors.back());
  return placed;
}

Result<std::unique_ptr<Player>> OracleProcess::start_player(const PlacedArenas& arenas,
                                                            std::uint64_t param_offset) {
  if (!player_server_ || !player_server_->alive()) {
    auto started = OracleForkServer::start(options_);
    if (!started) return started.error();
    player_server_ = std::move(*started);
  }
  Json request = loaded_;
  request["op"] = "play";
  request["arena_bytes"] = arenas.geometry.arena_bytes;
  request["param_offset"] = param_offset;
  return BaselinePlayer::start(*player_server_, options_.log, request, arenas.baselines,
                               numbers_of(files_));
}

Status OracleProcess::inputs(const std::vector<SlotInputs>& slots) {
  return as_status(ask({{"op", "inputs"}, {"slots", slots}}));
}

Result<std::vector<EagerError>> OracleProcess::reference() {
  return ask_for_outputs<EagerError>({{"op", "reference"}});
}

Result<std::vector<EagerError>> OracleProcess::perturbed() {
  return ask_for_outputs<EagerError>({{"op", "perturbed"}});
}

Status OracleProcess::release() { return as_status(ask({{"op", "release"}})); }

Result<BaselineTime> OracleProcess::time(Side side) {
  return ask_for<BaselineTime>({{"op", "time"}, {"side", to_string(side)}});
}

Result<BaselineTime> OracleProcess::record(Side side, const fs::path& cupti, int file) {
  const Json request{{"op", "record"}, {"side", to_string(side)}, {"cupti", cupti.string()}};
  return ask_for<BaselineTime>(request, [](const Json& body) { return body.get<BaselineTime>(); },
                               {file});
}

Result<std::int64_t> OracleProcess::flush() {
  return ask_for<std::int64_t>({{"op", "flush"}}, "ns");
}

Result<Revealed> OracleProcess::reveal(int slot) {
  return ask_for<Revealed>({{"op", "reveal"}, {"slot", slot}});
}

Result<Audit> OracleProcess::audit(bool everything) {
  return ask_for<Audit>({{"op", "audit"}, {"everything", everything}});
}

Result<DevicePeaks> OracleProcess::peaks() {
  if (peaks_ && !peaks_doubted_) return *peaks_;
  auto measured = ask_for<DevicePeaks>({{"op", "peaks"}});
  if (!measured) return measured;
  if (peaks_) {
    measured->copy_bytes_per_s = std::max(measured->copy_bytes_per_s, peaks_->copy_bytes_per_s);
    measured->matmul_flops_per_s =
        std::max(measured->matmul_flops_per_s, peaks_->matmul_flops_per_s);
  }
  peaks_ = *measured;
  peaks_doubted_ = false;
  return measured;
}

Result<DeviceLimits> OracleProcess::limits() { return ask_for<DeviceLimits>({{"op", "limits"}}); }

Status OracleProcess::arm(Seat seat, const std::vector<SlotPlaces>& slots) {
  return as_status(ask({{"op", "arm"}, {"seat", seat}, {"slots", slots}}));
}

Status OracleProcess::keep_eager() { return as_status(ask({{"op", "keep_eager"}})); }

Status OracleProcess::snapshot(int slot, const OutputPlaces& places) {
  Json body = places;
  body["op"] = "snapshot";
  body["slot"] = slot;
  return as_status(ask(body));
}

Result<std::vector<CompareResult>> OracleProcess::judge(Against against,
                                                        const std::vector<OutputBound>& bounds) {
  return ask_for_outputs<CompareResult>(
      {{"op", "judge"}, {"against", against}, {"bounds", bounds}});
}

Result<std::vector<CompareResult>> OracleProcess::judge_baseline(
    Side side, const std::vector<OutputBound>& bounds) {
  return ask_for_outputs<CompareResult>(
      {{"op", "judge_baseline"}, {"side", to_string(side)}, {"bounds", bounds}});
}

Result<std::int64_t> OracleProcess::sm_clock_khz() {
  return ask_for<std::int64_t>({{"op", "clock"}}, "khz");
}

Status OracleProcess::freeze() {
  if (auto met = child_.meet(); !met) return met;
  return fork_server_->freeze();
}

Status OracleProcess::thaw() { return fork_server_->thaw(); }

void OracleProcess::run_on(int core) {
  if (child_.pid() > 0) bind_to_cores(child_.pid(), {&core, 1});
}

Status OracleProcess::remember() { return as_status(ask({{"op", "remember"}})); }

Result<std::vector<BypassableNode>> OracleProcess::bypassable() {
  return ask_for<std::vector<BypassableNode>>({{"op", "bypassable"}}, "nodes");
}

Result<MutationReply> OracleProcess::mutate(const MutationRequest& request) {
  Json body = request;
  body["op"] = "mutate";
  return ask_for<MutationReply>(body);
}

}  // namespace kbench
