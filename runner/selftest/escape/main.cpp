// kbench-escape: tries one escape and says how it went, by exit code and one line of text. It runs
// inside the sandbox, started by `kbench selftest sandbox` (selftest.cpp), locked down exactly as a
// worker is just before it loads a submission.
//
//   kbench-escape NAME worker|tool BAIT…     tries NAME
//   kbench-escape wait                       another worker: prints the address of a word, waits
//   kbench-escape gpu-wait DEVICE            the same with memory on a GPU
//   kbench-escape list                       every escape it knows
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "runner/sandbox/lockdown.hpp"
#include "runner/selftest/escape/attempt.hpp"
#include "runner/selftest/escape/cuda_memory.hpp"

namespace kbench {
namespace {

EscapeTable all() {
  EscapeTable table;
  add_file_escapes(table);
  add_network_escapes(table);
  add_process_escapes(table);
  add_kernel_escapes(table);
  add_device_escapes(table);
  add_worker_escapes(table);
  add_bombs(table);
  return table;
}

int report(const EscapeAttempt& attempt) {
  std::printf("%s\n", attempt.reason.c_str());
  std::fflush(stdout);
  return attempt.outcome;
}

[[noreturn]] void wait_with(std::uint64_t address) {
  std::printf("%llu\n", static_cast<unsigned long long>(address));
  std::fflush(stdout);
  while (true) ::pause();
}

int wait_on_gpu(int device) {
  const auto cuda = CudaMemory::open(device);
  if (!cuda) return report(not_applicable(cuda.error().message));
  const std::vector<std::uint64_t> secrets((64 << 20) / sizeof(std::uint64_t), kGpuSecret);
  const auto bytes = secrets.size() * sizeof(std::uint64_t);
  const std::uint64_t memory = cuda->allocate(bytes);
  if (memory == 0 || cuda->write(memory, secrets.data(), bytes) != 0) {
    return report(not_applicable("no GPU memory is free"));
  }
  wait_with(memory);
}

// True for an escape that depends on the driver's threads. Where descriptors are counted, the
// driver's are in the way.
bool needs_open_device(const std::string& name) {
  for (const Escape& escape : all_escapes()) {
    if (escape.name != name) continue;
    return escape.setting == EscapeSetting::kGpu ||
           (escape.group == "after load" && name != "inherited" && name != "environment");
  }
  return false;
}

int run(const std::vector<std::string>& words) {
  const EscapeTable table = all();
  if (words.size() == 1 && words[0] == "list") {
    for (const auto& [name, function] : table) std::printf("%s\n", std::string(name).c_str());
    return 0;
  }
  if (words.size() == 1 && words[0] == "wait") {
    static const volatile std::uint64_t kWord = 1;
    wait_with(reinterpret_cast<std::uint64_t>(&kWord));
  }
  if (words.size() == 2 && words[0] == "gpu-wait") return wait_on_gpu(std::atoi(words[1].c_str()));
  const auto escape = words.size() < 2 ? table.end() : table.find(words[0]);
  if (escape == table.end()) return 2;
  const Bait bait = parse_bait({words.begin() + 2, words.end()});
  // A worker locks itself once its device is open: libcuda has threads of its own by then.
  if (bait.device >= 0 && needs_open_device(words[0])) (void)CudaMemory::open(bait.device);
  if (words[1] == "worker") {
    // False, without an error, where the kernel has no filters: then that is what is tested.
    if (const auto locked = lock_down(); !locked) {
      std::fprintf(stderr, "%s\n", locked.error().message.c_str());
      return 3;
    }
  }
  return report(escape->second(bait));
}

}  // namespace
}  // namespace kbench

int main(int argc, char** argv) { return kbench::run({argv + 1, argv + argc}); }
