// SPDX-License-Identifier: BSD-3-Clause
/* Conformance of factorisations and solvers: on every usable backend against the reference backend, by value. The
 * conventions for order and phase leave one result for matrices of full rank with separated spectra, which these are.
 * Each case draws its input from a seed and runs in a context of each backend; kernels must be the backend's own.
 */
#include "linalg.h"
#include "narrow.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

enum { MAX_BACKENDS = 32 };

typedef struct trial {
  gen g;
  hed_dtype t;
  hed_shape batch;
  int64_t m, n, k;
} trial;

typedef hed_array *(*case_fn)(trial *t);

static hed_shape shape(const trial *t, int64_t m, int64_t n)
{
  hed_shape s = t->batch;
  s.dim[s.ndim++] = m;
  s.dim[s.ndim++] = n;
  return s;
}

static hed_array *matrix(trial *t, int64_t m, int64_t n) { return random_matrix(&t->g, t->t, shape(t, m, n)); }

/* Off-diagonal elements below 0.3, diagonal 0, 2, 4 ...: eigenvalues far from each other. */
static hed_array *separated(trial *t)
{
  hed_array *diagonal = hed_astype(hed_arange(0, 2.0 * (double)t->n, 2, HED_FLOAT64), t->t);
  hed_array *a = hed_multiply_scalar(matrix(t, t->n, t->n), 0.3 / (double)t->n);
  return hed_add(a, hed_multiply(hed_eye(t->n, t->n, 0, t->t), diagonal));
}

/* Far from singular. */
static hed_array *regular(trial *t)
{
  return hed_add(matrix(t, t->n, t->n), hed_multiply_scalar(hed_eye(t->n, t->n, 0, t->t), 2.0 * (double)t->n));
}

/* Singular values 1, 2, 3 ... */
static hed_array *spread(trial *t)
{
  hed_array *q[2] = { NULL, NULL };
  int64_t low = t->m < t->n ? t->m : t->n;
  hed_qr(matrix(t, t->m, low), HED_QR_REDUCED, &q[0], NULL);
  hed_qr(matrix(t, t->n, low), HED_QR_REDUCED, &q[1], NULL);
  hed_array *s = hed_astype(hed_arange(1, 1.0 + (double)low, 1, HED_FLOAT64), t->t);
  return hed_matmul(hed_multiply(q[0], s), adjoint(q[1]));
}

static hed_array *both(const hed_array *a, const hed_array *b)
{
  const hed_array *parts[2] = { hed_reshape(a, HED_SHAPE(-1)), hed_reshape(b, HED_SHAPE(-1)) };
  return hed_concatenate(2, parts, 0);
}

static hed_array *case_lu(trial *t)
{
  hed_array *perm = NULL, *l = NULL, *u = NULL;
  hed_lu(matrix(t, t->m, t->n), &perm, &l, &u);
  return both(perm, both(l, u));
}
static hed_array *case_solve(trial *t)
{
  hed_array *a = regular(t);
  return hed_solve(a, t->k % 2 ? matrix(t, t->n, t->k) : hed_index(random_matrix(&t->g, t->t, HED_SHAPE(2, t->n)), 0, 1));
}
static hed_array *case_triangular(trial *t)
{
  hed_triangular opt = { .upper = gen_chance(&t->g, 50), .form = (int32_t)gen_below(&t->g, 3),
                         .unit_diagonal = gen_chance(&t->g, 30) };
  hed_array *a = regular(t);
  return hed_solve_triangular(opt.unit_diagonal ? hed_multiply_scalar(matrix(t, t->n, t->n), 1.0 / (double)t->n) : a,
                              matrix(t, t->n, t->k), &opt);
}
static hed_array *case_cholesky(trial *t)
{
  hed_array *a = matrix(t, t->n, t->n + 1);
  return hed_cholesky(hed_add(hed_matmul(a, adjoint(a)), hed_eye(t->n, t->n, 0, t->t)), gen_chance(&t->g, 50));
}
static hed_array *case_qr(trial *t)
{
  hed_array *q = NULL, *r = NULL;
  hed_qr(spread(t), t->m <= t->n ? HED_QR_COMPLETE : HED_QR_REDUCED, &q, &r);
  return both(q, r);
}
static hed_array *case_eigh(trial *t)
{
  hed_array *w = NULL, *v = NULL, *a = separated(t);
  hed_eigh(hed_add(a, adjoint(a)), gen_chance(&t->g, 50), &w, &v);
  return both(w, v);
}
/* Some values, none and all among them; sizes of gaps are those of case_eigh. */
static hed_array *case_eigh_range(trial *t)
{
  hed_array *w = NULL, *v = NULL, *a = separated(t);
  const int64_t first = gen_int(&t->g, 0, t->n), most = t->n - first, few = most < t->n / 3 ? most : t->n / 3;
  const int64_t count = gen_int(&t->g, 0, gen_chance(&t->g, 50) ? few : most);
  hed_eigh_range(hed_add(a, adjoint(a)), gen_chance(&t->g, 50) ? first : first - t->n, first < t->n || count == 0 ? count : 0,
                 gen_chance(&t->g, 50), &w, &v);
  return both(w, v);
}
static hed_array *case_eig(trial *t)
{
  hed_array *w = NULL, *v = NULL;
  hed_eig(separated(t), &w, &v);
  return both(w, v);
}
static hed_array *case_svd(trial *t)
{
  hed_array *u = NULL, *s = NULL, *vh = NULL;
  hed_svd(spread(t), false, &u, &s, &vh);
  return both(u, both(s, vh));
}
static hed_array *case_svdvals(trial *t) { return hed_svdvals(matrix(t, t->m, t->n)); }
static hed_array *case_eigvalsh(trial *t)
{
  hed_array *a = matrix(t, t->n, t->n);
  return hed_eigvalsh(hed_add(a, adjoint(a)), false);
}
static hed_array *case_eigvals(trial *t) { return hed_eigvals(separated(t)); }
static hed_array *case_inv(trial *t) { return hed_inv(regular(t)); }
static hed_array *case_det(trial *t) { return hed_det(hed_multiply_scalar(regular(t), 0.5 / (double)t->n)); }
static hed_array *case_slogdet(trial *t)
{
  hed_array *sign = NULL, *logdet = NULL;
  hed_slogdet(regular(t), &sign, &logdet);
  return both(sign, logdet);
}
static hed_array *case_lstsq(trial *t)
{
  hed_array *out[4] = { NULL };
  hed_array *a = spread(t);
  hed_lstsq(a, matrix(t, t->m, t->k), -1, &out[0], &out[1], &out[2], &out[3]);
  return both(both(out[0], out[1]), both(out[2], out[3]));
}
static hed_array *case_pinv(trial *t) { return hed_pinv(spread(t), -1); }
static hed_array *case_rank(trial *t)
{
  return hed_matrix_rank(hed_matmul(matrix(t, t->m, 1), matrix(t, 1, t->n)), -1);
}
static hed_array *case_cond(trial *t) { return hed_cond(regular(t), (hed_cond_norm)gen_below(&t->g, 4)); }
static hed_array *case_power(trial *t)
{
  return hed_matrix_power(hed_multiply_scalar(regular(t), 0.5 / (double)t->n), gen_int(&t->g, -3, 5));
}
static hed_array *case_expm(trial *t)
{
  double size = gen_double(&t->g, 0.1, 4);
  return hed_expm(hed_multiply_scalar(matrix(t, t->n, t->n), size));
}
static hed_array *case_orthogonal(trial *t)
{
  hed_random opt = { .seed = gen_u64(&t->g), .seeded = true };
  bool single = t->t == HED_FLOAT32 || t->t == HED_COMPLEX64;
  return hed_orthogonal(HED_SHAPE(t->n, t->m, 2), 1.5, single ? HED_FLOAT32 : HED_FLOAT64, &opt);
}
static hed_array *case_orthogonalize(trial *t) { return hed_orthogonalize_nonsquare(regular(t)); }
static hed_array *case_polar(trial *t) { return hed_polar_unitary(regular(t)); }
static hed_array *case_basis(trial *t) { return hed_complete_orthogonal_basis(regular(t)); }

static const struct {
  const char *name;
  case_fn fn;
  int native;    /* one kernel does all of it */
  double limit;  /* in units of the precision times the sizes, relative to the largest element */
} cases[] = {
  { "lu", case_lu, 1, 60 }, { "solve", case_solve, 1, 8 }, { "solve_triangular", case_triangular, 1, 8 },
  { "cholesky", case_cholesky, 0, 8 }, { "qr", case_qr, 0, 20 }, { "eigh", case_eigh, 0, 8 }, { "eig", case_eig, 0, 8 },
  { "eigh_range", case_eigh_range, 0, 8 },
  { "svd", case_svd, 0, 20 }, { "svdvals", case_svdvals, 1, 8 }, { "eigvalsh", case_eigvalsh, 0, 8 },
  { "eigvals", case_eigvals, 0, 8 }, { "inv", case_inv, 1, 8 }, { "det", case_det, 0, 8 },
  { "slogdet", case_slogdet, 0, 8 }, { "lstsq", case_lstsq, 0, 30 }, { "pinv", case_pinv, 0, 20 },
  { "matrix_rank", case_rank, 0, 0 }, { "cond", case_cond, 0, 8 }, { "matrix_power", case_power, 0, 20 },
  { "expm", case_expm, 0, 40 }, { "orthogonal", case_orthogonal, 0, 60 },
  { "orthogonalize_nonsquare", case_orthogonalize, 0, 20 }, { "complete_orthogonal_basis", case_basis, 0, 20 },
  { "polar_unitary", case_polar, 0, 8 },
};

static const hed_dtype types[] = { &hed_dtype_float32, &hed_dtype_float64, &hed_dtype_complex64, &hed_dtype_complex128 };

typedef struct outcome {
  int64_t n;
  hed_dtype t;
  hed_shape shape;
  double *values;
  char text[200];
} outcome;

static outcome run(size_t which, const char *spec, uint64_t seed, trial *t)
{
  outcome o = { .n = -1 };
  hed_error_clear();
  memset(t, 0, sizeof *t);
  gen_seed(&t->g, seed);
  t->t = held(types[gen_below(&t->g, 4)]);
  t->batch.ndim = (int32_t)gen_below(&t->g, 3);
  for (int k = 0; k < t->batch.ndim; k++)
    t->batch.dim[k] = gen_int(&t->g, 1, k ? 3 : gen_chance(&t->g, 10) ? 40 : 3);
  bool big = t->batch.ndim == 0 && gen_chance(&t->g, 20);
  t->m = gen_int(&t->g, 1, big ? 40 : 8);
  t->n = gen_int(&t->g, 1, big ? 40 : 8);
  t->k = gen_int(&t->g, 1, 4);
  HED_BACKEND_CONTEXT(spec)
    HED_SCOPE
    {
      hed_array *x = cases[which].fn(t);
      hed_array *all = at_home(x, HED_COMPLEX128);
      o.t = held(hed_array_dtype(x));
      o.shape = hed_array_shape(x);
      int64_t n = hed_array_size(all);
      o.values = malloc((size_t)(2 * n + 2) * sizeof *o.values);
      if (all && hed_to_host(all, o.values, (size_t)n * 16) == HED_OK)
        o.n = n;
    }
  snprintf(o.text, sizeof o.text, "%s", hed_error_text());
  return o;
}

static void compare(size_t which, const char *spec, uint64_t seed)
{
  trial t;
  outcome want = run(which, "reference", seed, &t), got = run(which, spec, seed, &t);
  bool same = want.n == got.n && want.n >= 0 && want.t == got.t && want.shape.ndim == got.shape.ndim;
  double worst = 0, most = 0;
  for (int k = 0; k < want.shape.ndim && same; k++)
    same = want.shape.dim[k] == got.shape.dim[k];
  for (int64_t k = 0; k < 2 * want.n && same; k++) {
    double e = fabs(want.values[k] - got.values[k]);
    worst = e <= worst ? worst : isnan(e) ? INFINITY : e;
    most = fmax(most, fabs(want.values[k]));
  }
  double limit = cases[which].limit * precision(t.t) * (double)(t.m + t.n) * most;
  ok(same && worst <= limit, "%s: %s of %s, %d x %d, batch %d: %.3g of %.3g%s%s%s", spec, cases[which].name,
     hed_dtype_name(t.t), (int)t.m, (int)t.n, (int)t.batch.ndim, worst, limit, same ? "" : ", not alike", want.text,
     got.text);
  free(want.values);
  free(got.values);
}

/* Does BACKEND do the case by itself? Devices declare some factorisations to run on the host. */
static bool is_native(const char *backend, size_t which)
{
  const int op = hed_op_by_name(cases[which].name);
  return cases[which].native && (op < 0 || hed_backend_supports(backend, op, HED_FLOAT32) == HED_SUPPORT_NATIVE);
}

int main(void)
{
  enum { ROUNDS = 14 };
  const char *names[MAX_BACKENDS];
  int n = hed_backend_list(names, MAX_BACKENDS);
  uint64_t seed = tap_seed();
  for (int b = 0; b < n && b < MAX_BACKENDS; b++) {
    char spec[64], serial[64], alone[64];
    if (hed_backend_require(names[b]) != HED_OK) {
      skip(1, "%s: %s", names[b], hed_error_text());
      continue;
    }
    narrow_spec(names[b], "", spec, sizeof spec);
    narrow_spec(names[b], ";threads=1", serial, sizeof serial);
    narrow_spec(names[b], ";fallback=error", alone, sizeof alone);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
      for (int k = 0; k < (strcmp(names[b], "reference") ? ROUNDS : 1); k += case_step(names[b]))
        compare(c, k % 3 == 0 ? serial : k % 3 == 1 && is_native(names[b], c) ? alone : spec,
                seed + 1000003 * (uint64_t)c + (uint64_t)k);
  }
  return done();
}
