// SPDX-License-Identifier: BSD-3-Clause
/* Opens libzip at run time. L3. */
#include "api/file/zip_load.h"

#ifdef HED_HAVE_LIBZIP
#include "base/library.h"
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hed__zip zip;
static const char *missing;

static void load(void)
{
  /* Versions 4 and 5 differ in nothing that is used here. */
  static const char *const names[] = { "libzip.so.5", "libzip.so.4", NULL };
#define X(name) #name,
  static const char *const symbols[] = { HED__ZIP_FUNCTIONS(X) NULL };
#undef X
  missing = hed__library_fill(names, symbols, &zip);
}

const hed__zip *hed__zip_get(const char *op)
{
  pthread_once(&once, load);
  if (!missing)
    return &zip;
  hed_fail(HED_E_UNAVAILABLE, "%s: archives need libzip: %s does not load", op, missing);
  return NULL;
}
#endif
