kbench_unit_test(channel_test kbench::core)
kbench_unit_test(for_each_index_test kbench::core)
kbench_unit_test(speedup_test kbench::core)
kbench_unit_test(statistics_test kbench::core)
