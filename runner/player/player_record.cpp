#include "runner/player/player_record.hpp"

#include <memory>
#include <utility>

#include "runner/activity/activity_collector.hpp"

namespace {

struct Recorder {
  kbench::ActivityWriter writer;
  std::unique_ptr<kbench::ActivityCollector> collector;  // null: it cannot, and the file says why
};

}  // namespace

void* kb_open_recorder(int fd, const char* cupti) {
  auto writer = kbench::ActivityWriter::open(kbench::UniqueFd(fd));
  if (!writer) return nullptr;
  auto recorder = std::make_unique<Recorder>(Recorder{std::move(*writer), nullptr});
  auto collector = kbench::start_collecting(cupti);
  if (collector)
    recorder->collector = std::move(*collector);
  else
    recorder->writer.set_problem(collector.error().message);
  return recorder.release();
}

void kb_begin_recorded(void* recorder) {
  if (auto& collector = static_cast<Recorder*>(recorder)->collector) collector->begin_call();
}

void kb_end_recorded(void* recorder, std::int64_t ns) {
  auto& [writer, collector] = *static_cast<Recorder*>(recorder);
  if (collector) collector->end_call(ns, 0, kbench::CallBegins::kAtOnce, writer);
}
