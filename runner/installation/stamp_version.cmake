# Run at every build: writes OUTPUT with the commit of SOURCE, and leaves the file alone where nothing
# changed, so that an unchanged commit recompiles nothing.
set(commit unknown)
set(dirty false)
file(TIMESTAMP ${SOURCE}/CMakeLists.txt date "%Y-%m-%d" UTC)
find_package(Git QUIET)
# A checkout inside somebody else's repository must not take that one's commit.
if(GIT_FOUND AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(commit ${head})
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} log -1 --format=%cs
                    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} --no-optional-locks
                            status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(NOT changes STREQUAL "")
      set(dirty true)
    endif()
  endif()
endif()
set(text "#pragma once

#include <string_view>

namespace kbench::stamp {
inline constexpr std::string_view kCommit = \"${commit}\";
inline constexpr std::string_view kDate = \"${date}\";
inline constexpr bool kDirty = ${dirty};
}  // namespace kbench::stamp
")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
