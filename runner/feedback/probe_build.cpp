#include "runner/feedback/probe_build.hpp"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runner/feedback/probe_tables.hpp"
#include "runner/os/files.hpp"
#include "runner/submission/compiling.hpp"
#include "runner/submission/flags.hpp"
#include "runner/task/task_header.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

constexpr std::uint64_t kMostTensorBytes = 1ull << 30;
constexpr std::uint64_t kCompilerBytes = 6ull << 30;
constexpr std::uint64_t kResidentBytes = 8ull << 30;
constexpr std::uint64_t kRunFileBytes = 1u << 20;
constexpr std::size_t kMostPrinted = 256u << 10;
constexpr std::size_t kMostProbeBytes = 1u << 20;
constexpr int kMostProcesses = 64;
constexpr const char* kProgram = "probe";
// The address sanitizer's own limit is of memory in use: it reserves terabytes of addresses. The
// space around each allocation is wide, so that a step of a whole row beyond it is seen.
constexpr const char* kAddressOptions =
    "detect_leaks=0:exitcode=86:color=never:allocator_may_return_null=1:hard_rss_limit_mb=6144:"
    "redzone=1024:max_redzone=2048:detect_stack_use_after_return=1:print_legend=0";

std::uint64_t bytes_of(const TaskSize& size) {
  std::uint64_t bytes = 0;
  for (const auto* tensors : {&size.inputs, &size.parameters, &size.outputs})
    for (const TensorSpec& tensor : *tensors) bytes += tensor.bytes();
  return bytes;
}

// The manifest's flags stand before those that sanitizers need.
Arguments host_arguments(const Toolchain& toolchain, const Submission& submission) {
  Arguments arguments = {
      toolchain.host_compiler.string(), "-std=c++20", "-march=native", "-fopenmp",
      "-fdiagnostics-color=never",      "-w"};
  arguments.insert(arguments.end(), submission.flags.begin(), submission.flags.end());
  arguments.insert(arguments.end(),
                   {"-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"});
  return arguments;
}

Arguments cuda_arguments(const Toolchain& toolchain, const Submission& submission) {
  Arguments arguments = {toolchain.nvcc.string(),
                         "-std=c++17",
                         "-O3",
                         cuda_target_flag(toolchain.cuda_architecture),
                         "-ccbin",
                         toolchain.host_compiler.string(),
                         "-cudart=static",
                         "-w"};
  arguments.insert(arguments.end(), submission.flags.begin(), submission.flags.end());
  arguments.emplace_back("-lineinfo");
  for (std::string& argument : toolkit_arguments(toolchain, submission))
    arguments.push_back(std::move(argument));
  return arguments;
}

Arguments arguments_of(const Toolchain& toolchain, const Submission& submission) {
  const bool cuda = submission.device == "cuda";
  Arguments arguments =
      cuda ? cuda_arguments(toolchain, submission) : host_arguments(toolchain, submission);
  arguments.insert(arguments.end(), {"-I../abi", "-I../task", "-I../include", "-I../probe",
                                     cuda ? "../probe/cuda.cu" : "../probe/cpu.cpp"});
  for (std::string& source : source_arguments(submission)) arguments.push_back(std::move(source));
  for (const std::string& library : submission.libraries)
    for (std::string& argument : linker_arguments(library))
      arguments.push_back(std::move(argument));
  arguments.insert(arguments.end(), {"-o", fmt::format("../out/{}", kProgram)});
  return arguments;
}

Status add_own(const Staging& staging, const fs::path& from, const std::string& name) {
  const auto bytes = read_file(from);
  if (!bytes || bytes->size() > kMostProbeBytes)
    return Error{ErrorCode::kInfrastructure, fmt::format("{} cannot be read", from.string()),
                 "kbench is not completely installed"};
  return staging.add(name, *bytes);
}

}  // namespace

const TaskSize& probed_size(const Task& task, const TaskSize& wanted) {
  if (bytes_of(wanted) <= kMostTensorBytes) return wanted;
  const TaskSize* small = task.find_size("small");
  return small != nullptr && bytes_of(*small) < bytes_of(wanted) ? *small : wanted;
}

Result<Staging> stage_probe(const ProbePlace& place, const ProbedKernel& kernel) {
  auto staging = Staging::make();
  if (!staging) return staging.error();
  for (const SourceFile& file : kernel.files)
    if (auto added = staging->add(file.name, file.bytes); !added) return added.error();
  for (const char* name : {"probe.h", "cpu.cpp", "cuda.cu"})
    if (auto added = add_own(*staging, place.probes / name, fmt::format("probe/{}", name)); !added)
      return added.error();
  if (auto added = add_own(*staging, place.abi / "kbench.h", "abi/kbench.h"); !added)
    return added.error();
  const ProbeTables tables = probe_tables(kernel.size);
  const std::array<std::pair<const char*, std::string>, 3> made = {
      {{"task/task.h", task_header(kernel.task, kernel.size)},
       {"probe/tensors.h", tables.header},
       {"probe/stored", tables.stored}}};
  for (const auto& [name, bytes] : made)
    if (auto added = staging->add(name, bytes); !added) return added.error();
  return staging;
}

Result<ProbeFolder> build_probe(const ProbePlace& place, const ProbedKernel& kernel,
                                std::chrono::milliseconds patience) {
  const bool cuda = kernel.submission.device == "cuda";
  if (place.toolchain.host_compiler.empty() || (cuda && place.toolchain.nvcc.empty()))
    return Error{ErrorCode::kInfrastructure, "there is no compiler for a probe",
                 "`kbench doctor` says which one is missing"};
  auto staging = stage_probe(place, kernel);
  if (!staging) return staging.error();
  SandboxCommand command;
  command.argv = arguments_of(place.toolchain, kernel.submission);
  command.readable = compiler_folders(place.toolchain, cuda);
  command.readable.push_back(staging->path());
  command.writable = {staging->out()};
  command.working_directory = staging->path() / "src";
  set_compiler_environment(place.toolchain, cuda, staging->out(), command);
  command.max_memory_bytes = kCompilerBytes;
  command.max_resident_bytes = kCompilerBytes;
  command.max_file_bytes = kMaxCompilerFileBytes;
  command.max_processes = kMostProcesses;
  const auto output = run_to_end(place.sandbox, std::move(command), patience);
  if (!output) return output.error();
  if (output->timed_out) return Error{ErrorCode::kTimeout, "it did not compile in time", ""};
  if (!output->exit.exited || output->exit.code != 0)
    return Error{ErrorCode::kSubmission, first_errors(output->err + output->out), ""};
  ProbeFolder folder{std::move(*staging), {}, {}};
  folder.program = folder.staging.out() / kProgram;
  folder.stored = folder.staging.path() / "probe/stored";
  return folder;
}

Result<ProgramOutput> run_probe(const ProbePlace& place, const ProbeFolder& folder,
                                const ProbeCommand& wanted) {
  SandboxCommand command;
  command.argv = wanted.argv;
  command.readable = compiler_folders(place.toolchain, wanted.cuda);
  command.readable.push_back(folder.staging.path());
  // A tool from elsewhere has its libraries beside it.
  if (wanted.cuda) command.readable.push_back(fs::path(command.argv.front()).parent_path());
  command.writable = {wanted.scratch};
  command.working_directory = folder.staging.path() / "src";
  set_compiler_environment(place.toolchain, wanted.cuda, wanted.scratch, command);
  command.env["ASAN_OPTIONS"] = kAddressOptions;
  command.env["OMP_NUM_THREADS"] = "2";
  command.needs_cuda = wanted.cuda;
  command.max_resident_bytes = kResidentBytes;
  command.max_file_bytes = kRunFileBytes;
  command.max_processes = kMostProcesses;
  return run_to_end(place.sandbox, std::move(command), wanted.patience, kMostPrinted);
}

}  // namespace kbench
