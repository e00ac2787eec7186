// A judge among the judges of other machines: before it measures it looks into their shared
// exchange, and brings the row that lies there into its own database.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/pool/collector.hpp"
#include "runner/store/chain/chain_key.hpp"

namespace kbench {

struct PoolOrder {
  std::filesystem::path state;     // has the pool's key
  std::filesystem::path exchange;  // the folder
  std::string group;               // group of the judges
  std::filesystem::path database;  // database of this judge
  std::optional<ChainKey> key;     // key of the database
  Json terms;                      // terms that all judges of the group have in common
};

class JudgePool {
 public:
  // Errors: kUsage for a name that a group cannot have; those of Exchange::open_with_key_of;
  // kInfrastructure where nothing can be written there.
  [[nodiscard]] static Result<JudgePool> join(PoolOrder order);

  // Why this judge does not belong to the others; empty where it does.
  [[nodiscard]] const std::string& unfit() const { return unfit_; }

  // Whether a run of the pool answers the key: its row lies in this judge's database then. What
  // lies there and cannot be believed is no answer. Errors: those of writing to the database.
  [[nodiscard]] Result<bool> bring(const std::string& key);

  // For the judge's own runs.
  [[nodiscard]] const std::filesystem::path& exchange() const { return order_.exchange; }
  [[nodiscard]] const std::string& group() const { return order_.group; }

 private:
  JudgePool(PoolOrder order, Exchange exchange, std::string unfit);

  PoolOrder order_;
  ExchangeSpace space_;
  Collector collector_;
  std::string unfit_;
};

}  // namespace kbench
