// Reports of components on the kernels of an episode, kept with the state that the episode is in,
// as studies keep them: an episode that goes on after a kill asks no component again, and a study
// of the frozen state does not either.
#pragma once

#include <optional>
#include <string>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/feedback/component.hpp"
#include "runner/judge/shared_store.hpp"
#include "runner/trajectory/frozen_state.hpp"

namespace kbench {

class KeptWords {
 public:
  // The episode's last kernel that was judged, with its row. Its turn is stored.
  KeptWords(SharedStore& store, std::string episode, Evaluation row);

  // Nothing, where the component has not spoken of it, or where it cannot be frozen. Errors: a
  // store that is locked, full or not to be opened.
  [[nodiscard]] Result<std::optional<std::string>> find(const Component& component);
  // Keeps an answer. Where the kernel cannot be frozen, the words are not kept. Errors: those of
  // the store.
  [[nodiscard]] Status keep(const Component& component, const std::string& words);

 private:
  // The id of the state, empty where there is none.
  Result<std::string> state();

  SharedStore& store_;
  std::string episode_;
  Evaluation row_;
  std::optional<FrozenTexts> frozen_;  // the episode so far
};

}  // namespace kbench
