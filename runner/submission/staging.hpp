// A temporary folder in which one submission is compiled: exactly the files that were hashed, and
// one folder the compiler may write to. Removed with its owner.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "runner/core/result.hpp"
#include "runner/os/files.hpp"

namespace kbench {

class Staging {
 public:
  // Makes TMPDIR/kbench-compile-XXXXXX, readable by all, with an empty out/.
  [[nodiscard]] static Result<Staging> make();
  // `name` is a checked relative path.
  [[nodiscard]] Status add(const std::string& name, std::string_view bytes) const;

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path out() const { return path() / "out"; }

 private:
  explicit Staging(ScratchFolder folder) : folder_(std::move(folder)) {}
  ScratchFolder folder_;
};

}  // namespace kbench
