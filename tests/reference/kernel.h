// SPDX-License-Identifier: BSD-3-Clause
/* Calling a kernel without the rest of the library: a host that counts memory and keeps the last sentence, views of
 * given layouts, and calls. For tests of the reference backend; include once per program.
 */
#ifndef HED_TESTS_KERNEL_H
#define HED_TESTS_KERNEL_H

#include "gen.h"
#include "tap.h"

#include <heddle/backend.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the host ---- */

static char kernel_text[256];
static int64_t kernel_live, kernel_fail_at; /* blocks in use; countdown to a failing allocation, 0 = none */

HED_PRINTF(2, 3) static int32_t kernel_fail(int32_t status, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(kernel_text, sizeof kernel_text, format, args);
  va_end(args);
  return status;
}

static void *kernel_alloc(size_t bytes, size_t align)
{
  (void)align;
  if (kernel_fail_at > 0 && --kernel_fail_at == 0)
    return NULL;
  void *p = malloc(bytes);
  if (p) {
    kernel_live++;
    memset(p, 0xa5, bytes); /* nobody may rely on zeros */
  }
  return p;
}

static void kernel_free(void *p)
{
  kernel_live -= p != NULL;
  free(p);
}

static void *kernel_scratch(size_t bytes) { return kernel_alloc(bytes, 64); }

static hed_host_api kernel_host = {
  .struct_size = sizeof kernel_host, .fail = kernel_fail, .alloc = kernel_alloc, .free = kernel_free,
  .scratch = kernel_scratch, .scratch_free = kernel_free,
};

/* ---- operands ---- */

static const int kernel_size[] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) bytes,
#include <heddle/dtypes.def>
#undef HED_DTYPE
};
static const char *const kernel_name[] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) #name,
#include <heddle/dtypes.def>
#undef HED_DTYPE
};

typedef struct operand {
  hed_view view;
  gen_layout layout;
  void *memory; /* guarded */
  int64_t n;
} operand;

/* A new operand; G NULL: C order, else axes in any order with gaps and negative strides. Its bytes are 0xa5. */
static operand operand_new(gen *g, int dtype, int ndim, const int64_t *dim)
{
  operand o = { .view = { .dtype = dtype, .ndim = ndim }, .n = 1 };
  for (int k = 0; k < ndim; k++)
    o.n *= o.view.dim[k] = dim[k];
  if (g)
    gen_layout_any(g, ndim, dim, (size_t)kernel_size[dtype], true, true, &o.layout);
  else
    gen_layout_c(ndim, dim, (size_t)kernel_size[dtype], &o.layout);
  o.memory = guard_alloc(o.layout.bytes, (size_t)kernel_size[dtype]);
  memset(o.memory, 0xa5, o.layout.bytes);
  o.view.data = (char *)o.memory + o.layout.offset;
  memcpy(o.view.stride, o.layout.stride, sizeof o.view.stride);
  return o;
}

static bool operand_free(operand *o)
{
  bool whole = guard_free(o->memory);
  o->memory = NULL;
  return whole;
}

/* Element K in C order. */
static void *operand_at(const operand *o, int64_t k)
{
  return (char *)o->memory + gen_layout_at(&o->layout, o->view.ndim, o->view.dim, k);
}

/* Element K of a float or complex operand, as real and imaginary part. */
static void operand_set(const operand *o, int64_t k, double re, double im)
{
  void *p = operand_at(o, k);
  switch (o->view.dtype) {
  case HED_ID_FLOAT32: *(float *)p = (float)re; break;
  case HED_ID_FLOAT64: *(double *)p = re; break;
  case HED_ID_COMPLEX64: ((float *)p)[0] = (float)re; ((float *)p)[1] = (float)im; break;
  case HED_ID_COMPLEX128: ((double *)p)[0] = re; ((double *)p)[1] = im; break;
  default: bail("operand_set knows no %s", kernel_name[o->view.dtype]);
  }
}

/* ---- calls ---- */

/* Every allocation of an operation in turn fails: CALL(arg) must say HED_E_NOMEM with a sentence and keep no block.
 * One point. */
static void kernel_starve(int32_t (*call)(void *arg), void *arg, int at_least)
{
  int failures = 0;
  bool clean = true;
  for (int64_t at = 1; at < 1000; at++) {
    kernel_fail_at = at;
    int32_t status = call(arg);
    bool reached = kernel_fail_at == 0;
    kernel_fail_at = 0;
    if (!reached)
      break;
    failures++;
    clean = clean && status == HED_E_NOMEM && kernel_live == 0 && strstr(kernel_text, "memory");
  }
  ok(clean && failures >= at_least && kernel_live == 0, "%d allocations fail cleanly", failures);
}

typedef int32_t (*kernel_fn)(void *state, const hed_call *call);

/* OUTS and INS end with the counts given; a NULL operand is a NULL view. */
static int32_t kernel_call(kernel_fn fn, int op, int compute, const void *params, int n_out, operand **outs, int n_in,
                           operand **ins)
{
  const hed_view *out[4] = { NULL }, *in[4] = { NULL };
  for (int k = 0; k < n_out; k++)
    out[k] = outs[k] ? &outs[k]->view : NULL;
  for (int k = 0; k < n_in; k++)
    in[k] = &ins[k]->view;
  hed_call call = { .struct_size = sizeof call, .op = op, .n_in = n_in, .n_out = n_out, .in = in, .out = out,
                    .params = params, .compute = compute, .max_threads = 1 };
  kernel_text[0] = '\0';
  return fn(&kernel_host, &call);
}

#endif
