// SPDX-License-Identifier: BSD-3-Clause
/* Numbers of HDF5 files, in one piece or in chunks. See mat_h5.h.
 *
 * Layer: L4, tensor kit. A tree of chunks is gone through twice: before anything is allocated, every chunk has been found once, and
 * its bytes are in the file and can be what they say.
 */
#include "kits/shapes.h"
#include "kits/tensor/files/mat_h5.h"
#include <stdlib.h>
#include <string.h>

enum { ADDRESS = 8, MOST_LEVELS = 16, MOST_RATIO = 1100 /* deflate makes no more of a byte */ };

typedef struct chunks {
  const hed__h5_tree *f;
  const hed__h5_object *o;
  const char *name;
  uint64_t bytes;                       /* of a chunk in memory */
  int64_t last[HED_MAX_NDIM + 1];       /* where the one before begins */
  int64_t found, stored;
  unsigned char *chunk, *values;        /* NULL: they are only looked at */
} chunks;

static hed_status bad(const hed__h5_tree *f, const char *name, const char *what)
{
  return hed_fail(HED_E_FORMAT, "%s: '%s': %s %s", f->s->op, f->s->path, name, what);
}

/* N bytes of the file at AT as the next bytes of S, inflated or not. */
static hed_status begin(const hed__h5_tree *f, uint64_t at, uint64_t n, bool packed)
{
  if (!hed__h5_holds(f, at, n) || fseeko(f->s->f, (off_t)(f->base + at), SEEK_SET) != 0)
    return hed__h5_bad(f, "an address is outside the file");
  f->s->stored = n;
  return hed__mat_begin(f->s, packed);
}

/* N elements from AT on, ALL of a chunk in memory; shuffled are first the first bytes of all, then the second ones. */
static void copy_row(const chunks *c, unsigned char *to, size_t at, size_t n, size_t all, bool shuffled)
{
  const size_t size = c->o->size;
  if (!shuffled)
    memcpy(to, c->chunk + at * size, n * size);
  for (size_t b = 0; shuffled && b < size; b++)
    for (size_t i = 0; i < n; i++)
      to[i * size + b] = c->chunk[b * all + at + i];
}

/* What is of the array in the chunk that begins at FROM. */
static void scatter(const chunks *c, const int64_t *from, bool shuffled)
{
  const hed_shape s = c->o->shape;
  const int last = s.ndim - 1;
  const size_t all = (size_t)c->bytes / c->o->size;
  int64_t at[HED_MAX_NDIM] = { 0 }, most[HED_MAX_NDIM];
  for (int k = 0; k < s.ndim; k++)
    most[k] = s.dim[k] - from[k] < c->o->chunk[k] ? s.dim[k] - from[k] : c->o->chunk[k];
  for (bool more = true; more;) {
    int64_t in = 0, out = 0;
    for (int k = 0; k < s.ndim; k++) {
      in = in * c->o->chunk[k] + at[k];
      out = out * s.dim[k] + from[k] + at[k];
    }
    copy_row(c, c->values + (size_t)out * c->o->size, (size_t)in, (size_t)most[last], all, shuffled);
    more = false;
    for (int k = last - 1; k >= 0 && !more; k--) {
      more = ++at[k] < most[k];
      at[k] = more ? at[k] : 0;
    }
  }
}

/* A chunk of N bytes at AT, to which the filters in MASK were not applied. */
static hed_status take_chunk(chunks *c, const int64_t *from, uint64_t at, uint64_t n, uint64_t mask)
{
  const hed__h5_object *o = c->o;
  const bool packed = o->deflate >= 0 && !(mask >> o->deflate & 1), shuffled = o->shuffle >= 0 && !(mask >> o->shuffle & 1);
  int order = 0;
  for (int k = 0; k < o->shape.ndim; k++) {
    if (from[k] < 0 || from[k] >= o->shape.dim[k] || from[k] % o->chunk[k] != 0)
      return bad(c->f, c->name, "has a chunk outside its extents");
    order = order ? order : (from[k] > c->last[k]) - (from[k] < c->last[k]);
  }
  if (c->found > 0 && order <= 0)
    return bad(c->f, c->name, "has chunks out of order");
  memcpy(c->last, from, sizeof c->last);
  c->found++;
  if (!hed__h5_holds(c->f, at, n) || (packed ? c->bytes / MOST_RATIO > n : c->bytes != n) ||
      n > c->f->bytes - (uint64_t)c->stored)
    return hed_fail(HED_E_FORMAT, "%s: '%s': a chunk of %s has %llu bytes, which %llu at %llu in a file of %llu cannot be",
                    c->f->s->op, c->f->s->path, c->name, (unsigned long long)c->bytes, (unsigned long long)n, (unsigned long long)at,
                    (unsigned long long)c->f->bytes);
  c->stored += (int64_t)n;
  if (!c->values)
    return HED_OK;
  hed_status status = begin(c->f, at, n, packed);
  if (status == HED_OK)
    status = hed__mat_take(c->f->s, c->chunk, c->bytes);
  if (status == HED_OK)
    status = hed__mat_check(c->f->s);
  hed__mat_end(c->f->s);
  if (status == HED_OK)
    scatter(c, from, shuffled);
  return status;
}

/* A node and all below it; its level is one less than that of the node above. */
static hed_status take_nodes(chunks *c, uint64_t at, int level)
{
  const uint64_t key = 8 + ADDRESS * (uint64_t)c->o->axes;
  unsigned char head[24], entry[8 + ADDRESS * (HED_MAX_NDIM + 2)];
  hed_status status = hed__h5_take(c->f, at, head, sizeof head);
  if (status == HED_OK && (memcmp(head, "TREE\1", 5) != 0 || (level >= 0 && head[5] != level) || head[5] > MOST_LEVELS))
    status = bad(c->f, c->name, "has a tree of chunks that is none");
  const int n = status == HED_OK ? (int)hed__h5_number(head + 6, 2) : 0;
  if (n == 0 && status == HED_OK && level >= 0)
    status = bad(c->f, c->name, "has a tree of chunks that is none");
  for (int k = 0; k < n && status == HED_OK; k++) {
    int64_t from[HED_MAX_NDIM + 1] = { 0 };
    status = hed__h5_take(c->f, at + sizeof head + (uint64_t)k * (key + ADDRESS), entry, key + ADDRESS);
    if (status != HED_OK)
      break;
    const uint64_t child = hed__h5_number(entry + key, ADDRESS);
    for (int i = 0; i < c->o->axes; i++)
      from[i] = (int64_t)hed__h5_number(entry + 8 + ADDRESS * i, ADDRESS);
    status = head[5] > 0 ? take_nodes(c, child, head[5] - 1)
                         : take_chunk(c, from, child, hed__h5_number(entry, 4), hed__h5_number(entry + 4, 4));
  }
  return status;
}

/* How many chunks there are, and the bytes of each. */
static hed_status count_chunks(chunks *c, int64_t *n)
{
  const hed__h5_object *o = c->o;
  int64_t room = (int64_t)o->size;
  bool good = o->axes == o->shape.ndim + 1 && o->shape.ndim > 0 && o->chunk[o->axes - 1] == o->size;
  *n = 1;
  for (int k = 0; k < o->shape.ndim && good; k++) {
    good = o->chunk[k] > 0 && hed__count_extent(&room, o->chunk[k]);
    *n *= good ? (o->shape.dim[k] - 1) / o->chunk[k] + 1 : 0;
  }
  c->bytes = (uint64_t)room;
  return good ? HED_OK : bad(c->f, c->name, "has chunks that are of another array");
}

static void *read_chunks(const hed__h5_tree *f, const hed__h5_object *o, const char *name)
{
  chunks c = { .f = f, .o = o, .name = name };
  int64_t n = 0;
  hed_status status = count_chunks(&c, &n);
  if (status == HED_OK)
    status = take_nodes(&c, o->at, -1);
  if (status == HED_OK && c.found != n)
    status = hed_fail(HED_E_FORMAT, "%s: '%s': %s has %lld of %lld chunks", f->s->op, f->s->path, name, (long long)c.found,
                      (long long)n);
  if (status != HED_OK)
    return NULL;
  c.found = c.stored = 0;
  c.chunk = malloc((size_t)c.bytes);
  c.values = malloc((size_t)o->n * o->size);
  status = c.chunk && c.values ? take_nodes(&c, o->at, -1)
                               : hed_fail(HED_E_NOMEM, "%s: '%s': no memory for %lld elements", f->s->op, f->s->path, (long long)o->n);
  free(c.chunk);
  if (status == HED_OK)
    return c.values;
  free(c.values);
  return NULL;
}

static void *read_piece(const hed__h5_tree *f, const hed__h5_object *o, const char *name)
{
  const uint64_t bytes = (uint64_t)o->n * o->size;
  if (o->stored != bytes || !hed__h5_holds(f, o->at, bytes)) {
    (void)hed_fail(HED_E_FORMAT, "%s: '%s': %s has %llu bytes by its extents, and %llu in a file of %llu", f->s->op, f->s->path, name,
                   (unsigned long long)bytes, (unsigned long long)o->stored, (unsigned long long)f->bytes);
    return NULL;
  }
  void *values = malloc((size_t)bytes);
  hed_status status = values ? begin(f, o->at, bytes, false)
                             : hed_fail(HED_E_NOMEM, "%s: '%s': no memory for %lld elements", f->s->op, f->s->path, (long long)o->n);
  if (status == HED_OK)
    status = hed__mat_take(f->s, values, bytes);
  if (status == HED_OK)
    return values;
  free(values);
  return NULL;
}

void *hed__h5_values(const hed__h5_tree *f, const hed__h5_object *o, const char *name)
{
  const uint16_t one = 1;
  const bool here = *(const unsigned char *)&one != 1; /* the big end first */
  if (o->wrong || !o->dtype || o->layout < 0) {
    (void)(o->wrong    ? bad(f, name, o->wrong)
           : !o->dtype ? hed_fail(HED_E_DTYPE, "%s: '%s': %s holds neither numbers nor pairs of floats", f->s->op, f->s->path, name)
                       : bad(f, name, "has no elements"));
    return NULL;
  }
  const bool unwritten = o->layout != 0 && o->at == UINT64_MAX && o->n > 0;
  if (unwritten || (o->filters > 0 && o->layout != 2)) {
    (void)bad(f, name, unwritten ? "has elements that were never written" : "has filters and no chunks");
    return NULL;
  }
  unsigned char *values = o->n == 0 ? malloc(1) : o->layout == 2 ? read_chunks(f, o, name) : read_piece(f, o, name);
  const int parts = hed_dtype_kind(o->dtype) == HED_KIND_COMPLEX ? 2 : 1;
  if (o->n == 0 && !values)
    (void)hed_fail(HED_E_NOMEM, "%s: '%s': no memory", f->s->op, f->s->path);
  if (values && o->big != here)
    hed__mat_swap(values, (size_t)(o->n * parts), (int)o->size / parts);
  return values;
}
