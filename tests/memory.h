// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of memory share: the numbers of a space, the faulty device's controls. L5. */
#ifndef HED_TESTS_MEMORY_H
#define HED_TESTS_MEMORY_H

#include "scenario.h"
#include <dlfcn.h>

static inline hed_memory_info memory_of(const char *spec)
{
  hed_memory_info i = { .struct_size = sizeof i };
  if (hed_memory_query(spec, &i) != HED_OK)
    bail("memory_query %s: %s", spec ? spec : "NULL", hed_error_text());
  return i;
}

static inline hed_array *bytes(int64_t n) { return hed_empty(HED_SHAPE(n), HED_UINT8); }

/* A function of the faulty module; NULL when there is none. */
static inline void *faulty_symbol(const char *name)
{
  char path[4096];
  const char *build = getenv("HEDDLE_TEST_BUILDDIR");
  snprintf(path, sizeof path, "%s/tests/backends/.libs/faulty.so", build ? build : ".");
  void *h = hed_backend_require("faulty") == HED_OK ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  return h ? dlsym(h, name) : NULL;
}

static inline int control(const char *command)
{
  static int (*fn)(const char *);
  if (!fn) {
    void *p = faulty_symbol("hed_faulty_control");
    memcpy(&fn, &p, sizeof fn);
  }
  return fn ? fn(command) : -1;
}

static inline int64_t query(const char *name)
{
  static int64_t (*fn)(const char *);
  if (!fn) {
    void *p = faulty_symbol("hed_faulty_query");
    memcpy(&fn, &p, sizeof fn);
  }
  return fn ? fn(name) : -1;
}

#endif
