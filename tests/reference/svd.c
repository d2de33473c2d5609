// SPDX-License-Identifier: BSD-3-Clause
/* The reference backend's singular value decomposition: reconstruction, orthonormality, order, and matrices whose
 * singular values are known.
 */
#include "kernel.h"

int32_t ref_svd(void *state, const hed_call *call);

static int32_t decompose(operand *a, bool full, operand *u, operand *s, operand *vh)
{
  operand *outs[3] = { u, s, vh };
  hed_svd_params p = { .full_matrices = full };
  return kernel_call(ref_svd, HED_OP_SVD, a->view.dtype, &p, 3, outs, 1, &a);
}

static int real_of(int dtype)
{
  return dtype == HED_ID_COMPLEX64 ? HED_ID_FLOAT32 : dtype == HED_ID_COMPLEX128 ? HED_ID_FLOAT64 : dtype;
}

/* The four operands of a batch of M x N matrices. */
typedef struct factors {
  int64_t batch, m, n, k;
  bool full;
  operand a, u, s, vh;
} factors;

static factors factors_new(gen *g, int dtype, int64_t batch, int64_t m, int64_t n, bool full)
{
  factors f = { .batch = batch, .m = m, .n = n, .k = m < n ? m : n, .full = full };
  int64_t da[3] = { batch, m, n }, du[3] = { batch, m, full ? m : f.k }, ds[2] = { batch, f.k };
  int64_t dv[3] = { batch, full ? n : f.k, n };
  f.a = operand_new(g, dtype, 3, da);
  f.u = operand_new(g, dtype, 3, du);
  f.s = operand_new(g, real_of(dtype), 2, ds);
  f.vh = operand_new(g, dtype, 3, dv);
  return f;
}

static bool factors_free(factors *f)
{
  bool a = operand_free(&f->a), u = operand_free(&f->u), s = operand_free(&f->s), v = operand_free(&f->vh);
  return a && u && s && v;
}

/* Largest departure of X X^H (rows) or X^H X (columns) from the unit matrix. */
static double unitarity(const operand *x, int64_t batch, bool rows)
{
  int64_t m = x->view.dim[1], n = x->view.dim[2], count = rows ? m : n, length = rows ? n : m;
  double worst = 0;
  for (int64_t b = 0; b < batch; b++)
    for (int64_t i = 0; i < count; i++)
      for (int64_t j = 0; j <= i; j++) {
        double re = 0, im = 0;
        for (int64_t k = 0; k < length; k++) {
          double p, pi, q, qi;
          operand_get(x, b * m * n + (rows ? i * n + k : k * n + i), &p, &pi);
          operand_get(x, b * m * n + (rows ? j * n + k : k * n + j), &q, &qi);
          re += p * q + pi * qi;
          im += pi * q - p * qi;
        }
        worst = fmax(worst, hypot(re - (i == j), im));
      }
  return worst;
}

/* Largest |a - u s vh| relative to the largest singular value. */
static double residual(const factors *f)
{
  int64_t uc = f->u.view.dim[2], vr = f->vh.view.dim[1];
  double worst = 0;
  for (int64_t b = 0; b < f->batch; b++) {
    double top, zero;
    operand_get(&f->s, b * f->k, &top, &zero);
    for (int64_t i = 0; i < f->m; i++)
      for (int64_t j = 0; j < f->n; j++) {
        double re, im;
        operand_get(&f->a, (b * f->m + i) * f->n + j, &re, &im);
        for (int64_t k = 0; k < f->k; k++) {
          double p, pi, s, q, qi;
          operand_get(&f->u, (b * f->m + i) * uc + k, &p, &pi);
          operand_get(&f->s, b * f->k + k, &s, &zero);
          operand_get(&f->vh, (b * vr + k) * f->n + j, &q, &qi);
          re -= s * (p * q - pi * qi);
          im -= s * (p * qi + pi * q);
        }
        worst = fmax(worst, top > 0 ? hypot(re, im) / top : hypot(re, im));
      }
  }
  return worst;
}

static bool ordered(const factors *f)
{
  for (int64_t b = 0; b < f->batch; b++)
    for (int64_t k = 0; k < f->k; k++) {
      double s, next, zero;
      operand_get(&f->s, b * f->k + k, &s, &zero);
      if (s < 0)
        return false;
      if (k + 1 < f->k) {
        operand_get(&f->s, b * f->k + k + 1, &next, &zero);
        if (next > s)
          return false;
      }
    }
  return true;
}

static void check(factors *f, const char *name)
{
  bool single = f->a.view.dtype == HED_ID_FLOAT32 || f->a.view.dtype == HED_ID_COMPLEX64;
  double limit = single ? 1e-6 : 5e-14;
  int32_t status = decompose(&f->a, f->full, &f->u, &f->s, &f->vh);
  double r = residual(f), u = unitarity(&f->u, f->batch, false), v = unitarity(&f->vh, f->batch, true);
  ok(status == HED_OK && r < limit && u < limit && v < limit && ordered(f),
     "%s, %s %d of %d x %d%s: residual %.2g, u %.2g, vh %.2g (%s)", name, kernel_name[f->a.view.dtype], (int)f->batch,
     (int)f->m, (int)f->n, f->full ? ", full" : "", r, u, v, kernel_text);
}

static void many(gen *g, int count)
{
  static const int types[] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_COMPLEX64, HED_ID_COMPLEX128 };
  for (int t = 0; t < count; t++) {
    int64_t m = gen_int(g, 1, t % 10 ? 9 : 40), n = gen_int(g, 1, t % 10 ? 9 : 40);
    int shape = t % 4;
    factors f = factors_new(gen_chance(g, 60) ? g : NULL, types[gen_below(g, 4)], gen_int(g, 1, 3), m, n,
                            gen_chance(g, 50));
    operand_random(g, &f.a);
    if (shape == 1) /* rank one at most two: columns repeat */
      for (int64_t k = 0; k < f.a.n; k++) {
        double re, im;
        operand_get(&f.a, k / n * n + k % n % 2 % n, &re, &im);
        operand_set(&f.a, k, re, im);
      }
    if (shape == 2) /* one zero row, one zero column */
      for (int64_t k = 0; k < f.a.n; k++)
        if (k % n == n / 2 || k / n % m == m / 2)
          operand_set(&f.a, k, 0, 0);
    check(&f, shape == 1 ? "repeated columns" : shape == 2 ? "zero row and column" : "random");
    ok(factors_free(&f), "nothing else written");
  }
}

static void known(gen *g)
{
  /* zero */
  for (int full = 0; full < 2; full++) {
    factors f = factors_new(NULL, HED_ID_COMPLEX128, 2, 5, 3, full);
    memset(f.a.memory, 0, f.a.layout.bytes);
    check(&f, "zero");
    double s, zero;
    operand_get(&f.s, 0, &s, &zero);
    ok(s == 0, "its largest singular value is 0");
    factors_free(&f);
  }
  /* diagonal with signs, extreme scales */
  for (int e = -1000; e <= 1000; e += 500) {
    static const double diagonal[4] = { 2, -5, 1, -3 }, want[4] = { 5, 3, 2, 1 };
    factors f = factors_new(NULL, HED_ID_FLOAT64, 1, 6, 4, false);
    memset(f.a.memory, 0, f.a.layout.bytes);
    for (int k = 0; k < 4; k++)
      operand_set(&f.a, k * 4 + k, ldexp(diagonal[k], e), 0);
    check(&f, "diagonal");
    for (int k = 0; k < 4; k++)
      is_ulp(((double *)f.s.memory)[k], ldexp(want[k], e), 4, "singular value %d, scale 2^%d", k, e);
    factors_free(&f);
  }
  /* Hilbert matrix of order 8: its values by power iteration on it and on its exact inverse with 60 digits */
  factors h = factors_new(NULL, HED_ID_FLOAT64, 1, 8, 8, true);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      operand_set(&h.a, i * 8 + j, 1.0 / (i + j + 1), 0);
  check(&h, "Hilbert");
  is_near(((double *)h.s.memory)[0], 1.6959389969219494, 1e-14, 0, "Hilbert matrix: largest singular value");
  is_near(((double *)h.s.memory)[7], 1.1115389663724424e-10, 1e-5, 0, "its least one (condition 1.5e10)");
  factors_free(&h);
  /* discrete Fourier matrix: all values are sqrt(n); the second row of 2 x 2 blocks is complex throughout */
  factors w = factors_new(g, HED_ID_COMPLEX128, 1, 12, 12, true);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      operand_set(&w.a, i * 12 + j, cos(2 * acos(-1.0) * i * j / 12), sin(2 * acos(-1.0) * i * j / 12));
  check(&w, "Fourier matrix");
  for (int k = 0; k < 12; k += 11) {
    double s, zero;
    operand_get(&w.s, k, &s, &zero);
    is_near(s, sqrt(12), 1e-14, 0, "its singular value %d", k);
  }
  factors_free(&w);
  /* graded: columns scaled by 10^-k keep their digits */
  factors c = factors_new(NULL, HED_ID_FLOAT64, 1, 30, 12, false);
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 12; j++)
      operand_set(&c.a, i * 12 + j, gen_double(g, -1, 1) * pow(10, -j), 0);
  check(&c, "graded");
  factors_free(&c);
}

static int32_t starved(void *arg)
{
  factors *f = arg;
  return decompose(&f->a, f->full, &f->u, &f->s, &f->vh);
}

static void edges(gen *g)
{
  factors f = factors_new(NULL, HED_ID_COMPLEX64, 2, 4, 7, true);
  operand_random(g, &f.a);
  check(&f, "all outputs");
  char *s = malloc(f.s.layout.bytes), *u = malloc(f.u.layout.bytes);
  memcpy(s, f.s.memory, f.s.layout.bytes);
  memcpy(u, f.u.memory, f.u.layout.bytes);
  memset(f.s.memory, 0, f.s.layout.bytes);
  is_int(decompose(&f.a, true, NULL, &f.s, NULL), HED_OK, "singular values only");
  is_mem(f.s.memory, s, f.s.layout.bytes, "are the same");
  memset(f.u.memory, 0, f.u.layout.bytes);
  is_int(decompose(&f.a, true, &f.u, NULL, NULL), HED_OK, "u only");
  is_mem(f.u.memory, u, f.u.layout.bytes, "is the same");
  free(s);
  free(u);
  kernel_starve(starved, &f, 8);
  operand_set(&f.a, 4 * 7 + 10, NAN, 0);
  is_int(decompose(&f.a, true, &f.u, &f.s, &f.vh), HED_E_INVAL, "a NaN");
  has_str(kernel_text, "svd: row 1, column 3 of matrix 1 of the batch is not finite", "sentence");
  is_int(kernel_live, 0, "nothing is left behind");
  factors_free(&f);
  factors e = factors_new(NULL, HED_ID_FLOAT32, 2, 3, 0, true);
  is_int(decompose(&e.a, true, &e.u, &e.s, &e.vh), HED_OK, "no columns");
  ok(unitarity(&e.u, 2, false) < 1e-6, "u is still unitary");
  factors_free(&e);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  many(&g, 200);
  known(&g);
  edges(&g);
  return done();
}
