#include "runner/pool/shared_run.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "runner/pool/again.hpp"
#include "runner/pool/run_file.hpp"
#include "runner/pool/space_terms.hpp"
#include "runner/store/chain/chain_key.hpp"

namespace kbench {
namespace {

using std::chrono::steady_clock;

constexpr const char* kFile = "run.sqlite";

}  // namespace

SharedRun::SharedRun(Exchange exchange, ExchangeSpace space, Run run, ScratchFolder folder,
                     Store store)
    : exchange_(std::move(exchange)),
      space_(std::move(space)),
      run_(std::move(run)),
      folder_(std::move(folder)),
      store_(std::move(store)) {}

Result<std::unique_ptr<SharedRun>> SharedRun::begin(Exchange exchange, const std::string& space,
                                                    const Run& run, const Json& configuration) {
  if (const Status named = check_space_name(space); !named) return named.error();
  ExchangeSpace place = exchange.space(space);
  if (const Status agreed = agree_on_terms(place, space, configuration); !agreed)
    return agreed.error();
  auto folder = ScratchFolder::make("kbench-pool");
  if (!folder) return folder.error();
  auto store = Store::open(folder->path() / kFile, Store::Mode::kReadWrite);
  if (!store) return store.error();
  store->use(chain_key_of(exchange.key().secret));
  Run begun = run;
  begun.finished_at.clear();
  if (const Status kept = store->begin_run(begun); !kept) return kept.error();
  return std::unique_ptr<SharedRun>(new SharedRun(std::move(exchange), std::move(place), run,
                                                  std::move(*folder), std::move(*store)));
}

std::optional<Evaluation> SharedRun::find(const std::string& key) {
  const auto looked = space_.keys().look(key);
  if (!looked) ignore(looked.error());
  const std::optional<std::string> winner = looked ? *looked : std::nullopt;
  if (!winner || *winner == run_.id) return std::nullopt;
  auto& rows = read_[*winner];
  if (!rows.contains(key)) {
    // The winner's file may have had fewer rows when it was read.
    const auto taken = take_run_file(exchange_, space_, *winner);
    if (!taken) {
      ignore(taken.error());
      return std::nullopt;
    }
    for (const Evaluation& row : taken->rows) rows.insert_or_assign(row.key, row);
  }
  const auto row = rows.find(key);
  if (row != rows.end()) return row->second;
  ignore({ErrorCode::kBadInput,
          fmt::format("{}: run {} has no row of it", space_.keys().file_of(key).string(), *winner),
          ""});
  return std::nullopt;
}

Result<TakenRun> SharedRun::published_before() const {
  return take_run_file(exchange_, space_, run_.id);
}

void SharedRun::ignore(const Error& error) {
  if (told_.insert(error.message).second) ignored_.push_back(error.message);
}

std::vector<std::string> SharedRun::take_ignored() { return std::exchange(ignored_, {}); }

Status SharedRun::add(const Evaluation& row, std::span<const Blob> sources) {
  Status added = store_.add(row, sources);
  if (added) pace_.add();
  return added;
}

bool SharedRun::is_due() const { return pace_.is_due(steady_clock::now()); }

Result<Published> SharedRun::claim(const Evaluation& row) {
  Published published;
  if (!answers_its_key(row)) return published;
  const auto winner = space_.keys().claim(row.key, run_.id);
  if (!winner && winner.error().code != ErrorCode::kBadInput) return winner.error();
  if (!winner) {
    published.withheld = winner.error().message;
    return published;
  }
  published.winner = *winner;
  if (*winner != run_.id) published.answer = find(row.key);
  return published;
}

Status SharedRun::finish(const std::string& finished_at) {
  if (const Status done = store_.finish_run(run_.id, finished_at); !done) return done;
  return put();
}

Status SharedRun::put() {
  const auto begun = steady_clock::now();
  if (const Status whole = store_.settle(); !whole) return whole;
  const Status lies_there = space_.put_run(run_.id, folder_.path() / kFile);
  if (lies_there) pace_.put(begun, steady_clock::now());
  return lies_there;
}

}  // namespace kbench
