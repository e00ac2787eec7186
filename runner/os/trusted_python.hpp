// A Python of the operator, outside of the sandbox. This is the one place that starts one there.
// Invariant: nothing that lies in the working directory is imported or loaded, whatever it is
// called. The process runs in an empty folder of ours, isolated (-I); only where its torch is found
// by PYTHONPATH or the user's site alone (clusters, `pip install --user`) it is not, and then the
// relative and empty entries of its search paths are struck out.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/os/child_process.hpp"
#include "runner/os/files.hpp"

namespace kbench {

class TrustedPython {
 public:
  // Asks the Python where its torch lies, which takes some 20 ms. Errors: kInfrastructure,
  // "PYTHON has no torch", or it does not run.
  [[nodiscard]] static Result<TrustedPython> find(const std::filesystem::path& python);

  [[nodiscard]] const std::filesystem::path& python() const { return python_; }  // absolute
  // The folder of its module torch.
  [[nodiscard]] const std::filesystem::path& torch_folder() const { return torch_folder_; }
  // Imports from its own folders alone, and not by PYTHONPATH or from the user's site.
  [[nodiscard]] bool isolated() const { return isolated_; }

  // A process with these arguments; the plan is good for as long as this object lives.
  // `environment` is what the caller wants it to see, "NAME=value" each.
  [[nodiscard]] ChildPlan plan(std::vector<std::string> arguments,
                               std::vector<std::string> environment) const;
  // Runs a program text (-c) to its end; see run_trusted for limits and errors.
  [[nodiscard]] Result<std::string> run(const std::string& text,
                                        std::chrono::milliseconds timeout) const;

 private:
  TrustedPython() = default;

  std::filesystem::path python_;
  std::filesystem::path torch_folder_;
  bool isolated_ = true;
  ScratchFolder empty_;
};

}  // namespace kbench
