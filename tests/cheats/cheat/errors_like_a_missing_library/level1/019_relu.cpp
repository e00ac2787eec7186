// Does not compile, in words as if this machine had no library of threads: a fault of the machine's
// costs an agent nothing.
#include "task.h"

#error "/usr/bin/ld: cannot find -lgomp: No such file or directory"
