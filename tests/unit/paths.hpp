// Where tests find files of the checkout, and a Python. One source has the values, so that moving
// the tree compiles only it anew, and the tests themselves compile many as one.
#pragma once

namespace kbench::test {

extern const char* const kSource;
extern const char* const kAbi;
extern const char* const kAnswers;
extern const char* const kData;
extern const char* const kFakeBuilder;
extern const char* const kFakeZygote;
extern const char* const kGolden;
extern const char* const kOpenApi;
extern const char* const kPlayerCleaning;
extern const char* const kSchemas;
extern const char* const kSuites;
extern const char* const kTinySuites;
// Empty where the machine has none.
extern const char* const kPython;

}  // namespace kbench::test
