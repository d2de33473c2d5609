// SPDX-License-Identifier: BSD-3-Clause
/* Programs: what is to be built, its text, and what was built. L1. */
#ifndef HED_DEVICE_PROGRAM_H
#define HED_DEVICE_PROGRAM_H

#include "backends/device/runtime/runtime.h"

enum { DEV_MOST_DEFINES = 8, DEV_TYPE_NONE = -1 };

/* What is to be built. Equal specs give equal texts. */
typedef struct dev_spec {
  const char *family;          /* "map": map.k */
  int32_t compute;             /* hed_dtype_id */
  int32_t out, in[3];          /* storage, DEV_TYPE_NONE: what the row has for COMPUTE */
  const char *only;            /* rows in capitals, blanks between: HED_ROW_ of each; NULL: all rows of the family */
  uint32_t block;              /* BLOCK; 0: the device's */
  const char *define[DEV_MOST_DEFINES]; /* "NAME value"; the last one NULL when there are fewer */
  const char *body;            /* text after the family's; NULL: none */
} dev_spec;

/* The text of SPEC for D, from the host's alloc; NULL without memory. Which headers a family needs, in order, is said by its first
 * line in kernels/: //@ needs types.h complex.h */
char *dev_source(const dev_device *d, const dev_spec *spec, size_t *bytes);
/* The program of SPEC: from memory, from disk, or built by the first who asks while others wait. It stays. */
int32_t dev_program_get(dev_device *d, const dev_spec *spec, dev_program **out);
/* Its entry NAME. */
int32_t dev_program_entry(dev_device *d, dev_program *p, const char *name, void **entry);

/* All rows of FAMILY, with the storage that they have for COMPUTE. */
dev_spec dev_spec_of(const char *family, int32_t compute);
/* NAME in capitals, for `only'. */
enum { DEV_ROW_NAME = 40 };
const char *dev_row_name(char only[DEV_ROW_NAME], const char *name);
/* The entry NAME of SPEC's program. */
int32_t dev_kernel(dev_device *d, const dev_spec *spec, const char *name, void **out);
/* Elements of a work-item in flat layouts and rows: on processors enough for what a group costs there. */
static inline int dev_per_item(const dev_device *d) { return d->limits.is_cpu ? 4096 : 4; }

#endif
