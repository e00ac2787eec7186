#include "runner/player/operator_watch.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

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

// The one place of this library with a life of its own: torch calls back without a word of ours.
struct Watch {
  std::mutex mutex;
  Counts by_callback;
  Counts by_fallback;
  at::CallbackHandle handle = 0;
  bool on = false;
};

Watch& watch() {
  static Watch the_watch;
  return the_watch;
}

// It hands out another look at memory that is there.
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

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& function) {
  if (depth++ > 0) return nullptr;
  const auto schema = function.operator_schema();
  if (schema && !is_view(*schema)) note(&Watch::by_callback, schema->name());
  return nullptr;
}

void leave(const at::RecordFunction&, at::ObserverContext*) { --depth; }

void fall_back(const c10::OperatorHandle& op, c10::Stack* stack) {
  if (!is_view(op.schema())) note(&Watch::by_fallback, op.schema().name());
  const c10::impl::ExcludeDispatchKeyGuard once(kKey);
  op.callBoxed(stack);
}

void switch_key(bool on) { c10::impl::tls_set_dispatch_key_included(kKey, on); }

std::int64_t count_of(const Counts& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&fall_back>());
}

void watch_operators() {
  Watch& w = watch();
  if (w.on) return;
  w.by_callback.clear();
  w.by_fallback.clear();
  depth = 0;
  w.handle = at::addGlobalCallback(
      at::RecordFunctionCallback(&enter, &leave).scopes({at::RecordScope::FUNCTION}));
  w.on = true;
  switch_key(true);
}

WatchedOperators watched_operators() {
  Watch& w = watch();
  WatchedOperators watched;
  if (!w.on) return watched;
  Counts callback;
  Counts fallback;
  {
    const std::scoped_lock lock(w.mutex);
    callback = w.by_callback;
    fallback = w.by_fallback;
  }
  (void)at::relu(at::zeros({1}));
  switch_key(false);
  at::removeCallback(w.handle);
  w.on = false;
  const std::scoped_lock lock(w.mutex);
  watched.hooks_stand = count_of(w.by_callback, kProbe) > count_of(callback, kProbe) &&
                        count_of(w.by_fallback, kProbe) > count_of(fallback, kProbe);
  watched.counts = std::move(callback);
  for (const auto& [name, calls] : fallback)
    watched.counts[name] = std::max(watched.counts[name], calls);
  return watched;
}

}  // namespace kbench
