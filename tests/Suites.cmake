# Read by CTest when it starts: one test for each suite of a GoogleTest program, which lists them itself.
# Set before: kbench_program, kbench_list (kept until the program changes), kbench_prefix, kbench_python,
# kbench_properties.
if(NOT EXISTS "${kbench_program}")
  cmake_path(GET kbench_program FILENAME kbench_name)
  add_test("${kbench_prefix}.${kbench_name}_is_not_built" "${kbench_program}")
  return()
endif()

set(kbench_script "${CMAKE_CURRENT_LIST_DIR}/list_suites.py")
if("${kbench_program}" IS_NEWER_THAN "${kbench_list}" OR "${kbench_script}" IS_NEWER_THAN "${kbench_list}")
  # A busy machine needs long for it.
  execute_process(COMMAND "${kbench_python}" -B "${kbench_script}" "${kbench_program}" "${kbench_list}"
                  TIMEOUT 120 RESULT_VARIABLE kbench_failed)
  if(kbench_failed)
    message(FATAL_ERROR "${kbench_program} does not list its tests: ${kbench_failed}")
  endif()
endif()

file(STRINGS "${kbench_list}" kbench_lines)
foreach(kbench_line IN LISTS kbench_lines)
  string(REPLACE "|" ";" kbench_line "${kbench_line}")
  list(GET kbench_line 0 kbench_name)
  list(GET kbench_line 1 kbench_filter)
  set(kbench_name "${kbench_prefix}.${kbench_name}")
  add_test("${kbench_name}" "${kbench_program}" "--gtest_filter=${kbench_filter}")
  set_tests_properties("${kbench_name}" PROPERTIES SKIP_RETURN_CODE 77 ${kbench_properties})
endforeach()
