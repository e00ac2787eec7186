// The judge behind a server's queue: evaluates as `kbench run` does, several orders in one run, and
// answers with the rows of the store.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "reports/facts/trust.hpp"
#include "runner/core/result.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/run/run_sink.hpp"
#include "runner/serve/judge.hpp"

namespace kbench {

// The usual group of judges that share an exchange.
inline constexpr const char* kJudgesGroup = "serve";

// Choices and surroundings of a judge. Where a value is empty, the machine decides.
struct ServeJudging {
  JudgingPlace place;
  std::optional<std::string> device;        // "cpu", "cuda" or "cuda:N"
  std::optional<std::string> size;          // default for orders that name none
  std::string allow_torch = "data";         // RunRequest's member
  std::string precision = "torch-default";  // the class of all that it judges
  bool vendor = false;                      // RunRequest's member
  std::filesystem::path database;           // gets the rows
  // The folder in which judges share their rows (runner/pool), and their group there; empty: this
  // one measures all of its own.
  std::optional<std::filesystem::path> exchange = {};
  std::string group = kJudgesGroup;
  std::optional<std::string> devices = {};  // RunTerms' member
  Trust trust;
  RunSink& sink;   // is told how evaluations go
  RunSink& quiet;  // is told how evaluations go that are not kept
};

struct ServedDevice {
  std::string kind;  // "cpu", "cuda"
  std::string name;  // "NVIDIA H200"
};

class ServingJudge : public Judge {
 public:
  [[nodiscard]] virtual const ServedDevice& device() const = 0;
  // Orders that it judges at once, one a device.
  [[nodiscard]] virtual std::size_t lanes() const = 0;
};

// Makes the database where it is missing, and has the device's tools found. Errors: those of
// choosing a device, of reading the suite, of opening the store and, with an exchange, of
// JudgePool::join; kInfrastructure where there is no oracle to measure with.
[[nodiscard]] Result<std::unique_ptr<ServingJudge>> make_serve_judge(ServeJudging judging);

}  // namespace kbench
