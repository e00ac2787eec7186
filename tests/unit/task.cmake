kbench_unit_test(task_test kbench::task GTest::gmock)
kbench_unit_test(suite_test kbench::task GTest::gmock)
kbench_unit_test(hard_draws_test kbench::task GTest::gmock)
kbench_unit_test(suggest_test kbench::task)
kbench_unit_test(graph_hash_test kbench::task)
kbench_unit_test(task_header_test kbench::task GTest::gmock)
target_compile_definitions(task_header_test PRIVATE KBENCH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

# The golden headers are real headers: a compiler must take what kbench generates.
add_library(task_header_compiles OBJECT ${PROJECT_SOURCE_DIR}/tests/golden/task_header/compiles.cpp)
target_include_directories(task_header_compiles PRIVATE ${PROJECT_SOURCE_DIR}/runner/abi)
target_compile_options(task_header_compiles PRIVATE ${KBENCH_WARNINGS})

kbench_unit_test(memory_plan_test kbench::memory_plan)
target_compile_definitions(memory_plan_test PRIVATE KBENCH_SUITES="${PROJECT_SOURCE_DIR}/suites")
