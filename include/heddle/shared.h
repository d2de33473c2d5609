// SPDX-License-Identifier: BSD-3-Clause
/* Arrays that several processes see: POSIX shared memory.
 *
 * One process makes a segment and gets a token, a name of at most 63 bytes, which it hands to others by whatever way;
 * they attach. All see the same elements. Nothing orders accesses of different processes: that is the programs' task.
 * The name goes when the array that hed_to_shared or hed_shared_new returned loses its last reference (in the process
 * that made it), unless it is to be kept; who has attached keeps the memory. Segments can be opened by the same user.
 */
#ifndef HEDDLE_SHARED_H
#define HEDDLE_SHARED_H

#include <heddle/array.h>

HED_BEGIN_DECLS

enum { HED_SHARED_TOKEN = 64 };

typedef struct hed_shared {
  const char *name; /* "/name", NULL: one is made up; one that exists is HED_E_BUSY */
  bool keep;        /* the name stays until hed_shared_unlink() */
} hed_shared;

/* A new segment of zeros, as an array in host memory. TOKEN receives the name. HED_E_NOMEM when shared memory has no room
 * for it: the room is reserved now. OPT may be NULL. */
HED_NEW hed_array *hed_shared_new(hed_shape shape, hed_dtype t, const hed_shared *opt, char token[HED_SHARED_TOKEN]);

/* The same with a copy of X's elements, from any memory space; waits for X. */
HED_NEW hed_array *hed_to_shared(const hed_array *x, const hed_shared *opt, char token[HED_SHARED_TOKEN]);

/* The array of TOKEN, in any process. What stands in the segment is checked against its size: HED_E_NOTFOUND when there
 * is none of that name, HED_E_FORMAT when it is not, or not yet, a complete array. */
HED_NEW hed_array *hed_from_shared(const char *token, bool read_only);

/* Remove the name; arrays on it live on. HED_E_NOTFOUND when there is none. */
HED_API hed_status hed_shared_unlink(const char *token);

HED_END_DECLS

#endif
