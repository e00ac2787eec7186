#include "runner/oracle/server.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/activity/activity_collector.hpp"
#include "runner/oracle/given_files.hpp"
#include "runner/oracle/loaded_task.hpp"
#include "runner/oracle/measured_limits.hpp"
#include "runner/oracle/player.hpp"
#include "runner/oracle/protocol.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

Json failure(const Error& error) { return {{"error", error}}; }

std::vector<OutputBound> bounds_from(const Json& request) {
  return request.at("bounds").get<std::vector<OutputBound>>();
}

struct Reply {
  Json body = Json::object();
  std::vector<int> descriptors;
};

class Server {
 public:
  Server(Backend& backend, std::string torch_device, std::string precision)
      : backend_(backend),
        torch_device_(std::move(torch_device)),
        precision_(std::move(precision)),
        type_(working_type(precision_)) {}

  // `files` come with "load" alone.
  Reply answer(const Json& request, std::vector<UniqueFd> files) {
    const auto operation = request.at("op").get<std::string>();
    if (operation == "hello") return hello();
    if (operation == "load") return load(request, std::move(files));
    if (operation == "clock") return clock();
    if (operation == "peaks") return peaks();
    if (operation == "limits") return limits();
    if (!task_) return {failure({ErrorCode::kInfrastructure, "no task is loaded", ""}), {}};
    if (operation == "place") return place(request);
    if (operation == "inputs") return inputs(request);
    if (operation == "reference") return errors(task_->reference());
    if (operation == "perturbed") return errors(task_->perturbed_errors());
    if (operation == "release") return release();
    if (operation == "time") return time(request);
    if (operation == "record") return record(request, std::move(files));
    if (operation == "arm") return arm(request);
    if (operation == "flush") return nanoseconds(task_->flush());
    if (operation == "reveal") return reveal(request);
    if (operation == "audit") return audit(request);
    if (operation == "snapshot") return snapshot(request);
    if (operation == "keep_eager") return status(task_->keep_eager());
    if (operation == "judge") return judge(request);
    if (operation == "remember") return status(task_->remember_outputs());
    if (operation == "bypassable") return bypassable();
    if (operation == "mutate") return mutate(request);
    if (operation == "judge_baseline") return judge_baseline(request);
    return {failure({ErrorCode::kInfrastructure, "unknown request " + operation, ""}), {}};
  }

 private:
  static Reply status(const Status& result) {
    return {result ? Json::object() : failure(result.error()), {}};
  }

  static Reply compared(const Result<std::vector<CompareResult>>& results) {
    if (!results) return {failure(results.error()), {}};
    return {{{"outputs", *results}}, {}};
  }

  Reply snapshot(const Json& request) {
    return status(task_->snapshot(request.at("slot").get<int>(), request.get<OutputPlaces>()));
  }

  Reply hello() {
    return {{{"facts", backend_.facts()}, {"torch", torch_version()}, {"precision", precision_}},
            {}};
  }

  Reply load(const Json& request, std::vector<UniqueFd> files) {
    const std::string identity = request.dump();
    if (task_ && identity == loaded_) return {{{"compiled_reason", task_->compiled_reason()}}, {}};
    task_.reset();
    UniqueFd parameters;
    if (request.at("has_parameters").get<bool>() && !files.empty()) {
      parameters = std::move(files.back());
      files.pop_back();
    }
    const auto given =
        keep_given_files(request.at("task_file").get<std::string>(), std::move(files));
    if (!given) return {failure(given.error()), {}};
    auto task = load_task_in(type_, given->task);
    if (!task) return {failure(task.error()), {}};
    auto loaded = LoadedTask::load(backend_, *task, request.at("size").get<std::string>(),
                                   torch_device_, given->package, std::move(parameters), type_);
    if (!loaded) return {failure(loaded.error()), {}};
    task_.emplace(std::move(*loaded));
    loaded_ = identity;
    return {{{"compiled_reason", task_->compiled_reason()}}, {}};
  }

  Reply clock() {
    auto khz = backend_.sm_clock_khz();
    if (!khz) return {failure(khz.error()), {}};
    return {{{"khz", *khz}}, {}};
  }

  Reply place(const Json& request) {
    auto arenas = task_->place(request.get<PlaceRequest>());
    if (!arenas) return {failure(arenas.error()), {}};
    const SharedArenas& any = arenas->seats.front();
    Reply reply{PlaceReply{{any.inputs->bytes(), any.params->bytes(), any.outputs->bytes()},
                           arenas->input_stride,
                           arenas->output_stride,
                           arenas->heap == nullptr ? 0 : arenas->heap->bytes()},
                {}};
    for (const SharedArenas& seat : arenas->seats)
      for (const SharedArena* arena : {seat.inputs, seat.params, seat.outputs})
        reply.descriptors.push_back(arena->fd());
    if (arenas->heap != nullptr) reply.descriptors.push_back(arenas->heap->fd());
    return reply;
  }

  Reply inputs(const Json& request) {
    return status(task_->inputs(request.at("slots").get<std::vector<SlotInputs>>()));
  }

  static Reply errors(const Result<std::vector<EagerError>>& result) {
    if (!result) return {failure(result.error()), {}};
    return {{{"outputs", *result}}, {}};
  }

  Reply release() {
    task_->release_reference_memory();
    return {};
  }

  Reply reveal(const Json& request) {
    const auto revealed = task_->reveal(request.at("slot").get<int>());
    if (!revealed) return {failure(revealed.error()), {}};
    return {*revealed, {}};
  }

  static Reply nanoseconds(const Result<std::int64_t>& result) {
    if (!result) return {failure(result.error()), {}};
    return {{{"ns", *result}}, {}};
  }

  Reply time(const Json& request) {
    const auto side = side_from_string(request.at("side").get<std::string>());
    auto timed = task_->time(side.value_or(Side::kEager));
    if (!timed) return {failure(timed.error()), {}};
    return {*timed, {}};
  }

  // CUPTI stays in this process: a profile's oracle times nothing else.
  Reply record(const Json& request, std::vector<UniqueFd> files) {
    if (files.size() != 1)
      return {failure({ErrorCode::kInfrastructure, "a profile has no file to write to", ""}), {}};
    if (!writer_) {
      auto writer = ActivityWriter::open(std::move(files.front()));
      if (!writer) return {failure(writer.error()), {}};
      writer_.emplace(std::move(*writer));
      // LibTorch has brought one; two in a process refuse each other.
      auto collector = start_collecting("");
      if (!collector) collector = start_collecting(request.at("cupti").get<std::string>());
      if (collector)
        collector_ = std::move(*collector);
      else
        writer_->set_problem(collector.error().message);
    }
    if (!collector_) return time(request);
    collector_->begin_call();
    const auto side = side_from_string(request.at("side").get<std::string>());
    const auto timed = task_->time(side.value_or(Side::kEager));
    if (!timed) return {failure(timed.error()), {}};
    collector_->end_call(timed->ns, timed->launch_ns, CallBegins::kAfterFirstMemset, *writer_);
    return {*timed, {}};
  }

  Reply audit(const Json& request) {
    auto found = task_->audit(request.at("everything").get<bool>());
    if (!found) return {failure(found.error()), {}};
    return {*found, {}};
  }

  Reply peaks() {
    auto measured = measure_peaks(backend_, torch_device_, type_);
    if (!measured) return {failure(measured.error()), {}};
    return {*measured, {}};
  }

  Reply limits() {
    auto measured = measure_limits(backend_, torch_device_);
    if (!measured) return {failure(measured.error()), {}};
    return {*measured, {}};
  }

  Reply arm(const Json& request) {
    return status(task_->arm(request.at("seat").get<Seat>(),
                             request.at("slots").get<std::vector<SlotPlaces>>()));
  }

  Reply judge(const Json& request) {
    return compared(task_->judge(request.at("against").get<Against>(), bounds_from(request)));
  }

  Reply judge_baseline(const Json& request) {
    const auto side = side_from_string(request.at("side").get<std::string>());
    if (!side) return {failure({ErrorCode::kInfrastructure, "unknown side", ""}), {}};
    return compared(task_->judge_baseline(*side, bounds_from(request)));
  }

  Reply bypassable() {
    auto nodes = task_->bypassable_nodes();
    if (!nodes) return {failure(nodes.error()), {}};
    return {{{"nodes", *nodes}}, {}};
  }

  Reply mutate(const Json& request) {
    auto made = task_->mutate(request.get<MutationRequest>());
    if (!made) return {failure(made.error()), {}};
    return {*made, {}};
  }

  Backend& backend_;
  std::string torch_device_;
  std::string precision_;
  DType type_;
  std::optional<LoadedTask> task_;
  std::string loaded_;                    // the request that loaded it
  std::optional<ActivityWriter> writer_;  // writer of a profile
  std::unique_ptr<ActivityCollector> collector_;
};

// Makes a player of this process. Returns only where it cannot play.
int play(Channel& channel, Message request, DType type) {
  auto player =
      CpuPlayer::load(request.body.get<PlayRequest>(), type, std::move(request.descriptors));
  if (!player) {
    (void)channel.send(failure(player.error()));
    return 3;
  }
  if (auto told = channel.send(Json::object()); !told) return 3;
  player->serve();
}

}  // namespace

int serve_oracle(Channel& channel, Backend& backend, const std::string& torch_device,
                 const std::string& precision) {
  Server server(backend, torch_device, precision);
  while (true) {
    auto request = channel.receive();
    if (!request) return 0;  // the supervisor is gone, or done
    if (request->body.value("op", "") == "play")
      return play(channel, std::move(*request), working_type(precision));
    Reply reply;
    try {
      reply = server.answer(request->body, std::move(request->descriptors));
    } catch (const std::exception& error) {
      reply = {failure({ErrorCode::kInfrastructure,
                        std::string("the oracle cannot answer: ") + error.what(), ""}),
               {}};
    }
    if (!channel.send(reply.body, reply.descriptors)) return 3;
  }
}

}  // namespace kbench
