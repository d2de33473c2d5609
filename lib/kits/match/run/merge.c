// SPDX-License-Identifier: BSD-3-Clause
/*
 * merge.c: the shares of a search, put together.
 *
 * Layer: L4, match kit. The larger score wins and of equal ones the lower rotation, as in a single run.
 */
#include "kits/match/run/checkpoint.h"
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_match_merge";

/* A share that is given twice would count twice. */
static hed_status disjoint(const char *path, const hed__record *a, const hed__record *b)
{
  for (size_t i = 0; i < (a->n_parts * a->n_rotations + 7) / 8; i++)
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
  for (size_t i = 0; i < (to->n_parts * to->n_rotations + 7) / 8; i++)
    to->done[i] |= from->done[i];
  to->part = from->part < to->part ? from->part : to->part;
  hed__statistics_merge(&to->statistics, &from->statistics);
}

/* Every rotation of every part must have been done by somebody. */
static hed_status complete(const hed__record *r)
{
  for (size_t k = 0; k < r->n_rotations; k++)
    for (size_t part = 0; part < r->n_parts; part++)
      if (!hed__is_done(r, part, k) || part >= r->part)
        return hed_fail(HED_E_INVAL, "%s: rotation %zu of %zu is not done: share %zu of %zu is missing or not complete", op, k,
                        r->n_rotations, r->shares ? k % r->shares : 0, r->shares);
  return HED_OK;
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
  return hed__statistics_give(&r->statistics, r->n_rotations, r->n_false_positives, out);
}

hed_status hed_match_merge(size_t n, const char *const *paths, hed_match_result *out)
{
  hed__record all = { 0 }, one;
  hed_status status = HED_OK;
  if (!out || !paths || n == 0)
    return hed_fail(HED_E_INVAL, "%s: %s", op, !out ? "out is NULL" : "no files");
  *out = (hed_match_result){ 0 };
  for (size_t i = 0; i < n && status == HED_OK; i++) {
    if (!paths[i])
      status = hed_fail(HED_E_INVAL, "%s: file %zu is NULL", op, i);
    else if ((status = hed__record_read(paths[i], i ? &one : &all)) == HED_OK && i > 0) {
      size_t cells = 1;
      for (int a = 0; a < all.target.ndim; a++)
        cells *= (size_t)all.target.dim[a];
      if ((status = hed__record_same(paths[i], &one, &all, true)) == HED_OK &&
          (status = disjoint(paths[i], &all, &one)) == HED_OK)
        merge_into(&all, &one, cells);
      hed__record_close(&one);
    }
  }
  if (status == HED_OK)
    status = complete(&all);
  if (status == HED_OK)
    status = give(&all, out);
  if (status != HED_OK)
    hed_match_result_clear(out);
  hed__record_close(&all);
  return status;
}
