// Serving: a judge behind a queue that outlives the process, over HTTP by a gate in its
// sandbox, or over standard input and output by a gate that is a part of this process. Tells how it
// goes to its judge's sinks and to `note`, and knows no exit code.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/judge/serve_judge.hpp"
#include "runner/serve/supervisor.hpp"

namespace kbench {

struct HttpServing {
  std::string address = "127.0.0.1";            // a loopback one
  int port = 8377;                              // 0: one that is free
  std::vector<std::string> names;               // further names that clients call this host by
  std::optional<std::filesystem::path> tokens;  // else a file of the state folder, made once
  int header_timeout_s = 10;                    // patience for a request's headers
  int body_timeout_s = 30;                      // patience for its body
};

struct ServingTalk {
  std::function<void(const std::string&)> note;      // a line for the operator
  std::function<void(const std::string&)> announce;  // called once, with the address
  std::function<void()> abandon;                     // the second request to end calls it
  // Prepares all that a device takes to be judged on; before signals are blocked, so that Ctrl-C
  // ends it.
  std::function<Status()> prepare_device;
};

// Serves until SIGINT or SIGTERM, which are blocked from then on, in threads made later as well.
// Errors: an address that cannot be listened on; those of the tokens, of the database's path, of
// make_serve_judge, Spool::open and serve().
[[nodiscard]] Result<ServeEnd> serve_http(const HttpServing& how, ServeJudging judging,
                                          const ServingTalk& talk);

// The same with the Model Context Protocol on standard input and output, until a signal, or once
// the input is at its end and every call is answered.
[[nodiscard]] Result<ServeEnd> serve_standard_streams(
    ServeJudging judging, const std::function<void(const std::string&)>& note);

}  // namespace kbench
