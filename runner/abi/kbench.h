/*
 * kbench.h: the contract between kbench and a submission. Plain C, no LibTorch.
 *
 * A submission exports kbench_forward and may export kbench_prepare and
 * kbench_workspace_bytes. The three tensor structs (kb_inputs, kb_params,
 * kb_outputs) differ from task to task and are generated into task.h; include
 * that, it includes this.
 *
 * Every tensor is contiguous, in row-major order, and starts at a multiple of
 * 256 bytes. Pointers are host pointers on CPU and device pointers on CUDA and
 * may differ from call to call.
 */
#ifndef KBENCH_H
#define KBENCH_H

/* NOLINTBEGIN(modernize-*): C as well as C++ */

#include <stdint.h>

#define KBENCH_ABI_VERSION 1u

#ifdef __cplusplus
extern "C" {
#endif

enum kb_device_kind { KB_DEVICE_CPU = 0, KB_DEVICE_CUDA = 1 };

/* What a call runs on. Owned by kbench, valid until the call returns. */
typedef struct kb_context {
  uint32_t size;        /* sizeof(kb_context) of the caller */
  uint32_t abi_version; /* KBENCH_ABI_VERSION of the caller */
  void* stream;         /* cudaStream_t on CUDA: launch here, or behind it by an event: the inputs
                           show when what is on it already has ended; null on CPU */
  void* workspace;      /* kbench_workspace_bytes() bytes, 256-byte aligned, or null */
  uint64_t workspace_bytes;
  int32_t device_kind;             /* enum kb_device_kind */
  int32_t threads;                 /* CPU threads to use */
  int32_t sm_count;                /* CUDA: streaming multiprocessors, else 0 */
  int32_t compute_capability;      /* CUDA: 10 * major + minor, else 0 */
  uint64_t l2_bytes;               /* CUDA: level-2 cache, else 0 */
  uint64_t shared_bytes_per_block; /* CUDA: opt-in shared memory of one block, else 0 */
} kb_context;

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-*) */

#endif /* KBENCH_H */
