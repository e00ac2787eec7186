// The gate of a process that has none of its own: one client, which speaks the Model Context
// Protocol on standard input and is answered on standard output.
#pragma once

#include <string>
#include <string_view>

#include "runner/core/channel.hpp"
#include "runner/gate/desk.hpp"
#include "runner/gate/shapes/message_lines.hpp"
#include "runner/serve/client_limits.hpp"
#include "runner/serve/gate_protocol.hpp"

namespace kbench {

class StandardStreams {
 public:
  // `who`: the name of the one token, in `hello`, that the client has. `end_fd`: an eventfd that
  // asks the supervisor to end; `signal_fd` becomes readable on a request to end. The channel and
  // both descriptors outlive it.
  StandardStreams(const std::string& who, Channel& channel, GateHello hello, int end_fd,
                  int signal_fd);

  // Runs until the supervisor is gone. It is asked to go by a signal, or once nothing comes any
  // more and every call is answered.
  void run();

 private:
  [[nodiscard]] int patience_ms() const;
  void hear();
  void ask_to_end();
  bool read();
  void take(const std::string& line);

  Channel& channel_;
  bool lost_ = false;
  Desk desk_;
  Desk::Visit visit_;
  McpPeer peer_;
  int end_fd_;
  int signal_fd_;
  bool at_end_ = false;  // its input has ended
  bool asked_to_end_ = false;
  MessageLines input_{limits::kMostBodyBytes};
};

}  // namespace kbench
