// SPDX-License-Identifier: BSD-3-Clause
/* What a tool of NVIDIA's is told while it listens: ranges by NVTX's interface, version 3. L2. See nvtx.c. */
#ifndef HED_CORE_PROFILE_NVTX_H
#define HED_CORE_PROFILE_NVTX_H

#include <stdbool.h>

/* Set once, when the library is loaded, with what is called then. */
extern bool hed__nvtx_listens;
void hed__nvtx_range_begin(const char *name);
void hed__nvtx_range_end(void);
void hed__nvtx_mark(const char *name);

/* Loads the tool that the environment names. */
void hed__nvtx_load(void);

/* Ranges of a thread are within each other: what ends is the one begun last. */
static inline void hed__nvtx_push(const char *name)
{
  if (__builtin_expect(hed__nvtx_listens, 0))
    hed__nvtx_range_begin(name);
}
static inline void hed__nvtx_pop(void)
{
  if (__builtin_expect(hed__nvtx_listens, 0))
    hed__nvtx_range_end();
}

#endif
