// The reference of one submission, `kbench run FILE --reference ref.py`: a KernelBench file that is
// imported once and kept. Its suite's folder is named by the file's name and content, so that the
// same file is found again and another one never takes its place.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "runner/core/result.hpp"
#include "runner/import/lower_files.hpp"

namespace kbench {

struct KeptReference {
  std::filesystem::path suite;  // the kept folder, which holds this task alone
  std::string task;             // "level1/019_relu"
  bool found = false;           // imported by an earlier run
  std::string note;             // guesses about its values; empty when nothing was guessed
};

// The hint of an importer in the words of `kbench run`: an option that only `kbench import` has is
// said with its command.
[[nodiscard]] std::string hint_for_run(const std::string& hint);

// Makes a Python ready that reads the reference; asked only if the file was not imported before.
using SetUpLowering = std::function<Result<LoweringSetup>()>;

// `kept`: the folder of all references, made where it is missing. Errors name the reference, never
// the submission: kUsage where the file cannot be read or is no Python file, kBadInput where it
// fails or a task cannot hold it, kInfrastructure where this machine cannot import it.
[[nodiscard]] Result<KeptReference> take_reference(Sandbox& sandbox, const SetUpLowering& set_up,
                                                   const std::filesystem::path& file,
                                                   const std::filesystem::path& kept,
                                                   const LoweringOptions& options);

}  // namespace kbench
