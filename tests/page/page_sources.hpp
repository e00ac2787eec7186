// Sources of the submissions of a made-up run (make_page_runs).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/evaluation.hpp"
#include "runner/store/rows/blob.hpp"

namespace kbench::test {

inline const std::string kSharedHeader =
    "#pragma once\n"
    "// Elements that a thread takes at a time.\n"
    "constexpr int kWidth = 4;\n";

// Some fifty lines that differ from row to row in a few.
inline std::string page_source(const std::string& task, const std::string& agent,
                               const std::string& variant) {
  std::string text =
      fmt::format("// {} of {}\n#include \"task.h\"\n#include \"tile.cuh\"\n\n", task, agent);
  text += "__global__ void kernel(const float* in, float* out, long n) {\n";
  text += "  const long i = blockIdx.x * 256L + threadIdx.x; /* one\n     each */\n";
  if (!variant.empty()) text += "  __shared__ float tile[256];\n  tile[threadIdx.x] = 0;\n";
  for (int line = 0; line < 40; ++line)
    text += fmt::format("  if (i < n) out[i] += in[i] * {}.{:02}f;  // step {}\n", line % 7, line,
                        line);
  text += "}\n\nextern \"C\" int kbench_forward(const kb_inputs* in, const kb_params*,\n";
  text += "                              const kb_outputs* out, kb_context*) { return 0; }\n";
  return text;
}

inline std::string page_task_source(const std::string& task) {
  return fmt::format(
      "\"\"\"{}: made up.\n\nTwo lines.\"\"\"\nimport torch\nfrom torch import nn\n\n\n"
      "class Model(nn.Module):\n    def forward(self, x):\n"
      "        return torch.relu(x) * 2.0  # {}\n",
      task, task);
}

// Text that would be markup, an instruction, or too long for a line, if a page took it for that.
inline std::string hostile_source(int which) {
  using namespace std::string_literals;
  switch (which % 6) {
    case 0: return "</script><script>document.title='owned'</script>\n<!-- <script> \n";
    case 1: return "int a; /* \xe2\x80\xae txt \xe2\x80\xa8 \x1b[31m red \x07 */\r\nint b;\n";
    case 2: return "// " + std::string(10'000, 'w') + "\nint c;\n";
    case 3: return "int d; // \xff\xfe \xc0\x80 \0 end\n"s;
    case 4: return "<img src=x onerror=\"document.title='owned'\"> ${document.title='owned'}\n";
    default: return std::string(50'000, '"') + "\n/*" + std::string(50'000, '*');
  }
}

// Puts the files into the evaluation; returns what they hold.
inline std::vector<Blob> attach_page_sources(Evaluation& e, const std::string& text) {
  std::vector<Blob> blobs = {pack(page_task_source(e.task))};
  e.task_source = blobs[0].hash;
  if (!e.submission) return blobs;
  const std::string leaf = e.submission->name.substr(e.submission->name.rfind('/') + 1);
  const std::vector<std::pair<std::string, std::string>> files = {
      {"include/tile.cuh", kSharedHeader}, {"src/" + leaf, text}};
  for (const auto& [path, content] : files) {
    blobs.push_back(pack(content));
    e.sources.push_back({path, blobs.back().hash, blobs.back().bytes});
  }
  e.tree_hash = hash_tree(e.sources);
  return blobs;
}

}  // namespace kbench::test
