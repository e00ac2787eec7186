// How long it takes to make a task ready: its buffers, its parameters and one set of inputs, drawn
// on the device. One line a task and the sum; a measuring tool, not a test.
//
//   prepare_tasks full suites/level1/*.json [--device cpu]
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "runner/backend/backend.hpp"
#include "runner/oracle/loaded_task.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

// Seconds from nothing to inputs on the device.
Result<double> prepare(Backend& backend, const std::string& torch_device, const std::string& file,
                       const std::string& size) {
  const auto start = Clock::now();
  auto task = load_task(file);
  if (!task) return task.error();
  auto loaded = LoadedTask::load(backend, *task, size, torch_device, {});
  if (!loaded) return loaded.error();
  if (auto placed = loaded->place({.slots = 1, .key = 1}); !placed) return placed.error();
  if (auto drawn = loaded->inputs({{.key = 2}}); !drawn) return drawn.error();
  if (auto done = backend.synchronize(); !done) return done.error();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int prepare_all(Backend& backend, const std::string& torch_device, const std::string& size,
                const std::vector<std::string>& files) {
  double sum = 0;
  int failures = 0;
  for (const std::string& file : files) {
    const auto seconds = prepare(backend, torch_device, file, size);
    if (seconds) {
      sum += *seconds;
      std::printf("%8.3f s  %s\n", *seconds, file.c_str());
    } else {
      ++failures;
      std::printf("failed      %s: %s\n", file.c_str(), seconds.error().message.c_str());
    }
  }
  std::printf("%8.3f s  for %zu tasks, %d failed\n", sum, files.size(), failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kbench

int main(int argc, char** argv) {
  CLI::App app("Seconds that it takes to make tasks ready on a device");
  std::string size;
  std::string device = "cuda";
  std::vector<std::string> files;
  app.add_option("SIZE", size, "small or full")->required();
  app.add_option("TASK", files, "lowered tasks, suites/levelN/NNN_name.json")->required();
  app.add_option("--device", device, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  CLI11_PARSE(app, argc, argv);
  auto backend = device == "cpu" ? kbench::make_cpu_backend(2) : kbench::make_cuda_backend(0);
  if (!backend) {
    std::fprintf(stderr, "prepare_tasks: %s\n", backend.error().message.c_str());
    return 1;
  }
  return kbench::prepare_all(**backend, device == "cpu" ? "cpu" : "cuda:0", size, files);
}
