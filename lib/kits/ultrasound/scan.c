// SPDX-License-Identifier: BSD-3-Clause
/* Sectors to images.
 *
 * Layer: L4, ultrasound kit. Places are computed by the backend; a frame after the other is resampled, as frames share them.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include <math.h>
#include <stdlib.h>

static const char op[] = "us_scan_convert";
enum { MOST_BITS = 28 };

/* The least rectangle around the sector. */
static hed_status grid_of(const hed_us_sector *o, int64_t samples, int64_t beams, hed_us_grid *g)
{
  const double half_pi = 1.57079632679489661923;
  const double near = o->rho[0], far = o->rho[1], left = o->theta[0], right = o->theta[1];
  if (!(near >= 0 && near < far && isfinite(far)))
    return hed_fail(HED_E_INVAL, "%s: rho from %g to %g", op, near, far);
  if (!(left < right && left >= -half_pi && right <= half_pi))
    return hed_fail(HED_E_INVAL, "%s: theta from %g to %g", op, left, right);
  if (!(o->resolution >= 0) || !isfinite(o->resolution))
    return hed_fail(HED_E_INVAL, "%s: resolution %g", op, o->resolution);
  if (samples < 2 || beams < 2)
    return hed_fail(HED_E_SHAPE, "%s: %lld samples of %lld beams; at least 2 of each are needed", op, (long long)samples,
                    (long long)beams);
  const double d_rho = (far - near) / (double)(samples - 1), d_theta = (right - left) / (double)(beams - 1);
  const double step = o->resolution > 0 ? o->resolution : (d_rho + d_theta * (near + (far - near) / 4)) / 2;
  const double widest = fmax(fabs(left), fabs(right));
  const double x0 = (left < 0 ? far : near) * sin(left), x1 = (right > 0 ? far : near) * sin(right);
  const double z0 = near * cos(widest), z1 = left <= 0 && right >= 0 ? far : far * cos(fmin(fabs(left), fabs(right)));
  const double rows = ceil((z1 - z0) / step - 1e-9) + 1, columns = ceil((x1 - x0) / step - 1e-9) + 1;
  if (!(rows * columns <= ldexp(1, MOST_BITS)))
    return hed_fail(HED_E_INVAL, "%s: an image of %g x %g elements at a resolution of %g; at most 2^%d", op, rows, columns, step,
                    MOST_BITS);
  *g = (hed_us_grid){ (int64_t)rows, (int64_t)columns, z0, x0, step, step };
  return HED_OK;
}

/* Indices (2, nz, nx) of the image's places among samples and beams. */
static hed_array *coordinates(const hed_us_sector *o, const hed_us_grid *g, int64_t samples, int64_t beams)
{
  hed_array *i = hed_arange_int(0, g->nz, 1, hed__us_widest()), *j = hed_arange_int(0, g->nx, 1, hed__us_widest());
  hed_array *z = hed_reshape(hed_add_scalar(hed_multiply_scalar(i, g->dz), g->z0), HED_SHAPE(g->nz, 1));
  hed_array *x = hed_add_scalar(hed_multiply_scalar(j, g->dx), g->x0);
  hed_array *rho = hed_hypot(z, x), *theta = hed_arctan2(x, z);
  hed_array *at[2] = { hed_multiply_scalar(hed_subtract_scalar(rho, o->rho[0]), (double)(samples - 1) / (o->rho[1] - o->rho[0])),
                       hed_multiply_scalar(hed_subtract_scalar(theta, o->theta[0]),
                           (double)(beams - 1) / (o->theta[1] - o->theta[0])) };
  return hed_stack(2, (const hed_array *const *)at, 0);
}

/* Whether a place is within the sector; rounding of a place on its border does not throw it out. */
static hed_array *within(const hed_array *at, int64_t samples, int64_t beams)
{
  const double slack = 1e-6;
  hed_array *out = NULL;
  for (int k = 0; k < 2; k++) {
    hed_array *c = hed_index(at, 0, k);
    hed_array *in = hed_logical_and(hed_greater_equal_scalar(c, -slack),
                                    hed_less_equal_scalar(c, (double)((k ? beams : samples) - 1) + slack));
    out = k ? hed_logical_and(out, in) : in;
  }
  return out;
}

static hed_array *converted(const hed_array *x, const hed_us_sector *o, const hed_us_grid *g)
{
  const hed_resample linear = { .spline = HED_SPLINE_LINEAR, .boundary = HED_BOUNDARY_NEAREST };
  hed_shape s = hed_array_shape(x), frames = { 3, { -1, s.dim[s.ndim - 2], s.dim[s.ndim - 1] } };
  hed__us_work w;
  const double fill = o->fill_given ? o->fill : (double)NAN;
  int64_t n = 1;
  for (int32_t k = 0; k < s.ndim - 2; k++)
    n *= s.dim[k];
  frames.dim[0] = n;
  s.dim[s.ndim - 2] = g->nz;
  s.dim[s.ndim - 1] = g->nx;
  hed_array *all = hed_reshape(hed__us_float(x), frames), *at = coordinates(o, g, frames.dim[1], frames.dim[2]);
  hed_array *in = within(at, frames.dim[1], frames.dim[2]), *out = hed_empty(HED_SHAPE(n, g->nz, g->nx), hed__us_result_dtype(x));
  hed_status status = all && in && out ? HED_OK : hed_error();
  for (int64_t k = 0; k < n && status == HED_OK; k++)
    if (hed__us_begin(&w, "frame", false)) {
      hed_array *frame = hed_where_scalar(in, hed_map_coordinates(hed_index(all, 0, k), at, &linear), fill);
      status = frame ? hed_copy_into(hed_index(out, 0, k), frame) : hed_error();
      hed__us_end(&w);
    } else
      status = hed_error();
  return status == HED_OK ? hed_reshape(out, s) : NULL;
}

hed_array *hed_us_scan_convert(const hed_array *x, const hed_us_sector *opt, hed_us_grid *grid)
{
  const hed_shape s = hed_array_shape(x);
  hed__us_work w;
  hed_us_grid g;
  hed_array *kept = NULL;
  if (!hed__operand_given(op, "x", x))
    return NULL;
  if (!opt)
    (void)hed_fail(HED_E_INVAL, "%s: opt is NULL", op);
  else if (s.ndim < 2)
    (void)hed_fail(HED_E_SHAPE, "%s: x has %d axes; at least two are needed", op, (int)s.ndim);
  else if (hed__us_is_complex(x))
    (void)hed_fail(HED_E_DTYPE, "%s: x is %s; it must be real", op, hed_dtype_name(hed_array_dtype(x)));
  else if (grid_of(opt, s.dim[s.ndim - 2], s.dim[s.ndim - 1], &g) == HED_OK &&
           hed__us_begin(&w, op, false)) {
    kept = hed_keep(converted(x, opt, &g));
    hed__us_end(&w);
  }
  if (kept && grid)
    *grid = g;
  return hed__us_hand_on(kept, NULL);
}
