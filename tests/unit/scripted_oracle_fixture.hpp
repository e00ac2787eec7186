// Runs on a bench of the machine's own, by the oracle that makes up its numbers
// (tests/fakes/scripted_oracle.cpp). Programs that use it define KBENCH_WORKER and
// KBENCH_SCRIPTED_ORACLE (tests/unit/CMakeLists.txt).
#pragma once

#include "tests/unit/run_fixture.hpp"

namespace kbench::test {

class ScriptedOracleTest : public RunTest {
 protected:
  ScriptedOracleTest() {
    Installation& place = benches_.place;
    place.root = kSource;
    place.abi = kAbi;
    place.cache = folder_ / "cache";
    place.worker = KBENCH_WORKER;
    place.oracle = KBENCH_SCRIPTED_ORACLE;
  }
};

}  // namespace kbench::test
