// Makes profiles as they are asked for, one or two beside each other, and keeps them in a database.
// A side that is to be compared may be there already: a stored profile, named by the start of its
// id. Prints nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/profile_record.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/profile/profile_session.hpp"
#include "runner/store/rows/stored_profiles.hpp"

namespace kbench {

struct MadeProfile {
  Profile profile;
  StoredProfile stored;  // the kept profile, if it is kept
};

struct ProfilePair {
  ProfileRecord a;
  ProfileRecord b;
  std::vector<std::string> kept;  // ids of those that were made and kept
};

class ProfileMaker {
 public:
  // `database` is where stored ones are looked up, `keep_in` that which gets new ones; none: they
  // are not kept. `benches` and `progress` outlive it.
  ProfileMaker(ProfileRequest request, std::filesystem::path database,
               std::optional<std::filesystem::path> keep_in, BenchSource& benches,
               ProgressSink& progress);

  // Errors: those of profile_task; a database that cannot keep it, before anything is measured.
  [[nodiscard]] Result<MadeProfile> make();

  // `words`: two, each a side of the task or a stored profile; or one, which the rest of the
  // request is held against. Errors: kUsage, words that nothing would be made of, or two tasks;
  // those of make().
  [[nodiscard]] Result<ProfilePair> make_pair(const std::vector<std::string>& words);

 private:
  // One of the two: there already, or a side that is still to be profiled.
  struct Compared {
    std::optional<ProfileRecord> stored;
    Side side = Side::kEager;

    [[nodiscard]] bool is_submission() const { return !stored && side == Side::kSubmission; }
  };
  [[nodiscard]] Result<MadeProfile> make(const ProfileRequest& request);
  [[nodiscard]] Status check_place() const;
  [[nodiscard]] Result<Compared> find_compared(const std::string& word) const;
  [[nodiscard]] Result<std::vector<Compared>> find_both(
      const std::vector<std::string>& words) const;
  [[nodiscard]] Status check_words(const std::vector<std::string>& words,
                                   const std::vector<Compared>& both) const;
  [[nodiscard]] Status check_tasks(const std::vector<Compared>& both);
  [[nodiscard]] Result<ProfileRecord> take(Compared& one, std::vector<std::string>& kept);

  ProfileRequest request_;
  std::filesystem::path database_;
  std::optional<std::filesystem::path> keep_in_;
  BenchSource& benches_;
  ProgressSink& progress_;
};

}  // namespace kbench
