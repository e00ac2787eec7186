// The candidates of the grammar, as texts of Python modules: asked of suites/synthesis/compose.py,
// which runs in the sandbox like all Python of an import.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/import/lowering_process.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

struct CompositionRequest {
  std::int64_t seed = 0;
  int least = 1;  // operators
  int most = 5;
  std::vector<std::pair<std::int64_t, double>> candidates;  // number and scale
};

struct ComposedModule {
  std::string name;  // letters, digits and underscores
  int level = 1;
  std::vector<std::string> operators;  // operators of the grammar
  std::string source;
};

struct Composition {
  int grammar = 0;                      // its version
  std::vector<ComposedModule> modules;  // as many as were asked for, in that order
};

// The same request always gives the same. Errors: kInfrastructure, with Python's last words.
[[nodiscard]] Result<Composition> compose_modules(Sandbox& sandbox, const LoweringSetup& setup,
                                                  const CompositionRequest& request);

}  // namespace kbench
