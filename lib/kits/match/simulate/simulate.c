// SPDX-License-Identifier: BSD-3-Clause
/* A noisy volume with copies of a template at known poses.
 *
 * Layer: L4, match kit. All random numbers come from Heddle's counter-based generator under seeds made from the
 * caller's: 3 seed for positions, 3 seed + 1 for orientations, 3 seed + 2 for noise. They and the order of additions do
 * not depend on the backend; nor do the turned templates, which the reference backend makes for every caller.
 * Uniform orientations: K. Shoemake, "Uniform random rotations", Graphics Gems III (1992) 124-132.
 */
#include "kits/match/run/job.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_simulate";
static const double tau = 6.28318530717958647692;

/* What the steps share; axes padded to three in front. */
typedef struct scene {
  const hed_simulate_options *opt;
  int ndim;
  int64_t d[3], t[3];  /* extents of the volume and the template */
  size_t copies;
  double distance;
  hed_table_row *row;
  double *matrix;      /* copies x ndim x ndim */
  float *volume;
} scene;

/* COUNT rows of WIDTH uniform numbers in [0, 1) from one of the three streams; malloc'd. */
static double *uniforms(const scene *s, uint64_t stream, size_t count, int width)
{
  const hed_random r = { .seed = 3 * s->opt->seed + stream, .seeded = true };
  hed_array *u = hed_keep(hed_random_uniform(HED_SHAPE((int64_t)count, width), HED_FLOAT32, &r));
  hed_array *values = hed__own(u, hed_astype(u, HED_FLOAT32));
  float *single = values ? hed__to_malloc(values) : NULL;
  double *out = single ? malloc(count * (size_t)width * sizeof *out) : NULL;
  if (single && !out)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for %zu random numbers", op, count);
  for (size_t i = 0; out && i < count * (size_t)width; i++)
    out[i] = (double)single[i];
  free(single);
  hed_release(u);
  hed_release(values);
  return out;
}

/* Places by rejection: the whole template inside, its distance kept. */
static hed_status place(scene *s)
{
  const size_t attempts = 2000 + 500 * s->copies;
  size_t placed = 0;
  double *u = uniforms(s, 0, attempts, 3);
  if (!u)
    return hed_error();
  for (size_t i = 0; i < attempts && placed < s->copies; i++) {
    hed_table_row r = { .id = (int64_t)placed + 1, .score = 1 };
    bool clear = true;
    for (int a = 0; a < 3; a++) {
      int64_t corner = (int64_t)(u[3 * i + (size_t)a] * (double)(s->d[a] - s->t[a] + 1));
      if (corner > s->d[a] - s->t[a])
        corner = s->d[a] - s->t[a];
      r.position[a] = (double)(corner + s->t[a] / 2);
      r.angstrom[a] = r.position[a] * (s->opt->voxel[a] > 0 ? s->opt->voxel[a] : 1);
    }
    for (size_t k = 0; clear && k < placed; k++) {
      double q = 0;
      for (int a = 0; a < 3; a++)
        q += (r.position[a] - s->row[k].position[a]) * (r.position[a] - s->row[k].position[a]);
      clear = q >= s->distance * s->distance;
    }
    if (clear)
      s->row[placed++] = r;
  }
  free(u);
  if (placed < s->copies)
    return hed_fail(HED_E_INVAL, "%s: only %zu of %zu copies, %g voxels apart, found a place in the volume", op, placed,
                    s->copies, s->distance);
  return HED_OK;
}

static hed_status orient(scene *s)
{
  double *u = uniforms(s, 1, s->copies, 3);
  if (!u)
    return hed_error();
  for (size_t i = 0; i < s->copies; i++) {
    const double *v = u + 3 * i;
    if (s->ndim == 2) {
      hed_rotation_from_angle(360 * v[0], s->matrix + 4 * i);
      s->row[i].euler[0] = 360 * v[0];
      continue;
    }
    double a = sqrt(1 - v[0]), b = sqrt(v[0]);
    double q[4] = { b * cos(tau * v[2]), a * sin(tau * v[1]), a * cos(tau * v[1]), b * sin(tau * v[2]) };
    if (hed_rotation_from_quaternion(q, s->matrix + 9 * i) != HED_OK) {
      free(u);
      return hed_error();
    }
    hed_rotation_to_euler(s->matrix + 9 * i, s->row[i].euler);
  }
  free(u);
  return HED_OK;
}

static void add_box(scene *s, const hed_table_row *r, const float *box)
{
  int64_t c[3];
  for (int a = 0; a < 3; a++)
    c[a] = (int64_t)r->position[a] - s->t[a] / 2;
  for (int64_t z = 0; z < s->t[0]; z++)
    for (int64_t y = 0; y < s->t[1]; y++) {
      float *to = s->volume + ((c[0] + z) * s->d[1] + c[1] + y) * s->d[2] + c[2];
      for (int64_t x = 0; x < s->t[2]; x++)
        to[x] += *box++;
    }
}

static hed_status paste_turned(scene *s, const hed_array *tmpl)
{
  for (size_t i = 0; i < s->copies; i++) {
    hed_array *turned = NULL;
    hed_status status = hed_rigid_transform(tmpl, NULL, s->matrix + i * (size_t)(s->ndim * s->ndim), NULL, &turned,
                                            NULL);
    float *box = status == HED_OK ? hed__to_malloc(hed_keep(turned)) : NULL;
    if (box)
      add_box(s, &s->row[i], box);
    else
      status = hed_error();
    free(box);
    hed_release(turned);
    if (status != HED_OK)
      return status;
  }
  return HED_OK;
}

/* Other backends round otherwise. */
static hed_status paste(scene *s, const hed_array *tmpl)
{
  hed_frame frame = { 0, 0, 0, 0 };
  hed_array *here = hed__on_host(tmpl);
  hed_status status = here ? hed_backend_context_push("reference", &frame) : hed_error();
  if (status == HED_OK) {
    status = paste_turned(s, here);
    (void)hed_context_unwind(frame);
  }
  hed_release(here);
  return status;
}

/* Variance of the template inside its inscribed sphere. */
static hed_status signal_variance(const scene *s, const hed_array *tmpl, double *out)
{
  hed_array *sphere = hed_keep(hed_match_sphere(hed_array_shape(tmpl), 0));
  float *m = sphere ? hed__to_malloc(sphere) : NULL;
  float *g = m ? hed__to_malloc(tmpl) : NULL;
  double n = 0, first = 0, second = 0;
  for (int64_t i = 0; g && i < s->t[0] * s->t[1] * s->t[2]; i++)
    if (m[i] > 0) {
      n++;
      first += (double)g[i];
      second += (double)g[i] * (double)g[i];
    }
  hed_status status = g ? HED_OK : hed_error();
  hed_release(sphere);
  free(m);
  free(g);
  if (status != HED_OK)
    return status;
  *out = second / n - first / n * (first / n);
  if (!(*out > 0))
    return hed_fail(HED_E_INVAL, "%s: the template has no variance", op);
  return HED_OK;
}

/* VALUES, of the volume's shape, behind a filter; by the reference backend, whose bits are the same for all. */
static hed_status pass(const hed_match_filter *filter, hed_shape shape, float *values)
{
  const hed_fft back = { .s = shape };
  hed_frame frame = { 0, 0, 0, 0 };
  hed_scope scope = { 0, NULL };
  hed_status status = hed_backend_context_push("reference", &frame);
  if (status != HED_OK)
    return status;
  if ((status = hed_scope_begin(&scope)) == HED_OK) {
    hed_array *x = hed_from_host(values, shape, HED_FLOAT32), *spectrum = x ? hed_rfftn(x, NULL) : NULL;
    hed_array *made = hed_match_filter_make(filter, shape), *out = NULL;
    if (made && spectrum && hed_multiply_into(spectrum, spectrum, made) == HED_OK)
      out = hed_irfftn(spectrum, &back);
    status = out ? hed_to_host(out, values, hed_array_nbytes(out)) : hed_error();
    hed_release(made);
    hed_scope_end(&scope);
  }
  (void)hed_context_unwind(frame);
  return status;
}

/* DEVIATION is that of the noise once it is coloured. */
static hed_status add_noise(scene *s, hed_shape shape, double deviation)
{
  const hed_random r = { .seed = 3 * s->opt->seed + 2, .seeded = true, .std = s->opt->noise_sigma > 0 ? 1 : deviation };
  /* exp(-ln 2 (k c)^2) is the transform of a Gaussian, exp(-2 pi^2 k^2 sigma^2) */
  const hed_match_filter smooth = { .low_pass = sqrt(tau * tau / 2 / log(2)) * s->opt->noise_sigma };
  const size_t n = (size_t)(s->d[0] * s->d[1] * s->d[2]);
  hed_array *noise = hed_keep(hed_random_normal(shape, HED_FLOAT32, &r));
  float *v = noise ? hed__to_malloc(noise) : NULL;
  double scale = 1, squares = 0;
  hed_status status = v ? HED_OK : hed_error();
  hed_release(noise);
  if (status == HED_OK && s->opt->noise_sigma > 0) {
    status = pass(&smooth, shape, v);
    for (size_t i = 0; i < n; i++)
      squares += (double)v[i] * (double)v[i];
    scale = deviation / sqrt(squares / (double)n);
  }
  for (size_t i = 0; status == HED_OK && i < n; i++)
    s->volume[i] += scale == 1 ? v[i] : (float)(scale * (double)v[i]);
  free(v);
  return status;
}

static void darken(scene *s)
{
  for (int64_t i = 0; i < s->d[0] * s->d[1] * s->d[2]; i++)
    s->volume[i] = -s->volume[i];
}

/* What a microscope that cannot tilt to 90 degrees leaves of it. */
static hed_status take_wedge(scene *s, hed_shape shape)
{
  const hed_match_filter wedge = { .wedge = HED_WEDGE_CONTINUOUS, .tilt_low = s->opt->tilt_low, .tilt_high = s->opt->tilt_high };
  return s->opt->tilt_low == 0 && s->opt->tilt_high == 0 ? HED_OK : pass(&wedge, shape, s->volume);
}

static hed_status open_scene(scene *s, hed_shape tmpl)
{
  const hed_simulate_options *o = s->opt;
  double largest = 0, cells = 1;
  s->ndim = o->shape.ndim;
  if (s->ndim != 2 && s->ndim != 3)
    return hed_fail(HED_E_SHAPE, "%s: the volume has %d dimensions, not 2 or 3", op, s->ndim);
  if (tmpl.ndim != s->ndim)
    return hed_fail(HED_E_SHAPE, "%s: the template has %d dimensions, the volume %d", op, (int)tmpl.ndim, s->ndim);
  for (int i = 0; i < 3; i++)
    s->d[i] = s->t[i] = 1;
  for (int i = 0; i < s->ndim; i++) {
    int a = 3 - s->ndim + i;
    s->d[a] = o->shape.dim[i];
    s->t[a] = tmpl.dim[i];
    if (s->t[a] < 1 || s->t[a] > s->d[a])
      return hed_fail(HED_E_SHAPE, "%s: along axis %d the template has %lld voxels, the volume %lld", op, i,
                      (long long)s->t[a], (long long)s->d[a]);
    largest = fmax(largest, (double)s->t[a]);
    cells *= (double)s->d[a];
  }
  if (cells > 1e11)
    return hed_fail(HED_E_SHAPE, "%s: a volume of %g voxels", op, cells);
  if (!(o->snr >= 0) || !isfinite(o->snr) || !(o->distance >= 0) || o->copies > 1000000 ||
      !(o->noise_sigma >= 0) || !(o->noise_sigma < 1e3))
    return hed_fail(HED_E_INVAL, "%s: snr %g, distance %g, copies %zu, noise_sigma %g", op, o->snr, o->distance, o->copies,
                    o->noise_sigma);
  s->copies = o->copies ? o->copies : 1;
  s->distance = o->distance > 0 ? o->distance : largest;
  s->row = calloc(s->copies, sizeof *s->row);
  s->matrix = calloc(s->copies * 9, sizeof *s->matrix);
  s->volume = calloc((size_t)cells, sizeof *s->volume);
  if (!s->row || !s->matrix || !s->volume)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %g voxels and %zu copies", op, cells, s->copies);
  return HED_OK;
}

hed_status hed_simulate(const hed_simulate_options *opt, const hed_array *tmpl, hed_array **volume, hed_table *truth)
{
  scene s = { .opt = opt };
  hed_array *g = NULL;
  double variance = 0;
  hed_status status;

  if (!opt || !tmpl || !volume || !truth)
    return hed_fail(HED_E_INVAL, "%s: an argument is NULL", op);
  *volume = NULL;
  *truth = (hed_table){ 0 };
  if ((status = open_scene(&s, hed_array_shape(tmpl))) != HED_OK)
    goto done;
  if (!(g = hed__checked(op, "template", tmpl))) {
    status = hed_error();
    goto done;
  }
  if ((status = place(&s)) != HED_OK || (status = orient(&s)) != HED_OK || (status = paste(&s, g)) != HED_OK ||
      (status = signal_variance(&s, g, &variance)) != HED_OK)
    goto done;
  if (opt->invert)
    darken(&s);
  if (opt->snr > 0 && (status = add_noise(&s, opt->shape, sqrt(variance / opt->snr))) != HED_OK)
    goto done;
  if ((status = take_wedge(&s, opt->shape)) != HED_OK)
    goto done;
  *volume = hed_from_host(s.volume, opt->shape, HED_FLOAT32);
  if (!*volume) {
    status = hed_error();
    goto done;
  }
  *truth = (hed_table){ .n = s.copies, .row = s.row };
  s.row = NULL;
done:
  hed_release(g);
  free(s.row);
  free(s.matrix);
  free(s.volume);
  return status;
}
