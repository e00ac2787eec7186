// KB_CLONES: compiles a function once for each vector extension and picks at load time. Sanitizers
// cannot run the resolver, other compilers and processors do without. The results are the same bits
// either way: the files that use it are compiled without contraction.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KB_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), noinline))
#else
#define KB_CLONES
#endif
