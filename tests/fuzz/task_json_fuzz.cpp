// A lowered task file from anybody: reading it, and generating task.h where it is accepted.
#include "runner/task/suite.hpp"
#include "runner/task/task.hpp"
#include "runner/task/task_header.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/scratch_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kbench::fuzz::ScratchFolder kFolder;
  const auto file = kFolder.write("level1/007_line.json", data, size);
  (void)kbench::list_tasks(kFolder.path());
  const auto task = kbench::load_task(file);
  if (!task) return 0;
  for (const kbench::TaskSize& one : task->sizes) {
    (void)kbench::task_header(*task, one);
    (void)kbench::pack(one.inputs);
    (void)kbench::pack(one.parameters);
    (void)kbench::pack(one.outputs);
  }
  return 0;
}
