#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/pool/pool_examination.hpp"
#include "runner/print/exchange_text.hpp"
#include "runner/run/machine_fingerprint.hpp"

namespace kbench {

CLI::App* add_exchange(CLI::App& app, ExchangeOptions& options) {
  using What = ExchangeOptions::What;
  auto& exchange = add_group(
      app, "exchange", "Make, check or prune an exchange, a folder in which machines share rows");
  const auto add = [&](const char* name, What what, const char* help) {
    auto& command = add_form(exchange, name, options.what, what, help);
    add_value(command, "DIR", options.folder, "", "The folder")->required();
    add_common(command, options.common, false);
    return &command;
  };
  add("init", What::kInit, "Make a folder an exchange, and the pool's key where there is none");
  auto* check = add("check", What::kCheck, "Say what is wrong with an exchange, and what to do");
  add_value(*check, "--group", options.group, "NAME",
            "Say as well whether this machine is like the others of that group");
  add_json(*check, options.format);
  auto* prune = add("prune", What::kPrune, "Remove what nobody reads, and old groups");
  add_keep_time(*prune, options.prune.keep_days, "Groups that grew within this time stay");
  prune->add_flag("--dry-run", options.prune.dry_run, "Only say what would go");
  return &exchange;
}

Result<End> call(const ExchangeOptions& options, const Installation& installation) {
  using What = ExchangeOptions::What;
  if (options.what == What::kInit) {
    const auto made = Exchange::make_with_key_of(installation.state, options.folder);
    if (!made) return made.error();
    return good(made_words(*made, pool_key_file(installation.state)));
  }
  const auto key = read_pool_key(installation.state);
  if (!key) return key.error();
  if (options.what == What::kCheck) {
    auto found = examine_pool(options.folder, *key);
    if (!found) return found.error();
    if (!options.group.empty())
      if (auto like = examine_group(installation, options.folder, options.group, *found); !like)
        return like.error();
    print_found(options, *found, exchange_json, exchange_text);
    return End{found->findings.empty() ? ExitCode::kGood : ExitCode::kTaskFailed,
               exchange_words(*found, options.folder)};
  }
  const auto pruned = prune_pool(options.folder, *key, options.prune);
  if (!pruned) return pruned.error();
  fmt::print("{}", pruned_text(*pruned));
  return good(pruned_words(*pruned, options.prune.dry_run));
}

}  // namespace kbench
