// Words of a compiler on a machine that lacks something, from one that lacks nothing.
#error cannot find -lcudart: No space left on device (Killed), nvcc fatal: not found
