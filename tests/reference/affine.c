// SPDX-License-Identifier: BSD-3-Clause
/* The reference backend's affine resampling: SciPy's answers (tests/data/affine.txt, made by affine.py there),
 * layouts, batches, dtypes, and properties that need no table.
 */
#include "kernel.h"

int32_t ref_affine_transform(void *state, const hed_call *call);

static int32_t resample(operand *out, operand *in, const hed_affine_params *p)
{
  return kernel_call(ref_affine_transform, HED_OP_AFFINE_TRANSFORM, HED_ID_FLOAT64, p, 1, &out, 1, &in);
}

/* The input of the table: exact in every float type of the test. */
static double pattern(int64_t k) { return (double)((k * 7919 + 13) % 101) / 64 - 0.5; }

static double number(FILE *f)
{
  double x;
  if (fscanf(f, "%la", &x) != 1)
    bail("tests/data/affine.txt ends early");
  return x;
}

static void table(gen *g)
{
  const char *root = getenv("HEDDLE_TEST_SRCDIR");
  char path[1024];
  int nd, cases = 0;
  double worst = 0;
  snprintf(path, sizeof path, "%s/tests/data/affine.txt", root ? root : ".");
  FILE *f = fopen(path, "r");
  if (!f)
    bail("cannot read %s", path);
  while (fscanf(f, "%d", &nd) == 1) {
    int64_t from[3], to[3];
    hed_affine_params p = { .ndim = nd };
    p.order = (int32_t)number(f);
    p.prefilter = number(f) != 0;
    for (int k = 0; k < nd; k++)
      from[k] = (int64_t)number(f);
    for (int k = 0; k < nd; k++)
      to[k] = (int64_t)number(f);
    for (int i = 0; i < nd; i++)
      for (int k = 0; k <= nd; k++)
        p.matrix[i][k] = number(f);
    operand x = operand_new(cases % 2 ? g : NULL, HED_ID_FLOAT64, nd, from);
    operand y = operand_new(cases % 2 ? g : NULL, HED_ID_FLOAT64, nd, to);
    for (int64_t k = 0; k < x.n; k++)
      operand_set(&x, k, pattern(k), 0);
    int32_t status = resample(&y, &x, &p);
    double error = 0;
    for (int64_t k = 0; k < y.n; k++)
      error = fmax(error, fabs(*(double *)operand_at(&y, k) - number(f)));
    if (status != HED_OK || !(error < 1e-13))
      fail("case %d: %d axes, order %d: error %g (%s)", cases, nd, (int)p.order, error, kernel_text);
    if (!operand_free(&x) || !operand_free(&y))
      fail("case %d writes elsewhere", cases);
    worst = fmax(worst, error);
    cases++;
  }
  fclose(f);
  ok(cases == 120 && worst < 1e-13, "%d cases as SciPy has them, largest error %.2g", cases, worst);
}

static const hed_affine_params cubic = { .ndim = 2, .order = 3, .prefilter = true,
                                         .matrix = { { 0.8, 0.3, 0.4 }, { -0.2, 0.9, 1.1 } } };

/* A batch is its matrices one by one; other dtypes are the float64 result rounded. */
static void batches(gen *g)
{
  int64_t dim[4] = { 2, 3, 6, 5 };
  operand x = operand_new(g, HED_ID_FLOAT64, 4, dim), y = operand_new(g, HED_ID_FLOAT64, 4, dim);
  operand x1 = operand_new(NULL, HED_ID_FLOAT64, 2, dim + 2), y1 = operand_new(NULL, HED_ID_FLOAT64, 2, dim + 2);
  operand xf = operand_new(g, HED_ID_FLOAT32, 4, dim), yf = operand_new(g, HED_ID_FLOAT32, 4, dim);
  bool same = true, rounded = true;
  for (int64_t k = 0; k < x.n; k++) {
    operand_set(&x, k, pattern(k), 0);
    operand_set(&xf, k, pattern(k), 0);
  }
  is_int(resample(&y, &x, &cubic), HED_OK, "a batch");
  resample(&yf, &xf, &cubic);
  for (int64_t b = 0; b < 6; b++) {
    for (int64_t k = 0; k < 30; k++)
      operand_set(&x1, k, pattern(b * 30 + k), 0);
    resample(&y1, &x1, &cubic);
    for (int64_t k = 0; k < 30; k++)
      same = same && *(double *)operand_at(&y1, k) == *(double *)operand_at(&y, b * 30 + k);
  }
  for (int64_t k = 0; k < y.n; k++)
    rounded = rounded && *(float *)operand_at(&yf, k) == (float)*(double *)operand_at(&y, k);
  ok(same, "each matrix by itself");
  ok(rounded, "float32 is the float64 result, rounded once");
  resample(&x, &x, &cubic);
  same = true;
  for (int64_t k = 0; k < x.n; k++)
    same = same && *(double *)operand_at(&x, k) == *(double *)operand_at(&y, k);
  ok(same, "in place");
  operand *all[] = { &x, &y, &x1, &y1, &xf, &yf };
  for (int k = 0; k < 6; k++)
    ok(operand_free(all[k]), "operand %d: nothing else written", k);
}

static void properties(void)
{
  /* identity and right angles give the elements, whole borders included, for every order */
  int64_t dim[2] = { 9, 9 };
  operand x = operand_new(NULL, HED_ID_FLOAT64, 2, dim), y = operand_new(NULL, HED_ID_FLOAT64, 2, dim);
  for (int64_t k = 0; k < x.n; k++)
    operand_set(&x, k, pattern(k), 0);
  for (int order = 0; order <= 3; order += order ? 2 : 1)
    for (int turns = 0; turns < 4; turns++) {
      double a = turns * acos(-1.0) / 2, c = cos(a), s = sin(a), worst = 0;
      hed_affine_params p = { .ndim = 2, .order = order, .prefilter = true,
                              .matrix = { { c, -s, 4 - 4 * c + 4 * s }, { s, c, 4 - 4 * s - 4 * c } } };
      resample(&y, &x, &p);
      for (int64_t i = 0; i < 9; i++)
        for (int64_t j = 0; j < 9; j++) {
          int64_t u = i - 4, v = j - 4, r = turns == 0 ? u : turns == 1 ? -v : turns == 2 ? -u : v;
          int64_t q = turns == 0 ? v : turns == 1 ? u : turns == 2 ? -v : -u;
          worst = fmax(worst, fabs(((double *)y.memory)[i * 9 + j] - ((double *)x.memory)[(r + 4) * 9 + q + 4]));
        }
      ok(worst < 1e-13, "order %d, %d right angles: error %.2g", order, turns, worst);
    }
  /* splines reproduce polynomials far from the border: x^2 y + 3 x - 2 on a large grid */
  int64_t big[2] = { 80, 80 };
  double worst = 0;
  operand u = operand_new(NULL, HED_ID_FLOAT64, 2, big), v = operand_new(NULL, HED_ID_FLOAT64, 2, dim);
  for (int64_t i = 0; i < 80; i++)
    for (int64_t j = 0; j < 80; j++) {
      double s = (double)(i - 40) / 8, t = (double)(j - 40) / 8;
      operand_set(&u, i * 80 + j, s * s * t + 3 * s - 2, 0);
    }
  hed_affine_params p = { .ndim = 2, .order = 3, .prefilter = true,
                          .matrix = { { 0.6, 0.3, 36.2 }, { -0.3, 0.6, 38.7 } } };
  resample(&v, &u, &p);
  for (int64_t i = 0; i < 9; i++)
    for (int64_t j = 0; j < 9; j++) {
      double s = (0.6 * (double)i + 0.3 * (double)j + 36.2 - 40) / 8;
      double t = (-0.3 * (double)i + 0.6 * (double)j + 38.7 - 40) / 8;
      worst = fmax(worst, fabs(((double *)v.memory)[i * 9 + j] - (s * s * t + 3 * s - 2)));
    }
  ok(worst < 1e-12, "a cubic polynomial is reproduced: error %.2g", worst);
  operand *all[] = { &x, &y, &u, &v };
  for (int k = 0; k < 4; k++)
    operand_free(all[k]);
}

static int32_t starved(void *arg)
{
  operand *x = arg;
  return resample(&x[0], &x[1], &cubic);
}

static void edges(void)
{
  int64_t dim[2] = { 4, 3 }, none[2] = { 0, 3 };
  operand x[2] = { operand_new(NULL, HED_ID_FLOAT32, 2, dim), operand_new(NULL, HED_ID_FLOAT32, 2, dim) };
  hed_affine_params p = cubic;
  memset(x[1].memory, 0, x[1].layout.bytes);
  kernel_starve(starved, x, 2);
  p.order = 2;
  is_int(resample(&x[0], &x[1], &p), HED_E_INVAL, "order 2");
  has_str(kernel_text, "affine_transform: spline order 2 is not 0, 1 or 3", "sentence");
  p.order = 1;
  p.matrix[0][2] = NAN;
  is_int(resample(&x[0], &x[1], &p), HED_OK, "a matrix that is not a number");
  ok(*(float *)x[0].memory == 0, "points nowhere");
  operand e = operand_new(NULL, HED_ID_FLOAT32, 2, none);
  is_int(resample(&x[0], &e, &cubic), HED_OK, "an empty input");
  ok(*(float *)x[0].memory == 0, "gives zeros");
  is_int(resample(&e, &x[0], &cubic), HED_OK, "an empty result");
  operand_free(&e);
  operand_free(&x[0]);
  operand_free(&x[1]);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  table(&g);
  batches(&g);
  properties();
  edges();
  return done();
}
