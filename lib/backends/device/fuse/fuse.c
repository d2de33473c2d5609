// SPDX-License-Identifier: BSD-3-Clause
/* Several elementwise operations in one kernel, whose text is written from the steps (kernels/fuse.k, which says what it takes). L1.
 *
 * The text is the key of its program: numbers of operands, types and layouts are in it, scalars, parameters, extents and strides
 * are arguments, so that a loop over values compiles once. Every value is rounded to its dtype, as it is one by one.
 */
#include "backends/device/fuse/fuse.h"
#include "backends/device/rows/rows.h"
#include "base/dtype.h"
#include "base/nest.h"
#include "base/shape.h"
#include <heddle/op_names.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { AXES = DEV_FUSE_AXES, MOST_BYTES = DEV_FUSE_BYTES, ROWS_OF_Y = 32768, TEXT = 24576, LIST = DEV_FUSE_LIST,
       SHORT_ROW_ELEMENTS = 32 };

typedef dev_fuse_job fuse_job;

int32_t dev_fuse_dtype(const hed_fused_call *c, int32_t value)
{
  return value < c->n_in ? c->in[value]->dtype : c->step[value - c->n_in].dtype;
}

/* ---- layouts ---- */

static bool add_pointer(fuse_job *j, const hed_view *v)
{
  const int64_t size = hed__id_size(v->dtype);
  bool good = j->n_pointers < DEV_MOST_POINTERS;
  for (int32_t a = 0; a < v->ndim && good; a++) {
    const int64_t s = j->c->dim[a] == 1 || v->dim[a] == 1 ? 0 : v->stride[a];
    good = s % size == 0;
    j->stride[j->n_pointers][a] = s / size;
  }
  if (good)
    j->pointer[j->n_pointers++] = v->data;
  return good;
}

/* AXES numbers in the order of kernels: REST behind those that there are. */
static void innermost_first(int64_t *x, int32_t ndim, int64_t rest)
{
  int64_t all[AXES];
  for (int32_t a = 0; a < AXES; a++)
    all[a] = a < ndim ? x[ndim - 1 - a] : rest;
  memcpy(x, all, sizeof all);
}

/* The longest axis goes first where the innermost is short: neighbouring items are along it. */
static void put_longest_first(fuse_job *j)
{
  int32_t best = 0;
  for (int32_t a = 1; a < j->ndim && j->n[0] < SHORT_ROW_ELEMENTS; a++)
    best = j->n[a] > j->n[best] ? a : best;
  for (int32_t p = -1; p < j->n_pointers; p++) {
    int64_t *of = p < 0 ? j->n : j->stride[p], kept = of[0];
    of[0] = of[best];
    of[best] = kept;
  }
}

bool dev_fuse_operands(fuse_job *j)
{
  const hed_fused_call *c = j->c;
  bool good = true;
  for (int32_t k = 0; k < c->n_in && good; k++) {
    j->source[k] = dev_fuse_on_host(c, k) ? -1 - j->n_values++ : j->n_pointers;
    good = dev_fuse_on_host(c, k) || add_pointer(j, c->in[k]);
  }
  return good;
}

bool dev_fuse_collapse(fuse_job *j)
{
  memcpy(j->n, j->c->dim, (size_t)j->c->ndim * sizeof *j->n);
  j->ndim = hed__merge_axes(j->n_pointers, j->stride, j->c->ndim, j->n, &(uint32_t){ 0 });
  if (j->ndim > AXES)
    return false;
  innermost_first(j->n, j->ndim, 1);
  for (int32_t p = 0; p < j->n_pointers; p++)
    innermost_first(j->stride[p], j->ndim, 0);
  return true;
}

/* False where a launch cannot count the elements, or the kernel's arguments have no room. */
static bool lay_out(fuse_job *j)
{
  const hed_fused_call *c = j->c;
  bool good = true;
  for (int32_t k = 0; k < c->n_out && good; k++)
    good = add_pointer(j, c->out[k]);
  if (!good || !dev_fuse_operands(j) || !dev_fuse_collapse(j))
    return false;
  j->flat = j->ndim <= 1;
  for (int32_t k = 0; k < c->n_in; k++)
    j->single[k] = !dev_fuse_on_host(c, k) && hed__is_single(j->ndim, j->n, j->stride[j->source[k]]);
  for (int32_t k = 0; k < c->n_in; k++)
    j->flat &= dev_fuse_on_host(c, k) || j->single[k] || j->stride[j->source[k]][0] == 1;
  if (!j->flat)
    put_longest_first(j);
  return j->n[1] * j->n[2] <= INT32_MAX / (j->n[3] > 0 ? j->n[3] : 1);
}

/* ---- the text ---- */

void dev_fuse_say(fuse_job *j, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  const int n = vsnprintf(j->text + j->length, TEXT - j->length, format, ap);
  va_end(ap);
  j->length += (size_t)n < TEXT - j->length ? (size_t)n : TEXT - 1 - j->length;
}

void dev_fuse_say_values(fuse_job *j)
{
  if (j->n_values)
    dev_fuse_say(j, "  u64 value[%d][2];\n", (int)j->n_values);
  if (j->n_params)
    dev_fuse_say(j, "  fuse_params step[%d];\n", (int)j->n_params);
}

static void say_arguments(fuse_job *j)
{
  const hed_fused_call *c = j->c;
  dev_fuse_say(j, "typedef struct fuse_args {\n  i64 n[4];\n");
  if (!j->flat)
    dev_fuse_say(j, "  i64 stride[%d][4];\n", (int)j->n_pointers);
  dev_fuse_say_values(j);
  dev_fuse_say(j, "} fuse_args;\n//@ entry fused");
  for (int32_t p = 0; p < j->n_pointers; p++)
    dev_fuse_say(j, " p");
  dev_fuse_say(j, " s%d\nKERNEL fused(", (int)(8 * j->n_args));
  for (int32_t k = 0; k < c->n_out; k++)
    dev_fuse_say(j, "PTR(STORED(%d), p%d), ", (int)c->out[k]->dtype, (int)k);
  for (int32_t k = 0; k < c->n_in; k++)
    if (!dev_fuse_on_host(c, k))
      dev_fuse_say(j, "PTR(const STORED(%d), p%d), ", (int)c->in[k]->dtype, (int)j->source[k]);
  dev_fuse_say(j, "const fuse_args args)\n{\n  const fuse_params none = { { 0 } };\n  (void)none;\n");
}

/* Operands; EACH: those of which every element is another one. */
static void say_operands(fuse_job *j, bool each)
{
  const hed_fused_call *c = j->c;
  for (int32_t k = 0; k < c->n_in; k++) {
    const int t = c->in[k]->dtype, p = j->source[k];
    if (each == (dev_fuse_on_host(c, k) || j->single[k]))
      continue;
    dev_fuse_say(j, "  const STORED(%d) v%d = ", t, (int)k);
    if (p < 0)
      dev_fuse_say(j, "BITS(%d, args.value[%d][0], args.value[%d][1]);\n", t, -1 - p, -1 - p);
    else if (!each)
      dev_fuse_say(j, "AT(p%d)[0];\n", p);
    else if (j->flat)
      dev_fuse_say(j, "AT(p%d)[i];\n", p);
    else
      dev_fuse_say(j, "AT(p%d)[AT_PLACE(%d)];\n", p, p);
  }
}

void dev_fuse_say_step(fuse_job *j, int32_t i)
{
  const hed_fused_call *c = j->c;
  const hed_fused_step *s = &c->step[i];
  const int v = c->n_in + i;
  if (s->op == HED_OP_ASTYPE) {
    const int from = dev_fuse_dtype(c, s->in[0]);
    dev_fuse_say(j, "  const COMPUTED(%d) r%d = GIVEN(%d, v%d);\n  const STORED(%d) v%d = CONVERT(%d, %d, r%d);\n", from, v, from,
        (int)s->in[0], (int)s->dtype, v, from, (int)s->dtype, v);
    return;
  }
  const int gives = dev_map_result(s->op, s->compute);
  dev_fuse_say(j, "  const COMPUTED(%d) r%d = %s_%d(", gives, v, hed_op_names[s->op], (int)s->compute);
  for (int32_t k = 0; k < 3; k++)
    if (k < s->n_in)
      dev_fuse_say(j, "VALUE(%d, %d, v%d), ", (int)dev_fuse_dtype(c, s->in[k]), (int)dev_map_operand(s->op, s->compute, k),
                   (int)s->in[k]);
    else
      dev_fuse_say(j, "NONE(%d), ", (int)s->compute);
  if (j->param[i] < 0)
    dev_fuse_say(j, "none);\n");
  else
    dev_fuse_say(j, "ARGS.step[%d]);\n", (int)j->param[i]);
  dev_fuse_say(j, "  const STORED(%d) v%d = CONVERT(%d, %d, r%d);\n", (int)s->dtype, v, gives, (int)s->dtype, v);
}

static void say_results(fuse_job *j)
{
  const hed_fused_call *c = j->c;
  for (int32_t i = 0; i < c->n_steps; i++)
    if (c->step[i].out >= 0 && j->flat)
      dev_fuse_say(j, "  AT(p%d)[i] = v%d;\n", (int)c->step[i].out, (int)(c->n_in + i));
    else if (c->step[i].out >= 0)
      dev_fuse_say(j, "  AT(p%d)[AT_PLACE(%d)] = v%d;\n", (int)c->step[i].out, (int)c->step[i].out, (int)(c->n_in + i));
}

static void say_all(fuse_job *j, const void *arg)
{
  (void)arg;
  say_arguments(j);
  say_operands(j, false);
  dev_fuse_say(j, j->flat ? "  RUN(i, args.n[0])\n" : "  STRIDED_PLACE\n  if (STRIDED_INSIDE) {\n");
  say_operands(j, true);
  for (int32_t i = 0; i < j->c->n_steps; i++)
    dev_fuse_say_step(j, i);
  say_results(j);
  dev_fuse_say(j, j->flat ? "  RUN_END\n}\n" : "  }\n}\n");
}

/* ---- arguments and program ---- */

bool dev_fuse_add_words(fuse_job *j, const void *words, size_t n)
{
  if (n > MOST_BYTES / 8 - j->n_args)
    return false;
  memcpy(j->args + j->n_args, words, 8 * n);
  j->n_args += n;
  return true;
}

bool dev_fuse_reduces(const hed_fused_step *s)
{
  switch (s->op) {
  case HED_OP_SUM: case HED_OP_PROD: case HED_OP_MEAN: case HED_OP_MAX: case HED_OP_MIN: case HED_OP_ARGMAX: case HED_OP_ARGMIN:
  case HED_OP_ANY: case HED_OP_ALL: case HED_OP_COUNT_NONZERO: case HED_OP_VAR: case HED_OP_STD:
    return true;
  default:
    return false;
  }
}

bool dev_fuse_add_values(fuse_job *j)
{
  const hed_fused_call *c = j->c;
  bool good = true;
  for (int32_t k = 0; k < c->n_in && good; k++)
    if (dev_fuse_on_host(c, k)) {
      uint64_t bits[2];
      dev_element_bits(c->in[k], c->in[k]->dtype, bits);
      good = dev_fuse_add_words(j, bits, 2);
    }
  for (int32_t i = 0; i < c->n_steps && good; i++) {
    if (dev_fuse_reduces(&c->step[i]))
      continue;
    uint64_t param[4] = { 0, 0, 0, 0 };
    const bool has = dev_map_params(j->d, c->step[i].op, c->step[i].params, param);
    j->param[i] = has ? j->n_params++ : -1;
    good = !has || dev_fuse_add_words(j, param, 4);
  }
  return good && 8 * j->n_args + 16 * (size_t)(j->n_pointers + DEV_FUSE_MORE) <= j->d->limits.args;
}

static bool fill_arguments(fuse_job *j)
{
  bool good = dev_fuse_add_words(j, j->n, AXES);
  for (int32_t p = 0; p < j->n_pointers && !j->flat && good; p++)
    good = dev_fuse_add_words(j, j->stride[p], AXES);
  return good && dev_fuse_add_values(j);
}

/* Those that the family leaves out are calls of their own. */
bool dev_fuse_takes(fuse_job *j)
{
  const hed_fused_call *c = j->c;
  size_t n = 0;
  j->compute = -1;
  for (int32_t i = 0; i < c->n_steps; i++) {
    const hed_fused_step *s = &c->step[i];
    if (s->op == HED_OP_ASTYPE || dev_fuse_reduces(s))
      continue;
    const char *id = dev_map_ids[s->op];
    const bool is_complex = hed__id_kind(s->compute) == HED_KIND_COMPLEX;
    if (!id || s->op == HED_OP_NORM_SCORES)
      return false;
    if (is_complex && j->compute >= 0 && hed__id_kind(j->compute) == HED_KIND_COMPLEX && j->compute != s->compute)
      return false;
    j->compute = is_complex || j->compute < 0 ? s->compute : j->compute;
    j->uses |= 1u << s->compute;
    n += (size_t)snprintf(j->only + n, LIST - n, "%s%s", n ? " " : "", id);
    if (n >= LIST)
      return false;
  }
  j->compute = j->compute < 0 ? HED_ID_FLOAT32 : j->compute;
  return true;
}

int32_t dev_fuse_kernel(fuse_job *j, dev_spec *spec, const char *name, void write(fuse_job *j, const void *arg), const void *arg,
                        void **entry)
{
  char define[DEV_MOST_DEFINES][24];
  int32_t n = 0;
  for (int32_t t = 0; t < HED_ID_CONCRETE_COUNT_; t++)
    if (j->uses >> t & 1) {
      if (n == DEV_MOST_DEFINES)
        return HED_E_UNSUPPORTED;
      snprintf(define[n], sizeof define[n], "HED_USES_%d 1", (int)t);
      spec->define[n] = define[n];
      n++;
    }
  if (!(j->text = j->d->host->alloc(TEXT, 0)))
    return j->d->host->fail(HED_E_NOMEM, "%s: no memory for the text of a program", j->d->name);
  j->length = 0;
  write(j, arg);
  spec->only = j->only;
  spec->body = j->text;
  const int32_t status = j->length == TEXT - 1 ? HED_E_UNSUPPORTED : dev_kernel(j->d, spec, name, entry);
  j->d->host->free(j->text);
  return status;
}

static int32_t find_entry(fuse_job *j, void **entry)
{
  dev_spec spec = dev_spec_of("fuse", j->compute);
  return dev_fuse_kernel(j, &spec, "fused", say_all, NULL, entry);
}

/* ---- the call ---- */

static int32_t launch(dev_submit *q, const fuse_job *j, void *entry)
{
  const uint64_t n = (uint64_t)j->n[0], rows = (uint64_t)(j->n[1] * j->n[2] * j->n[3]);
  dev_launch l;
  if (j->flat)
    dev_launch_runs(&l, j->d, n, 1, 1);
  else
    dev_launch_items(&l, j->d, n, rows < ROWS_OF_Y ? rows : ROWS_OF_Y, (rows + ROWS_OF_Y - 1) / ROWS_OF_Y);
  l.n_pointers = j->n_pointers;
  l.pointer = j->pointer;
  l.args = j->args;
  l.args_bytes = 8 * j->n_args;
  return dev_submit_launch(q, entry, &l);
}

int32_t dev_fuse_run(fuse_job *j)
{
  const hed_fused_call *c = j->c;
  dev_submit q;
  void *entry = NULL;
  int64_t elements = 1;
  if (!dev_fuse_takes(j) || !lay_out(j) || !fill_arguments(j))
    return HED_E_UNSUPPORTED;
  for (int32_t a = 0; a < AXES; a++)
    elements *= j->n[a];
  int32_t status = elements > 0 ? find_entry(j, &entry) : HED_OK;
  if (status == HED_OK)
    status = dev_submit_begin(&q, j->d, c->n_out, c->wait_for, c->n_wait_for, c->after, c->n_after);
  if (status != HED_OK)
    return status;
  q.op = c->step[c->n_steps - 1].op;
  return dev_submit_end(&q, elements > 0 ? launch(&q, j, entry) : HED_OK, c->ticket);
}
