#include "tests/unit/paths.hpp"

namespace kbench::test {

const char* const kSource = KBENCH_SOURCE_DIR;
const char* const kAbi = KBENCH_SOURCE_DIR "/runner/abi";
const char* const kAnswers = KBENCH_SOURCE_DIR "/tests/answers/answers.json";
const char* const kData = KBENCH_SOURCE_DIR "/data";
const char* const kFakeBuilder = KBENCH_SOURCE_DIR "/tests/fakes/fake_builder.py";
const char* const kFakeZygote = KBENCH_SOURCE_DIR "/tests/fakes/fake_zygote.py";
const char* const kGolden = KBENCH_SOURCE_DIR "/tests/golden";
const char* const kOpenApi = KBENCH_SOURCE_DIR "/data/serve/openapi.json";
const char* const kPlayerCleaning = KBENCH_SOURCE_DIR "/runner/player/player_cleaning.py";
const char* const kSchemas = KBENCH_SOURCE_DIR "/data/schema";
const char* const kSuites = KBENCH_SOURCE_DIR "/suites";
const char* const kTinySuites = KBENCH_SOURCE_DIR "/tests/tiny";
const char* const kPython = KBENCH_TEST_PYTHON;

}  // namespace kbench::test
