// Parts shared by `kbench serve` and `kbench mcp`: signals that can be waited for, the queue of a
// database, its judge.
#pragma once

#include <memory>

#include "runner/cli/options.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/device/device_session.hpp"
#include "runner/judge/serve_judge.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/serve/spool.hpp"

namespace kbench {

// Terminal and benches of a judge, which they outlive.
struct ServingSurroundings {
  ServingSurroundings(const CommonOptions& common, DeviceSession& device);

  RunFace shown;
  RunFace quiet;
  DeviceBenches benches;
};

struct ServingParts {
  std::unique_ptr<ServingSurroundings> around;
  UniqueFd signals;  // readable when the process is asked to end: a signalfd of SIGINT and SIGTERM
  std::unique_ptr<ServingJudge> judge;
  Spool spool;
};

// To be called before there are threads, which inherit that these signals are blocked. Errors:
// those of the database's path, of make_serve_judge and of Spool::open.
[[nodiscard]] Result<ServingParts> prepare_serving(const ServeOptions& options,
                                                   DeviceSession& device);

}  // namespace kbench
