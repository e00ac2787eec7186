# Writes OUTPUT, a C++ file that holds each of FILES as a raw string: page.css becomes kPageCss. The
# MODULES, in their order, become one: kPageJs. A module stands behind those it imports from; the
# bundle is then their text without the lines that import and the word that exports, which makes
# every top-level name of a module unique among all of them.
set(code "// Generated from reports/assets; edit the files there.\n#include \"reports/assets.hpp\"\n\n")
string(APPEND code "namespace kbench::assets {\n")

foreach(file IN LISTS FILES)
  file(READ ${file} text)
  get_filename_component(stem ${file} NAME_WE)
  get_filename_component(extension ${file} LAST_EXT)
  set(name k)
  foreach(word ${stem} ${extension})
    string(REPLACE "." "" word ${word})
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND name ${first}${rest})
  endforeach()
  string(APPEND code "const std::string_view ${name} = R\"kbench_asset(${text})kbench_asset\";\n")
endforeach()

set(bundle "")
foreach(file IN LISTS MODULES)
  file(READ ${file} text)
  string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  string(APPEND bundle "${text}")
endforeach()
string(APPEND code "const std::string_view kPageJs = R\"kbench_asset(${bundle})kbench_asset\";\n")
string(APPEND code "}  // namespace kbench::assets\n")
file(WRITE ${OUTPUT} "${code}")
