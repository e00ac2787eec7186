// The cache that Triton filled in a build step, as one text: what runner/player/kbench_triton.py
// writes into a descriptor. The process that wrote it runs foreign code, so names and sizes are
// checked, and of libraries only their hash is taken from it: the library itself is what the
// supervisor had compiled.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

inline constexpr std::size_t kMostTritonBytes = 64u << 20;

struct TritonFile {
  std::string name;        // "KEY/kernel.cubin"
  std::string_view bytes;  // part of the text
  std::string library;     // its SHA-256, where it is one; then `bytes` is empty
};

// Files of the cache that have a plain name and lie within the text, each name once. None of a text
// of another form.
[[nodiscard]] std::vector<TritonFile> read_triton_cache(std::string_view text);

// Whether a file of the cache, "KEY/NAME.cubin", is of a kernel that torch.compile wrote: by its
// name, as torch/_inductor/codegen/triton.py gives it ("triton_poi_fused_relu_0", or "triton_"
// where it is told to).
[[nodiscard]] bool is_of_torch_compile(std::string_view file);

}  // namespace kbench
