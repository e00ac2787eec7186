# Run by the build: what KBENCH says of its own options, as files in OUTPUT.
file(MAKE_DIRECTORY ${OUTPUT})
function(generate name)
  execute_process(COMMAND ${KBENCH} ${ARGN} OUTPUT_FILE ${OUTPUT}/${name} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
generate(kbench.1 man)
generate(kbench.bash completions bash)
generate(kbench.zsh completions zsh)
generate(kbench.fish completions fish)
