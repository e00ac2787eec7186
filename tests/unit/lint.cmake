kbench_unit_test(graph_facts_test kbench::lint GTest::gmock)
