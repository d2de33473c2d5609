// SPDX-License-Identifier: BSD-3-Clause
/* Where exactly is a particle, and how is it turned? A search leaves it within its angular step and a voxel; the gradient of the
 * score by place and orientation, which are six numbers, leads from there to the maximum.
 *
 *   cc 14_pose.c $(pkg-config --cflags --libs heddle-kits) -lm && ./a.out [SPEC]
 */
#include <heddle/kits/map.h>
#include <heddle/kits/match.h>
#include <heddle/kits/model.h>
#include <math.h>
#include <stdio.h>

enum { SIDE = 24, VOXELS = SIDE * SIDE * SIDE, STEPS = 60 };

/* A template, where its voxels are from the middle (3, VOXELS), and what was found. */
typedef struct scene {
  hed_array *tmpl, *grid, *found;
} scene;

/* The template at POSE: turned by the vector of its first three numbers (direction: the axis, length: radians), then moved by
 * the others, voxels. The rotation is the exponential of a skew matrix. */
static hed_array *posed(const scene *s, const hed_array *pose)
{
  static const double turn[27] = { [5] = -1, [7] = 1, [9 + 2] = 1, [9 + 6] = -1, [18 + 1] = -1, [18 + 3] = 1 };
  const hed_array *generators = hed_from_doubles(turn, HED_SHAPE(3, 9), HED_FLOAT64);
  const hed_array *vector = hed_slice(pose, 1, (const hed_slice_range[]){ HED_RANGE(0, 3, 1) });
  const hed_array *move = hed_reshape(hed_slice(pose, 1, (const hed_slice_range[]){ HED_RANGE(3, 6, 1) }), HED_SHAPE(3, 1));
  const hed_array *rotation = hed_expm(hed_reshape(hed_matmul(vector, generators), HED_SHAPE(3, 3)));
  const hed_array *place = hed_matmul(hed_matrix_transpose(rotation), hed_subtract(s->grid, move));
  return hed_map_coordinates(s->tmpl, hed_add_scalar(place, (SIDE - 1) / 2.), NULL);
}

static hed_array *centred(const hed_array *x)
{
  return hed_subtract(x, hed_mean(x, NULL));
}

/* The normalized correlation of what was found with the template at the pose X[0]. */
static hed_status score(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  const scene *s = arg;
  (void)n, (void)m;
  HED_SCOPE_OR(return hed_error()) {
    const hed_array *a = centred(posed(s, x[0])), *b = centred(s->found);
    const hed_array *size = hed_sqrt(hed_multiply(hed_sum(hed_square(a), NULL), hed_sum(hed_square(b), NULL)));
    y[0] = hed_keep(hed_divide(hed_sum(hed_multiply(a, b), NULL), size));
  }
  return y[0] ? HED_OK : hed_error();
}

static hed_status evaluate(scene *s, const double *pose, double *value, double *g)
{
  hed_array *y = NULL, *gradient = NULL;
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    const hed_array *x = hed_from_doubles(pose, HED_SHAPE(6), HED_FLOAT64);
    status = hed_value_and_grad(score, s, 1, &x, &y, &gradient);
    if (status == HED_OK)
      status = hed_item(y, value);
    if (status == HED_OK)
      status = hed_tolist(gradient, g, 6);
    hed_release(y);
    hed_release(gradient);
  }
  return status;
}

/* Up the slope, by steps as long as the last change of the gradient suggests (J. Barzilai, J. M. Borwein, IMA J. Numer. Anal. 8
 * (1988) 141-148); a voxel at the particle's edge is the unit of both angles and distances. */
static hed_status refine(scene *s, double *pose, double *value)
{
  const double unit[6] = { 0.15, 0.15, 0.15, 1, 1, 1 };
  double g[6], was[6], step[6] = { 0 };
  hed_status status = evaluate(s, pose, value, g);
  for (int k = 0; k < STEPS && status == HED_OK; k++) {
    double ss = 0, sg = 0, length = 0;
    for (int i = 0; i < 6; i++) {
      ss += step[i] / unit[i] * step[i] / unit[i];
      sg += k ? step[i] * (was[i] - g[i]) : 0;
      length += g[i] * unit[i] * g[i] * unit[i];
    }
    const double longest = 0.5 / fmax(sqrt(length), 1e-12);
    const double rate = sg > 0 ? fmin(ss / sg, longest) : longest;
    for (int i = 0; i < 6; i++) {
      was[i] = g[i];
      pose[i] += step[i] = rate * g[i] * unit[i] * unit[i];
    }
    status = evaluate(s, pose, value, g);
  }
  return status;
}

static hed_status make(scene *s, const hed_array *map, const double *pose)
{
  const hed_shape shape = hed_array_shape(map);
  double from[3];
  for (int k = 0; k < 3; k++) /* the middle of the map in the middle of the template */
    from[k] = (double)((shape.dim[k] - 1) / 2. - (SIDE - 1) / 2.);
  const double matrix[12] = { 1, 0, 0, from[0], 0, 1, 0, from[1], 0, 0, 1, from[2] };
  const hed_shape cube = HED_SHAPE(SIDE, SIDE, SIDE);
  const hed_resample linear = { .spline = HED_SPLINE_LINEAR };
  s->tmpl = hed_affine_transform(hed_astype(map, HED_FLOAT64), matrix, &cube, &linear);
  s->grid = hed_reshape(hed_subtract_scalar(hed_indices(cube, HED_FLOAT64), (SIDE - 1) / 2.), HED_SHAPE(3, VOXELS));
  hed_array *there = posed(s, hed_from_doubles(pose, HED_SHAPE(6), HED_FLOAT64));
  hed_array *noise = hed_random_normal(HED_SHAPE(VOXELS), HED_FLOAT64, &(hed_random){ .seed = 3, .seeded = true });
  s->found = hed_add(there, hed_multiply(noise, hed_std(there, NULL)));
  return s->found ? HED_OK : hed_error();
}

int main(int argc, char **argv)
{
  const double truth[6] = { 0.12, -0.09, 0.1, 0.8, -0.6, 0.45 };
  double pose[6] = { 0 }, before = 0, after = 0, g[6], turned = 0, moved = 0;
  hed_model molecule = { 0 };
  hed_map map = { 0 };
  hed_status status = HED_OK;
  HED_BACKEND_CONTEXT_OR(argc > 1 ? argv[1] : "cpu", goto failed) HED_SCOPE {
    scene s = { 0 };
    status = hed_model_example(&molecule);
    if (status == HED_OK)
      status = hed_model_to_map(&molecule, 8, 20, NULL, &map);
    if (status == HED_OK)
      status = make(&s, map.data, truth);
    if (status == HED_OK)
      status = evaluate(&s, pose, &before, g);
    if (status == HED_OK)
      status = refine(&s, pose, &after);
  }
  hed_model_clear(&molecule);
  hed_map_clear(&map);
  if (status != HED_OK)
    goto failed;
  for (int k = 0; k < 3; k++) {
    turned = hypot(turned, pose[k] - truth[k]);
    moved = hypot(moved, pose[3 + k] - truth[3 + k]);
  }
  printf("score %.3f, refined %.3f\n", before, after);
  printf("off by %.2f degrees and %.3f voxels\n", turned * 180 / 3.14159265358979323846, moved);
  return 0;
failed:
  fprintf(stderr, "%s\n", hed_error_text());
  return 1;
}
