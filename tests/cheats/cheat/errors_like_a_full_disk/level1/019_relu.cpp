// Does not compile, in words as if the disk were full: a fault of the machine's
// costs an agent nothing.
#include "task.h"

#error "error writing to /tmp/ccXXXXXX.s: No space left on device"
