#include "runner/episode/kept_words.hpp"

#include <span>
#include <utility>
#include <vector>

#include "runner/core/bounded_json.hpp"
#include "runner/core/text_in.hpp"
#include "runner/episode/kept_states.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostWords = 1u << 20;

// An episode that cannot be frozen is no fault of the store.
bool is_of_the_store(const Result<std::string>& state) {
  return !state && state.error().code != ErrorCode::kBadInput &&
         state.error().code != ErrorCode::kNotFound;
}

}  // namespace

KeptWords::KeptWords(SharedStore& store, std::string episode, Evaluation row)
    : store_(store), episode_(std::move(episode)), row_(std::move(row)) {}

Result<std::string> KeptWords::state() {
  if (!frozen_) {
    auto frozen = store_.with([&](const Store& store) {
      return freeze_episodes(store, {.episodes = {episode_}, .run = std::nullopt});
    });
    if (!frozen) return frozen.error();
    frozen_ = std::move(*frozen);
  }
  const auto& nodes = frozen_->trajectories.nodes;
  if (nodes.empty()) return std::string();
  const auto outcome = parse_bounded_json(nodes.back().outcome);
  const bool is_of_row = outcome && text_in(*outcome, "evaluation") == row_.key;
  return is_of_row ? nodes.back().state : std::string();
}

Result<std::optional<std::string>> KeptWords::find(const Component& component) {
  const auto here = state();
  if (is_of_the_store(here)) return here.error();
  if (!here || here->empty()) return std::optional<std::string>();
  const auto held =
      store_.with([&](const Store& store) { return store.trajectories(row_.run_id); });
  if (!held) return held.error();
  for (const StateReport& report : held->reports) {
    if (report.state != *here || report.component != component.name ||
        report.version != component.version || report.form != "raw")
      continue;
    const std::vector<std::string> hashes = {report.content};
    const auto texts =
        store_.with([&](const Store& store) { return store.contents(hashes, kMostWords); });
    if (!texts) return texts.error();
    if (const auto text = texts->find(report.content); text != texts->end())
      return std::optional(text->second);
  }
  return std::optional<std::string>();
}

Status KeptWords::keep(const Component& component, const std::string& words) {
  const auto here = state();
  if (is_of_the_store(here)) return here.error();
  if (!here || here->empty()) return Done{};
  std::vector<Blob> blobs;
  for (const std::string& text : frozen_->texts) blobs.push_back(pack(text));
  const Blob said = pack(words);
  return store_.with([&](Store& store) -> Status {
    if (auto added = store.add_trajectories(row_.run_id, frozen_->trajectories, blobs); !added)
      return added;
    return store.put_report(
        {*here, component.name, component.version, "raw", "answered", said.hash},
        std::span(&said, 1));
  });
}

}  // namespace kbench
