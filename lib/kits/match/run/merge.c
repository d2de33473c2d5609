// SPDX-License-Identifier: BSD-3-Clause
/* The shares of a search, put together.
 *
 * Layer: L4, match kit. The larger score wins and of equal ones the lower rotation, as in a single run.
 */
#include "kits/match/run/checkpoint.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_match_merge";

/* A share that is given twice would count twice. */
static hed_status disjoint(const char *path, const hed__record *a, const hed__record *b)
{
  for (size_t i = 0; i < hed__bitmap_bytes(a); i++)
    if (a->done[i] & b->done[i])
      return hed_fail(HED_E_INVAL, "%s: '%s' has rotations that another file has, too: share %zu of %zu was given twice", op, path,
                      b->share, b->shares);
  return HED_OK;
}

static void merge_into(hed__record *to, hed__record *from, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (from->rotations[i] >= 0 && (to->rotations[i] < 0 || from->scores[i] > to->scores[i] ||
                                    (from->scores[i] == to->scores[i] && from->rotations[i] < to->rotations[i]))) {
      to->scores[i] = from->scores[i];
      to->rotations[i] = from->rotations[i];
    }
  for (size_t i = 0; i < hed__bitmap_bytes(to); i++)
    to->done[i] |= from->done[i];
  to->part = from->part < to->part ? from->part : to->part;
  hed__statistics_merge(&to->statistics, &from->statistics);
}

/* Rotations of parts that nobody has done; *FIRST: the number of the first one. */
static size_t missing_of(const hed__record *r, size_t *first)
{
  size_t missing = 0;
  for (size_t k = 0; k < r->n_rotations; k++)
    for (size_t part = 0; part < r->n_parts; part++)
      if ((!hed__is_done(r, part, k) || part >= r->part) && missing++ == 0)
        *first = k;
  return missing;
}

/* A share that is not complete has scores that are not in their final form: as if it had none. */
static void blank(hed__record *r, size_t cells)
{
  for (size_t i = 0; i < cells; i++) {
    r->scores[i] = 0;
    r->rotations[i] = -1;
  }
  memset(r->done, 0, hed__bitmap_bytes(r));
  hed__statistics_reset(&r->statistics);
  r->part = r->n_parts;
}

static hed_status give(const hed__record *r, hed_match_result *out)
{
  out->scores = hed__host_empty(r->target, HED_FLOAT32);
  out->rotations = out->scores ? hed__host_empty(r->target, HED_INT32) : NULL;
  if (!out->rotations)
    return hed_error();
  memcpy(hed_array_data(out->scores), r->scores, hed_array_nbytes(out->scores));
  memcpy(hed_array_data(out->rotations), r->rotations, hed_array_nbytes(out->rotations));
  out->n_rotations = r->n_rotations;
  out->parts = r->parts;
  out->flat = r->flat;
  out->n_flat = r->n_flat;
  return hed__statistics_give(&r->statistics, r->target, r->scores, r->n_rotations, r->allowed, r->n_false_positives, false, out);
}

static hed_status merge(size_t n, const char *const *paths, hed_match_result *out, size_t *missing)
{
  size_t first = 0;
  hed__record all = { 0 }, one;
  hed_status status = HED_OK;
  if (!out || !paths || n == 0)
    return hed_fail(HED_E_INVAL, "%s: %s", op, !out ? "out is NULL" : "no files");
  *out = (hed_match_result){ 0 };
  for (size_t i = 0; i < n && status == HED_OK; i++) {
    hed__record *r = i ? &one : &all;
    size_t cells = 1;
    if (!paths[i])
      status = hed_fail(HED_E_INVAL, "%s: file %zu is NULL", op, i);
    else if ((status = hed__record_read(paths[i], r)) == HED_OK) {
      for (int a = 0; a < r->target.ndim; a++)
        cells *= (size_t)r->target.dim[a];
      if (missing && r->part < r->n_parts)
        blank(r, cells);
      if (i > 0 && (status = hed__record_same(paths[i], &one, &all, true)) == HED_OK &&
          (status = disjoint(paths[i], &all, &one)) == HED_OK)
        merge_into(&all, &one, cells);
      if (i > 0)
        hed__record_close(&one);
    }
  }
  const size_t lacking = status == HED_OK ? missing_of(&all, &first) : 0;
  if (missing)
    *missing = lacking;
  else if (lacking)
    status = hed_fail(HED_E_INVAL, "%s: rotation %zu of %zu is not done: share %zu of %zu is missing or not complete", op, first,
                      all.n_rotations, all.shares ? first % all.shares : 0, all.shares);
  if (status == HED_OK)
    status = give(&all, out);
  if (status != HED_OK)
    hed_match_result_clear(out);
  hed__record_close(&all);
  return status;
}

hed_status hed_match_merge(size_t n, const char *const *paths, hed_match_result *out)
{
  return merge(n, paths, out, NULL);
}

hed_status hed_match_merge_partial(size_t n, const char *const *paths, hed_match_result *out, size_t *missing)
{
  size_t unused;
  return merge(n, paths, out, missing ? missing : &unused);
}
