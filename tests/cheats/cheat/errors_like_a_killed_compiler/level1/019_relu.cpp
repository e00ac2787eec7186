// Does not compile, in words as if the machine had too little memory for a compiler: a fault of the
// machine's costs an agent nothing.
#include "task.h"

#error "Killed signal terminated program cc1plus"
