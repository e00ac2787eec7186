// A submission.json from anybody.
#include "runner/submission/manifest.hpp"
#include "runner/submission/submission.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/scratch_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kbench::fuzz::ScratchFolder kFolder;
  const auto file = kFolder.write("agent/level1/007_line/submission.json", data, size);
  (void)kbench::read_manifest(file.parent_path(), "007_line", "agent");
  (void)kbench::find_submissions(kFolder.path());
  return 0;
}
