# What `cmake --install` puts where, and the packages that CPack makes of it. The programs find each
# other and everything else relative to where they lie (runner/installation/installation.cpp), so the result
# can be moved as a whole, and these paths are no options.
#
#   bin/kbench              the supervisor
#   libexec/kbench/         the programs that it starts
#   share/kbench/           tasks, ABI header, builder scripts, example submissions, JSON schemas,
#                           what starts it each night, the description of its HTTP interface; README
#                           and manual, as in a checkout, so that their links lead somewhere
#   share/doc/kbench/       licence
#   share/man/man1/, share/bash-completion/, share/zsh/, share/fish/: what shells and man look for
#
# Programs need no more of the system than libc, libstdc++ and libgomp. LibTorch is not part of it.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS  # the sandbox's user must get there, whatever umask says
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(kbench_programs kbench-agent kbench-enter kbench-escape kbench-gate kbench-worker)
foreach(oracle kbench-oracle kbench-oracle-cuda)
  if(TARGET ${oracle})
    list(APPEND kbench_programs ${oracle})
  endif()
endforeach()
if(TARGET kbench-player)
  install(TARGETS kbench-player LIBRARY DESTINATION libexec/kbench)
  if(TARGET kbench-heap)
    install(TARGETS kbench-heap LIBRARY DESTINATION libexec/kbench)
  endif()
  file(GLOB player_modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runner/player/*.py)
  install(FILES ${player_modules} DESTINATION share/kbench/player)
endif()
if(TARGET kbench-vendor)
  install(TARGETS kbench-vendor LIBRARY DESTINATION libexec/kbench)
endif()
install(TARGETS kbench RUNTIME DESTINATION bin)
install(TARGETS ${kbench_programs} RUNTIME DESTINATION libexec/kbench)
# An installed oracle is told where its LibTorch lies (runner/installation/torch_search.hpp).
foreach(oracle kbench-oracle kbench-oracle-cuda)
  if(TARGET ${oracle})
    install(CODE "file(RPATH_REMOVE
      FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/libexec/kbench/${oracle}\")")
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/suites DESTINATION share/kbench
        PATTERN __pycache__ EXCLUDE)
if(SKBUILD)  # a wheel: all of it lies in the module kbench, which starts the program beside it
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/clients/kbench/ DESTINATION . PATTERN __pycache__ EXCLUDE)
  set(kbench_without_module REGEX "/data/clients/kbench$" EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/attribution ${PROJECT_SOURCE_DIR}/data/ci ${PROJECT_SOURCE_DIR}/data/clients
                  ${PROJECT_SOURCE_DIR}/data/cluster
                  ${PROJECT_SOURCE_DIR}/data/docs ${PROJECT_SOURCE_DIR}/data/schema
                  ${PROJECT_SOURCE_DIR}/data/submissions ${PROJECT_SOURCE_DIR}/data/selftest
                  ${PROJECT_SOURCE_DIR}/data/probe ${PROJECT_SOURCE_DIR}/data/prompt ${PROJECT_SOURCE_DIR}/data/serve
                  ${PROJECT_SOURCE_DIR}/data/workspace
        DESTINATION share/kbench/data
        PATTERN __pycache__ EXCLUDE ${kbench_without_module})
install(FILES ${PROJECT_SOURCE_DIR}/baselines/aot_builder.py DESTINATION share/kbench/baselines)
install(FILES ${PROJECT_SOURCE_DIR}/runner/abi/kbench.h DESTINATION share/kbench/abi)
# Made by the program that they are about. A wheel has no place where a shell would look for them.
if(NOT SKBUILD)
  set(generated kbench.1 kbench.bash kbench.zsh kbench.fish)
  list(TRANSFORM generated PREPEND ${CMAKE_BINARY_DIR}/generated/)
  set(generator ${CMAKE_CURRENT_LIST_DIR}/generate_manuals.cmake)
  add_custom_command(OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DKBENCH=$<TARGET_FILE:kbench> -DOUTPUT=${CMAKE_BINARY_DIR}/generated
            -P ${generator}
    DEPENDS kbench ${generator} VERBATIM)
  add_custom_target(kbench_manuals ALL DEPENDS ${generated})
  list(GET generated 0 manual)
  list(GET generated 1 for_bash)
  list(GET generated 2 for_zsh)
  list(GET generated 3 for_fish)
  install(FILES ${manual} DESTINATION share/man/man1)
  install(FILES ${for_bash} DESTINATION share/bash-completion/completions RENAME kbench)
  install(FILES ${for_zsh} DESTINATION share/zsh/site-functions RENAME _kbench)
  install(FILES ${for_fish} DESTINATION share/fish/vendor_completions.d)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
              ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/kbench)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/kbench RENAME copyright)
