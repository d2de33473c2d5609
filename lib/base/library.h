// SPDX-License-Identifier: BSD-3-Clause
/* Libraries that are opened when they are needed first: programs that never do not carry them. L0. */
#ifndef HED_BASE_LIBRARY_H
#define HED_BASE_LIBRARY_H

#include "base/cancel.h"
#include <dlfcn.h>
#include <string.h>

/* Opens the first of NAMES that loads, and fills TABLE, pointers to functions in the order of SYMBOLS; both lists end with NULL.
 * NULL, or the name of what is missing. A library that was found stays open: the process may be using it anywhere. */
static inline const char *hed__library_fill(const char *const *names, const char *const *symbols, void *table)
{
  HED__UNCANCELLED;
  void *h = NULL;
  for (const char *const *name = names; *name && !h; name++)
    h = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
  if (!h)
    return names[0];
  char *to = table;
  for (; *symbols; symbols++) {
    void *f = dlsym(h, *symbols);
    if (!f)
      return *symbols;
    memcpy(to, &f, sizeof f);
    to += sizeof f;
  }
  return NULL;
}

#endif
