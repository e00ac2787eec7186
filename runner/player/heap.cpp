// kbench-heap.so, preloaded into the Python that plays submissions on CUDA: cudaMalloc and cudaFree
// that give memory of a heap as long as there is some, and call the runtime's own functions else.
// Torch's allocator takes its segments by cudaMalloc, graphs' pools among them, and the heap is
// memory that the oracle handed over: so the oracle reads outputs where they lie. Loaded before
// everything else, with whatever C++ library torch brings later: it uses none itself.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

constexpr std::uint64_t kGranule = std::uint64_t{2} << 20;  // no smaller than a segment
constexpr int kMostPieces = 4096;
constexpr int kSuccess = 0;      // cudaSuccess
constexpr int kNoRuntime = 100;  // cudaErrorNoDevice

// A piece of the heap. The pieces are in order of their offsets; together they are all of the heap.
struct Piece {
  std::uint64_t offset;
  std::uint64_t bytes;
  bool is_free;
};

pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
std::uint64_t g_heap = 0;
Piece g_pieces[kMostPieces];
int g_count = 0;

int find_runtime(dl_phdr_info* info, std::size_t, void* found) {
  if (std::strstr(info->dlpi_name, "libcudart.so") == nullptr) return 0;
  *static_cast<void**>(found) = ::dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  return 1;
}

template <class Function>
Function of_the_runtime(const char* name) {
  void* runtime = nullptr;
  ::dl_iterate_phdr(find_runtime, &runtime);
  return runtime == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(runtime, name));
}

void insert(int at, Piece piece) {
  std::memmove(&g_pieces[at + 1], &g_pieces[at],
               static_cast<std::size_t>(g_count - at) * sizeof(Piece));
  g_pieces[at] = piece;
  ++g_count;
}

void join_with_next(int at) {
  if (at < 0 || at + 1 >= g_count || !g_pieces[at].is_free || !g_pieces[at + 1].is_free) return;
  g_pieces[at].bytes += g_pieces[at + 1].bytes;
  std::memmove(&g_pieces[at + 1], &g_pieces[at + 2],
               static_cast<std::size_t>(g_count - at - 2) * sizeof(Piece));
  --g_count;
}

// Takes a piece; 0 where none is large enough.
std::uint64_t take(std::uint64_t bytes) {
  const std::uint64_t wanted = (bytes + kGranule - 1) / kGranule * kGranule;
  for (int i = 0; i < g_count; ++i) {
    Piece& piece = g_pieces[i];
    if (!piece.is_free || piece.bytes < wanted) continue;
    if (piece.bytes > wanted && g_count == kMostPieces) continue;
    const Piece rest{piece.offset + wanted, piece.bytes - wanted, true};
    piece.bytes = wanted;
    piece.is_free = false;
    const std::uint64_t address = g_heap + piece.offset;
    if (rest.bytes > 0) insert(i + 1, rest);
    return address;
  }
  return 0;
}

bool give_back(std::uint64_t address) {
  for (int i = 0; i < g_count; ++i) {
    if (g_pieces[i].is_free || g_heap + g_pieces[i].offset != address) continue;
    g_pieces[i].is_free = true;
    join_with_next(i);
    join_with_next(i - 1);
    return true;
  }
  return false;
}

bool lies_in_heap(std::uint64_t address) {
  if (g_count == 0) return false;
  const Piece& last = g_pieces[g_count - 1];
  return address >= g_heap && address < g_heap + last.offset + last.bytes;
}

}  // namespace

extern "C" {

// Offers mapped memory of the device; of no use before. Called once, by player.py.
void kb_heap_offer(void* address, std::uint64_t bytes) {
  ::pthread_mutex_lock(&g_mutex);
  g_heap = reinterpret_cast<std::uint64_t>(address);
  g_pieces[0] = {0, bytes, true};
  g_count = 1;
  ::pthread_mutex_unlock(&g_mutex);
}

int cudaMalloc(void** address, std::size_t bytes) {
  ::pthread_mutex_lock(&g_mutex);
  const std::uint64_t taken = bytes == 0 ? 0 : take(bytes);
  ::pthread_mutex_unlock(&g_mutex);
  if (taken != 0) {
    *address = reinterpret_cast<void*>(taken);
    return kSuccess;
  }
  const auto own = of_the_runtime<int (*)(void**, std::size_t)>("cudaMalloc");
  return own == nullptr ? kNoRuntime : own(address, bytes);
}

int cudaFree(void* address) {
  const auto number = reinterpret_cast<std::uint64_t>(address);
  if (!lies_in_heap(number)) {
    const auto own = of_the_runtime<int (*)(void*)>("cudaFree");
    return own == nullptr ? kNoRuntime : own(address);
  }
  // Waits for the device as the runtime's own cudaFree does: nothing of the memory is in use any
  // more once it is free.
  const auto synchronize = of_the_runtime<int (*)()>("cudaDeviceSynchronize");
  const int status = synchronize == nullptr ? kNoRuntime : synchronize();
  ::pthread_mutex_lock(&g_mutex);
  (void)give_back(number);
  ::pthread_mutex_unlock(&g_mutex);
  return status;
}

}  // extern "C"
