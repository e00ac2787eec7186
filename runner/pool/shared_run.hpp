// A run that shares its keys with other runs, on other machines: it looks for a key before it
// measures, and a row is published before the sink is told of it. The first row of a key answers
// it; a slower run learns so, and by which row.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/os/files.hpp"
#include "runner/pool/publish_pace.hpp"
#include "runner/pool/run_file.hpp"
#include "runner/store/rows/blob.hpp"
#include "runner/store/store.hpp"

namespace kbench {

// How a row was published.
struct Published {
  std::string winner;                // the run that answers its key; empty: none does yet
  std::optional<Evaluation> answer;  // the winner's row, where it is another run's and is there
  std::string withheld;              // why the key cannot be answered, in words; else empty
};

class SharedRun {
 public:
  // `configuration` is the run's: runs of a space measure in one way. Errors: kUsage where those
  // before it measure in another; kBadInput, kInfrastructure.
  [[nodiscard]] static Result<std::unique_ptr<SharedRun>> begin(Exchange exchange,
                                                                const std::string& space,
                                                                const Run& run,
                                                                const Json& configuration);

  // The row that answers the key: it lies there, whole, in a run of this pool. Empty where there is
  // none, or where what lies there cannot be believed.
  [[nodiscard]] std::optional<Evaluation> find(const std::string& key);

  // Files that find() has ignored since the last call, a sentence for each, and each once.
  [[nodiscard]] std::vector<std::string> take_ignored();

  // The run's own file as an earlier part of the run left it there. Errors: as take_run_file().
  [[nodiscard]] Result<TakenRun> published_before() const;

  // Publishing has three steps: writing rows into the run's own file; bringing that file to where
  // others find it; and asking which run answers the key of a row that lies there. Doing one twice
  // changes nothing. Errors: kInfrastructure, where the exchange cannot be written to.
  [[nodiscard]] Status add(const Evaluation& row, std::span<const Blob> sources);
  [[nodiscard]] Status put();
  [[nodiscard]] Result<Published> claim(const Evaluation& row);

  // Whether the rows that were added since the last put() are to be brought there now. Rows that
  // follow each other faster than the file can be written come together.
  [[nodiscard]] bool is_due() const;

  // The run is over.
  [[nodiscard]] Status finish(const std::string& finished_at);

 private:
  SharedRun(Exchange exchange, ExchangeSpace space, Run run, ScratchFolder folder, Store store);
  void ignore(const Error& error);

  Exchange exchange_;
  ExchangeSpace space_;
  Run run_;
  ScratchFolder folder_;
  Store store_;  // its database, in that folder
  PublishPace pace_;
  // Rows of other runs by run and key, as far as they were read.
  std::map<std::string, std::map<std::string, Evaluation>> read_;
  std::vector<std::string> ignored_;
  std::set<std::string> told_;
};

}  // namespace kbench
