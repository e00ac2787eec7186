// Exports something else.
#include "task.h"

extern "C" int forward_of_another_harness(const kb_inputs*, kb_context*) { return 0; }
