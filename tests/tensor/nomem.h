// SPDX-License-Identifier: BSD-3-Clause
/* tensor/nomem.h: what the tests of the tensor kit without memory share: see failing.h. */
#ifndef HED_TESTS_TENSOR_FAILING_H
#define HED_TESTS_TENSOR_FAILING_H
#include "failing.h"

/* A call, and the file that it makes, or NULL. */
typedef struct entry {
  const char *name;
  hed_status (*call)(void);
  const char *makes;
} entry;

static char failing_folder[] = "tensor-nomem-XXXXXX";

static inline hed_status made(hed_array *a)
{
  hed_release(a);
  return a ? HED_OK : hed_error();
}

/* The reference backend with one thread, which allocates the same each time, and a folder for files. */
static inline void failing_begin(void)
{
  if (hed_set_default_backend("reference;threads=1") != HED_OK || !mkdtemp(failing_folder))
    bail("no backend or no folder: %s", hed_error_text());
}

/* The folder has to be empty again. */
static inline void failing_end(void)
{
  ok(rmdir(failing_folder) == 0, "no file is left over");
}

#endif
