// SPDX-License-Identifier: BSD-3-Clause
/* Scores at given places for every rotation of a list.
 *
 * Layer: L4, match kit. The windows of places are rows of a matrix X, turned templates and masks rows of Y, over voxels that some turn
 * of the mask can reach: scores are entries of Y X^T and, for local deviations, of M (X^2)^T. Blocks of rotations are turned once for
 * all candidates; windows are gathered anew for each block, so that neither takes more than its room.
 */
#include "base/invariant.h"
#include "kits/match/staged/places.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_match_staged";

enum { ROTATIONS = 128, WINDOW_BYTES = 64 << 20 };

typedef struct work {
  const hed__field *a;
  int64_t (*voxel)[3], *step; /* voxels of the box that count; their offsets in the target */
  size_t n_voxels;
  size_t candidates, per;     /* of a block of windows; places about a candidate */
  int64_t (*place)[3];        /* of the block; place[i][0] < 0: it counts not */
  double *mask_sum;           /* of the block's rotations */
} work;

/* Voxels within the farthest of the mask's from the middle, and one more, as turned masks are interpolated. */
static hed_status choose_voxels(work *w)
{
  const hed__field *a = w->a;
  hed_array *host = hed__on_host(a->m);
  const size_t n = (size_t)(a->t[0] * a->t[1] * a->t[2]);
  double reach = 0;
  if (!host || !(w->voxel = malloc(n * sizeof *w->voxel)) || !(w->step = malloc(n * sizeof *w->step))) {
    hed_release(host);
    return host ? hed_fail(HED_E_NOMEM, "%s: no memory for %zu voxels", op, n) : hed_error();
  }
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < n; k++) {
      const int64_t at[3] = { (int64_t)k / a->t[2] / a->t[1], (int64_t)k / a->t[2] % a->t[1], (int64_t)k % a->t[2] };
      double far = 0;
      for (int i = 0; i < 3; i++)
        far += pow((double)at[i] - (double)(a->t[i] - 1) / 2, 2);
      far = sqrt(far);
      if (pass == 0 && ((const float *)hed_array_data(host))[k] > 0)
        reach = fmax(reach, far);
      if (pass == 1 && far <= reach + 1.75) {
        memcpy(w->voxel[w->n_voxels], at, sizeof at);
        w->step[w->n_voxels++] = (at[0] * a->d[1] + at[1]) * a->d[2] + at[2];
      }
    }
  hed_release(host);
  return HED_OK;
}

/* Position Q of a window along an axis in the target, or -1: it is filled with the mean there. */
static int64_t in_target(const hed__field *a, int axis, int64_t q)
{
  HED__ASSERT(axis >= 0 && axis < 3 && a->fast[axis] >= a->d[axis]);
  const int64_t n = a->fast[axis], at = ((q % n) + n) % n;
  return at < a->d[axis] ? at : -1;
}

/* The window of a place. */
static void gather(const work *w, const int64_t place[3], float *out)
{
  const hed__field *a = w->a;
  int64_t from[3];
  bool inside = true;
  for (int i = 0; i < 3; i++) {
    from[i] = place[i] - a->t[i] / 2;
    inside = inside && from[i] >= 0 && from[i] + a->t[i] <= a->d[i];
  }
  if (inside) {
    const float *f = a->f + (from[0] * a->d[1] + from[1]) * a->d[2] + from[2];
    for (size_t k = 0; k < w->n_voxels; k++)
      out[k] = f[w->step[k]];
    return;
  }
  for (size_t k = 0; k < w->n_voxels; k++) {
    int64_t at[3];
    for (int i = 0; i < 3; i++)
      at[i] = in_target(a, i, from[i] + w->voxel[k][i]);
    out[k] = at[0] < 0 || at[1] < 0 || at[2] < 0 ? 0 : a->f[(at[0] * a->d[1] + at[1]) * a->d[2] + at[2]];
  }
}

/* The turned template, filtered, and the turned mask, in host memory from malloc(). */
static float *turned(const hed__field *a, const hed_array *x, bool mask, const double *rotation)
{
  const hed_rigid opt = { .spline = mask ? HED_SPLINE_LINEAR : a->spline, .prefiltered = !mask };
  const hed_fft back = { .s = hed_array_shape(x) };
  hed_array *out = NULL;
  if (hed_rigid_transform(x, NULL, rotation, &opt, &out, NULL) != HED_OK)
    return NULL;
  if (!mask && a->filter) {
    hed_array *spectrum = hed_rfftn(out, NULL);
    hed_release(out);
    out = spectrum && hed_multiply_into(spectrum, spectrum, a->filter) == HED_OK ? hed_irfftn(spectrum, &back) : NULL;
    hed_release(spectrum);
  }
  float *v = out ? hed__to_malloc(out) : NULL;
  hed_release(out);
  return v;
}

/* The rows of rotation K of a block: the template less its mean over its deviation in the mask, times the mask; the mask. */
static hed_status make_rows(work *w, const double *rotation, size_t k, float *g_row, float *m_row)
{
  const hed__field *a = w->a;
  double n = 0, first = 0, second = 0;
  float *g = turned(a, a->g, false, rotation);
  float *m = !g ? NULL : a->spherical ? hed__to_malloc(a->m) : turned(a, a->m, true, rotation);
  const size_t cells = (size_t)(a->t[0] * a->t[1] * a->t[2]);
  for (size_t i = 0; m && i < cells; i++) {
    n += m[i];
    first += (double)g[i] * m[i];
  }
  const double mean = n > 0 ? first / n : 0;
  for (size_t i = 0; m && i < cells; i++) {
    g[i] = (float)((g[i] - mean));
    second += (double)g[i] * g[i] * m[i];
  }
  const double scale = second > 0 ? 1 / sqrt(second / n) : 0;
  for (size_t v = 0; m && v < w->n_voxels; v++) {
    const size_t i = (size_t)((w->voxel[v][0] * a->t[1] + w->voxel[v][1]) * a->t[2] + w->voxel[v][2]);
    g_row[v] = (float)(scale * g[i] * m[i]);
    m_row[v] = m[i];
  }
  w->mask_sum[k] = n;
  const hed_status status = m ? HED_OK : hed_error();
  free(g);
  free(m);
  return status;
}

/* Y X^T as host values; the caller's. */
static float *times(const hed_array *y, const hed_array *x)
{
  hed_array *across = hed_transpose(x, NULL), *out = across ? hed_matmul(y, across) : NULL;
  float *v = out ? hed__to_malloc(out) : NULL;
  hed_release(across);
  hed_release(out);
  return v;
}

/* SCORE of ROTATION into a list of the best. */
static void insert(hed__best *list, double score, int32_t rotation, const int64_t place[3])
{
  hed__best *last = list + HED__BEST_KEPT - 1;
  if (last->rotation >= 0 && !(score > last->score))
    return;
  hed__best *at = last;
  for (; at > list && (at[-1].rotation < 0 || at[-1].score < score); at--)
    *at = at[-1];
  *at = (hed__best){ score, rotation, { place[0], place[1], place[2] } };
}

/* What N rotations from FIRST on score at the block's places, into the lists of its candidates. */
static void take_scores(const work *w, size_t first, size_t n, const float *num, const float *sum, const float *squares,
                        size_t in_block, hed__best *list)
{
  const size_t columns = in_block * w->per;
  for (size_t k = 0; k < n; k++) {
    const size_t row = w->a->spherical ? 0 : k;
    const double total = w->mask_sum[k];
    for (size_t c = 0; c < in_block; c++) {
      double best = -INFINITY;
      size_t where = 0;
      for (size_t p = c * w->per; p < (c + 1) * w->per; p++) {
        if (w->place[p][0] < 0 || !(total > 0))
          continue;
        const double mean = sum[row * columns + p] / total, variance = squares[row * columns + p] / total - mean * mean;
        const double deviation = sqrt(fmax(variance, 0));
        const double s = deviation > w->a->flat ? num[k * columns + p] / (total * deviation) : 0;
        if (s > best) {
          best = s;
          where = p;
        }
      }
      if (best > -INFINITY)
        insert(list + c * HED__BEST_KEPT, best, (int32_t)(first + k), w->place[where]);
    }
  }
}

/* Places about candidates FROM, FROM + 1, ... of a block, and their windows as rows. */
static hed_array *make_windows(work *w, size_t in_block, const int64_t (*candidate)[3])
{
  const hed__field *a = w->a;
  hed_array *x = hed__host_empty(HED_SHAPE((int64_t)(in_block * w->per), (int64_t)w->n_voxels), HED_FLOAT32);
  if (!x)
    return NULL;
  float *v = hed_array_data(x);
  const int64_t side = 2 * a->reach + 1;
  for (size_t p = 0; p < in_block * w->per; p++) {
    const int64_t k = (int64_t)(p % w->per), *c = candidate[p / w->per];
    const int64_t off[3] = { a->ndim == 3 ? k / side / side - a->reach : 0, k / side % side - a->reach, k % side - a->reach };
    bool counts = true;
    for (int i = 0; i < 3; i++) {
      w->place[p][i] = c[i] + off[i];
      counts = counts && w->place[p][i] >= a->region[i][0] && w->place[p][i] < a->region[i][1];
    }
    if (counts && a->scored)
      counts = a->scored[(w->place[p][0] * a->d[1] + w->place[p][1]) * a->d[2] + w->place[p][2]];
    if (counts)
      gather(w, w->place[p], v + p * w->n_voxels);
    else
      memset(v + p * w->n_voxels, 0, w->n_voxels * sizeof *v);
    if (!counts)
      w->place[p][0] = -1;
  }
  hed_array *there = hed_to(x, hed_get_backend());
  hed_release(x);
  return there;
}

/* A block of windows under a block of rotations. */
static hed_status score_block(work *w, const hed_array *y, const hed_array *m, size_t first, size_t n, size_t in_block,
                              const int64_t (*candidate)[3], hed__best *list)
{
  hed_array *x = make_windows(w, in_block, candidate);
  float *num = x ? times(y, x) : NULL, *sum = num ? times(m, x) : NULL, *squares = NULL;
  if (sum && hed_square_into(x, x) == HED_OK)
    squares = times(m, x);
  if (squares)
    take_scores(w, first, n, num, sum, squares, in_block, list);
  const hed_status status = squares ? HED_OK : hed_error();
  hed_release(x);
  free(num);
  free(sum);
  free(squares);
  return status;
}

static hed_status go_on(const hed__field *a, size_t done, size_t total)
{
  if ((a->cancel && __atomic_load_n(a->cancel, __ATOMIC_RELAXED)) || (a->progress && a->progress(a->arg, done, total)))
    return hed_fail(HED_E_CANCELLED, "%s: cancelled after %zu of %zu rotations at the places of candidates", op, done, total);
  return HED_OK;
}

/* Rotations from FIRST on, N of them, at all candidates. */
static hed_status turn_block(work *w, size_t n_candidates, const int64_t (*candidate)[3], size_t first, size_t n,
                             const double *rotations, hed__best *list)
{
  const hed__field *a = w->a;
  const size_t cells = (size_t)(a->ndim * a->ndim), rows = a->spherical ? 1 : n;
  hed_array *y = hed__host_empty(HED_SHAPE((int64_t)n, (int64_t)w->n_voxels), HED_FLOAT32);
  hed_array *m = y ? hed__host_empty(HED_SHAPE((int64_t)rows, (int64_t)w->n_voxels), HED_FLOAT32) : NULL;
  hed_status status = m ? HED_OK : hed_error();
  for (size_t k = 0; k < n && status == HED_OK; k++)
    status = make_rows(w, rotations + (first + k) * cells, k, (float *)hed_array_data(y) + k * w->n_voxels,
                       (float *)hed_array_data(m) + (a->spherical ? 0 : k) * w->n_voxels);
  hed_array *there = status == HED_OK ? hed_to(y, hed_get_backend()) : NULL;
  hed_array *mask = there ? hed_to(m, hed_get_backend()) : NULL;
  if (status == HED_OK && !mask)
    status = hed_error();
  for (size_t c = 0; c < n_candidates && status == HED_OK; c += w->candidates) {
    const size_t in_block = n_candidates - c < w->candidates ? n_candidates - c : w->candidates;
    status = score_block(w, there, mask, first, n, in_block, candidate + c, list + c * HED__BEST_KEPT);
  }
  hed_release(y);
  hed_release(m);
  hed_release(there);
  hed_release(mask);
  return status;
}

/* Candidates of a block, of N, whose places have windows of VOXELS. */
static size_t in_block_of(size_t n, size_t per, size_t voxels)
{
  const size_t room = (size_t)fmax(1, floor(WINDOW_BYTES / (4.0 * (double)per * (double)voxels)));
  return room < n ? room : n;
}

size_t hed__places_memory(const hed__field *a, size_t n)
{
  const size_t side = (size_t)(2 * a->reach + 1), per = a->ndim == 3 ? side * side * side : side * side;
  const size_t voxels = (size_t)(a->t[0] * a->t[1] * a->t[2]), columns = in_block_of(n, per, voxels) * per;
  /* windows twice, where they change their space; turned templates and masks so, too; what a product of each gives, and on the host */
  return 2 * 4 * columns * voxels + 4 * 4 * ROTATIONS * voxels + 6 * 4 * ROTATIONS * columns + 256 * voxels +
         n * HED__BEST_KEPT * sizeof(hed__best) + (4 << 20);
}

hed_status hed__score_places(const hed__field *a, size_t n, const int64_t (*candidate)[3], size_t n_rotations, const double *rotations,
                             hed__best **out)
{
  const size_t side = (size_t)(2 * a->reach + 1);
  work w = { .a = a, .per = a->ndim == 3 ? side * side * side : side * side };
  hed__best *list = a->from ? *out : calloc(n * HED__BEST_KEPT + 1, sizeof *list);
  *out = NULL;
  hed_status status = list ? choose_voxels(&w) : hed_fail(HED_E_NOMEM, "%s: no memory for %zu candidates", op, n);
  for (size_t i = 0; list && !a->from && i < n * HED__BEST_KEPT; i++)
    list[i].rotation = -1;
  if (status == HED_OK) {
    w.candidates = in_block_of(n, w.per, w.n_voxels);
    w.place = malloc((w.candidates * w.per + 1) * sizeof *w.place);
    w.mask_sum = malloc(ROTATIONS * sizeof *w.mask_sum);
    if (!w.place || !w.mask_sum)
      status = hed_fail(HED_E_NOMEM, "%s: no memory for %zu places", op, w.candidates * w.per);
  }
  for (size_t r = a->from; r < n_rotations && n && status == HED_OK; r += ROTATIONS) {
    const size_t some = n_rotations - r < ROTATIONS ? n_rotations - r : ROTATIONS;
    status = go_on(a, r, n_rotations);
    const bool stopped = status == HED_E_CANCELLED;
    if (status == HED_OK)
      status = turn_block(&w, n, candidate, r, some, rotations, list);
    const size_t done = r + (stopped ? 0 : some);
    if (a->keep && (stopped || status == HED_OK)) {
      const hed_status kept = a->keep(a->arg, done, list, stopped);
      status = kept == HED_OK ? status : kept;
    }
  }
  free(w.voxel);
  free(w.step);
  free(w.place);
  free(w.mask_sum);
  if (status == HED_OK)
    *out = list;
  else
    free(list);
  return status;
}
