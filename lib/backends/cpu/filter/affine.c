// SPDX-License-Identifier: BSD-3-Clause
/*
 * Affine resampling by B-splines of order 1 and 3, in float32 with zeros outside; a grid of points along the axes goes by
 * rows (grid.c), what is not so by points (sample.c). L1.
 *
 * The rules are those of the reference kernel: out(x) = in(M x + t) on the last axes, 0 where a point
 * leaves [0, n - 1] by more than BORDER, cubic coefficients with mirror boundaries. The vector kernels
 * read coefficients from a copy that has their mirror images round it, so that every point in [0, n - 1]
 * finds its support; of an output row they do all but points within rounding of that border, which are
 * sampled one by one in double; the rest is zero. Threads share rows.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/filter/frame.h"
#include "backends/cpu/filter/spline.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

#define BORDER 1e-9

enum { BEFORE = 1, AFTER = 2 }; /* neighbours of a point's element that cubic splines reach */

typedef struct job {
  const hed_affine_params *p;
  cpu_affine_row row;    /* coef, dim; start and step of x alone are filled in per row */
  const float *framed;   /* coefficients with mirror images round them, at element 0 */
  int64_t framed_dim[3];
  double matrix[3][4];   /* padded to three axes */
  float *out;            /* C order */
  int64_t out_dim[3];
} job;

/* ---- one element ---- */

static int64_t mirrored(int64_t i, int64_t n)
{
  if (n == 1)
    return 0;
  int64_t period = 2 * n - 2;
  i = (i < 0 ? -i : i) % period;
  return i < n ? i : period - i;
}

/* Taps of one axis; 0 when the coordinate is outside. */
static int taps_of(double c, int64_t n, int64_t step, int order, int64_t *at, double *w)
{
  if (!(c >= -BORDER && c <= (double)(n - 1) + BORDER))
    return 0;
  c = c < 0 ? 0 : c > (double)(n - 1) ? (double)(n - 1) : c;
  int64_t base = (int64_t)floor(c);
  double t = c - (double)base, u = 1 - t;
  if (order == 1) {
    w[0] = u;
    w[1] = t;
  } else {
    base--;
    w[0] = u * u * u / 6;
    w[1] = (4 - t * t * (6 - 3 * t)) / 6;
    w[2] = (4 - u * u * (6 - 3 * u)) / 6;
    w[3] = t * t * t / 6;
  }
  for (int k = 0; k <= order; k++)
    at[k] = mirrored(base + k, n) * step;
  return order + 1;
}

static float sample(const cpu_affine_row *r, int64_t j, int order)
{
  int64_t at[3][4], step[3] = { r->dim[1] * r->dim[2], r->dim[2], 1 };
  double w[3][4], sum = 0;
  int n[3];
  for (int a = 0; a < 3; a++) {
    n[a] = taps_of(r->start[a] + (double)j * r->step[a], r->dim[a], step[a], order, at[a], w[a]);
    if (!n[a])
      return 0;
  }
  for (int z = 0; z < n[0]; z++)
    for (int y = 0; y < n[1]; y++) {
      const float *p = r->coef + at[0][z] + at[1][y];
      double line = 0;
      for (int x = 0; x < n[2]; x++)
        line += w[2][x] * (double)p[at[2][x]];
      sum += w[0][z] * w[1][y] * line;
    }
  return (float)sum;
}

/* ---- rows ---- */

/* Narrows [*first, *last) to the elements whose coordinate on one axis lies in [low, high], give or
 * take PAD elements at either end (rounding of the division is far less than one element). */
static void narrow(double start, double step, double low, double high, int64_t pad, int64_t *first,
                   int64_t *last)
{
  if (fabs(step) < 1e-12) {
    /* No change along the row worth a division. Between bounds and pad: decided one by one. */
    bool in = pad > 0 ? start >= low - 1e-3 && start <= high + 1e-3
                      : start >= low + 1e-3 && start <= high - 1e-3;
    if (!in)
      *last = *first;
    return;
  }
  double a = (low - start) / step, b = (high - start) / step;
  if (a > b) {
    double t = a;
    a = b;
    b = t;
  }
  double from = ceil(a) - (double)pad, to = floor(b) + 1 + (double)pad;
  if (from > (double)*first)
    *first = from < (double)*last ? (int64_t)from : *last;
  if (to < (double)*last)
    *last = to > (double)*first ? (int64_t)to : *first;
}

/* The coefficients with BEFORE and AFTER mirror images along every axis; of extent 1 only along the last. */
static void frame(const job *j, float *to)
{
  const int64_t *n = j->row.dim, *m = j->framed_dim;
  for (int64_t z = 0; z < m[0]; z++)
    for (int64_t y = 0; y < m[1]; y++) {
      const int64_t from_z = mirrored(z - (m[0] > 1) * BEFORE, n[0]), from_y = mirrored(y - (m[1] > 1) * BEFORE, n[1]);
      const float *from = j->row.coef + (from_z * n[1] + from_y) * n[2];
      float *at = to + (z * m[1] + y) * m[2];
      for (int64_t x = 0; x < BEFORE; x++)
        at[x] = from[mirrored(x - BEFORE, n[2])];
      memcpy(at + BEFORE, from, (size_t)n[2] * sizeof *at);
      for (int64_t x = 0; x < AFTER; x++)
        at[BEFORE + n[2] + x] = from[mirrored(n[2] + x, n[2])];
    }
}

/* Does element K of the row lie in [0, n - 1] along every axis, as the kernels compute it? */
static bool inside(const cpu_affine_row *r, int64_t k)
{
  for (int a = 0; a < 3; a++) {
    double c = r->start[a] + (double)k * r->step[a];
    if (!(c >= 0 && c <= (double)(r->dim[a] - 1)))
      return false;
  }
  return true;
}

static void run_rows(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const int order = j->p->order;
  const int64_t n = j->out_dim[2];
  for (int64_t i = begin; i < end; i++) {
    cpu_affine_row r = j->row;
    const double z = (double)(i / j->out_dim[1]), y = (double)(i % j->out_dim[1]);
    float *out = j->out + i * n;
    int64_t v0 = 0, v1 = n, i0 = 0, i1 = n;
    for (int a = 0; a < 3; a++) {
      const double *m = j->matrix[a];
      /* In this order, so that the coordinates are the reference's to the last bit. */
      r.start[a] = m[3] + m[0] * z + m[1] * y;
      r.step[a] = m[2];
      if (r.dim[a] == 1 && r.start[a] == 0 && r.step[a] == 0)
        continue;
      narrow(r.start[a], r.step[a], 0, (double)(r.dim[a] - 1), 1, &v0, &v1);
    }
    i0 = CPU_MAX(i0, v0);
    i1 = CPU_MIN(i1, v1);
    while (i0 < i1 && !inside(&r, i0))
      i0++;
    while (i0 < i1 && !inside(&r, i1 - 1))
      i1--;
    if (i1 <= i0)
      i0 = i1 = v1;
    memset(out, 0, (size_t)CPU_MAX(CPU_MIN(v0, n), 0) * sizeof *out);
    for (int64_t k = v0; k < i0; k++)
      out[k] = sample(&r, k, order);
    if (i1 > i0) {
      cpu_affine_row framed = r;
      framed.coef = j->framed;
      framed.first = i0;
      memcpy(framed.dim, j->framed_dim, sizeof framed.dim);
      (order == 3 ? cpu_k->affine3 : cpu_k->affine1)(i1 - i0, out + i0, &framed);
    }
    for (int64_t k = i1; k < v1; k++)
      out[k] = sample(&r, k, order);
    int64_t tail = CPU_MAX(v1, v0);
    if (tail < n)
      memset(out + tail, 0, (size_t)(n - tail) * sizeof *out);
  }
}

/* ---- the call ---- */

int32_t cpu_affine(void *state, const hed_call *call)
{
  (void)state;
  const hed_affine_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const int32_t nd = p->ndim;
  if (nd < 1 || nd > 3 || in->ndim < nd || out->ndim != in->ndim)
    return cpu_host->fail(HED_E_SHAPE, "affine_transform: %d spatial axes of %d", (int)nd, (int)in->ndim);
  if (p->order != 0 && p->order != 1 && p->order != 3)
    return cpu_host->fail(HED_E_INVAL, "affine_transform: spline order %d is not 0, 1 or 3",
                          (int)p->order);
  if (hed__view_size(out) == 0)
    return HED_OK;
  if (cpu_affine_is_grid(call))
    return cpu_affine_grid(call);
  if (p->order == 0 || call->compute != HED_ID_FLOAT32 || (p->boundary != HED_BOUNDARY_DEFAULT && p->boundary != HED_BOUNDARY_CONSTANT)
      || p->cval != 0)
    return cpu_affine_points(call);
  job j = { .p = p };
  int64_t batch = 1, n_in = 1, n_out = 1;
  for (int32_t k = 0; k < out->ndim - nd; k++)
    batch *= out->dim[k];
  for (int a = 0; a < 3; a++) {
    int32_t from = out->ndim - 3 + a;
    bool real_axis = a >= 3 - nd;
    j.row.dim[a] = real_axis ? in->dim[from] : 1;
    j.out_dim[a] = real_axis ? out->dim[from] : 1;
    n_in *= j.row.dim[a];
    n_out *= j.out_dim[a];
    for (int b = 0; b < 4 && real_axis; b++) {
      int col = b == 3 ? nd : b - (3 - nd);
      j.matrix[a][b] = col >= 0 ? p->matrix[a - (3 - nd)][col] : 0;
    }
  }
  if (n_in == 0)
    return cpu_host->fail(HED_E_SHAPE, "affine_transform: an operand without elements");
  bool filter = p->order == 3 && p->prefilter, overlap = hed__may_overlap(in, out);
  float *coef = cpu_scratch_get((size_t)n_in * sizeof *coef);
  float *result = cpu_scratch_get((size_t)n_out * sizeof *result);
  int64_t n_framed = 1, first = 0; /* elements of the framed copy; the index of element 0 in it */
  for (int a = 0; a < 3; a++) {
    j.framed_dim[a] = j.row.dim[a] > 1 || a == 2 ? j.row.dim[a] + BEFORE + AFTER : 1;
    n_framed *= j.framed_dim[a];
    first = first * j.framed_dim[a] + (j.framed_dim[a] > 1 ? BEFORE : 0);
  }
  float *framed = cpu_scratch_get((size_t)n_framed * sizeof *framed);
  int32_t status = HED_OK;
  if (!coef || !result || !framed) {
    status = cpu_host->fail(HED_E_NOMEM, "affine_transform: no memory for %lld coefficients",
                            (long long)n_in);
    goto end;
  }
  for (int64_t i = 0; i < batch; i++) {
    hed_view src = cpu_affine_part(in, nd, i), dst = cpu_affine_part(out, nd, i);
    bool direct_in = !filter && !overlap && src.dtype == HED_ID_FLOAT32 && hed__is_c_contiguous(&src);
    bool direct_out = dst.dtype == HED_ID_FLOAT32 && hed__is_c_contiguous(&dst);
    hed_view own = cpu_frame_dense(&src, HED_ID_FLOAT32, coef), made = cpu_frame_dense(&dst, HED_ID_FLOAT32, result);
    if (!direct_in)
      (void)cpu_convert(call, &own, &src);
    if (filter && !cpu_spline_coefficients(call, &own, ~0u, HED_BOUNDARY_MIRROR)) {
      status = cpu_host->fail(HED_E_NOMEM, "affine_transform: no memory for a row of coefficients");
      goto end;
    }
    j.row.coef = direct_in ? src.data : coef;
    frame(&j, framed);
    j.framed = framed + first;
    j.out = direct_out ? dst.data : result;
    cpu_parallel_for(call, j.out_dim[0] * j.out_dim[1], 1,
                     (p->order == 3 ? 40.0 : 10.0) * (double)n_out, run_rows, &j);
    if (!direct_out)
      (void)cpu_convert(call, &dst, &made);
  }
end:
  cpu_scratch_put(framed);
  cpu_scratch_put(coef);
  cpu_scratch_put(result);
  return status;
}
