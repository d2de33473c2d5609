// SPDX-License-Identifier: BSD-3-Clause
/* Tables of dtypes, indexed by hed_dtype_id. L0.
 *
 * hed_dtype_desc is what a hed_dtype points at. Its size is part of the binary interface (programs may hold a copy
 * relocation of it), so new facts go into tables beside it.
 */
#ifndef HED_BASE_DTYPE_H
#define HED_BASE_DTYPE_H

#include <heddle/dtype.h>

struct hed_dtype_desc {
  int32_t id;       /* hed_dtype_id */
  int32_t kind;     /* hed_kind */
  int32_t size;     /* bytes of one element, 0 for abstract ones */
  int32_t bits;     /* of one component: 32 for complex64 */
  char name[16];
  uint64_t reserved[4];
};

/* Concrete and abstract singletons by id. */
extern const struct hed_dtype_desc *const hed__dtypes[HED_ID_COUNT_];

static inline bool hed__id_ok(int id) { return id >= 0 && id < HED_ID_CONCRETE_COUNT_; }
static inline int hed__id_size(int id) { return hed__dtypes[id]->size; }
static inline hed_kind hed__id_kind(int id) { return (hed_kind)hed__dtypes[id]->kind; }

/* Promotion of concrete ids: see hed_dtype_promote. */
int hed__promote(int a, int b);
/* Real component type of a complex id; others as they are. */
int hed__real_of(int id);
/* Complex type whose components hold ID: float32 and narrower give complex64; float64 and integers above 16 bits
 * complex128. */
int hed__complex_of(int id);
/* float16, bfloat16 compute in float32; everything else in itself. */
int hed__compute_of(int id);
/* Does a domain letter set of ops.def ("bifc") hold ID? */
bool hed__in_domain(const char *domain, int id);

#endif
