kbench_unit_test(cuda_probe_test kbench::device_probe GTest::gmock)
kbench_unit_test(philox_test kbench::backend_rules GTest::gmock)
kbench_unit_test(draw_values_test kbench::backend_rules)
kbench_unit_test(compare_test kbench::backend_cpu)
kbench_unit_test(cpu_backend_test kbench::backend_cpu)
# The scalar definitions are compiled into these tests, and compared to the bit.
foreach(test draw_values_test compare_test cpu_backend_test)
  target_compile_options(${test} PRIVATE -ffp-contract=off)
endforeach()

if(KBENCH_WITH_CUDA)
  kbench_program(backend_cuda_test
    SOURCES ${PROJECT_SOURCE_DIR}/tests/gpu/backend_cuda_test.cpp
    LIBS kbench::backend_cuda kbench::backend_cpu kbench::device_probe CUDA::cudart_static fmt::fmt
         GTest::gtest_main)
  set_target_properties(backend_cuda_test PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(backend_cuda_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS gpu)
endif()
