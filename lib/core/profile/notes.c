// SPDX-License-Identifier: BSD-3-Clause
/* What a thread records, from whoever has something to tell. L2. See profile.h. */
#include "base/dtype.h"
#include "core/profile/session.h"
#include <string.h>

/* ---- names of devices: in the head, where whoever mentions one first puts it ---- */

static void mention(uint16_t number)
{
  static atomic_uint named[HED__RAW_DEVICES]; /* the profile that has the name */
  if (!number || number >= HED__RAW_DEVICES ||
      atomic_load_explicit(&named[number], memory_order_relaxed) == hed__profile.number ||
      atomic_exchange(&named[number], hed__profile.number) == hed__profile.number)
    return;
  const hed__device *d = hed__device_numbered(number);
  if (d)
    memcpy(hed__profile.head->device[number], d->name, sizeof d->name);
}

/* ---- records ---- */

static void fill(hed__raw *to, const hed__raw *from)
{
  const uint16_t size = to->size;
  *to = *from;
  to->size = size;
  mention(from->device);
  if (from->of != from->device)
    mention(from->of);
}

void hed__profile_put(hed__tls *t, hed__raw *r, const char *text)
{
  const size_t length = text ? strnlen(text, HED__RAW_TEXT) : 0, size = sizeof *r + (text ? (length + 8) / 8 * 8 : 0);
  hed__raw *to = hed__profile_take(t, size);
  if (!to)
    return;
  fill(to, r);
  if (text) {
    char *s = (char *)(to + 1);
    memset(s + length / 8 * 8, 0, 8);
    memcpy(s, text, length);
  }
  hed__profile_give(t, to);
}

/* What is there once and is seen along an axis has extent 1 there. */
static inline __attribute__((always_inline)) char *write_operand(char *p, const hed_view *v, uint64_t *bytes)
{
  const int32_t ndim = v->ndim, axes = ndim < HED__RAW_AXES ? ndim : HED__RAW_AXES;
  const hed__raw_operand o = { .dtype = (uint8_t)v->dtype, .ndim = (uint8_t)ndim, .axes = (uint8_t)axes };
  uint64_t n = (uint64_t)hed__id_size(v->dtype);
  memcpy(p, &o, sizeof o);
  p += sizeof o;
  for (int32_t k = 0; k < ndim; k++) {
    const int64_t extent = v->stride[k] || v->dim[k] == 0 ? v->dim[k] : 1;
    if (k < axes) {
      memcpy(p, &extent, sizeof extent);
      p += sizeof extent;
    }
    n *= (uint64_t)extent;
  }
  *bytes += n;
  return p;
}

/* As many of the N VIEWS as MOST says, to P; *WRITTEN: how many are there. */
static inline __attribute__((always_inline)) char *write_operands(char *p, int32_t n, const hed_view *const *views, uint8_t most,
                                                                  uint8_t *written, uint64_t *bytes)
{
  uint8_t done = 0;
  for (int32_t k = 0; k < n && done < most; k++)
    if (views[k]) {
      p = write_operand(p, views[k], bytes);
      done++;
    }
  *written = done;
  return p;
}

void hed__profile_op(hed__tls *t, hed__raw *r, const hed_call *call)
{
  enum { IN = HED__RAW_OPERANDS - 2, OUT = 2, OPERAND = sizeof(hed__raw_operand) + HED__RAW_AXES * sizeof(int64_t) };
  r->kind = HED__RAW_OP;
  r->t1 = hed__ticks();
  hed__nvtx_pop();
  hed__raw *to = hed__profile_take(t, sizeof *r + HED__RAW_OPERANDS * OPERAND); /* the most: what it does not need stays free */
  if (!to)
    return;
  uint64_t bytes = 0;
  fill(to, r);
  char *p = write_operands((char *)(to + 1), call->n_in, call->in, IN, &to->n_in, &bytes);
  p = write_operands(p, call->n_out, call->out, OUT, &to->n_out, &bytes);
  to->bytes = bytes;
  to->size = (uint16_t)((size_t)(p - (char *)to) / 8);
  hed__profile_give(t, to);
}

void hed__profile_context(hed__tls *t, const char *name, int how, uint64_t from)
{
  hed__raw r = { .kind = HED__RAW_PUSH, .how = (uint8_t)how, .in = from };
  r.t0 = r.t1 = hed__ticks();
  hed__profile_put(t, &r, name);
}

void hed__profile_memory(hed__tls *t, uint16_t device, int64_t bytes)
{
  hed__raw r = { .kind = HED__RAW_MEMORY, .device = device, .bytes = (uint64_t)bytes };
  r.t0 = r.t1 = hed__ticks();
  hed__profile_put(t, &r, NULL);
}

void hed__profile_copy(hed__tls *t, uint64_t start, int how, const hed__device *to, const hed__device *from, uint64_t bytes,
                       int32_t status, uint64_t flow)
{
  hed__raw r = { .kind = HED__RAW_COPY, .how = (uint8_t)how, .device = to->number, .of = from->number, .bytes = bytes,
                 .status = (int16_t)status, .t0 = start, .t1 = hed__ticks() };
  *(how == HED__RAW_OUT ? &r.in : &r.out) = flow;
  hed__nvtx_pop();
  hed__profile_put(t, &r, NULL);
}

/* ---- what modules tell of ---- */

static hed__tls *self(void)
{
  if (!hed__self && atomic_load_explicit(&hed__profile_session, memory_order_relaxed))
    (void)hed__tls_get();
  return hed__profiling_self();
}

void hed__profile_stage(const char *name, uint64_t from)
{
  hed__tls *t = self();
  hed__raw r = { .kind = HED__RAW_STAGE, .t0 = from, .t1 = hed__now_ns() };
  if (t)
    hed__profile_put(t, &r, name);
}

static uint16_t number_of(const char *device)
{
  for (int k = 1; k < HED__MOST_DEVICES && hed__device_by_number[k]; k++)
    if (strcmp(hed__device_by_number[k]->name, device) == 0)
      return (uint16_t)k;
  return 0;
}

void hed__profile_track(const char *device, int32_t stream, const char *name, uint64_t begin, uint64_t end)
{
  hed__tls *t = self();
  hed__raw r = { .kind = HED__RAW_TRACK, .device = number_of(device), .in = (uint64_t)stream, .t0 = begin, .t1 = end };
  if (t)
    hed__profile_put(t, &r, name);
}

/* ---- what the program marks ---- */

void hed_profile_mark(const char *name)
{
  hed__tls *t = self();
  hed__raw r = { .kind = HED__RAW_MARK };
  if (!t)
    return;
  r.t0 = r.t1 = hed__ticks();
  if (hed__nvtx_listens)
    hed__nvtx_mark(name ? name : "");
  hed__profile_put(t, &r, name ? name : "");
}

/* The number of a range is that of its thread's ranges so far: of several that are open the one that ends is known. */
uint64_t hed_profile_range_begin(const char *name)
{
  hed__tls *t = self();
  if (!t)
    return 0;
  hed__raw r = { .kind = HED__RAW_BEGIN, .in = ++t->profile_ranges };
  r.t0 = r.t1 = hed__profile_start(name ? name : "");
  hed__profile_put(t, &r, name ? name : "");
  return r.in;
}

void hed_profile_range_end(uint64_t range)
{
  hed__tls *t = range ? hed__profiling_self() : NULL;
  hed__raw r = { .kind = HED__RAW_END, .in = range };
  if (!t)
    return;
  r.t0 = r.t1 = hed__ticks();
  hed__nvtx_pop();
  hed__profile_put(t, &r, NULL);
}
