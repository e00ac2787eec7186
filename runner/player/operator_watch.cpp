#include "runner/player/operator_watch.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

namespace kbench {
namespace {

using Counts = std::map<std::string, std::int64_t>;

// Nothing in torch uses this key, and no function of Python's names it.
constexpr c10::DispatchKey kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;
constexpr const char* kProbe = "aten::relu";
// A call of more operators than that is not timed: parts of it would say nothing.
constexpr std::size_t kMostSpans = 1 << 17;

// One outermost call.
struct Span {
  std::string name;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// The one place of this library with a life of its own: torch calls back without a word of ours.
struct Watch {
  std::mutex mutex;
  Counts by_callback;
  Counts by_fallback;
  std::vector<Span> spans;
  OperatorClock* clock = nullptr;
  std::vector<Span> watched;  // spans from each beginning to its end
  at::CallbackHandle handle = 0;
  bool on = false;
  bool too_many = false;
  bool hooks_stand = false;
};

Watch& watch() {
  static Watch the_watch;
  return the_watch;
}

// Operators that were there before anything foreign was: torch's own. What a submission registers
// is code of its own, whatever its schema says; the operators of torch within it count.
const std::unordered_set<std::string>& torchs_own() {
  static const std::unordered_set<std::string> names = [] {
    std::unordered_set<std::string> all;
    for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames())
      all.insert(name.name);
    return all;
  }();
  return names;
}

// True for an operator that hands out another look at memory that is there.
bool is_view(const c10::FunctionSchema& schema) {
  return !schema.returns().empty() && std::all_of(schema.returns().begin(), schema.returns().end(),
                                                  [](const c10::Argument& returned) {
                                                    return returned.alias_info() != nullptr &&
                                                           !returned.alias_info()->isWrite();
                                                  });
}

void note(Counts Watch::*counts, const std::string& name) {
  const std::scoped_lock lock(watch().mutex);
  ++(watch().*counts)[name];
}

// How many operators deep this thread is: what an operator calls itself is not the submission's.
thread_local int depth = 0;

struct Entered : at::ObserverContext {
  bool counts = false;
  Span span;
};

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& function) {
  const auto schema = function.operator_schema();
  if (schema && !torchs_own().contains(schema->name())) return nullptr;
  auto entered = std::make_unique<Entered>();
  entered->counts = depth++ == 0 && schema && !is_view(*schema);
  if (!entered->counts) return entered;
  note(&Watch::by_callback, schema->name());
  entered->span = {schema->name(), watch().clock->now(), 0};
  return entered;
}

void leave(const at::RecordFunction&, at::ObserverContext* context) {
  if (context == nullptr) return;
  --depth;
  if (!static_cast<Entered*>(context)->counts) return;
  Span span = std::move(static_cast<Entered*>(context)->span);
  span.to = watch().clock->now();
  Watch& w = watch();
  const std::scoped_lock lock(w.mutex);
  w.too_many = w.too_many || w.spans.size() == kMostSpans;
  if (!w.too_many) w.spans.push_back(std::move(span));
}

void fall_back(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack) {
  if (!torchs_own().contains(op.schema().name())) {
    op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kKey), stack);
    return;
  }
  if (!is_view(op.schema())) note(&Watch::by_fallback, op.schema().name());
  const c10::impl::ExcludeDispatchKeyGuard once(kKey);
  op.callBoxed(stack);
}

void switch_key(bool on) { c10::impl::tls_set_dispatch_key_included(kKey, on); }

std::int64_t count_of(const Counts& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

// Whether both hooks see a call of ours; what they see of it is taken back.
bool probe() {
  Watch& w = watch();
  Counts callback;
  Counts fallback;
  std::size_t spans = 0;
  {
    const std::scoped_lock lock(w.mutex);
    callback = w.by_callback;
    fallback = w.by_fallback;
    spans = w.spans.size();
  }
  (void)at::relu(at::zeros({1}));
  const std::scoped_lock lock(w.mutex);
  const bool stand = count_of(w.by_callback, kProbe) > count_of(callback, kProbe) &&
                     count_of(w.by_fallback, kProbe) > count_of(fallback, kProbe);
  w.by_callback = std::move(callback);
  w.by_fallback = std::move(fallback);
  w.spans.resize(std::min(spans, w.spans.size()));
  return stand;
}

}  // namespace

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&fall_back>());
}

void know_torchs_operators() { (void)torchs_own(); }

void forget_operators() {
  stop_watching_operators();
  Watch& w = watch();
  const std::scoped_lock lock(w.mutex);
  w.by_callback.clear();
  w.by_fallback.clear();
  w.spans.clear();
  w.watched.clear();
  w.too_many = false;
  w.hooks_stand = true;
  w.clock = nullptr;
}

void watch_operators(OperatorClock& clock) {
  Watch& w = watch();
  if (w.on) return;
  w.clock = &clock;
  depth = 0;
  w.handle = at::addGlobalCallback(
      at::RecordFunctionCallback(&enter, &leave).scopes({at::RecordScope::FUNCTION}));
  w.on = true;
  switch_key(true);
  w.watched.push_back({"", clock.now(), 0});
}

void stop_watching_operators() {
  Watch& w = watch();
  if (!w.on) return;
  w.watched.back().to = w.clock->now();
  w.hooks_stand = probe() && w.hooks_stand;
  switch_key(false);
  at::removeCallback(w.handle);
  w.on = false;
}

WatchedOperators watched_operators() {
  stop_watching_operators();
  Watch& w = watch();
  WatchedOperators watched;
  if (w.clock == nullptr) return {.hooks_stand = false};
  const std::scoped_lock lock(w.mutex);
  watched.hooks_stand = w.hooks_stand;
  watched.counts = w.by_callback;
  for (const auto& [name, calls] : w.by_fallback)
    watched.counts[name] = std::max(watched.counts[name], calls);
  if (w.too_many) return watched;
  for (const Span& span : w.watched)
    watched.all_ns += std::max<std::int64_t>(w.clock->between(span.from, span.to), 0);
  for (const Span& span : w.spans) {
    const std::int64_t ns = w.clock->between(span.from, span.to);
    if (ns >= 0) watched.ns[span.name] += ns;
  }
  return watched;
}

}  // namespace kbench
