// SPDX-License-Identifier: BSD-3-Clause
/* hed_model_to_map, a sum of Gaussians on a grid.
 *
 * Layer: L4, match kit. A Gaussian is a product of three, one per axis, so an atom costs
 * three short tables and one multiplication per voxel it reaches. Sums run in the order of
 * the atoms: the result is the same everywhere.
 */
#include <heddle/kits/model.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_model_to_map";
static const double pi = 3.14159265358979323846, reach_sigmas = 5.0;
enum { MOST_EDGE = 1024 };

static double coordinate(const hed_model *m, int axis, size_t i) {
  return axis == 0 ? m->z[i] : axis == 1 ? m->y[i] : m->x[i];
}

static double weight(const hed_model *m, size_t i) {
  return m->atomic_number[i] * m->occupancy[i];
}

/* Centre of mass and, per axis, how far an atom is from it at most. */
static hed_status measure(const hed_model *m, double centre[3], double radius[3]) {
  double total = 0;
  for (size_t i = 0; i < m->n; i++) {
    if (!(m->occupancy[i] >= 0) || !isfinite(m->occupancy[i]))
      return hed_fail(HED_E_INVAL, "%s: atom %zu has an occupancy of %g", op, i,
                      m->occupancy[i]);
    total += weight(m, i);
  }
  if (!(total > 0) || !isfinite(total))
    return hed_fail(HED_E_INVAL,
                    "%s: the %zu atoms have a total weight (atomic number x occupancy) of "
                    "%g", op, m->n, total);
  for (int a = 0; a < 3; a++) {
    double sum = 0;
    for (size_t i = 0; i < m->n; i++)
      sum += weight(m, i) * coordinate(m, a, i);
    centre[a] = sum / total;
    radius[a] = 0;
    for (size_t i = 0; i < m->n; i++)
      radius[a] = fmax(radius[a], fabs(coordinate(m, a, i) - centre[a]));
    if (!isfinite(centre[a]) || !isfinite(radius[a]))
      return hed_fail(HED_E_INVAL, "%s: coordinates are not finite along %c", op, "zyx"[a]);
  }
  return HED_OK;
}

static hed_status choose_box(const hed_shape *shape, const double radius[3], double voxel,
                             double reach, int64_t n[3]) {
  double edge = 0;
  for (int a = 0; a < 3; a++)
    edge = fmax(edge, ceil(2 * (radius[a] + reach) / voxel) + 1);
  if (shape && shape->ndim != 3)
    return hed_fail(HED_E_SHAPE, "%s: the shape has %d dimensions, must have 3", op,
                    (int)shape->ndim);
  for (int a = 0; a < 3; a++) {
    if (shape) {
      double need = 2 * radius[a] / voxel + 1;
      if (shape->dim[a] < 1 || (double)shape->dim[a] < need)
        return hed_fail(HED_E_SHAPE,
                        "%s: a box of %lld voxels along %c cannot hold the atoms, which "
                        "need %.0f at %g angstrom", op, (long long)shape->dim[a], "zyx"[a],
                        ceil(need), voxel);
    }
    double want = shape ? (double)shape->dim[a] : edge;
    if (want > MOST_EDGE)
      return hed_fail(HED_E_INVAL,
                      "%s: a voxel of %g angstrom makes a box of %.0f voxels along %c; at "
                      "most %d are made", op, voxel, want, "zyx"[a], (int)MOST_EDGE);
    n[a] = (int64_t)want;
  }
  return HED_OK;
}

/* Adds one atom: centre c in voxels, sigma and reach in voxels; g has room for the reach of
 * three axes. */
static void add_atom(float *v, const int64_t n[3], const double c[3], double sigma,
                     double reach, double amplitude, double *g) {
  int64_t lo[3], count[3];
  double *table[3] = {g, NULL, NULL};
  for (int a = 0; a < 3; a++) {
    lo[a] = (int64_t)fmax(0, ceil(c[a] - reach));
    int64_t hi = (int64_t)fmin((double)(n[a] - 1), floor(c[a] + reach));
    count[a] = hi - lo[a] + 1;
    if (count[a] <= 0)
      return;
    if (a > 0)
      table[a] = table[a - 1] + count[a - 1];
    for (int64_t i = 0; i < count[a]; i++) {
      double d = ((double)(lo[a] + i) - c[a]) / sigma;
      table[a][i] = exp(-0.5 * d * d);
    }
  }
  for (int64_t z = 0; z < count[0]; z++)
    for (int64_t y = 0; y < count[1]; y++) {
      double f = amplitude * table[0][z] * table[1][y];
      float *row = v + ((lo[0] + z) * n[1] + lo[1] + y) * n[2] + lo[2];
      for (int64_t x = 0; x < count[2]; x++)
        row[x] += (float)(f * table[2][x]);
    }
}

hed_status hed_model_to_map(const hed_model *m, double voxel, double resolution,
                            const hed_shape *shape, hed_map *out) {
  hed_status status;
  double centre[3], radius[3], *tables = NULL;
  int64_t n[3];
  float *v = NULL;
  hed_map map = {0};

  if (out)
    memset(out, 0, sizeof *out);
  if (!m || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, m ? "out" : "the model");
  if (m->n == 0)
    return hed_fail(HED_E_INVAL, "%s: the model has no atoms", op);
  if (!(voxel > 0) || !isfinite(voxel) || !(resolution > 0) || !isfinite(resolution))
    return hed_fail(HED_E_INVAL,
                    "%s: a voxel of %g and a resolution of %g angstrom; both must be "
                    "positive", op, voxel, resolution);
  if (resolution < 2 * voxel * (1 - 1e-9))
    return hed_fail(HED_E_INVAL,
                    "%s: a resolution of %g angstrom is finer than two voxels of %g", op,
                    resolution, voxel);
  double sigma = resolution / (pi * sqrt(2.0)), reach = reach_sigmas * sigma;
  if ((status = measure(m, centre, radius)) != HED_OK ||
      (status = choose_box(shape, radius, voxel, reach, n)) != HED_OK)
    return status;
  size_t total = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  v = calloc(total, sizeof *v);
  tables = malloc((size_t)(n[0] + n[1] + n[2]) * sizeof *tables);
  if (!v || !tables) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %zu voxels", op, total);
    goto done;
  }
  double amplitude = pow(sigma * sqrt(2 * pi), -3.0);
  for (int a = 0; a < 3; a++) {
    map.voxel[a] = voxel;
    map.origin[a] = centre[a] - (double)(n[a] - 1) / 2 * voxel;
  }
  for (size_t i = 0; i < m->n; i++) {
    double c[3];
    for (int a = 0; a < 3; a++)
      c[a] = (coordinate(m, a, i) - map.origin[a]) / voxel;
    if (weight(m, i) > 0)
      add_atom(v, n, c, sigma / voxel, reach / voxel, amplitude * weight(m, i), tables);
  }
  hed_shape s = {.ndim = 3, .dim = {n[0], n[1], n[2]}};
  map.data = hed_keep(hed_wrap(v, s, NULL, HED_FLOAT32, free, v));
  if (!map.data) {
    status = hed_error();
    goto done;
  }
  v = NULL;
  map.mode = 2;
  *out = map;
done:
  free(v);
  free(tables);
  return status;
}
