// Runs a kernel of a CPU under the address and undefined-behaviour sanitizers. Each tensor is an
// allocation of its own, with nothing valid beside it. Two calls, each with new inputs and outputs:
// those of the first are freed before the second, since pointers differ from call to call.
#include <cstdio>
#include <cstdlib>

#include "probe.h"
#include "task.h"
#include "tensors.h"

extern "C" {
int kbench_prepare(const kb_params*, kb_context*) __attribute__((weak));
uint64_t kbench_workspace_bytes(void) __attribute__((weak));
void* __asan_get_report_address(void);
void __asan_on_error(void);
}

namespace {

struct Block {
  const char* what;
  const char* name;
  unsigned char* begin;
  std::uint64_t bytes;
};
std::vector<Block>& blocks() {
  static std::vector<Block> all;
  return all;
}

struct Memory {
  static void* allocate(std::uint64_t bytes) {
    void* memory = nullptr;
    if (::posix_memalign(&memory, 256, bytes) != 0) {
      std::fprintf(stderr, "kbench-probe: no memory for %llu bytes\n",
                   static_cast<unsigned long long>(bytes));
      std::exit(3);
    }
    return memory;
  }
  static void fill(void* to, const void* from, std::uint64_t bytes) {
    std::memcpy(to, from, bytes);
  }
  static void release(void* memory) { std::free(memory); }
  static void know(const char* what, const char* name, void* memory, std::uint64_t bytes) {
    blocks().push_back({what, name, static_cast<unsigned char*>(memory), bytes});
  }
};
using Tensors = probe::Tensors<Memory>;

}  // namespace

// Says which tensor the address lies at, while the report is being made.
void __asan_on_error(void) {
  constexpr std::uint64_t kNear = 4096;
  const auto* address = static_cast<unsigned char*>(__asan_get_report_address());
  const Block* nearest = nullptr;
  std::uint64_t distance = kNear;
  for (const Block& block : blocks()) {
    const std::uint64_t before = address < block.begin ? block.begin - address : 0;
    const std::uint64_t behind =
        address >= block.begin + block.bytes ? address - block.begin - block.bytes : 0;
    if (before + behind >= distance) continue;
    nearest = &block;
    distance = before + behind;
  }
  if (nearest == nullptr) return;
  const char* where = address < nearest->begin                     ? "before the begin of"
                      : address >= nearest->begin + nearest->bytes ? "behind the end of"
                                                                   : "within";
  std::fprintf(stderr, "kbench-probe: %llu bytes %s %s %s (%llu bytes)\n",
               static_cast<unsigned long long>(distance), where, nearest->what, nearest->name,
               static_cast<unsigned long long>(nearest->bytes));
}

int main(int count, char** words) {
  probe::Values values(count > 1 ? words[1] : "");
  kb_context context{};
  context.size = sizeof context;
  context.abi_version = KBENCH_ABI_VERSION;
  context.device_kind = KB_DEVICE_CPU;
  context.threads = 2;
  if (kbench_workspace_bytes != nullptr) context.workspace_bytes = kbench_workspace_bytes();
  if (context.workspace_bytes > 0) {
    context.workspace = Memory::allocate(context.workspace_bytes);
    Memory::know("the", "workspace", context.workspace, context.workspace_bytes);
  }
  const Tensors params("parameter", probe::parameters(), &values);
  int status = kbench_prepare == nullptr ? 0 : kbench_prepare(params.as<kb_params>(), &context);
  for (int call = 0; call < 2 && status == 0; ++call) {
    const Tensors inputs("input", probe::inputs(), &values);
    const Tensors outputs("output", probe::outputs(), nullptr);
    status = kbench_forward(inputs.as<kb_inputs>(), params.as<kb_params>(),
                            outputs.as<kb_outputs>(), &context);
  }
  std::fprintf(stderr, "kbench-probe: ended with status %d\n", status);
  return 0;
}
