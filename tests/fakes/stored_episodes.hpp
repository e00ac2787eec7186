// Episodes put into a database as the driver does: each reply before its calls, each call before
// the next turn. Used by unit tests, and by tests/cli/make_runs.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "runner/store/rows/blob.hpp"
#include "runner/store/store.hpp"
#include "tests/fakes/episode_maker.hpp"

namespace kbench::test {

inline std::vector<Blob> blobs_of(const Contents& contents) {
  std::vector<Blob> blobs;
  for (const auto& [hash, text] : contents) blobs.push_back(pack(text));
  return blobs;
}

// Blobs of these texts only.
inline std::vector<Blob> blobs_of(const Contents& contents,
                                  const std::vector<std::string>& hashes) {
  std::vector<Blob> blobs;
  for (const std::string& hash : hashes)
    if (const auto text = contents.find(hash); text != contents.end())
      blobs.push_back(pack(text->second));
  return blobs;
}

inline Status put_episode(Store& store, const Episode& episode, const Contents& contents) {
  Episode head = episode;
  head.turns.clear();
  head.finished_at.clear();
  head.stop_reason.reset();
  if (Status begun = store.begin_episode(head); !begun) return begun;
  for (std::size_t t = 0; t < episode.turns.size(); ++t) {
    Turn turn = episode.turns[t];
    const std::vector<ToolCall> calls = std::exchange(turn.calls, {});
    std::vector<std::string> said = turn.messages;
    said.insert(said.end(), {turn.tools, turn.reply});
    if (Status added =
            store.add_turn(episode.id, static_cast<int>(t), turn, blobs_of(contents, said));
        !added)
      return added;
    for (std::size_t c = 0; c < calls.size(); ++c)
      if (Status added =
              store.add_call(episode.id, static_cast<int>(t), static_cast<int>(c), calls[c],
                             blobs_of(contents, {calls[c].arguments, calls[c].result}));
          !added)
        return added;
  }
  if (!episode.stop_reason) return Done{};
  return store.finish_episode(episode.id, episode.finished_at, *episode.stop_reason);
}

}  // namespace kbench::test
