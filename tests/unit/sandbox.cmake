kbench_program(sandbox_guest SOURCES ${PROJECT_SOURCE_DIR}/tests/fakes/sandbox_guest.cpp
               LIBS Threads::Threads)
set_target_properties(sandbox_guest PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

foreach(test sandbox_test process_test)
  kbench_unit_test(${test} kbench::sandbox kbench::lockdown)
  add_dependencies(${test} sandbox_guest kbench-enter)
  target_compile_definitions(${test} PRIVATE
                             KBENCH_SANDBOX_GUEST="$<TARGET_FILE:sandbox_guest>")
  # The same tests once more as a user without privileges, where the suite itself runs as root and the
  # build lies where such a user can reach it.
  add_test(NAME ${test}_as_plain_user
           COMMAND sh -c "[ $(id -u) = 0 ] || exit 77; exec setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps=-all sh -c '[ -x \"$0\" ] || exit 77; exec \"$0\"' \"$0\""
                   $<TARGET_FILE:${test}>)
  set_tests_properties(${test}_as_plain_user PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

kbench_unit_test(lockdown_test kbench::lockdown)
kbench_unit_test(moved_threads_test kbench::sandbox)
kbench_unit_test(cgroup_test kbench::sandbox)
