// SPDX-License-Identifier: BSD-3-Clause
/* No decomposition depends on the unit of the data: of data times a power of two each gives, to the last bit, its results
 * times that power, over the range of the type; decompositions.def is the list, and no function that gives a fit is missing there.
 */
#include "arrays.h"
#include "tensor.h"
#include <float.h>
#include <heddle/kits/decompose.h>
#include <heddle/kits/gcp.h>
#include <heddle/kits/parafac2.h>
#include <heddle/kits/reflect.h>
#include <heddle/kits/tensor_metrics.h>
#include <heddle/kits/tensor_regression.h>
#include <heddle/kits/tensor_robust.h>
#include <heddle/kits/tensor_sparse.h>
#include <heddle/kits/tensor_train.h>
#include <heddle/kits/tensor_train_fit.h>

enum { MOST = 40 };

/* The data over 2^EXPONENT are always the same; what came out of a call, as doubles in that unit. */
typedef struct job {
  int exponent;
  hed_array *x, *mask, *cube, *grid, *matrix, *samples, *targets, *unit; /* matrix: for coupling; samples keep their unit */
  hed_coo coo;
  hed_cp cp, other;
  hed_tucker tucker;
  hed_tt tt;
  hed_regression regression;
  hed_array *extra;
  hed_fit fit;
  int n;
  int64_t size[MOST];
  double *out[MOST];
} job;

#define SWEEPS .sweeps = { .max = 5, .tol = -1 }
#define LONG .sweeps = { .max = 12, .tol = -1 }
#define SEED .random = { .seed = 7, .seeded = true }
#define NONNEGATIVE { .kind = HED_PROX_NONNEGATIVE }

/* X times 2^E; to doubles and back, as a device may have only floats. */
static hed_array *times_power(const hed_array *x, int e)
{
  const int64_t n = hed_array_size(x);
  double *v = malloc((size_t)n * sizeof *v);
  if (!v || hed_tolist(x, v, n) != HED_OK)
    bail("the data: %s", hed_error_text());
  for (int64_t i = 0; i < n; i++)
    v[i] = ldexp(v[i], e);
  hed_array *out = hed_from_doubles(v, hed_array_shape(x), hed_array_dtype(x));
  free(v);
  return out;
}

/* A result that has the unit of the data, or none. X may be NULL. */
static void note(job *j, const hed_array *x, bool has_unit)
{
  if (!x || j->n == MOST)
    return;
  const int64_t n = hed_array_size(x);
  double *v = malloc((size_t)(n + 1) * sizeof *v);
  if (!v || hed_tolist(x, v, n) != HED_OK)
    bail("a result: %s", hed_error_text());
  for (int64_t i = 0; i < n && has_unit; i++)
    v[i] = ldexp(v[i], -j->exponent);
  j->size[j->n] = n;
  j->out[j->n++] = v;
}

/* Factors by themselves may have any part of the unit: it is what they are in the one that has the largest that counts. */
static void note_cp(job *j, const hed_cp *c)
{
  for (int k = 0; k < c->order; k++)
    note(j, c->factor[k], !c->weights && k == c->order - 1);
  note(j, c->weights, true);
}

static void end(job *j)
{
  double *errors = malloc((size_t)(j->fit.n_sweeps + 1) * sizeof *errors);
  memcpy(errors, j->fit.errors ? j->fit.errors : &j->fit.error, (size_t)(j->fit.errors ? j->fit.n_sweeps : 1) * sizeof *errors);
  j->size[j->n] = j->fit.errors ? j->fit.n_sweeps : 1;
  j->out[j->n++] = errors;
  hed_cp_clear(&j->cp);
  hed_cp_clear(&j->other);
  hed_tucker_clear(&j->tucker);
  hed_tt_clear(&j->tt);
  hed_regression_clear(&j->regression);
  hed_release(j->extra);
  j->extra = NULL;
  hed_fit_clear(&j->fit);
}

static bool took_cp(job *j, hed_status status)
{
  note_cp(j, &j->cp);
  note(j, j->extra, true);
  end(j);
  return status == HED_OK;
}

/* The mode in common, the first, has the unit. */
static bool took_coupled(job *j, hed_status status)
{
  for (int k = 0; k < j->cp.order; k++)
    note(j, j->cp.factor[k], !j->cp.weights && k == 0);
  note(j, j->cp.weights, true);
  for (int k = 0; k < j->other.order; k++)
    note(j, j->other.factor[k], !j->other.weights && k == 0);
  note(j, j->other.weights, true);
  end(j);
  return status == HED_OK;
}

static bool took_tucker(job *j, hed_status status)
{
  for (int k = 0; k < j->tucker.order; k++)
    note(j, j->tucker.factor[k], false);
  note(j, j->tucker.core, true);
  end(j);
  return status == HED_OK;
}

/* Which core has the unit depends on the way: what they are together does not. */
static bool took_tt(job *j, hed_status status)
{
  if (status == HED_OK) {
    hed_array *full = hed_tt_full(&j->tt);
    note(j, full, true);
    hed_release(full);
  }
  end(j);
  return status == HED_OK;
}

static bool took_rounded(job *j)
{
  hed_tt t = { 0 };
  hed_status status = hed_tt_svd(j->x, NULL, 0, &t, NULL);
  if (status == HED_OK)
    status = hed_tt_round(&t, 0.1, 0, &j->tt, NULL);
  hed_tt_clear(&t);
  return took_tt(j, status);
}

static bool took_stream(job *j)
{
  hed_cp_stream s = { 0 };
  hed_status status = hed_cp_als(j->x, 2, &(hed_cp_options){ SWEEPS }, &j->cp, NULL);
  if (status == HED_OK)
    status = hed_cp_stream_begin(j->x, &j->cp, -1, 0.9, &s);
  if (status == HED_OK)
    status = hed_cp_stream_add(&s, j->x);
  note_cp(j, &s.cp);
  hed_cp_stream_clear(&s);
  end(j);
  return status == HED_OK;
}

/* Counts are not negative. */
static bool took_counts(job *j, bool list)
{
  static const hed_cp_apr_options o = { .sweeps = { .max = 3, .tol = -1 }, SEED, .restarts = 2 };
  hed_coo counts = { 0 };
  hed_array *x = hed_abs(j->x);
  hed_status status = list ? hed_coo_from_dense(x, &counts) : HED_OK;
  if (status == HED_OK)
    status = list ? hed_coo_cp_apr(&counts, 2, &o, &j->cp, &j->fit) : hed_cp_apr(x, 2, &o, &j->cp, &j->fit);
  hed_coo_clear(&counts);
  hed_release(x);
  return took_cp(j, status);
}

static bool took_parafac2(job *j, const hed_parafac2_options *o)
{
  hed_parafac2 p = { 0 };
  hed_array *slice[5];
  for (int i = 0; i < 5; i++)
    slice[i] = hed_index(j->x, 0, i);
  const hed_status status = hed_parafac2_als(5, (const hed_array *const *)slice, 2, o, &p, &j->fit);
  note(j, p.a, false);
  note(j, p.b, false);
  note(j, p.c, !o->normalise);
  note(j, p.weights, true);
  for (int i = 0; i < 5; i++) {
    note(j, status == HED_OK ? p.projection[i] : NULL, false);
    hed_release(slice[i]);
  }
  hed_parafac2_clear(&p);
  end(j);
  return status == HED_OK;
}

static bool took_parts(job *j, const hed_robust_options *o)
{
  hed_array *low = NULL, *sparse = NULL;
  const hed_status status = hed_robust_pca(j->x, o, &low, &sparse, &j->fit);
  note(j, low, true);
  note(j, sparse, true);
  RELEASE(low, sparse);
  end(j);
  return status == HED_OK;
}

static bool took_regression(job *j, hed_status status)
{
  note(j, j->regression.coefficients, true);
  note(j, j->regression.intercept, true);
  end(j);
  return status == HED_OK;
}

static hed_status entries_at(void *arg, int64_t n, const int64_t *indices, double *values)
{
  const job *j = arg;
  hed_array *at = hed_from_host(indices, HED_SHAPE(n, 3), HED_INT64), *got = at ? hed_gather_nd(j->x, at) : NULL;
  const hed_status status = got ? hed_tolist(got, values, n) : hed_error();
  RELEASE(at, got);
  return status;
}

static const struct { const char *name, *variant; } listed[] = {
#define DECOMPOSITION(name, variant, call) { #name, #variant },
#include "decompositions.def"
#undef DECOMPOSITION
};

static bool run(int row, job *j)
{
  int at = 0;
#define DECOMPOSITION(name, variant, call)                                                                                       \
  if (at++ == row)                                                                                                               \
    return call;
#include "decompositions.def"
#undef DECOMPOSITION
  return false;
}

/* Outer products of two positive columns, and some noise; element by element, of any shape. */
static hed_array *planted(gen *g, hed_shape s, bool alike, hed_dtype t)
{
  double complex *f[HED_MAX_NDIM] = { NULL };
  for (int k = 0; k < s.ndim; k++) {
    f[k] = malloc((size_t)(2 * s.dim[k]) * sizeof *f[k]);
    for (int64_t i = 0; i < 2 * s.dim[k]; i++)
      f[k][i] = alike && k > 0 ? f[0][i] : 0.1 + gen_unit(g);
  }
  double complex *v = tensor_of_factors(s, 2, f, NULL);
  for (int64_t i = 0; i < elements_of(s) && !alike; i++)
    v[i] += 0.02 * gen_unit(g);
  hed_array *x = tensor_array(v, s, t);
  for (int k = 0; k < s.ndim; k++)
    free(f[k]);
  free(v);
  return x;
}

static void open_job(job *j, uint64_t seed, int exponent, hed_dtype t)
{
  gen g;
  gen_seed(&g, seed);
  *j = (job){ .exponent = exponent };
  hed_array *x = planted(&g, HED_SHAPE(5, 4, 6), false, t), *cube = planted(&g, HED_SHAPE(4, 4, 4), true, t);
  hed_array *grid = planted(&g, HED_SHAPE(2, 3, 3, 2), false, t), *matrix = planted(&g, HED_SHAPE(5, 3), false, t);
  hed_array *targets = planted(&g, HED_SHAPE(12, 1), false, t), *flat = hed_reshape(targets, HED_SHAPE(12));
  j->samples = planted(&g, HED_SHAPE(12, 4, 3), false, t);
  j->x = times_power(x, exponent);
  j->cube = times_power(cube, exponent);
  j->grid = times_power(grid, exponent);
  j->matrix = times_power(matrix, exponent);
  j->targets = times_power(flat, exponent);
  double known[120];
  for (int i = 0; i < 120; i++)
    known[i] = i % 7 != 3;
  j->mask = hed_from_doubles(known, HED_SHAPE(5, 4, 6), HED_FLOAT32);
  if (!j->x || !j->mask || hed_coo_from_dense(j->x, &j->coo) != HED_OK)
    bail("the data: %s", hed_error_text());
  hed_array *all[] = { x, cube, grid, matrix, targets, flat };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
}

static void close_job(job *j)
{
  hed_array *all[] = { j->x, j->cube, j->grid, j->matrix, j->targets, j->samples, j->mask };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
  hed_coo_clear(&j->coo);
}

static void drop(job *j)
{
  for (int i = 0; i < j->n; i++)
    free(j->out[i]);
  j->n = 0;
}

/* "" where A and B are the same but for rounding, else what differs first. Products of powers of two are exact, but LAPACK stops at
 * the smallest number, whatever the unit, and in a unit where what is left of a fit has no more all of its digits they end at one:
 * B's are the numbers of its unit, LEAST apart. */
static const char *difference(const job *a, const job *b, double eps, double least)
{
  static char text[120];
  if (a->n != b->n)
    return "another number of results";
  for (int i = 0; i < a->n; i++) {
    if (a->size[i] != b->size[i]) {
      snprintf(text, sizeof text, "result %d has %lld elements, not %lld", i, (long long)b->size[i], (long long)a->size[i]);
      return text;
    }
    double most = 0;
    for (int64_t k = 0; k < a->size[i]; k++)
      most = fmax(most, fabs(a->out[i][k]));
    for (int64_t k = 0; k < a->size[i]; k++)
      if (!(a->out[i][k] == b->out[i][k] || fabs(a->out[i][k] - b->out[i][k]) <= 64 * eps * most + least)) { /* NaN is one, too */
        snprintf(text, sizeof text, "result %d at %lld: %.17g, not %.17g", i, (long long)k, b->out[i][k], a->out[i][k]);
        return text;
      }
  }
  return "";
}

static void all_units(gen *g, const char *backend)
{
  static const int floats[] = { 3, -9, 40, -40, 110, -100 }, doubles[] = { 5, -40, 300, 990, -980 };
  const uint64_t seed = gen_u64(g);
  for (int type = 0; type < 2; type++) {
    const hed_dtype t = type ? HED_FLOAT64 : HED_FLOAT32;
    const int n = type ? 5 : 6;
    if (type && hed_device_supports(NULL, "float64") != 1)
      continue;
    job plain, other;
    open_job(&plain, seed, 0, t);
    for (int row = 0; row < (int)(sizeof listed / sizeof listed[0]); row++) {
      if (!in_sample(row))
        continue;
      char wrong[400] = "";
      if (!run(row, &plain))
        snprintf(wrong, sizeof wrong, "fails: %.300s", hed_error_text());
      for (int i = 0; i < n && !*wrong; i++) {
        const int e = type ? doubles[i] : floats[i];
        open_job(&other, seed, e, t);
        if (!run(row, &other))
          snprintf(wrong, sizeof wrong, "2^%d fails: %.300s", e, hed_error_text());
        else {
          const char *how = difference(&plain, &other, type ? DBL_EPSILON : FLT_EPSILON, ldexp(2, (type ? -1074 : -149) - e));
          if (*how)
            snprintf(wrong, sizeof wrong, "2^%d: %.300s", e, how);
        }
        drop(&other);
        close_job(&other);
      }
      drop(&plain);
      ok(!*wrong, "%s: hed_%s (%s) of %s does not know units%s%s", backend, listed[row].name, listed[row].variant, hed_dtype_name(t),
         *wrong ? ": " : "", wrong);
    }
    close_job(&plain);
  }
}

/* Every function that takes a mask refuses one that leaves nothing, and one with NaN. */
static void bad_masks(void)
{
  static const double value[] = { 0, NAN };
  static const char *const why[] = { "no entry", "NaN" };
  job j;
  open_job(&j, 5, 0, HED_FLOAT32);
  hed_array *low = NULL, *sparse = NULL, *slice[5], *masks[5];
  hed_parafac2 p = { 0 };
  double number = 0;
  if (hed_cp_als(j.x, 2, NULL, &j.other, NULL) != HED_OK)
    bail("%s", hed_error_text());
  for (int k = 0; k < 2; k++) {
    hed_array *m = hed_full(HED_SHAPE(5, 4, 6), value[k], HED_FLOAT32);
    for (int i = 0; i < 5; i++) {
      slice[i] = hed_index(j.x, 0, i);
      masks[i] = hed_index(m, 0, i);
    }
    const struct { const char *what; hed_status status; } calls[] = {
#define CALL(call) { #call, call }
      CALL(hed_cp_als(j.x, 2, &(hed_cp_options){ .mask = m }, &j.cp, NULL)),
      CALL(hed_cp_nn_hals(j.x, 2, &(hed_cp_hals_options){ .cp = { .mask = m } }, &j.cp, NULL)),
      CALL(hed_cp_nn_mu(j.x, 2, &(hed_cp_options){ .mask = m }, &j.cp, NULL)),
      CALL(hed_cp_constrained(j.x, 2, &(hed_cp_constrained_options){ .cp = { .mask = m } }, &j.cp, NULL)),
      CALL(hed_tucker_hooi(j.x, &HED_SHAPE(2, 2, 2), &(hed_tucker_options){ .mask = m }, &j.tucker, NULL)),
      CALL(hed_tucker_nonnegative(j.x, &HED_SHAPE(2, 2, 2), HED_NN_TUCKER_HALS, &(hed_tucker_options){ .mask = m }, &j.tucker, NULL)),
      CALL(hed_tt_complete(j.x, &HED_SHAPE(2), &(hed_tt_completion_options){ .mask = m }, &j.tt, NULL)),
      CALL(hed_robust_pca(j.x, &(hed_robust_options){ .mask = m }, &low, &sparse, NULL)),
      CALL(hed_parafac2_als(5, (const hed_array *const *)slice, 2,
                            &(hed_parafac2_options){ .masks = (const hed_array *const *)masks }, &p, NULL)),
      CALL(hed_core_consistency(j.x, m, &j.other, &number)),
#undef CALL
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
      ok(calls[i].status == HED_E_INVAL, "%s, a mask of %s: %.40s", k ? "NaN" : "0", why[k], calls[i].what);
    has_str(hed_error_text(), why[k], "the sentence says so");
    for (int i = 0; i < 5; i++) {
      RELEASE(slice[i], masks[i]);
    }
    hed_release(m);
  }
  hed_cp_clear(&j.other);
  close_job(&j);
}

/* What is there is found, from each start, in data of any size; for PARAFAC2 what TensorLy 0.10.0 finds (parafac2(slices, 3,
 * n_iter_max=2000, tol=1e-8, linesearch=True): 0.4270167599). */
static void reached(gen *g, const char *backend)
{
  const hed_dtype t = tensor_dtype(0) == HED_FLOAT64 ? HED_FLOAT64 : HED_FLOAT32;
  const double enough = t == HED_FLOAT64 ? 1e-4 : 1e-3;
  double complex *f[3];
  static const int64_t extent[] = { 8, 9, 10 };
  for (int k = 0; k < 3; k++) {
    f[k] = malloc((size_t)(3 * extent[k]) * sizeof *f[k]);
    for (int64_t i = 0; i < 3 * extent[k]; i++)
      f[k][i] = gen_unit(g);
  }
  double complex *v = tensor_of_factors(HED_SHAPE(8, 9, 10), 3, f, NULL);
  for (int64_t i = 0; i < 720; i++)
    v[i] *= 1e-6;
  hed_array *x = tensor_array(v, HED_SHAPE(8, 9, 10), t), *slice[12];
  for (int start = HED_START_SVD; start <= HED_START_RANDOM; start++) {
    const hed_cp_options o = { .start_by = (hed_cp_start)start, .random = { .seed = 3, .seeded = true }, .sweeps = { .max = 2000 },
                               .restarts = 3 };
    hed_cp c = { 0 };
    hed_fit fit = { 0 };
    hed_status status = hed_cp_nn_hals(x, 3, &(hed_cp_hals_options){ .cp = o }, &c, &fit);
    ok(status == HED_OK && fit.error < enough, "%s: without negative entries, start %d: %g", backend, start, fit.error);
    hed_cp_clear(&c);
    hed_fit_clear(&fit);
    const hed_cp_constrained_options also = { .cp = o, .constraint = { NONNEGATIVE, NONNEGATIVE, NONNEGATIVE } };
    status = hed_cp_constrained(x, 3, &also, &c, &fit);
    ok(status == HED_OK && fit.error < enough, "%s: by the constraint, start %d: %g", backend, start, fit.error);
    hed_cp_clear(&c);
    hed_fit_clear(&fit);
  }
  hed_parafac2 p = { 0 };
  hed_fit fit = { 0 };
  for (int i = 0; i < 12; i++)
    slice[i] = tensor_wave(HED_SHAPE(6 + i % 4, 8), 0.7 + 0.13 * i, t);
  const hed_status status = hed_parafac2_als(12, (const hed_array *const *)slice, 3, NULL, &p, &fit);
  ok(status == HED_OK && fit.error < 0.42702, "%s: PARAFAC2 as far as others: %.7f after %lld sweeps", backend, fit.error,
     (long long)fit.n_sweeps);
  hed_parafac2_clear(&p);
  hed_fit_clear(&fit);
  for (int i = 0; i < 12; i++)
    hed_release(slice[i]);
  for (int k = 0; k < 3; k++)
    free(f[k]);
  free(v);
  hed_release(x);
}

/* With gaps the core of least squares over what is known says the rank that was planted; what a model fills in always agrees with
 * it. */
static void consistency(gen *g, const char *backend)
{
  double complex *f[3], *v;
  static const int64_t extent[] = { 8, 9, 10 };
  double known[720], told[5] = { 0 };
  for (int k = 0; k < 3; k++) {
    f[k] = malloc((size_t)(3 * extent[k]) * sizeof *f[k]);
    for (int64_t i = 0; i < 3 * extent[k]; i++)
      f[k][i] = gen_normal(g);
  }
  v = tensor_of_factors(HED_SHAPE(8, 9, 10), 3, f, NULL);
  for (int i = 0; i < 720; i++) {
    v[i] += 0.1 * gen_normal(g);
    known[i] = gen_unit(g) > 0.28;
  }
  hed_array *x = tensor_array(v, HED_SHAPE(8, 9, 10), tensor_dtype(0) == HED_FLOAT64 ? HED_FLOAT64 : HED_FLOAT32);
  hed_array *mask = hed_from_doubles(known, HED_SHAPE(8, 9, 10), HED_FLOAT32);
  for (int rank = 2; rank <= 4; rank++) {
    hed_cp c = { 0 };
    const hed_cp_options o = { .mask = mask, .restarts = 5, .random = { .seed = 3, .seeded = true }, .sweeps = { .max = 500 } };
    if (hed_cp_als(x, rank, &o, &c, NULL) != HED_OK || hed_core_consistency(x, mask, &c, &told[rank]) != HED_OK)
      bail("%s", hed_error_text());
    hed_cp_clear(&c);
  }
  ok(told[2] > 60 && told[3] > 60 && told[4] < 60, "%s: consistencies of 2, 3 and 4 components of 3, with gaps: %.0f, %.0f, %.0f",
     backend, told[2], told[3], told[4]);
  for (int k = 0; k < 3; k++)
    free(f[k]);
  free(v);
  RELEASE(x, mask);
}

/* Functions that fill a hed_fit, of this kit, are all in the list. */
static void nothing_missing(void)
{
  char missing[400] = "";
  int seen = 0;
  for (int k = 0; hed_kit_function_at(k); k++) {
    const hed_api_function *f = hed_kit_function_at(k);
    bool fits = false, there = false;
    for (int a = 0; a < f->n_arguments; a++)
      fits |= strcmp(f->arguments[a].type, "hed_fit") == 0 && strcmp(f->symbol, "hed_fit_clear") != 0;
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++)
      there |= strcmp(f->symbol + 4, listed[i].name) == 0;
    seen += fits;
    if (fits && !there && strlen(missing) < 300)
      snprintf(missing + strlen(missing), 100, " %.90s", f->symbol);
  }
  ok(seen > 15 && !*missing, "no function with a fit is missing in the list:%s", *missing ? missing : " none");
}

int main(void)
{
  nothing_missing();
  bad_masks();
  on_backends(all_units);
  if (hed_set_default_backend("cpu") != HED_OK)
    bail("%s", hed_error_text());
  if (full_run() || scaled(10) == 10) { /* thousands of sweeps, which take sanitizers thirty times as long */
    gen g;
    gen_seed(&g, 11);
    reached(&g, "cpu");
    consistency(&g, "cpu");
  }
  done_testing();
  return done();
}
