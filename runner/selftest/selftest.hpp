// Tries every escape of escape/escapes.hpp inside the sandbox of this machine, with real bait:
// files, sockets, a process of kbench's own user, another sandboxed worker, GPU memory of another
// context. They are tried as a submission, as a compiler, and as the two programs that execute what
// task files say: the oracle and the builder of packages. What an escape did is judged out here
// wherever that is possible: whether the victim lives, whether the file appeared, whether the
// daemon is gone.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/selftest/escape/escapes.hpp"

namespace kbench {

enum class EscapeOutcome {
  kBlocked,
  kOpen,           // it works: a layer is missing, or has a hole
  kNotApplicable,  // there is nothing here to aim at
  kFailed,         // the attempt itself failed; nothing is known
};
[[nodiscard]] std::string_view to_string(EscapeOutcome outcome);
[[nodiscard]] std::string_view to_string(EscapeAs as);

struct EscapeResult {
  Escape escape;
  EscapeOutcome outcome = EscapeOutcome::kFailed;
  std::string reason;
};

struct SelftestOptions {
  // How a program is started that may write to that folder; kbench-escape takes its place.
  using Confined = std::function<Result<SandboxCommand>(const std::filesystem::path& scratch)>;

  std::filesystem::path program;  // kbench-escape
  SandboxOptions sandbox;
  int cuda_device = -1;                                // -1: as for CPU submissions
  std::map<EscapeAs, Confined> confined;               // rights of the oracle and of the builder
  std::vector<std::string> only;                       // names; empty: all
  std::function<void(const EscapeResult&)> on_result;  // called after each; may be empty
};

struct SelftestReport {
  SandboxLevel level;
  std::vector<EscapeResult> results;
  [[nodiscard]] int count(EscapeOutcome outcome) const;
};

// The sandbox without these layers of "bubblewrap", "namespaces", "user-namespace", "network",
// "landlock", "new-landlock" (those that Debian 12 lacks), "seccomp" and "cgroup".
[[nodiscard]] SandboxOptions sandbox_without(const std::vector<std::string>& layers);

// Errors: kUsage, no escape of that name, or no such GPU; kInfrastructure, when bait could not be
// laid out or nothing can be started.
[[nodiscard]] Result<SelftestReport> run_selftest(const SelftestOptions& options);

// {schema_version, device, sandbox, sandbox_reason, counts, escapes[]}.
[[nodiscard]] Json selftest_json(const SelftestReport& report, const std::string& device);

}  // namespace kbench
