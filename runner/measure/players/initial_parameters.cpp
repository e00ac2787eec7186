#include "runner/measure/players/initial_parameters.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "runner/core/channel.hpp"
#include "runner/measure/players/words_in.hpp"
#include "runner/measure/players/worker_output.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

// Some gigabytes of random numbers, on a busy machine.
constexpr std::chrono::minutes kPatience{2};

Error failed(const std::string& why) {
  return {ErrorCode::kInfrastructure,
          "the parameters that the task's Model draws are not known: " + why,
          "--profile kbench draws them itself"};
}

Result<UniqueFd> make_memory(std::uint64_t bytes) {
  UniqueFd memory(::memfd_create("kbench-parameters", MFD_CLOEXEC));
  if (!memory.valid() || ::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0)
    return failed(std::strerror(errno));
  return memory;
}

}  // namespace

Result<UniqueFd> draw_initial_parameters(ZygotePool& pool, const ZygoteRequest& request,
                                         const PythonModel& model, const TaskSize& size,
                                         DType type) {
  auto memory = make_memory(pack(size.parameters).bytes);
  if (!memory) return memory.error();
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  auto output = WorkerOutput::make();
  if (!output) return output.error();
  auto session = pool.fork(request, ends->second.get(), output->write_end());
  if (!session) return session.error();
  ends->second.reset();
  Channel channel(std::move(ends->first), Channel::Descriptors::kRefused);
  const Json asked = {{"writes_parameters", true},
                      {"folder", session->folder.string()},
                      {"entry", model.entry},
                      {"init", model.init},
                      {"real", to_string(type)},
                      {"seed", model.seed.value_or(kKernelBenchSeed)},
                      {"parameters", describe_tensors(size.parameters)}};
  if (auto sent = channel.send(asked, {memory->get()}); !sent) return sent.error();
  const auto reply = channel.receive(kPatience);
  if (!reply) return failed(reply.error().message);
  if (words_in(reply->body, "type") == "written") return memory;
  const std::string why = words_in(reply->body, "message");
  return failed(why.empty() ? "a malformed answer" : why);
}

}  // namespace kbench
