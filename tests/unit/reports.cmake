foreach(name report_model json_report console_report html_report html_browser sanitize)
  kbench_unit_test(${name}_test kbench::reports GTest::gmock)
  target_compile_definitions(${name}_test PRIVATE
                             KBENCH_GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
endforeach()
