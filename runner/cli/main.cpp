// The supervisor's entry: reads the command line, finds the installation, calls one command. The
// last place where an exception can be caught.
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "runner/cli/command_line.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/installation/installation.hpp"
#include "runner/options/typed_words.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/print/cautions.hpp"
#include "runner/run/device_lane.hpp"
#include "runner/synthesis/synth_lane.hpp"
#include "runner/workspace/workspace_record.hpp"

namespace kbench {
namespace {

// The folder whose kbench.toml counts. An agent may write to its workspace, and a user who judges
// it there has asked for no settings.
std::filesystem::path settings_folder() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::current_path(failed);
  const WorkspaceRecords records(find_state(process_environment()));
  return records.hold(folder) ? std::filesystem::path() : folder;
}

Result<Installation> find_ours() {
  const auto program = this_program();
  if (!program) return program.error();
  return find_installation(*program, process_environment(),
                           {built_with_python(), built_from(), built_with_torch()});
}

// A process of a command on several devices.
int be_lane(MakeInstalledLane make) {
  const auto installation = find_ours();
  const auto served = installation ? serve_device_lane(*installation, make) : installation.error();
  return served ? to_int(ExitCode::kGood) : fail(served.error(), Terminal{});
}

int run_program(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[1] == kLaneWord) return be_lane(make_device_lane);
  if (words.size() == 2 && words[1] == kSynthLaneWord) return be_lane(make_synth_lane);
  end_with_a_last_line("\nkbench: interrupted (exit code 130)\n", to_int(ExitCode::kInterrupted));
  const auto failed = [&](const Error& error, ColorMode color) {
    if (asks_for_json(words)) print_error_json(error);
    return fail(error, inspect_terminal(STDERR_FILENO, color));
  };
  const auto request = parse_command_line(words, process_surroundings(settings_folder()));
  if (!request) return failed(request.error(), ColorMode::kAuto);
  // Help and version work anywhere, even without an installation around the program.
  if (const auto* text = std::get_if<PrintText>(&*request)) {
    fmt::print("{}", text->text);
    return finish(ExitCode::kGood, "", -1);
  }

  if (const std::string caution = debug_caution(build_info()); !caution.empty())
    fmt::print(stderr, "{} {}\n",
               inspect_terminal(STDERR_FILENO, ColorMode::kAuto).paint(Color::kYellow, "warning:"),
               caution);
  const auto installation = find_ours();
  if (!installation) return failed(installation.error(), ColorMode::kAuto);
  return std::visit(
      [&](const auto& asked) {
        if constexpr (std::is_same_v<decltype(asked), const PrintText&>) {
          return to_int(ExitCode::kGood);  // printed before
        } else {
          const auto end = call(asked, *installation);
          if (!end) return failed(end.error(), asked.common.color);
          return finish(end->code, end->summary,
                        end->summary.empty() ? -1 : asked.common.verbosity);
        }
      },
      *request);
}

}  // namespace
}  // namespace kbench

int main(int argc, char** argv) {
  using kbench::ErrorCode;
  const auto fail_with = [](const std::string& what) {
    return kbench::fail(
        {ErrorCode::kInfrastructure, "unexpected: " + what,
         "this is a bug in kbench; please report it with the command that led here"},
        kbench::Terminal{});
  };
  // A limit on the size of files is an error of write() like a full disk, not our end.
  ::signal(SIGXFSZ, SIG_IGN);
  try {
    return kbench::run_program({argv, argv + argc});
  } catch (const std::system_error& problem) {
    // fmt throws where the disk is full or the reader is gone. That is no bug, and finish() reports
    // it.
    if (std::ferror(stdout) == 0) return fail_with(problem.what());
    errno = problem.code().value();
    return kbench::finish(kbench::ExitCode::kGood, "", 0);
  } catch (const std::exception& problem) {
    return fail_with(problem.what());
  } catch (...) {
    return fail_with("an exception of unknown type");
  }
}
