// The entry point of libFuzzer, which every fuzz target offers. With the preset `fuzz` clang's
// libFuzzer calls it; in every other build replay_main.cpp does, with the files of corpus/ and
// mutations of them. A target returns 0 whatever the input; a finding is a crash, a sanitizer's
// report or an uncaught exception.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
