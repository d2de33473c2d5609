// SPDX-License-Identifier: BSD-3-Clause
/* For tests that call kernels of the reference backend directly: the table, a host, views by hand. */
#ifndef HED_TESTS_LAUNCH_H
#define HED_TESTS_LAUNCH_H

#include "gen.h"
#include "tap.h"

#include <heddle/backend.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const hed_plugin ref_plugin;

static char host_said[256];

static int32_t host_fail(int32_t status, const char *format, ...) HED_PRINTF(2, 3);
static int32_t host_fail(int32_t status, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(host_said, sizeof host_said, format, args);
  va_end(args);
  return status;
}

static void *host_alloc(size_t bytes, size_t align)
{
  void *p = NULL;
  return posix_memalign(&p, align < 16 ? 16 : align, bytes) == 0 ? p : NULL;
}

static void *host_scratch(size_t bytes) { return host_alloc(bytes, 64); }

static const hed_host_api test_host = {
  .struct_size = sizeof test_host, .abi_major = HED_ABI_MAJOR, .abi_minor = HED_ABI_MINOR, .n_ops = HED_OP_COUNT_,
  .fail = host_fail, .alloc = host_alloc, .free = free, .scratch = host_scratch, .scratch_free = free,
};

static const struct { const char *name; int size, kind; } dtypes[] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) [HED_ID_##ID] = { #name, bytes, HED_KIND_##kind },
#include <heddle/dtypes.def>
#undef HED_DTYPE
};

static int op_number(const char *name)
{
  static const char *const names[] = {
#define HED_OP(ID, name, impl, domain, result, args, results, doc) #name,
#include <heddle/ops.def>
  };
  for (int k = 0; k < HED_OP_COUNT_; k++)
    if (strcmp(names[k], name) == 0)
      return k;
  bail("no operation %s", name);
}

static hed_op_fn kernel(const char *name)
{
  for (const hed_op_entry *e = ref_plugin.ops; e->name; e++)
    if (strcmp(e->name, name) == 0)
      return e->fn;
  bail("no kernel %s", name);
}

/* Runs NAME with OUT (N_OUT of them) and IN. */
static int32_t launch(const char *name, int compute, const void *params, int n_out, const hed_view *const *out, int n_in,
                      const hed_view *const *in)
{
  static void *state;
  if (!state && ref_plugin.init(&test_host, 0, &state) != HED_OK)
    bail("the reference backend does not start");
  hed_call call = { .struct_size = sizeof call, .op = op_number(name), .n_in = n_in, .n_out = n_out, .in = in, .out = out,
                    .params = params, .compute = compute, .max_threads = 1 };
  return kernel(name)(state, &call);
}

/* The usual form: launch1("add", FLOAT32, NULL, &out, &a, &b, NULL) with one result. */
static int32_t launch1(const char *name, int compute, const void *params, const hed_view *out, ...)
    __attribute__((sentinel));
static int32_t launch1(const char *name, int compute, const void *params, const hed_view *out, ...)
{
  const hed_view *in[8], *v;
  int n = 0;
  va_list args;
  va_start(args, out);
  while ((v = va_arg(args, const hed_view *)) != NULL)
    in[n++] = v;
  va_end(args);
  return launch(name, compute, params, 1, &out, n, in);
}

/* N elements in a row. */
static inline hed_view row(void *data, int dtype, int64_t n)
{
  return (hed_view){ data, dtype, 1, { n }, { dtypes[dtype].size } };
}

/* One element, repeated N times. */
static inline hed_view repeated(void *data, int dtype, int64_t n)
{
  return (hed_view){ data, dtype, 1, { n }, { 0 } };
}

#endif
