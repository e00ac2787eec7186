#include "runner/measure/oracle_process.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "runner/measure/baseline_player.hpp"
#include "runner/measure/core_pin.hpp"

namespace kbench {
namespace {

// A healthy oracle answers in seconds; the longest answer is an fp64 reference on a CPU.
constexpr auto kPatience = std::chrono::minutes{5};
// For a process that waits for a request.
constexpr std::chrono::seconds kFreezePatience{30};  // as for baselines' players

Status as_status(const Result<Message>& reply) {
  if (!reply) return reply.error();
  return Done{};
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

Status OracleProcess::spawn() {
  if (!fork_server_ || !fork_server_->alive()) {
    auto started = OracleForkServer::start(options_);
    if (!started) return started.error();
    fork_server_ = std::move(*started);
  }
  return child_.request(*fork_server_, options_.log);
}

Status OracleProcess::meet() {
  if (tree_) return Done{};
  if (auto met = child_.meet(); !met) return met;
  tree_.emplace(fork_server_->pid());
  return Done{};
}

void OracleProcess::end() {
  tree_.reset();
  child_.end();
}

Result<Message> OracleProcess::ask(const Json& request) {
  const std::string what = request.at("op").get<std::string>();
  const auto dead = [&](const Error& error) {
    return Error{ErrorCode::kInfrastructure,
                 "the oracle did not answer \"" + what + "\": " + error.message,
                 "its log is " + options_.log.string()};
  };
  if (auto met = meet(); !met) return met.error();
  if (auto sent = child_.channel().send(request); !sent) return dead(sent.error());
  auto reply = child_.channel().receive(kPatience);
  if (!reply) return dead(reply.error());
  if (reply->body.contains("error")) return reply->body.at("error").get<Error>();
  return reply;
}

template <class T>
Result<T> OracleProcess::ask_for(const Json& request, const char* field) {
  auto reply = ask(request);
  if (!reply) return reply.error();
  return reply->body.at(field).get<T>();
}

Result<OracleHello> OracleProcess::hello() {
  auto reply = ask({{"op", "hello"}});
  if (!reply) return reply.error();
  const Json& body = reply->body;
  return OracleHello{body.at("facts").get<DeviceFacts>(), body.at("torch").get<std::string>(),
                     body.at("precision").get<std::string>()};
}

Status OracleProcess::answers_within(std::chrono::milliseconds timeout) {
  if (auto met = meet(); !met) return met;
  if (auto sent = child_.channel().send({{"op", "hello"}}); !sent) return sent;
  auto reply = child_.channel().receive(timeout);
  if (reply && !reply->body.contains("error")) return Done{};
  const Error error = reply ? reply->body.at("error").get<Error>() : reply.error();
  end();
  return Error{ErrorCode::kInfrastructure, "a fresh oracle cannot use the device: " + error.message,
               "its log is " + options_.log.string()};
}

Result<std::string> OracleProcess::load(const std::filesystem::path& task_file,
                                        const std::string& size,
                                        const std::filesystem::path& package) {
  loaded_ = {{"task_file", task_file.string()}, {"size", size}, {"package", package.string()}};
  Json body = loaded_;
  body["op"] = "load";
  return ask_for<std::string>(body, "compiled_reason");
}

Result<PlacedArenas> OracleProcess::place(const PlaceRequest& request) {
  Json body = request;
  body["op"] = "place";
  auto reply = ask(body);
  if (!reply) return reply.error();
  auto& descriptors = reply->descriptors;
  const std::size_t seats = request.seats_baselines ? 2 : 1;
  if (descriptors.size() != 3 * seats)
    return Error{ErrorCode::kInfrastructure, "the oracle sent no arenas", ""};
  PlacedArenas placed{.geometry = reply->body.get<PlaceReply>()};
  placed.submission = {std::move(descriptors[0]), std::move(descriptors[1]),
                       std::move(descriptors[2])};
  if (seats == 2)
    placed.baselines = {std::move(descriptors[3]), std::move(descriptors[4]),
                        std::move(descriptors[5])};
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
  return BaselinePlayer::start(*player_server_, options_.log, request, arenas.baselines);
}

Status OracleProcess::inputs(const std::vector<SlotInputs>& slots) {
  return as_status(ask({{"op", "inputs"}, {"slots", slots}}));
}

Result<std::vector<EagerError>> OracleProcess::reference() {
  return ask_for<std::vector<EagerError>>({{"op", "reference"}}, "outputs");
}

Result<std::vector<EagerError>> OracleProcess::perturbed() {
  return ask_for<std::vector<EagerError>>({{"op", "perturbed"}}, "outputs");
}

Status OracleProcess::release() { return as_status(ask({{"op", "release"}})); }

Result<BaselineTime> OracleProcess::time(Side side) {
  auto reply = ask({{"op", "time"}, {"side", to_string(side)}});
  if (!reply) return reply.error();
  return reply->body.get<BaselineTime>();
}

Result<std::int64_t> OracleProcess::flush() {
  return ask_for<std::int64_t>({{"op", "flush"}}, "ns");
}

Result<Revealed> OracleProcess::reveal(int slot) {
  auto reply = ask({{"op", "reveal"}, {"slot", slot}});
  if (!reply) return reply.error();
  return reply->body.get<Revealed>();
}

Result<Audit> OracleProcess::audit(bool everything) {
  auto reply = ask({{"op", "audit"}, {"everything", everything}});
  if (!reply) return reply.error();
  return reply->body.get<Audit>();
}

Result<DevicePeaks> OracleProcess::peaks() {
  if (peaks_) return *peaks_;
  auto reply = ask({{"op", "peaks"}});
  if (!reply) return reply.error();
  peaks_ = reply->body.get<DevicePeaks>();
  return *peaks_;
}

Status OracleProcess::arm(Seat seat, const std::vector<SlotPlaces>& slots) {
  return as_status(ask({{"op", "arm"}, {"seat", seat}, {"slots", slots}}));
}

Status OracleProcess::keep_eager() { return as_status(ask({{"op", "keep_eager"}})); }

Status OracleProcess::snapshot(int slot, const std::vector<OutputOrder>& orders) {
  return as_status(ask({{"op", "snapshot"}, {"slot", slot}, {"orders", orders}}));
}

Result<std::vector<CompareResult>> OracleProcess::judge(Against against,
                                                        const std::vector<OutputBound>& bounds) {
  return ask_for<std::vector<CompareResult>>(
      {{"op", "judge"}, {"against", against}, {"bounds", bounds}}, "outputs");
}

Result<std::vector<CompareResult>> OracleProcess::judge_eager(
    const std::vector<OutputBound>& bounds) {
  return ask_for<std::vector<CompareResult>>({{"op", "judge_eager"}, {"bounds", bounds}},
                                             "outputs");
}

Result<std::vector<CompareResult>> OracleProcess::judge_compiled(
    const std::vector<OutputBound>& bounds) {
  return ask_for<std::vector<CompareResult>>({{"op", "judge_compiled"}, {"bounds", bounds}},
                                             "outputs");
}

Result<std::int64_t> OracleProcess::sm_clock_khz() {
  return ask_for<std::int64_t>({{"op", "clock"}}, "khz");
}

Status OracleProcess::freeze() {
  if (auto met = meet(); !met) return met;
  return tree_->freeze(kFreezePatience);
}

Status OracleProcess::thaw() {
  if (tree_) tree_->thaw();
  return Done{};
}

void OracleProcess::run_on(int core) {
  if (child_.pid() > 0) bind_to_core(child_.pid(), core);
}

Status OracleProcess::remember() { return as_status(ask({{"op", "remember"}})); }

Result<std::vector<BypassableNode>> OracleProcess::bypassable() {
  return ask_for<std::vector<BypassableNode>>({{"op", "bypassable"}}, "nodes");
}

Result<MutationReply> OracleProcess::mutate(const MutationRequest& request) {
  Json body = request;
  body["op"] = "mutate";
  auto reply = ask(body);
  if (!reply) return reply.error();
  return reply->body.get<MutationReply>();
}

}  // namespace kbench
