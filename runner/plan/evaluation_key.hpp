// The key of a row: the identity of its evaluation, unique within its run. A run measures only
// units without a row of their key; `kbench serve` looks for the key in all runs, and answers a
// second request with the stored row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kbench {

struct EvaluationIdentity {
  std::string task_hash;
  std::string size;       // "small", "full"
  std::string device;     // "cpu", "cuda"
  std::string precision;  // precision class of the run
  std::string profile;
  std::string agent;        // this and the next two: empty without a submission
  std::string submission;   // its path below the submissions folder
  std::string source_hash;  // empty where it could not be read
  std::string host_compiler;
  std::string nvcc;  // versions
  std::string device_name;
  // The allowed use of torch by a Python submission; empty for the default, and for other
  // submissions: rows from before there was a choice keep their keys.
  std::string allow_torch = {};
  bool timed = true;
  std::optional<std::int64_t> seed = {};  // seed from `kbench run --seed`
};

// SHA-256 over these and the version of kbench, in hex.
[[nodiscard]] std::string evaluation_key(const EvaluationIdentity& identity);

}  // namespace kbench
