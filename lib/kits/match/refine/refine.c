// SPDX-License-Identifier: BSD-3-Clause
/* hed_match_refine(): the FLC score of a particle at a continuous place and orientation, made as large as can be.
 *
 * Layer: L4, match kit. Parameters are a turn, as a vector in degrees (images: an angle), before the start's orientation, and a
 * shift in voxels. The target is looked at on the host, in a window about the nearest voxel; what is left of the shift goes into the
 * template's interpolation. The template turns about (n - 1) / 2, its place is that of voxel n / 2.
 */
#include "kits/match/files/table.h"
#include "kits/match/filter/apply.h"
#include "kits/match/refine/nelder_mead.h"
#include "kits/match/refine/rows.h"
#include "kits/match/run/job.h"
#include "kits/member.h"
#include <heddle/kits/refine.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_match_refine";
static const double pi = 3.14159265358979323846;

/* What all rows share. */
typedef struct refinement {
  const hed_refine_options *opt;
  int ndim, parameters;
  int64_t d[3], t[3];          /* extents of target and template, padded to three in front */
  float *f;                    /* the target */
  double mean;
  hed_array *g, *m, *filter;   /* coefficients or values; mask; filter over the half spectrum, or NULL */
  double angle, distance;
} refinement;

/* A row that is worked on. */
typedef struct row_state { const refinement *r; double at[3], matrix[9]; } row_state;

/* C = A B */
static void product(const double *a, const double *b, int n, double *c)
{
  for (int i = 0; i < n * n; i++) {
    c[i] = 0;
    for (int k = 0; k < n; k++)
      c[i] += a[i / n * n + k] * b[k * n + i % n];
  }
}

/* The orientation at parameters X. */
static void orient(const row_state *s, const double *x, double out[9])
{
  double turn[9];
  if (s->r->ndim == 2) {
    hed_rotation_from_angle(x[0], turn);
    product(turn, s->matrix, 2, out);
    return;
  }
  const double angle = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) * pi / 180, half = angle / 2;
  const double scale = angle > 0 ? sin(half) / angle * pi / 180 : 0;
  const double q[4] = { cos(half), scale * x[0], scale * x[1], scale * x[2] };
  (void)hed_rotation_from_quaternion(q, turn); /* its length is 1 */
  product(turn, s->matrix, 3, out);
}

/* Turned by MATRIX and shifted by SHIFT behind that, as host values. */
static float *turned(const refinement *r, const hed_array *x, bool mask, const double matrix[9], const double shift[3])
{
  double before[3] = { 0 }; /* shifts come before turns */
  for (int i = 0; i < r->ndim; i++)
    for (int k = 0; k < r->ndim; k++)
      before[i] += matrix[k * r->ndim + i] * shift[k];
  const hed_rigid opt = { .spline = mask ? HED_SPLINE_LINEAR : r->opt->spline, .prefiltered = !mask, .translation = before };
  const hed_fft back = { .s = hed_array_shape(x) };
  hed_array *out = NULL;
  if (hed_rigid_transform(x, NULL, matrix, &opt, &out, NULL) != HED_OK)
    return NULL;
  if (!mask && r->filter) {
    hed_array *spectrum = hed_rfftn(out, NULL);
    hed_release(out);
    out = spectrum && hed_multiply_into(spectrum, spectrum, r->filter) == HED_OK ? hed_irfftn(spectrum, &back) : NULL;
    hed_release(spectrum);
  }
  float *v = out ? hed__to_malloc(out) : NULL;
  hed_release(out);
  return v;
}

/* Correlation coefficient, weighted by M, of the template and the target's window that begins at FROM. */
static double coefficient(const refinement *r, const float *g, const float *m, const int64_t from[3])
{
  double n = 0, sf = 0, sg = 0, sff = 0, sgg = 0, sfg = 0;
  size_t k = 0;
  for (int64_t z = 0; z < r->t[0]; z++)
    for (int64_t y = 0; y < r->t[1]; y++)
      for (int64_t x = 0; x < r->t[2]; x++, k++) {
        const int64_t p = from[0] + z, q = from[1] + y, s = from[2] + x;
        const bool inside = p >= 0 && p < r->d[0] && q >= 0 && q < r->d[1] && s >= 0 && s < r->d[2];
        const double w = (double)m[k], a = inside ? (double)r->f[(p * r->d[1] + q) * r->d[2] + s] - r->mean : 0, b = (double)g[k];
        n += w;
        sf += w * a;
        sg += w * b;
        sff += w * a * a;
        sgg += w * b * b;
        sfg += w * a * b;
      }
  const double vf = sff - sf * sf / n, vg = sgg - sg * sg / n;
  return n > 0 && vf > 0 && vg > 0 ? (sfg - sf * sg / n) / sqrt(vf * vg) : 0;
}

static hed_status score_at(void *arg, const double *x, double *value)
{
  const row_state *s = arg;
  const refinement *r = s->r;
  const int first = 3 - r->ndim, turns = r->ndim == 2 ? 1 : 3;
  double matrix[9], shift[3], turn = 0;
  int64_t from[3] = { 0, 0, 0 };
  for (int i = 0; i < turns; i++)
    turn += x[i] * x[i];
  bool inside = sqrt(turn) <= r->angle;
  for (int i = 0; i < r->ndim; i++) {
    const double place = s->at[first + i] + x[turns + i], near = floor(place + 0.5);
    inside = inside && fabs(x[turns + i]) <= r->distance;
    shift[i] = place - near;
    from[first + i] = (int64_t)near - r->t[first + i] / 2;
  }
  *value = -2;
  if (r->opt->cancel && __atomic_load_n(r->opt->cancel, __ATOMIC_RELAXED))
    return HED_E_CANCELLED; /* the caller says so */
  if (!inside)
    return HED_OK;
  orient(s, x, matrix);
  float *g = turned(r, r->g, false, matrix, shift), *m = g ? turned(r, r->m, true, matrix, shift) : NULL;
  if (m)
    *value = coefficient(r, g, m, from) * (r->opt->invert ? -1 : 1);
  free(g);
  free(m);
  return m ? HED_OK : hed_error();
}

/* The filter with the defocus of a row's place, the caller's. */
static hed_status local_filter(const refinement *r, const hed_table_row *in, hed_array **out)
{
  hed_match_filter f = *r->opt->template_filter;
  for (int i = 0; i < 3; i++)
    f.offset[i] += (in->position[i] - (double)(r->d[i] - 1) / 2) * (f.voxel[i] > 0 ? f.voxel[i] : 1);
  hed_array *made = hed_match_filter_make(&f, hed_array_shape(r->g));
  *out = made ? hed_to(made, hed_get_backend()) : NULL;
  hed_release(made);
  return *out ? HED_OK : hed_error();
}

static hed_status refine_row(const refinement *r, const hed_table_row *in, hed_table_row *out, size_t *taken)
{
  const size_t most = r->opt->evaluations ? r->opt->evaluations : 400;
  const int turns = r->ndim == 2 ? 1 : 3;
  row_state s = { .r = r };
  double x[HED__MOST_PARAMETERS] = { 0 }, step[HED__MOST_PARAMETERS], value = 0, matrix[9];
  size_t used = 1;
  for (int i = 0; i < 3; i++) {
    s.at[i] = in->position[i];
    if (i >= 3 - r->ndim && (!(in->position[i] >= -0.5) || !(in->position[i] <= (double)r->d[i] - 0.5)))
      return hed_fail(HED_E_INVAL, "%s: row %lld is at %c = %g, outside the target's %lld voxels", op, (long long)in->id, "zyx"[i],
                      in->position[i], (long long)r->d[i]);
  }
  if (r->ndim == 3)
    hed_rotation_from_euler(in->euler, s.matrix);
  else
    hed_rotation_from_angle(in->euler[0], s.matrix);
  hed_status status = score_at(&s, x, &value);
  for (int k = 0; k < 2 && status == HED_OK; k++) { /* once more, smaller: a simplex may end flat */
    for (int i = 0; i < r->parameters; i++)
      step[i] = (i < turns ? r->angle : r->distance) * (k ? -0.1 : 0.3);
    for (int i = 0; i < r->parameters; i++)
      step[i] = k ? step[i] : i < turns ? fmin(step[i], 5) : fmin(step[i], 0.6);
    status = hed__nelder_mead(score_at, &s, r->parameters, x, &value, step, k ? 2e-3 : 2e-2, k ? most : most / 2, &used);
  }
  *taken += used;
  if (status != HED_OK)
    return status;
  orient(&s, x, matrix);
  *out = *in;
  out->score = value;
  if (r->ndim == 3)
    hed_rotation_to_euler(matrix, out->euler);
  else
    out->euler[0] = atan2(matrix[1], matrix[0]) * 180 / pi;
  for (int i = 0; i < r->ndim; i++) {
    const int a = 3 - r->ndim + i;
    out->position[a] += x[turns + i];
    out->angstrom[a] += x[turns + i] * (r->opt->voxel[a] > 0 ? r->opt->voxel[a] : 1);
  }
  return HED_OK;
}

/* ---- what is given ---- */

static hed_status check(const hed_refine_options *o, hed_shape f, hed_shape g)
{
  if ((f.ndim != 2 && f.ndim != 3) || g.ndim != f.ndim)
    return hed_fail(HED_E_SHAPE, "%s: the target has %d dimensions, the template %d; both have 2 or 3", op, (int)f.ndim, (int)g.ndim);
  if (!(o->angle >= 0) || o->angle > 180 || !(o->distance >= 0) || isinf(o->distance))
    return hed_fail(HED_E_INVAL, "%s: bounds of %g degrees and %g voxels", op, o->angle, o->distance);
  if (hed__expect_member(op, "spline", o->spline, HED_SPLINE_DEFAULT, HED_SPLINE_CUBIC, "hed_spline") != HED_OK ||
      hed__expect_member(op, "faces", o->faces, HED_FACES_CONTINUE, HED_FACES_WRAP, "hed_faces") != HED_OK ||
      hed__expect_member(op, "voids", o->voids, HED_VOIDS_FIND, HED_VOIDS_KEEP, "hed_voids") != HED_OK)
    return hed_error();
  const hed_match_filter *t = o->template_filter;
  if (o->local_defocus && !(t && t->wedge == HED_WEDGE_TILTS && t->ctf != HED_CTF_NONE))
    return hed_fail(HED_E_INVAL, "%s: local_defocus without a template filter of single tilts with contrast transfer", op);
  return HED_OK;
}

static hed_status take_mask(refinement *r, const hed_array *mask, hed_shape shape)
{
  double least = 0, sum = 0;
  if (mask) {
    const hed_shape s = hed_array_shape(mask);
    for (int i = 0; i < shape.ndim || i < s.ndim; i++)
      if (s.ndim != shape.ndim || s.dim[i] != shape.dim[i])
        return hed_fail(HED_E_SHAPE, "%s: the mask has %d dimensions, %lld along axis %d, the template %d, %lld", op, (int)s.ndim,
                        (long long)s.dim[i], i, (int)shape.ndim, (long long)shape.dim[i]);
  }
  hed_array *round = mask ? NULL : hed_match_sphere(shape, 0);
  r->m = mask || round ? hed__checked(op, "mask", mask ? mask : round) : NULL;
  hed_release(round);
  hed_status status = r->m ? hed__least(r->m, &least) : hed_error();
  if (status == HED_OK)
    status = hed__total(r->m, &sum);
  if (status == HED_OK && (least < 0 || !(sum > 0)))
    status = hed_fail(HED_E_INVAL, "%s: the mask's least value is %g, its sum %g", op, least, sum);
  return status;
}

/* The target behind its filter, its padding found as a search finds it. */
static hed_array *filtered(const refinement *r, const hed_array *target)
{
  const hed_refine_options *o = r->opt;
  hed_array *x = hed__checked(op, "target", target), *host = NULL, *mask = NULL;
  uint8_t *known = NULL;
  size_t least = 0, n_void;
  if (!x || !o->target_filter)
    return x;
  hed_status status = HED_OK;
  if (o->voids == HED_VOIDS_FIND) {
    host = hed__on_host(x);
    mask = host ? hed__on_host(r->m) : NULL;
    const float *m = mask ? hed_array_data(mask) : NULL;
    for (int64_t i = 0; m && i < r->t[0] * r->t[1] * r->t[2]; i++)
      least += m[i] > 0;
    status = m ? hed__find_voids(op, hed_array_data(host), r->d, least, &known, &n_void) : hed_error();
  }
  hed_release(host);
  hed_release(mask);
  hed_array *out = status == HED_OK ? hed__apply_filter(x, known, o->faces, o->target_filter, NULL) : NULL;
  if (status != HED_OK)
    hed_release(x);
  free(known);
  return out;
}

static hed_status open_all(refinement *r, const hed_array *target, const hed_array *tmpl, const hed_array *mask)
{
  const hed_refine_options *o = r->opt;
  const hed_shape f = hed_array_shape(target), g = hed_array_shape(tmpl);
  double sum = 0;
  hed_status status = check(o, f, g);
  if (status != HED_OK)
    return status;
  r->ndim = f.ndim;
  r->parameters = f.ndim == 2 ? 3 : 6;
  r->angle = o->angle > 0 ? o->angle : 15;
  r->distance = o->distance > 0 ? o->distance : 2;
  for (int i = 0; i < 3; i++)
    r->d[i] = r->t[i] = 1;
  for (int i = 0; i < f.ndim; i++) {
    r->d[3 - f.ndim + i] = f.dim[i];
    r->t[3 - f.ndim + i] = g.dim[i];
  }
  if ((status = take_mask(r, mask, g)) != HED_OK)
    return status;
  hed_array *x = filtered(r, target);
  status = x ? hed__total(x, &sum) : hed_error();
  r->mean = sum / ((double)r->d[0] * (double)r->d[1] * (double)r->d[2]);
  if (status == HED_OK && !(r->f = hed__to_malloc(x)))
    status = hed_error();
  hed_release(x);
  hed_array *y = status == HED_OK ? hed__checked(op, "template", tmpl) : NULL;
  const bool cubic = o->spline == HED_SPLINE_DEFAULT || o->spline == HED_SPLINE_CUBIC;
  r->g = y && cubic ? hed_spline_filter(y, NULL, 0) : y ? hed_retain(y) : NULL;
  hed_release(y);
  if (status == HED_OK && !r->g)
    status = hed_error();
  hed_array *made = status == HED_OK && o->template_filter ? hed_match_filter_make(o->template_filter, g) : NULL;
  r->filter = made ? hed_to(made, hed_get_backend()) : NULL;
  hed_release(made);
  return status == HED_OK && o->template_filter && !r->filter ? hed_error() : status;
}

/* One row, with the filter of its place where that is wanted. */
static hed_status refine_one(const refinement *r, const hed_table_row *in, hed_table_row *out, size_t *taken)
{
  refinement own = *r;
  if (!r->opt->local_defocus)
    return refine_row(r, in, out, taken);
  hed_status status = local_filter(r, in, &own.filter);
  if (status == HED_OK)
    status = refine_row(&own, in, out, taken);
  hed_release(own.filter);
  return status;
}

hed_status hed__refine_rows(const hed_refine_options *opt, const hed_array *target, const hed_array *tmpl, const hed_array *mask,
                            const hed_table *start, size_t from, hed_table_row *row, size_t *taken,
                            hed_status (*keep)(void *arg, size_t rows), void *arg)
{
  refinement r = { .opt = opt };
  hed_status status = open_all(&r, target, tmpl, mask);
  for (size_t i = from; i < start->n && status == HED_OK; i++) {
    HED_PROFILE_RANGE("refine")
      status = refine_one(&r, &start->row[i], &row[i], taken);
    if (status == HED_OK && keep)
      status = keep(arg, i + 1);
    if (status == HED_OK && opt->progress && opt->progress(opt->progress_arg, i + 1, start->n))
      status = HED_E_CANCELLED;
    if (status == HED_E_CANCELLED)
      (void)hed_fail(status, "%s: cancelled at row %zu of %zu", op, i + 1, start->n);
  }
  hed_release(r.g);
  hed_release(r.m);
  hed_release(r.filter);
  free(r.f);
  return status;
}

hed_status hed_match_refine(const hed_refine_options *opt, const hed_array *target, const hed_array *tmpl, const hed_array *mask,
                            const hed_table *start, hed_table *out, size_t *taken)
{
  static const hed_refine_options none;
  size_t used = 0;
  if (out)
    *out = (hed_table){ 0 };
  if (!target || !tmpl || !start || !out || (start->n && !start->row))
    return hed_fail(HED_E_INVAL, "%s: an argument is NULL", op);
  hed_table_row *row = calloc(start->n + 1, sizeof *row);
  hed_status status = row ? hed__refine_rows(opt ? opt : &none, target, tmpl, mask, start, 0, row, &used, NULL, NULL)
                          : hed_fail(HED_E_NOMEM, "%s: no memory for %zu rows", op, start->n);
  if (taken)
    *taken = used;
  out->n = start->n;
  out->row = row;
  if (status == HED_OK)
    status = hed__table_carry(op, start, out);
  if (status != HED_OK)
    hed_table_clear(out);
  return status;
}
