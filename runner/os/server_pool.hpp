// Many requests, answered by processes that are kept between them: a Python that has loaded torch
// once. Each thread of the pool owns one server at a time and replaces it when it is spent. Such
// servers build packages and lower foreign task files.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Asked a few times a second while something is waited for; true gives up.
using Stop = std::function<bool()>;

// One process that answers. Made, used and destroyed by one thread.
class Server {
 public:
  virtual ~Server() = default;
  // Waits for the answer. Errors: kTimeout (none in time, or given up), or what the server makes of
  // its end and of nonsense.
  virtual Result<Json> ask(const Json& request, std::chrono::milliseconds limit,
                           const Stop& stop) = 0;
  // True for a server that must not be asked again.
  [[nodiscard]] virtual bool spent() const = 0;
};

struct Answer {
  Result<Json> body;
  double seconds = 0;  // time that the answer took
};

struct ServerPool {
  // Makes a server that can take work; called from the pool's threads.
  std::function<Result<std::unique_ptr<Server>>(const Stop& stop)> start;
  int processes = 1;
  std::chrono::milliseconds limit{0};  // patience for one answer
  Stop stop;                           // optional; asked by the thread that waits
  std::function<void()> tick;          // optional; a few times a second

  // `on_answer` is called from this thread as answers come, in any order, and not for requests that
  // a stop leaves open. Where a server cannot be started the others do its work. Error: that of the
  // start, where requests are left for which there is no server.
  [[nodiscard]] Status ask(
      const std::vector<Json>& requests,
      const std::function<void(std::size_t index, Answer answer)>& on_answer) const;
};

}  // namespace kbench
