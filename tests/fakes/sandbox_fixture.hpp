// Common parts of the sandbox's tests: the modes a machine may be in, a scratch folder, and the
// guest.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/sandbox/sandbox.hpp"
#include "tests/fakes/await.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench {

struct SandboxMode {
  const char* name;
  SandboxOptions options;
};

// Everything, and each layer alone: what holds with one layer does not lean on another.
inline std::vector<SandboxMode> sandbox_modes() {
  constexpr SandboxOptions kNone{.use_bubblewrap = false,
                                 .use_namespaces = false,
                                 .use_user_namespace = true,
                                 .use_network_namespace = false,
                                 .use_system_call_filter = false,
                                 .use_cgroup = false,
                                 .use_freezer = false,
                                 .max_landlock_abi = 0};
  std::vector<SandboxMode> modes = {
      {"Strongest", {}},
      {"WithoutBubblewrap", {.use_bubblewrap = false}},
      {"WithoutNetworkNamespace", {.use_network_namespace = false}},
      {"WithoutUserNamespaces", {.use_user_namespace = false}},  // Ubuntu 24.04, plain user
      {"WithoutFreezer", {.use_freezer = false}},
      {"Nothing", kNone},
  };
  const auto alone = [&](const char* name, auto&& change) {
    SandboxOptions options = kNone;
    change(options);
    modes.push_back({name, options});
  };
  alone("OnlyBubblewrap", [](SandboxOptions& o) { o.use_bubblewrap = true; });
  alone("OnlyNamespaces", [](SandboxOptions& o) { o.use_namespaces = true; });
  alone("OnlyLandlock", [](SandboxOptions& o) { o.max_landlock_abi = 99; });
  alone("OnlyLandlock2", [](SandboxOptions& o) { o.max_landlock_abi = 2; });  // stock Debian 12
  alone("OnlySeccomp", [](SandboxOptions& o) { o.use_system_call_filter = true; });
  alone("OnlyCgroup", [](SandboxOptions& o) { o.use_cgroup = true; });
  alone("OnlyFreezer", [](SandboxOptions& o) { o.use_freezer = true; });
  return modes;
}

class SandboxFixture : public ::testing::TestWithParam<SandboxMode> {
 protected:
  SandboxFixture() : sandbox_(make_sandbox(GetParam().options)) {}

  [[nodiscard]] const SandboxLevel& level() const { return sandbox_->level(false); }

  // A command that runs the guest, which is copied to where every user can execute it.
  SandboxCommand guest(std::vector<std::string> words) {
    const auto program = scratch_.path() / "guest";
    if (!std::filesystem::exists(program)) {
      std::filesystem::copy_file(KBENCH_SANDBOX_GUEST, program);
      std::filesystem::permissions(program, std::filesystem::perms(0755));
    }
    SandboxCommand command;
    command.argv = std::move(words);
    command.argv.insert(command.argv.begin(), program.string());
    return command;
  }

  // Runs to the end with a generous limit; fails the test when the sandbox itself fails.
  ProgramOutput run(const SandboxCommand& command) {
    auto output = run_to_end(*sandbox_, command, test::kPatience);
    if (!output) {
      ADD_FAILURE() << output.error().message;
      return {};
    }
    EXPECT_FALSE(output->timed_out);
    return std::move(output.value());
  }

  // The exit code of the guest, or -1 when it was killed.
  int code_of(const SandboxCommand& command) {
    const auto output = run(command);
    return output.exit.exited ? output.exit.code : -1;
  }

  test::TemporaryFolder scratch_;
  std::unique_ptr<Sandbox> sandbox_;
};

inline void PrintTo(const SandboxMode& mode, std::ostream* out) { *out << mode.name; }

inline std::string mode_name(const ::testing::TestParamInfo<SandboxMode>& info) {
  return info.param.name;
}

}  // namespace kbench
