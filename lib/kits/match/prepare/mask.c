// SPDX-License-Identifier: BSD-3-Clause
/* Masks of simple shapes, and round what exceeds a level.
 *
 * Layer: L4, match kit. Distances from a set: P. F. Felzenszwalb, D. P. Huttenlocher, Theory of Computing 8 (2012) 415-428, one
 * axis after the other.
 */
#include "kits/match/run/job.h"
#include "kits/member.h"
#include <heddle/kits/mask.h>
#include <math.h>
#include <stdlib.h>

static const double least = 1e-3;

/* D voxels beyond the edge; not above 0: inside. */
static float fall(double d, double soft)
{
  if (d <= 0)
    return 1;
  const double v = soft > 0 ? exp(-d * d / (2 * soft * soft)) : 0;
  return v < least ? 0 : (float)v;
}

static hed_status extents(const char *op, hed_shape s, int64_t d[3], size_t *n)
{
  if (s.ndim != 2 && s.ndim != 3)
    return hed_fail(HED_E_SHAPE, "%s: %d dimensions, not 2 or 3", op, (int)s.ndim);
  *n = 1;
  for (int i = 0; i < 3; i++)
    d[i] = 1;
  for (int i = 0; i < s.ndim; i++) {
    d[3 - s.ndim + i] = s.dim[i];
    if (s.dim[i] < 1 || __builtin_mul_overflow(*n, (size_t)s.dim[i], n) || *n > SIZE_MAX / 16)
      return hed_fail(HED_E_SHAPE, "%s: an extent of %lld along axis %d", op, (long long)s.dim[i], i);
  }
  return HED_OK;
}

/* How far a place is outside a shape. */
static double outside(const hed_mask_options *o, const double r[3], const double p[3])
{
  const double round = hypot(p[1], p[2]);
  double s = 0, q = 0;
  switch (o->kind) {
  case HED_MASK_ELLIPSOID:
    for (int i = 0; i < 3; i++) {
      s += p[i] * p[i];
      q += p[i] * p[i] / (r[i] * r[i]);
    }
    return q > 0 ? sqrt(s) * (1 - 1 / sqrt(q)) : -1;
  case HED_MASK_BOX:
    for (int i = 0; i < 3; i++)
      s += pow(fmax(fabs(p[i]) - r[i], 0), 2);
    return sqrt(s);
  case HED_MASK_TUBE:
    return hypot(fmax(fmax(round - r[2], o->inner - round), 0), fmax(fabs(p[0]) - o->height / 2, 0));
  case HED_MASK_MEMBRANE:
    return hypot(fmax(round - r[2], 0), fmax(fabs(fabs(p[0]) - o->separation / 2) - o->thickness / 2, 0));
  default:
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - r[0];
  }
}

static hed_status check(const char *op, const hed_mask_options *o)
{
  const double all[] = { o->radius[0], o->radius[1], o->radius[2], o->inner, o->height, o->thickness, o->separation, o->soft };
  static const char *const names[] = { "radius[0]", "radius[1]", "radius[2]", "inner", "height", "thickness", "separation", "soft" };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (!(all[i] >= 0) || isinf(all[i]))
      return hed_fail(HED_E_INVAL, "%s: %s is %g; 0 or more, and finite, is expected", op, names[i], all[i]);
  return hed__expect_member(op, "kind", o->kind, HED_MASK_SPHERE, HED_MASK_MEMBRANE, "hed_mask_kind");
}

hed_array *hed_match_sphere(hed_shape shape, double radius)
{
  static const char op[] = "hed_match_sphere";
  int64_t d[3];
  size_t n;
  if (extents(op, shape, d, &n) != HED_OK)
    return NULL;
  if (!(radius >= 0) || isinf(radius)) {
    (void)hed_fail(HED_E_INVAL, "%s: radius is %g; 0, for half the least extent, or more is expected", op, radius);
    return NULL;
  }
  return hed_mask_make(&(hed_mask_options){ .radius = { radius } }, shape);
}

hed_array *hed_mask_make(const hed_mask_options *opt, hed_shape shape)
{
  static const char op[] = "hed_mask_make";
  static const hed_mask_options none;
  hed_mask_options o = opt ? *opt : none;
  int64_t d[3];
  size_t n, k = 0;
  double r[3], smallest = INFINITY;
  if (check(op, &o) != HED_OK || extents(op, shape, d, &n) != HED_OK)
    return NULL;
  for (int i = 3 - shape.ndim; i < 3; i++)
    smallest = fmin(smallest, (double)d[i] / 2);
  for (int i = 0; i < 3; i++)
    r[i] = o.radius[i] > 0 ? o.radius[i] : o.kind == HED_MASK_ELLIPSOID || o.kind == HED_MASK_BOX ? fmax((double)d[i] / 2,
         0.5) : smallest;
  o.height = o.height > 0 ? o.height : (double)d[0];
  o.thickness = o.thickness > 0 ? o.thickness : 1;
  float *v = malloc(n * sizeof *v);
  if (!v) {
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for %zu voxels", op, n);
    return NULL;
  }
  for (int64_t z = 0; z < d[0]; z++)
    for (int64_t y = 0; y < d[1]; y++)
      for (int64_t x = 0; x < d[2]; x++) {
        const double p[3] = { (double)z - (double)(d[0] - 1) / 2 - o.centre[0], (double)y - (double)(d[1] - 1) / 2 - o.centre[1],
                              (double)x - (double)(d[2] - 1) / 2 - o.centre[2] };
        v[k++] = fall(outside(&o, r, p), o.soft);
      }
  hed_array *out = hed_from_host(v, shape, HED_FLOAT32);
  free(v);
  return out;
}

/* Squares of distances along a line of N values STRIDE apart: the lower envelope of parabolas. */
static void envelope(double *v, size_t n, size_t stride, double *at, double *height, double *from)
{
  size_t k = 0, found = 0;
  for (size_t q = 0; q < n; q++) {
    const double h = v[q * stride];
    double s = -INFINITY;
    if (isinf(h))
      continue;
    while (found > 0) {
      s = (h + (double)q * (double)q - height[found - 1] - at[found - 1] * at[found - 1]) / (2 * ((double)q - at[found - 1]));
      if (s > from[found - 1])
        break;
      found--;
      s = -INFINITY;
    }
    at[found] = (double)q;
    height[found] = h;
    from[found++] = s;
  }
  for (size_t q = 0; q < n && found > 0; q++) {
    while (k + 1 < found && from[k + 1] <= (double)q)
      k++;
    v[q * stride] = ((double)q - at[k]) * ((double)q - at[k]) + height[k];
  }
}

/* Squares of distances in place, from 0 where the set is and infinity elsewhere. */
static hed_status distances(const char *op, double *v, const int64_t d[3])
{
  const size_t stride[3] = { (size_t)(d[1] * d[2]), (size_t)d[2], 1 };
  int64_t longest = 1;
  for (int a = 0; a < 3; a++)
    longest = d[a] > longest ? d[a] : longest;
  double *lines = malloc(3 * (size_t)longest * sizeof *lines);
  if (!lines)
    return hed_fail(HED_E_NOMEM, "%s: no memory for lines of %lld", op, (long long)longest);
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    for (int64_t i = 0; i < d[b]; i++)
      for (int64_t j = 0; j < d[c]; j++)
        envelope(v + (size_t)i * stride[b] + (size_t)j * stride[c], (size_t)d[a], stride[a], lines, lines + longest,
             lines + 2 * longest);
  }
  free(lines);
  return HED_OK;
}

hed_array *hed_mask_threshold(const hed_array *x, double level, double dilate, double soft)
{
  static const char op[] = "hed_mask_threshold";
  int64_t d[3];
  size_t n, some = 0;
  hed_array *out = NULL;
  if (!x || !isfinite(level) || !(dilate >= 0) || isinf(dilate) || !(soft >= 0) || isinf(soft)) {
    (void)hed_fail(HED_E_INVAL, "%s: %s, level %g, dilate %g, soft %g", op, x ? "x" : "x is NULL", level, dilate, soft);
    return NULL;
  }
  if (extents(op, hed_array_shape(x), d, &n) != HED_OK)
    return NULL;
  hed_array *single = hed__checked(op, "x", x);
  float *v = single ? hed__to_malloc(single) : NULL;
  hed_release(single);
  double *far = v ? malloc(n * sizeof *far) : NULL;
  hed_status status = far ? HED_OK : v ? hed_fail(HED_E_NOMEM, "%s: no memory for %zu voxels", op, n) : hed_error();
  for (size_t i = 0; status == HED_OK && i < n; i++) {
    far[i] = (double)v[i] >= level ? 0 : INFINITY;
    some += (double)v[i] >= level;
  }
  if (status == HED_OK && !some)
    status = hed_fail(HED_E_INVAL, "%s: no value reaches the level %g", op, level);
  if (status == HED_OK)
    status = distances(op, far, d);
  for (size_t i = 0; status == HED_OK && i < n; i++)
    v[i] = fall(sqrt(far[i]) - dilate, soft);
  if (status == HED_OK)
    out = hed_from_host(v, hed_array_shape(x), HED_FLOAT32);
  free(far);
  free(v);
  return out;
}
