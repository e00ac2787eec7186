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

unsigned char* allocate(std::uint64_t bytes) {
  void* memory = nullptr;
  if (::posix_memalign(&memory, 256, bytes == 0 ? 1 : bytes) != 0) {
    std::fprintf(stderr, "kbench-probe: no memory for %llu bytes\n",
                 static_cast<unsigned long long>(bytes));
    std::exit(3);
  }
  return static_cast<unsigned char*>(memory);
}

class Tensors {
 public:
  // `values` is null for outputs, which hold nothing yet.
  Tensors(const char* what, const std::vector<probe::Tensor>& tensors, probe::Values* values) {
    for (const probe::Tensor& tensor : tensors) {
      const std::uint64_t bytes = probe::bytes_of(tensor);
      unsigned char* memory = allocate(bytes);
      if (values != nullptr) {
        const auto drawn = values->draw(tensor);
        if (bytes > 0) std::memcpy(memory, drawn.data(), bytes);
      }
      pointers_.push_back(memory);
      blocks().push_back({what, tensor.name, memory, bytes});
    }
    words_ = probe::words(pointers_, KBENCH_ABI_VERSION);
  }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;
  ~Tensors() {
    for (void* memory : pointers_) std::free(memory);
  }
  template <typename Struct>
  const Struct* as() const {
    return reinterpret_cast<const Struct*>(words_.data());
  }

 private:
  std::vector<void*> pointers_;
  std::vector<std::uint64_t> words_;
};

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
    auto* workspace = allocate(context.workspace_bytes);
    blocks().push_back({"the", "workspace", workspace, context.workspace_bytes});
    context.workspace = workspace;
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
