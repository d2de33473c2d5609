// SPDX-License-Identifier: BSD-3-Clause
/* A run's record, written and read again.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/run/checkpoint.h"
#include "kits/match/run/positions.h"
#include "kits/match/files/stream.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 4096 };
static const char op[] = "hed_match_run";
static const char *const names[HED__SAME] = { "target", "template", "mask", "target mask", "filters", "rotations", "seeds" };

void hed__digest_add(hed__digest *d, const void *bytes, size_t n)
{
  const uint8_t *p = bytes;
  if (d->a == 0 && d->b == 0)
    *d = (hed__digest){ UINT64_C(0xcbf29ce484222325), UINT64_C(0x9ae16a3b2f90404f) };
  for (size_t i = 0; i < n; i++) {
    d->a = (d->a ^ p[i]) * UINT64_C(0x100000001b3);
    d->b = (d->b ^ p[i]) * UINT64_C(0x100000001b3);
  }
}

static size_t voxels(hed_shape s)
{
  size_t n = 1;
  for (int i = 0; i < s.ndim; i++)
    n *= (size_t)s.dim[i];
  return n;
}

hed_status hed__record_open(hed__record *r)
{
  if (!(r->done = calloc(hed__bitmap_bytes(r) + 1, 1)))
    return hed_fail(HED_E_NOMEM, "%s: no memory to keep account of %zu rotations", op, r->n_rotations);
  return HED_OK;
}

void hed__record_close(hed__record *r)
{
  free(r->done);
  free(r->others);
  hed__statistics_close(&r->statistics);
  if (r->owned) {
    free(r->scores);
    free(r->rotations);
  }
  *r = (hed__record){ 0 };
}

void hed__raw_keep(hed__record *r, const hed__job *job, const float *best, const int32_t *index)
{
  const hed__positions p = hed__positions_of(job);
  for (int64_t z = p.first[0]; z < p.n[0]; z++)
    for (int64_t y = p.first[1]; y < p.n[1]; y++) {
      const size_t to = hed__in_target(&p, z, y), from = hed__in_transform(&p, z, y);
      for (int64_t x = p.first[2]; x < p.n[2]; x++) {
        r->scores[to + (size_t)x] = best[from + (size_t)hed__negated(&p, 2, x)];
        r->rotations[to + (size_t)x] = index[from + (size_t)hed__negated(&p, 2, x)];
      }
    }
}

void hed__raw_give(const hed__record *r, const hed__job *job, float *best, int32_t *index)
{
  const hed__positions p = hed__positions_of(job);
  for (int64_t z = p.first[0]; z < p.n[0]; z++)
    for (int64_t y = p.first[1]; y < p.n[1]; y++) {
      const size_t from = hed__in_target(&p, z, y), to = hed__in_transform(&p, z, y);
      for (int64_t x = p.first[2]; x < p.n[2]; x++) {
        best[to + (size_t)hed__negated(&p, 2, x)] = r->scores[from + (size_t)x];
        index[to + (size_t)hed__negated(&p, 2, x)] = r->rotations[from + (size_t)x];
      }
    }
}

static uint64_t bits_of(double v)
{
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

/* Numbers and names, of which KEY = VALUE lines are made and read, the same in every locale: numbers that need not be whole by their
 * bits. A shape is its extents. */
static int print_header(const hed__record *r, char *text, size_t room)
{
  int n = snprintf(text, room, "heddle-match 2\nndim = %d\n", (int)r->target.ndim);
  for (int i = 0; i < r->target.ndim; i++)
    n += snprintf(text + n, room - (size_t)n, "extent%d = %" PRId64 "\nparts%d = %" PRId64 "\n", i, r->target.dim[i], i,
                  r->parts.dim[i]);
  n += snprintf(text + n, room - (size_t)n, "n_parts = %zu\npart = %zu\nn_rotations = %zu\nshare = %zu\nshares = %zu\n"
                "allowed = %zu\nn_flat = %zu\nended = %d\n", r->n_parts, r->part, r->n_rotations, r->share, r->shares, r->allowed,
                r->n_flat, r->ended);
  n += snprintf(text + n, room - (size_t)n, "threshold = %" PRIx64 "\nn_false_positives = %" PRIx64 "\nlowest = %" PRIx64
                "\nflat = %" PRIx64 "\n", bits_of(r->threshold), bits_of(r->n_false_positives), bits_of((double)r->statistics.lowest),
                bits_of(r->flat));
  n += snprintf(text + n, room - (size_t)n, "options = %s\n", r->options);
  for (int i = 0; i < HED__SAME; i++)
    n += snprintf(text + n, room - (size_t)n, "hash%d = %016" PRIx64 "%016" PRIx64 "\n", i, r->digest[i].a, r->digest[i].b);
  return n;
}

static void put(hed_file *f, hed__digest *sum, const void *bytes, size_t n)
{
  hed__digest_add(sum, bytes, n);
  hed_file_write(f, bytes, n);
}

hed_status hed__record_write(const char *path, const hed__record *r)
{
  char header[HEADER] = "";
  hed_file *f;
  hed__digest sum = { 0, 0 };
  const size_t n = voxels(r->target);
  (void)print_header(r, header, sizeof header);
  hed_status status = hed_file_create(op, path, &f);
  if (status != HED_OK)
    return status;
  put(f, &sum, header, sizeof header);
  put(f, &sum, r->done, hed__bitmap_bytes(r));
  put(f, &sum, r->scores, n * sizeof *r->scores);
  put(f, &sum, r->rotations, n * sizeof *r->rotations);
  put(f, &sum, r->statistics.sums, HED__SUMS * r->statistics.blocks * sizeof *r->statistics.sums);
  hed_file_write(f, &sum, sizeof sum);
  return hed_file_close(f, HED_OK);
}

static const char *line_of(const char *header, const char *key)
{
  const size_t n = strlen(key);
  for (const char *s = strchr(header, '\n'); s; s = strchr(s, '\n'))
    if (strncmp(++s, key, n) == 0 && strncmp(s + n, " = ", 3) == 0)
      return s + n + 3;
  return NULL;
}

static bool number(const char *header, const char *key, double low, double high, double *out)
{
  const char *s = line_of(header, key);
  char *end = NULL;
  const uint64_t bits = s ? strtoull(s, &end, 16) : 0;
  memcpy(out, &bits, sizeof *out);
  return end && end != s && *end == '\n' && *out >= low && *out <= high;
}

static bool whole(const char *header, const char *key, size_t low, size_t high, size_t *out)
{
  const char *s = line_of(header, key);
  char *end = NULL;
  *out = s && *s != '-' ? strtoull(s, &end, 10) : 0;
  return end && end != s && *end == '\n' && *out >= low && *out <= high;
}

static bool parse_header(const char *header, hed__record *r)
{
  char key[24];
  size_t v, parts = 1;
  double lowest;
  const char *options = line_of(header, "options");
  if (strncmp(header, "heddle-match 2\n", 15) != 0 || !memchr(header, '\0', HEADER) || !options ||
      !whole(header, "ndim", 2, 3, &v))
    return false;
  r->target.ndim = r->parts.ndim = (int32_t)v;
  for (int i = 0; i < r->target.ndim; i++) {
    snprintf(key, sizeof key, "extent%d", i);
    if (!whole(header, key, 1, 1 << 24, &v))
      return false;
    r->target.dim[i] = (int64_t)v;
    snprintf(key, sizeof key, "parts%d", i);
    if (!whole(header, key, 1, 1 << 24, &v))
      return false;
    r->parts.dim[i] = (int64_t)v;
    if (__builtin_mul_overflow(parts, v, &parts))
      return false;
  }
  if (!whole(header, "n_parts", 1, 1000000000, &r->n_parts) || !whole(header, "part", 0, 1000000000, &r->part) ||
      r->part > r->n_parts || !whole(header, "n_rotations", 1, INT32_MAX, &r->n_rotations) ||
      !whole(header, "allowed", 0, (size_t)1 << 62, &r->allowed) || !whole(header, "ended", 0, 1, &v) ||
      !whole(header, "shares", 0, 1000000, &r->shares) || !whole(header, "share", 0, 1000000, &r->share) ||
      !number(header, "threshold", -INFINITY, 1e300, &r->threshold) ||
      !number(header, "n_false_positives", 0, 1e300, &r->n_false_positives) ||
      !number(header, "lowest", -INFINITY, INFINITY, &lowest) || !number(header, "flat", 0, 1e300, &r->flat) ||
      !whole(header, "n_flat", 0, (size_t)1 << 62, &r->n_flat))
    return false;
  r->ended = v == 1;
  r->statistics.lowest = (float)lowest;
  snprintf(r->options, sizeof r->options, "%.*s", (int)strcspn(options, "\n"), options);
  for (int i = 0; i < HED__SAME; i++) {
    snprintf(key, sizeof key, "hash%d", i);
    const char *s = line_of(header, key);
    if (!s || sscanf(s, "%16" SCNx64 "%16" SCNx64, &r->digest[i].a, &r->digest[i].b) != 2)
      return false;
  }
  return true;
}

static hed_status take(hed__stream *s, hed__digest *sum, void *to, size_t n)
{
  const hed_status status = hed__stream_take(s, to, n);
  if (status == HED_OK)
    hed__digest_add(sum, to, n);
  return status;
}

static hed_status read_all(const char *path, hed__stream *s, hed__record *r)
{
  char header[HEADER];
  bool exact;
  hed__digest sum = { 0, 0 }, stored;
  const uint64_t size = hed__stream_size(s, &exact);
  hed_status status = take(s, &sum, header, sizeof header);
  if (status != HED_OK)
    return status;
  if (!parse_header(header, r))
    return hed_fail(HED_E_FORMAT, "%s: '%s' is no checkpoint of a search", op, path);
  /* sizes are those of the file before anything is allocated */
  double cells = 1, bits = (double)r->n_parts * (double)r->n_rotations, blocks = 1;
  for (int i = 0; i < r->target.ndim; i++) {
    cells *= (double)r->target.dim[i];
    blocks *= ceil((double)r->target.dim[i] / HED__STATISTICS_BLOCK);
  }
  const double need = HEADER + floor((bits + 7) / 8) + 8 * cells + 8 * HED__SUMS * blocks + sizeof sum;
  if (need != (double)size)
    return hed_fail(HED_E_FORMAT, "%s: '%s' has %llu bytes; a checkpoint of its extents has %.0f", op, path,
                    (unsigned long long)size, need);
  const size_t n = voxels(r->target);
  const float lowest = r->statistics.lowest;
  if ((status = hed__record_open(r)) != HED_OK || (status = hed__statistics_open(&r->statistics, r->target)) != HED_OK)
    return status;
  r->statistics.lowest = lowest;
  r->owned = true;
  r->scores = malloc(n * sizeof *r->scores);
  r->rotations = malloc(n * sizeof *r->rotations);
  if (!r->scores || !r->rotations)
    return hed_fail(HED_E_NOMEM, "%s: no memory for the %zu voxels of '%s'", op, n, path);
  if ((status = take(s, &sum, r->done, hed__bitmap_bytes(r))) != HED_OK ||
      (status = take(s, &sum, r->scores, n * sizeof *r->scores)) != HED_OK ||
      (status = take(s, &sum, r->rotations, n * sizeof *r->rotations)) != HED_OK ||
      (status = take(s, &sum, r->statistics.sums, HED__SUMS * r->statistics.blocks * sizeof(double))) != HED_OK ||
      (status = hed__stream_take(s, &stored, sizeof stored)) != HED_OK)
    return status;
  if (stored.a != sum.a || stored.b != sum.b)
    return hed_fail(HED_E_FORMAT, "%s: '%s' is damaged: its checksum does not fit", op, path);
  for (size_t i = 0; i < n; i++)
    if (r->rotations[i] < -1 || r->rotations[i] >= (int64_t)r->n_rotations || isnan(r->scores[i]))
      return hed_fail(HED_E_FORMAT, "%s: '%s' has rotation %d of %zu, or no number as score, at voxel %zu", op, path,
                      (int)r->rotations[i], r->n_rotations, i);
  return HED_OK;
}

hed_status hed__record_read(const char *path, hed__record *r)
{
  hed__stream *s;
  *r = (hed__record){ 0 };
  hed_status status = hed__stream_open(op, path, &s);
  if (status != HED_OK)
    return status;
  status = read_all(path, s, r);
  hed__stream_close(s);
  if (status != HED_OK)
    hed__record_close(r);
  return status;
}

hed_status hed__record_same(const char *path, const hed__record *from, const hed__record *r, bool any_share)
{
  for (int i = 0; i < HED__SAME; i++)
    if (from->digest[i].a != r->digest[i].a || from->digest[i].b != r->digest[i].b)
      return hed_fail(HED_E_INVAL, "%s: '%s' is of another search: its %s differ%s", op, path, names[i],
                      i < HED__SAME_FILTERS ? "s" : "");
  if (strcmp(from->options, r->options) != 0 || from->threshold != r->threshold)
    return hed_fail(HED_E_INVAL, "%s: '%s' is of another search: its options were %s, now they are %s", op, path, from->options,
                    r->options);
  if (from->n_parts != r->n_parts || memcmp(&from->parts, &r->parts, sizeof r->parts) != 0)
    return hed_fail(HED_E_INVAL, "%s: '%s' was made in %zu parts, this search takes %zu", op, path, from->n_parts, r->n_parts);
  if (from->shares != r->shares || (!any_share && from->share != r->share))
    return hed_fail(HED_E_INVAL, "%s: '%s' is share %zu of %zu, this one %zu of %zu", op, path, from->share, from->shares, r->share,
                    r->shares);
  return HED_OK;
}

hed_status hed_match_checkpoint_read(const char *path, hed_match_checkpoint *out)
{
  hed__record r;
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "hed_match_checkpoint_read: %s is NULL", path ? "out" : "path");
  *out = (hed_match_checkpoint){ 0 };
  const hed_status status = hed__record_read(path, &r);
  if (status != HED_OK)
    return status;
  *out = (hed_match_checkpoint){ .n_rotations = r.n_rotations, .n_parts = r.n_parts, .share = r.share, .shares = r.shares,
                                 .finished = r.part == r.n_parts, .ended = r.ended };
  for (size_t part = 0; part < r.n_parts; part++)
    for (size_t i = 0; i < r.n_rotations; i++)
      out->done += hed__is_done(&r, part, i);
  hed__record_close(&r);
  return HED_OK;
}
