kbench_unit_test(import_test kbench::import kbench::task GTest::gmock)
