kbench_unit_test(submission_test kbench::submission)
kbench_unit_test(compiler_test kbench::submission)
target_link_libraries(compiler_test PRIVATE ${CMAKE_DL_LIBS})
target_compile_definitions(compiler_test PRIVATE KBENCH_ABI_FOLDER="${PROJECT_SOURCE_DIR}/runner/abi")
