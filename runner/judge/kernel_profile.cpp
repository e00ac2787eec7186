#include "runner/judge/kernel_profile.hpp"

#include <utility>

#include "runner/os/clean_text.hpp"
#include "runner/profile/profile.hpp"
#include "runner/profile/profile_session.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestMessage = 1000;

// How exactly they failed is for `verify` to find out; the message says what is known.
State state_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kSubmission:
    case ErrorCode::kBadInput: return State::kSubmissionError;
    default: return State::kInfrastructureError;
  }
}

ProfiledKernels refused(const Error& error) {
  const State state = state_of(error);
  return {.result = {{"state", to_string(state)},
                     {"message", "no profile: " + clean_text(error.message, kLongestMessage)},
                     {"hint", clean_text(error.hint, kLongestMessage)},
                     {"profile", nullptr}},
          .state = state};
}

}  // namespace

ProfiledKernels profile_kernels(const KernelRequest& request, ProgressSink& progress,
                                std::function<void(const std::optional<DeviceWait>&)> waits) {
  if (const auto submission = submission_in(request); !submission)
    return refused(submission.error());
  ProfileRequest asked;
  asked.suite = request.place.suite;
  asked.task = request.task.task;
  asked.submissions = request.kernels.folder.path();
  asked.side = Side::kSubmission;
  asked.size = request.task.size;
  asked.device = request.task.device;
  asked.precision = request.task.precision;
  asked.waits = std::move(waits);
  const auto profile = profile_task(request.place.benches, asked, progress);
  if (!profile) return refused(profile.error());
  return {.result = {{"state", to_string(State::kOk)},
                     {"message", ""},
                     {"hint", ""},
                     {"profile", profile_answer(*profile)}},
          .state = State::kOk};
}

}  // namespace kbench
