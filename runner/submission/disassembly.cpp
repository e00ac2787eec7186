#include "runner/submission/disassembly.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/submission/compiling.hpp"

namespace kbench {
namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr std::size_t kMostShown = 150;
constexpr std::size_t kMostOutput = std::size_t{64} << 20;

// "DFMA" of "        /*0040*/    @P0 DFMA.RN R2, R4, R6, R8 ;   /* 0x000… */"; empty of other
// lines.
std::string_view opcode_in(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == line.npos || line.substr(begin, 2) != "/*") return {};
  const auto end = line.find("*/", begin);
  if (end == line.npos) return {};
  std::string_view rest = line.substr(end + 2);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (rest.starts_with("@")) {  // a predicate
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
  return rest.substr(0, rest.find_first_of(". ;"));
}

template <std::size_t N>
bool is_one_of(std::string_view opcode, const std::array<std::string_view, N>& known) {
  for (const std::string_view one : known)
    if (opcode == one) return true;
  return false;
}

void count(std::string_view opcode, InstructionCounts& counts) {
  static constexpr std::array<std::string_view, 5> kFp64 = {"DADD", "DMUL", "DFMA", "DMNMX",
                                                            "DSETP"};
  static constexpr std::array<std::string_view, 8> kFp32 = {"FADD",  "FMUL",  "FFMA",  "FMNMX",
                                                            "FSETP", "FADD2", "FMUL2", "FFMA2"};
  static constexpr std::array<std::string_view, 6> kAtomics = {"ATOM", "ATOMG", "ATOMS",
                                                               "RED",  "REDG",  "REDUX"};
  // HMMA, IMMA, HGMMA, QGMMA, UTCHMMA…; DMMA is of doubles.
  if (opcode.ends_with("MMA") && opcode.size() > 3 && opcode != "DMMA") ++counts.tensor;
  if (is_one_of(opcode, kFp64) || opcode == "DMMA") ++counts.fp64;
  if (is_one_of(opcode, kFp32)) ++counts.fp32;
  if (is_one_of(opcode, kAtomics)) ++counts.atomics;
}

}  // namespace

InstructionCounts count_instructions(std::string_view sass) {
  InstructionCounts counts;
  while (!sass.empty()) {
    const auto end = sass.find('\n');
    if (const auto opcode = opcode_in(sass.substr(0, end)); !opcode.empty()) count(opcode, counts);
    if (end == sass.npos) break;
    sass.remove_prefix(end + 1);
  }
  return counts;
}

Result<InstructionCounts> disassemble(Sandbox& sandbox, const std::filesystem::path& cuobjdump,
                                      const std::filesystem::path& library) {
  if (cuobjdump.empty())
    return Error{ErrorCode::kNotFound, "instructions: cuobjdump was not found",
                 "it comes with the CUDA toolkit"};
  // A folder that the sandbox's user can reach, which a user's cache is not: with a copy of the
  // library, and for what cuobjdump has its own nvdisasm read.
  auto scratch = ScratchFolder::make("kbench-sass");
  if (!scratch) return scratch.error();
  const std::filesystem::path copy = scratch->path() / "library.so";
  const auto bytes = read_foreign_file(library, kMaxLibraryBytes);
  if (!bytes) return bytes.error();
  if (auto written = write_atomically(copy, *bytes, 0644); !written) return written.error();
  SandboxCommand command;
  command.argv = {cuobjdump.string(), "-sass", copy.string()};
  command.env["PATH"] = cuobjdump.parent_path().string() + ":/usr/bin:/bin";
  command.env["TMPDIR"] = scratch->path().string();
  command.readable = {cuobjdump.parent_path()};
  command.writable = {scratch->path()};
  const auto output = run_to_end(sandbox, std::move(command), kPatience, kMostOutput);
  if (!output) return output.error();
  if (output->out.find("/*0000*/") == std::string::npos)
    return Error{ErrorCode::kNotFound,
                 "instructions: cuobjdump says nothing of this library: " +
                     clean_text(output->err.empty() ? output->out : output->err, kMostShown),
                 ""};
  return count_instructions(output->out);
}

}  // namespace kbench
