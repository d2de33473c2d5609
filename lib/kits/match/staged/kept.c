// SPDX-License-Identifier: BSD-3-Clause
/* What later stages have done, written and read again.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/staged/kept.h"
#include "kits/match/files/stream.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 512, ROW = 10 };
static const char op[] = "hed_match_staged";
static const char form[] = "heddle-staged 1\ncandidates = %zu\nrotations = %zu of %zu\nrows = %zu of %zu\nscores = %zu\n"
                           "places = %016" PRIx64 "%016" PRIx64 "\nstarts = %016" PRIx64 "%016" PRIx64 "\n";

/* An entry as it is in the file, without what lies between members. */
typedef struct entry { double score; int64_t rotation, place[3]; } entry;

static void put(hed_file *f, hed__digest *sum, const void *bytes, size_t n)
{
  hed__digest_add(sum, bytes, n);
  hed_file_write(f, bytes, n);
}

static void row_out(const hed_table_row *r, double v[ROW])
{
  for (int i = 0; i < 3; i++) {
    v[i] = r->position[i];
    v[3 + i] = r->angstrom[i];
    v[6 + i] = r->euler[i];
  }
  v[9] = r->score;
}

static void row_in(const double v[ROW], hed_table_row *r)
{
  for (int i = 0; i < 3; i++) {
    r->position[i] = v[i];
    r->angstrom[i] = v[3 + i];
    r->euler[i] = v[6 + i];
  }
  r->score = v[9];
}

hed_status hed__kept_write(hed__kept *k, bool now)
{
  char header[HEADER] = "";
  hed_file *f;
  hed__digest sum = { 0, 0 };
  if (!k->path || (!now && hed__now() - k->last < k->seconds))
    return HED_OK;
  hed_status status = hed_file_create(op, k->path, &f);
  if (status != HED_OK)
    return status;
  snprintf(header, sizeof header, form, k->n_candidates, k->rotations, k->n_rotations, k->rows, k->n_rows, k->scores, k->places.a,
           k->places.b, k->starts.a, k->starts.b);
  put(f, &sum, header, sizeof header);
  for (size_t i = 0; i < k->n_candidates * HED__BEST_KEPT; i++) {
    const hed__best *b = k->best + i;
    const entry e = { b->score, b->rotation, { b->place[0], b->place[1], b->place[2] } };
    put(f, &sum, &e, sizeof e);
  }
  for (size_t i = 0; i < k->rows; i++) {
    double v[ROW];
    row_out(k->row + i, v);
    put(f, &sum, v, sizeof v);
  }
  hed_file_write(f, &sum, sizeof sum);
  k->last = hed__now();
  return hed_file_close(f, HED_OK);
}

static hed_status take(hed__stream *s, hed__digest *sum, void *to, size_t n)
{
  const hed_status status = hed__stream_take(s, to, n);
  if (status == HED_OK)
    hed__digest_add(sum, to, n);
  return status;
}

static hed_status read_best(hed__kept *k, hed__stream *s, hed__digest *sum, hed__best *best)
{
  hed_status status = HED_OK;
  for (size_t i = 0; i < k->n_candidates * HED__BEST_KEPT; i++) {
    entry e;
    if ((status = take(s, sum, &e, sizeof e)) != HED_OK)
      break;
    if (e.rotation < -1 || e.rotation >= (int64_t)k->n_rotations || isnan(e.score))
      return hed_fail(HED_E_FORMAT, "%s: '%s' has rotation %lld of %zu, or no number as score", op, k->path, (long long)e.rotation,
                      k->n_rotations);
    best[i] = (hed__best){ e.score, (int32_t)e.rotation, { e.place[0], e.place[1], e.place[2] } };
  }
  return status;
}

/* The numbers of a file of BYTES, which its size fits to. */
static hed_status read_header(hed__kept *k, hed__stream *s, hed__digest *sum)
{
  char header[HEADER];
  bool exact;
  size_t n, all, of;
  hed__digest places, starts;
  const uint64_t size = hed__stream_size(s, &exact);
  const hed_status status = take(s, sum, header, sizeof header);
  if (status != HED_OK)
    return status;
  if (header[HEADER - 1] != '\0' ||
      sscanf(header, "heddle-staged 1 candidates = %zu rotations = %zu of %zu rows = %zu of %zu scores = %zu places = %16" SCNx64
             "%16" SCNx64 " starts = %16" SCNx64 "%16" SCNx64, &n, &k->rotations, &all, &k->rows, &of, &k->scores, &places.a,
             &places.b, &starts.a, &starts.b) != 10)
    return hed_fail(HED_E_FORMAT, "%s: '%s' keeps no search from coarse to fine", op, k->path);
  if (n != k->n_candidates || all != k->n_rotations || memcmp(&places, &k->places, sizeof places) != 0)
    return hed_fail(HED_E_INVAL, "%s: '%s' is of another search: of %zu candidates and %zu rotations; here it is %zu and %zu, or what "
                    "is matched differs", op, k->path, n, all, k->n_candidates, k->n_rotations);
  const double need = HEADER + sizeof(entry) * HED__BEST_KEPT * (double)n + 8.0 * ROW * (double)k->rows + sizeof *sum;
  if (need != (double)size || k->rotations > all || k->rows > of || of > 2 * n)
    return hed_fail(HED_E_FORMAT, "%s: '%s' has %llu bytes; %zu candidates and %zu rows of %zu have %.0f", op, k->path,
                    (unsigned long long)size, n, k->rows, of, need);
  k->n_rows = of;
  k->starts = starts;
  return HED_OK;
}

static hed_status read_all(hed__kept *k, hed__stream *s, hed__best **best, hed_table_row **row)
{
  hed__digest sum = { 0, 0 }, stored;
  hed_status status = read_header(k, s, &sum);
  if (status != HED_OK)
    return status;
  *best = malloc((k->n_candidates * HED__BEST_KEPT + 1) * sizeof **best);
  *row = calloc(k->rows + 1, sizeof **row);
  if (!*best || !*row)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu candidates", op, k->n_candidates);
  status = read_best(k, s, &sum, *best);
  for (size_t i = 0; i < k->rows && status == HED_OK; i++) {
    double v[ROW];
    status = take(s, &sum, v, sizeof v);
    row_in(v, *row + i);
  }
  if (status == HED_OK)
    status = hed__stream_take(s, &stored, sizeof stored);
  if (status == HED_OK && (stored.a != sum.a || stored.b != sum.b))
    status = hed_fail(HED_E_FORMAT, "%s: '%s' is damaged: its checksum does not fit", op, k->path);
  return status;
}

hed_status hed__kept_read(hed__kept *k, hed__best **best, hed_table_row **row)
{
  hed__stream *s;
  *best = NULL;
  *row = NULL;
  if (!k->path || access(k->path, F_OK) != 0)
    return HED_OK;
  hed_status status = hed__stream_open(op, k->path, &s);
  if (status != HED_OK)
    return status;
  status = read_all(k, s, best, row);
  hed__stream_close(s);
  if (status != HED_OK) {
    free(*best);
    free(*row);
    *best = NULL;
    *row = NULL;
  }
  return status;
}
