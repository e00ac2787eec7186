kbench_unit_test(graph_test kbench::graph GTest::gmock)

# A Python for the fake builder; it needs no torch.
if(KBENCH_PYTHON)
  set(test_python ${KBENCH_PYTHON})
else()
  find_program(test_python NAMES python3 NO_CACHE)
endif()
if(test_python)
  kbench_unit_test(builder_pool_test kbench::builder_pool GTest::gmock)
  target_compile_definitions(builder_pool_test PRIVATE
    KBENCH_TEST_PYTHON="${test_python}"
    KBENCH_FAKE_BUILDER="${PROJECT_SOURCE_DIR}/tests/fakes/fake_builder.py")
endif()

if(KBENCH_WITH_TORCH)
  kbench_unit_test(executor_test kbench::baselines GTest::gmock)
endif()

# Builds real packages: half a minute on two cores.
if(KBENCH_WITH_TORCH AND KBENCH_PYTHON)
  kbench_program(package_test
    SOURCES ${PROJECT_SOURCE_DIR}/tests/unit/package_test.cpp
    LIBS kbench::baselines kbench::builder_pool GTest::gmock GTest::gtest_main)
  target_compile_definitions(package_test PRIVATE
    KBENCH_PYTHON="${KBENCH_PYTHON}"
    KBENCH_AOT_BUILDER="${PROJECT_SOURCE_DIR}/baselines/aot_builder.py")
  set_target_properties(package_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(package_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS slow TIMEOUT 600)
endif()
