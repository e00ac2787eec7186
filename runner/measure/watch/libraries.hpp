// Which code is mapped in a worker's processes, as /proc/PID/maps shows it to the supervisor, and
// whether it may be there. A submission may use libc, the C++ and OpenMP runtimes and the CUDA
// driver; LibTorch never, cuBLAS and its kin only where its manifest says so; and nothing whose
// origin is unknown. A name says something only of a file whose origin is known: known_code.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// A file as the kernel tells it apart in maps files; its own pages of memory have none.
struct FileIdentity {
  std::string device;  // "fe:00"
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

struct CodeMapping {
  FileIdentity file;
  std::string path;  // the kernel's spelling, a newline is \012; empty: memory without a file
  bool operator==(const CodeMapping&) const = default;
};

// The executable mappings in the text of a maps file, each file once, and memory without a file
// once; without what the kernel itself puts into every process.
[[nodiscard]] std::vector<CodeMapping> executable_mappings(std::string_view maps);

// A range of executable memory.
struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // the first address behind it
  CodeMapping mapping;
};

// Every executable range of the text, by its address.
[[nodiscard]] std::vector<CodeRange> code_ranges(std::string_view maps);

enum class CodeOrigin {
  kWorker,      // was there before the submission was loaded
  kSubmission,  // the library that was compiled
  kInstalled,   // a file of this machine, where no submission can write
  kRuntime,     // a file of the Python that runs it, where no submission can write
  kExposed,     // one that lies there as well, where others may write
  kMemory,      // no file at all
  kUnknown,     // another file: one of its own making, a deleted one, a copy
};

struct MappedCode {
  std::string path;
  CodeOrigin origin = CodeOrigin::kUnknown;
};

// The code that a kind of worker, and a submission, may map besides its own and the system's
// runtimes.
struct CodeRules {
  bool vendor_libraries = false;  // the manifest asks for some
  // True: all that Python and torch consist of may be mapped, and what is installed that is no
  // kernel library.
  bool runtime_allowed = false;
  bool memory_allowed = false;  // code without a file: torch's own kernels are made while it runs
};

// The forbidden part of the mapped code, as names to show. That others may write to a Python's
// folder is no fault of the submission's, and not told here.
[[nodiscard]] std::vector<std::string> forbidden_code(std::span<const MappedCode> code,
                                                      const CodeRules& rules);

}  // namespace kbench
