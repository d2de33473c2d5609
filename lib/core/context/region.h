// SPDX-License-Identifier: BSD-3-Clause
/* What libheddle-inherit calls of libheddle for OpenMP's regions and tasks: see region.c. L2. Private between the two. */
#ifndef HED_CORE_REGION_H
#define HED_CORE_REGION_H

#include <heddle/context.h>
#include <stdbool.h>

/* Where it was made: the maker's context (NULL: it followed the root), the random key that members fold their numbers with. */
typedef struct hed_region {
  const hed_context *context;
  uint64_t key;
  bool creating;
} hed_region;

typedef struct hed_region_save {
  hed_frame frame;
  bool creating;
} hed_region_save;

/* False: no thread has had a context of its own yet, and the runtime is called as it is. */
HED_API bool hed_region_open(hed_region *r);

/* Around the runtime's own call, in the thread that opened R. */
HED_API void hed_region_begin(hed_region *r);
HED_API void hed_region_end(hed_region *r);

/* For a task, which may outlive its maker's block; each copy holds its own. */
HED_API void hed_region_hold(hed_region *r);
HED_API void hed_region_release(hed_region *r);

/* Around a member's body, or a task's. */
HED_API void hed_region_enter(const hed_region *r, uint64_t index, hed_region_save *v);
HED_API void hed_region_leave(hed_region_save *v);

#endif
