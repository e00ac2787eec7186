// All that measuring on a device takes besides the submission: compilers, the sandbox and its
// layers, LibTorch, the measuring lock, the oracle. A command that makes one run after the other
// keeps one session, so that its next run starts no oracle, tries no sandbox and looks for no
// compiler.
//
// Between two turns a session neither computes nor holds the device: the lock is free, and of the
// oracle only its fork servers are left, each alone in its sandbox, with LibTorch in memory. After
// a turn that ends badly, the next one begins as in a new process. A fork server that was killed
// meanwhile is started anew, and a compiler that was exchanged is asked for its version again.
#pragma once

#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/measure/oracle/oracle_process.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/compiler.hpp"

namespace kbench {

// The number of turns that a session is for: with kOne, nothing is kept for a next turn.
enum class SessionTurns { kOne, kMany };

// One thread at a time uses it.
class DeviceSession {
 public:
  DeviceSession(Installation installation, SessionTurns turns);
  DeviceSession(const DeviceSession&) = delete;
  DeviceSession& operator=(const DeviceSession&) = delete;
  ~DeviceSession() = default;

  // To be called before each use of the functions below. Starts threads that look for compilers and
  // try the sandbox, if that was not done yet. A sandbox in which a program did not die is
  // replaced.
  void prepare();

  // The compilers of this machine, without the architecture of a GPU. Waits for the search.
  [[nodiscard]] const Toolchain& toolchain() { return tools_.get().toolchain; }
  [[nodiscard]] const std::shared_ptr<Sandbox>& sandbox() const { return sandbox_; }

  // The installation as it was given.
  [[nodiscard]] const Installation& installation() const { return installation_; }
  // The installation with its LibTorch, which is looked for once. Errors: those of with_torch.
  [[nodiscard]] Result<Installation> with_libtorch();

  // Starts and searches since this was asked last, for people: "started an oracle".
  [[nodiscard]] std::vector<std::string> take_starts() { return std::exchange(starts_, {}); }

 private:
  friend class DeviceTurn;

  struct Tools {
    Toolchain toolchain;
    std::map<std::filesystem::path, std::filesystem::file_time_type> written;  // key: the file
  };

  void look_for_tools();
  [[nodiscard]] bool knows_tools() const;

  const Installation installation_;
  const SessionTurns turns_;
  std::optional<Installation> complete_;  // the installation with its LibTorch
  std::shared_ptr<Sandbox> sandbox_;
  std::future<void> trial_;  // trial of the sandbox
  std::shared_future<Tools> tools_;
  std::vector<std::string> starts_;
  std::unique_ptr<OracleProcess> resting_;  // the oracle between two turns; ends before the sandbox
};

// A turn on the device: from its making to its end no other command measures there. Its oracle is
// the session's, if that has one of the same device, precision and threads.
class DeviceTurn {
 public:
  // Errors: those of take_measuring_lock. The session outlives it.
  [[nodiscard]] static Result<DeviceTurn> take(DeviceSession& session, const LockRequest& request);
  DeviceTurn(DeviceTurn&&) = default;
  DeviceTurn& operator=(DeviceTurn&&) = delete;
  // The oracle ends with the turn, unless it rests.
  ~DeviceTurn() = default;

  // Gives others a turn (measuring_lock.hpp). This turn executes nothing meanwhile.
  void give_turn(const LockRequest& request, double next_seconds) {
    kbench::give_turn(request, lock_, next_seconds);
  }
  // Takes the device itself as well, once its holder has ended. The oracle ends first, to free its
  // memory on the device for others. Errors: as of take().
  [[nodiscard]] Status take_whole_device(LockRequest request);

  // Starts the oracle, and returns at once. `installation` has its LibTorch. Errors:
  // kInfrastructure.
  Status start_oracle(const Installation& installation, const Target& target,
                      const std::string& precision);
  // Starts a new oracle in place of one that is not trusted any more: nothing is left of that.
  Status replace_oracle();
  // Waits until the oracle is there. Errors: kInfrastructure.
  [[nodiscard]] Result<OracleHello> hello();
  [[nodiscard]] OracleProcess& oracle() { return *oracle_; }
  // Ends measuring: the oracle ends, or rests until the next turn.
  void rest_oracle();
  // The oracle ends, in any kind of session.
  void drop_oracle() { oracle_.reset(); }

 private:
  DeviceTurn(DeviceSession& session, MeasuringLock lock)
      : session_(&session), lock_(std::move(lock)) {}

  DeviceSession* session_;
  MeasuringLock lock_;  // outlives the oracle
  std::shared_ptr<Sandbox> sandbox_;
  OracleOptions options_;
  bool rested_ = false;  // the oracle is of an earlier turn
  std::unique_ptr<OracleProcess> oracle_;
};

}  // namespace kbench
