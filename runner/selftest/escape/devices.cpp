// Escapes through device nodes and through the GPU's memory. The CUDA driver is loaded at run time;
// names and signatures: CUDA Driver API reference.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "runner/core/unique_fd.hpp"
#include "runner/selftest/escape/attempt.hpp"
#include "runner/selftest/escape/cuda_memory.hpp"

namespace kbench {
namespace {

EscapeAttempt open_any(const std::vector<std::string>& nodes) {
  EscapeAttempt last = blocked("none of them is there");
  for (const std::string& node : nodes) {
    const UniqueFd file(::open(node.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.valid()) return open_escape("opened " + node);
    if (errno != ENOENT) last = judge(-1, "open " + node);
  }
  return last;
}

EscapeAttempt device_nodes(const Bait&) {
  return open_any({"/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/nvme0", "/dev/nvme0n1",
                   "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/loop-control", "/dev/tty",
                   "/dev/tty0", "/dev/console", "/dev/vsock", "/dev/userfaultfd",
                   "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset", "/dev/cpu_dma_latency"});
}

// A CPU submission has no business with any GPU.
EscapeAttempt gpu_nodes(const Bait& bait) {
  if (bait.device >= 0) return not_applicable("the device under test is a GPU");
  return open_any({"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia-uvm"});
}

EscapeAttempt make_device(const Bait& bait) {
  const std::string node = bait.scratch + "/null";
  return judge(::mknod(node.c_str(), S_IFCHR | 0600, makedev(1, 3)), "mknod");
}

EscapeAttempt gpu_pointer(const Bait& bait) {
  const auto cuda = CudaMemory::open(bait.device);
  if (!cuda) return not_applicable(cuda.error().message);
  std::array<std::uint64_t, 4> words{};
  const int error = cuda->read(bait.gpu_address, words.data(), sizeof words);
  if (error != 0) return blocked("cuMemcpyDtoH: error " + std::to_string(error));
  // The same address may be valid here too, with memory of this process behind it.
  const bool found = std::count(words.begin(), words.end(), kGpuSecret) > 0;
  return found ? open_escape("read another context's memory") : blocked("other memory is there");
}

EscapeAttempt gpu_leftovers(const Bait& bait) {
  const auto cuda = CudaMemory::open(bait.device);
  if (!cuda) return not_applicable(cuda.error().message);
  constexpr std::size_t kChunk = 64 << 20;
  constexpr std::size_t kMost = 4ull << 30;
  std::vector<std::uint64_t> words(kChunk / sizeof(std::uint64_t));
  std::size_t looked = 0;
  for (; looked < kMost; looked += kChunk) {
    const auto memory = cuda->allocate(kChunk);
    if (memory == 0 || cuda->read(memory, words.data(), kChunk) != 0) break;
    if (std::count(words.begin(), words.end(), kGpuSecret) > 0) {
      return open_escape("another context's data lies in fresh memory");
    }
  }
  if (looked == 0) return not_applicable("no GPU memory is free");
  return blocked("not in " + std::to_string(looked >> 20) + " MiB of fresh memory");
}

}  // namespace

void add_device_escapes(EscapeTable& table) {
  table["device_nodes"] = device_nodes;
  table["gpu_nodes"] = gpu_nodes;
  table["make_device"] = make_device;
  table["gpu_pointer"] = gpu_pointer;
  table["gpu_leftovers"] = gpu_leftovers;
}

}  // namespace kbench
