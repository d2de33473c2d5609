// SPDX-License-Identifier: BSD-3-Clause
/* Reading FILE.raw, which a crash may have left in any state. L2. See flows.h. */
#include "core/profile/flows.h"
#include "base/alloc.h"
#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <heddle/ops.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file ---- */

static hed_status map(hed__trace *t, const char *raw)
{
  struct stat st;
  const int fd = open(raw, O_RDONLY | O_CLOEXEC);
  hed_status s = HED_OK;
  if (fd < 0 || fstat(fd, &st) != 0) {
    s = hed_fail(HED_E_IO, "profile: %.300s cannot be read: %s", raw, strerror(errno));
  } else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < HED__RAW_HEAD) {
    s = hed_fail(HED_E_FORMAT, "profile: %.300s is no file of records", raw);
  } else {
    t->bytes = (size_t)st.st_size;
    t->base = mmap(NULL, t->bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (t->base == MAP_FAILED) {
      t->base = NULL;
      s = hed_fail(HED_E_NOMEM, "profile: no memory to read the %zu bytes of %.300s", t->bytes, raw);
    }
  }
  if (fd >= 0)
    close(fd);
  return s;
}

static hed_status check_head(const hed__trace *t, const char *raw)
{
  const hed__raw_head *h = t->head;
  if (memcmp(h->magic, HED__RAW_MAGIC, sizeof h->magic) != 0)
    return hed_fail(HED_E_FORMAT, "profile: %.300s is no file of records", raw);
  if (h->version != HED__RAW_VERSION || h->chunk != HED__RAW_CHUNK || h->ops != HED_OP_COUNT_)
    return hed_fail(HED_E_FORMAT, "profile: %.300s is of another version of Heddle", raw);
  return HED_OK;
}

/* ---- records ---- */

static size_t least(const hed__raw *r)
{
  switch (r->kind) {
  case HED__RAW_PUSH: case HED__RAW_BEGIN: case HED__RAW_MARK: case HED__RAW_TRACK: case HED__RAW_STAGE: return sizeof *r + 8;
  default: return sizeof *r;
  }
}

/* Do operands end where the record does? */
static bool operands_fit(const hed__raw *r)
{
  const char *p = (const char *)(r + 1), *end = (const char *)r + r->size * (size_t)8;
  for (int k = 0; k < r->n_in + r->n_out; k++) {
    hed__raw_operand o;
    if (end - p < (ptrdiff_t)sizeof o)
      return false;
    memcpy(&o, p, sizeof o);
    if (o.axes > HED__RAW_AXES || o.axes > o.ndim || end - p < (ptrdiff_t)(sizeof o + o.axes * sizeof(int64_t)))
      return false;
    p += sizeof o + o.axes * sizeof(int64_t);
  }
  return true;
}

static bool is_sound(const hed__raw *r, size_t room)
{
  if (room < sizeof *r)
    return false;
  const size_t size = r->size * (size_t)8;
  if (size > room || r->kind == 0 || r->kind >= HED__RAW_KINDS || size < least(r) || r->device >= HED__RAW_DEVICES * 4 ||
      r->op >= HED_OP_COUNT_)
    return false;
  if (least(r) > sizeof *r)
    return memchr(r + 1, 0, size - sizeof *r) != NULL;
  return r->kind != HED__RAW_OP || operands_fit(r);
}

const hed__raw *hed__trace_next(const hed__raw_chunk *c, const hed__raw *r)
{
  const char *base = (const char *)c, *p = r ? (const char *)r + r->size * (size_t)8 : base + sizeof *c;
  const size_t used = atomic_load_explicit(&((hed__raw_chunk *)(uintptr_t)c)->used, memory_order_acquire);
  const hed__raw *next = (const hed__raw *)(const void *)p;
  return used <= HED__RAW_CHUNK && (size_t)(p - base) < used && is_sound(next, used - (size_t)(p - base)) ? next : NULL;
}

/* ---- chunks ---- */

static int by_thread(const void *a, const void *b)
{
  const hed__raw_chunk *x = *(const hed__raw_chunk *const *)a, *y = *(const hed__raw_chunk *const *)b;
  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  return x->number != y->number ? (x->number < y->number ? -1 : 1) : x < y ? -1 : x > y;
}

static hed_status list_chunks(hed__trace *t)
{
  const size_t most = (t->bytes - HED__RAW_HEAD) / HED__RAW_CHUNK;
  if (!(t->chunk = hed__calloc(most + 1, sizeof *t->chunk)))
    return hed_fail(HED_E_NOMEM, "profile: no memory for a list of %zu pieces", most);
  for (size_t k = 0; k < most; k++) {
    const hed__raw_chunk *c = (const hed__raw_chunk *)(const void *)(t->base + HED__RAW_HEAD + k * HED__RAW_CHUNK);
    if (c->magic == HED__RAW_CHUNK_MAGIC && c->thread && memchr(c->name, 0, sizeof c->name))
      t->chunk[t->n_chunks++] = c;
  }
  qsort(t->chunk, t->n_chunks, sizeof *t->chunk, by_thread);
  size_t n = 0;
  for (size_t k = 0; k < t->n_chunks; k++) /* one that was being written away is there twice: first as it was made */
    if (!n || t->chunk[n - 1]->thread != t->chunk[k]->thread || t->chunk[n - 1]->number != t->chunk[k]->number)
      t->chunk[n++] = t->chunk[k];
  t->n_chunks = n;
  return HED_OK;
}

/* ---- flows ---- */

static int by_id(const void *a, const void *b)
{
  const hed__trace_flow *x = a, *y = b;
  return x->id < y->id ? -1 : x->id > y->id;
}

const hed__trace_flow *hed__trace_flow_of(const hed__trace *t, uint64_t id)
{
  const hed__trace_flow key = { .id = id };
  return id && t->n_flows ? bsearch(&key, t->flow, t->n_flows, sizeof *t->flow, by_id) : NULL;
}

static hed_status list_flows(hed__trace *t)
{
  for (int pass = 0; pass < 2; pass++) {
    size_t n = 0;
    for (size_t k = 0; k < t->n_chunks; k++)
      for (const hed__raw *r = NULL; (r = hed__trace_next(t->chunk[k], r)) != NULL;) {
        if (r->out && pass)
          t->flow[n] = (hed__trace_flow){ .id = r->out, .record = r, .thread = t->chunk[k]->thread };
        n += r->out != 0;
      }
    if (!pass && !(t->flow = hed__calloc(n + 1, sizeof *t->flow)))
      return hed_fail(HED_E_NOMEM, "profile: no memory for %zu flows", n);
    t->n_flows = n;
  }
  qsort(t->flow, t->n_flows, sizeof *t->flow, by_id);
  return HED_OK;
}

/* ---- times ---- */

static void set_clock(hed__trace *t)
{
  const hed__raw_head *h = t->head;
  t->ticks = h->ticks[0];
  t->ns = h->ns[0];
  t->rate = 1;
  if (h->ticks[1] > h->ticks[0] && h->ns[1] > h->ns[0])
    t->rate = (double)(h->ns[1] - h->ns[0]) / (double)(h->ticks[1] - h->ticks[0]);
  t->torn = h->ended != 1;
}

double hed__trace_ns(const hed__trace *t, uint64_t ticks)
{
  return (double)t->ns + ((double)ticks - (double)t->ticks) * t->rate;
}

uint64_t hed__trace_ticks(const hed__trace *t, uint64_t ns)
{
  const double ticks = (double)t->ticks + ((double)ns - (double)t->ns) / t->rate;
  return ticks > 0 ? (uint64_t)ticks : 0;
}

hed_status hed__trace_open(hed__trace *t, const char *raw)
{
  *t = (hed__trace){ .base = NULL };
  hed_status s = map(t, raw);
  if (s == HED_OK) {
    t->head = (const hed__raw_head *)(const void *)t->base;
    s = check_head(t, raw);
  }
  if (s == HED_OK)
    s = list_chunks(t);
  if (s == HED_OK)
    s = list_flows(t);
  if (s == HED_OK)
    set_clock(t);
  if (s != HED_OK)
    hed__trace_close(t);
  return s;
}

void hed__trace_close(hed__trace *t)
{
  hed__free(t->chunk);
  hed__free(t->flow);
  if (t->base)
    (void)munmap(t->base, t->bytes);
  *t = (hed__trace){ .base = NULL };
}
