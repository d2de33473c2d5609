// SPDX-License-Identifier: BSD-3-Clause
/* Opens libzip at run time. L3. */
#include "api/file/zip_load.h"
#include "base/cancel.h"

#ifdef HED_HAVE_LIBZIP
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hed__zip zip;
static bool ready;
static char reason[256];

static void load(void)
{
  HED__UNCANCELLED;
  /* Versions 4 and 5 differ in nothing that is used here. */
  void *h = dlopen("libzip.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!h)
    h = dlopen("libzip.so.4", RTLD_NOW | RTLD_LOCAL);
  const char *text = h ? NULL : dlerror();
  bool all = h != NULL;
#define X(name)                                              \
  if (all) {                                                 \
    void *f = dlsym(h, #name);                               \
    memcpy(&zip.name, &f, sizeof f);                         \
    if (!f) {                                                \
      text = dlerror();                                      \
      all = false;                                           \
    }                                                        \
  }
  HED__ZIP_FUNCTIONS(X)
#undef X
  snprintf(reason, sizeof reason, "%s", text ? text : "libzip does not load");
  ready = all;
}

const hed__zip *hed__zip_get(const char *op)
{
  pthread_once(&once, load);
  if (ready)
    return &zip;
  hed_fail(HED_E_UNAVAILABLE, "%s: archives need libzip: %s", op, reason);
  return NULL;
}
#endif
