// A Python with torch, as far as anybody asks it: a script that answers in its place. What it is
// asked to run is what a test writes.
#pragma once

#include <filesystem>
#include <string>

#include "runner/installation/installation.hpp"
#include "runner/sandbox/python_command.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {

class FakePython {
 public:
  // Below `folder`, which outlives it. Torch is found unless `has_torch` is false.
  explicit FakePython(const TemporaryFolder& folder, bool has_torch = true)
      : folder_(folder), home_(folder / "python") {
    folder_.write("python/torch/__init__.py", "");
    folder_.write("python/where", has_torch ? (home_ / "torch").string() + "\n" : "\n");
    tell_facts();
    // The first two answer what a Python is asked about itself; any script is `run`.
    program_ = folder_.write("python/python",
                             "#!/bin/sh\n"
                             "here=" +
                                 home_.string() +
                                 "\n"
                                 "case \"$*\" in\n"
                                 "  *submodule_search_locations*) cat $here/where;;\n"
                                 "  *find_spec*) cat $here/facts;;\n"
                                 "  *) . $here/run;;\n"
                                 "esac\n");
    std::filesystem::permissions(program_, std::filesystem::perms{0755});
    runs("exit 1\n");
  }

  [[nodiscard]] const std::filesystem::path& program() const { return program_; }
  [[nodiscard]] PythonSetup setup() const { return {program_, {home_}, {home_}}; }

  // Lines of a shell, which a script is in its place; its words are "$@".
  void runs(const std::string& lines) const { folder_.write("python/run", lines); }
  void has_cuda() { cuda_ = "true", tell_facts(); }
  // Puts Python.h where its headers lie.
  void has_headers() const { folder_.write("python/include/Python.h", ""); }

 private:
  void tell_facts() const {
    const std::string home = "[\"" + home_.string() + "\"]";
    folder_.write("python/facts", "{\"path\": " + home + ", \"homes\": " + home +
                                      ", \"torch\": true, \"cuda\": " + cuda_ +
                                      ", \"headers\": \"" + (home_ / "include").string() + "\"}\n");
  }

  const TemporaryFolder& folder_;
  std::filesystem::path home_;
  std::filesystem::path program_;
  std::string cuda_ = "false";
};

}  // namespace kbench::test
