kbench_unit_test(store_test kbench::store kbench::analysis SQLiteCpp GTest::gmock)
kbench_unit_test(store_faults_test kbench::store SQLiteCpp GTest::gmock)
kbench_unit_test(hostile_database_test kbench::store SQLiteCpp GTest::gmock)
kbench_unit_test(chain_test kbench::store SQLiteCpp GTest::gmock)
