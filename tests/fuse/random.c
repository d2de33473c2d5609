// SPDX-License-Identifier: BSD-3-Clause
/* Random programs of elementwise operations and reductions, run one by one and fused: the same bits come out, whatever their
 * shapes, dtypes and layouts, whatever is released early or read in between. L5. */
#include "arrays.h"
#include "gen.h"
#include "scenario.h"
#include <heddle/ops.h>
#include <math.h>

enum { INPUTS = 6, STEPS = 45, VALUES = INPUTS + STEPS };

typedef hed_array *(*unary_fn)(const hed_array *);
typedef hed_array *(*binary_fn)(const hed_array *, const hed_array *);
typedef hed_array *(*scalar_fn)(const hed_array *, double);
typedef hed_array *(*reduce_fn)(const hed_array *, const hed_reduce *);

static const unary_fn unaries[] = {
  hed_negative, hed_abs, hed_square, hed_sqrt, hed_exp, hed_sin, hed_floor, hed_sign, hed_isnan,
                                    hed_logical_not, hed_conj, hed_real, hed_imag, hed_tanh, hed_relu, hed_reciprocal,
                                    hed_log1p, hed_isfinite, hed_cos, hed_log };
static const binary_fn binaries[] = { hed_add, hed_subtract, hed_multiply, hed_divide, hed_maximum, hed_minimum, hed_less,
                                      hed_equal, hed_greater_equal, hed_logical_and, hed_add, hed_multiply, hed_mod,
                                      hed_bitwise_xor, hed_hypot, hed_not_equal };
static const scalar_fn scalars[] = { hed_add_scalar, hed_multiply_scalar, hed_subtract_scalar, hed_greater_scalar,
                                     hed_maximum_scalar, hed_divide_scalar };
static const reduce_fn reductions[] = { hed_sum, hed_mean, hed_max, hed_min, hed_any, hed_all, hed_count_nonzero, hed_prod };
enum { EXACT_FROM = 2, EXACT_TO = 6 };
enum { DTYPES = 11 };
static hed_dtype any_dtype(gen *r)
{
  const hed_dtype dtypes[DTYPES] = { HED_FLOAT32,   HED_FLOAT64, HED_FLOAT32, HED_INT32,    HED_UINT8,     HED_BOOL,
                                     HED_COMPLEX64, HED_FLOAT16, HED_INT64,   HED_BFLOAT16, HED_COMPLEX128 };
  return dtypes[gen_below(r, DTYPES)];
}
#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct step {
  int kind, which, in[3];
  double number;
  hed_dtype dtype;
  int gone[2], peek;       /* values released, a value read, after the step; -1: none */
  bool keepdims;
  int32_t n_axes, axis[2];  /* of a reduction, as far as there are */
} step;

static gen g;
static hed_array *input[INPUTS];
static hed_shape shape;    /* the largest */

/* An input of a random shape that broadcasts, dtype and layout. */
static hed_array *make_input(void)
{
  hed_shape s = shape;
  int drop = gen_chance(&g, 20) ? (int)gen_below(&g, (uint64_t)s.ndim + 1) : 0;
  s.ndim -= drop;
  for (int k = 0; k < s.ndim; k++)
    s.dim[k] = gen_chance(&g, 15) ? 1 : shape.dim[k + drop];
  hed_shape wide = s;
  bool strided = s.ndim > 0 && gen_chance(&g, 30);
  if (strided)
    wide.dim[s.ndim - 1] *= 2;
  int64_t n = elements_of(wide);
  double *v = malloc((size_t)(n ? n : 1) * sizeof *v);
  for (int64_t i = 0; i < n; i++)
    v[i] = gen_chance(&g, 3) ? (gen_chance(&g, 50) ? NAN : INFINITY) : gen_double(&g, -5, 5);
  hed_array *x = hed_from_host(v, wide, HED_FLOAT64), *y = hed_astype(x, any_dtype(&g));
  free(v);
  hed_release(x);
  if (strided) {
    hed_slice_range r[HED_MAX_NDIM];
    for (int k = 0; k < s.ndim; k++)
      r[k] = HED_RANGE(0, wide.dim[k], k == s.ndim - 1 ? 2 : 1);
    x = hed_slice(y, s.ndim, r);
    hed_release(y);
    y = x;
    if (gen_chance(&g, 50)) {
      x = hed_flip(y, NULL);
      hed_release(y);
      y = x;
    }
  }
  return y;
}

static void make_step(step *s, int at)
{
  s->kind = (int)gen_below(&g, 100);
  s->which = (int)gen_below(&g, 1000);
  for (int k = 0; k < 3; k++) /* recent values more often, so that chains come about */
    s->in[k] = (int)gen_int(&g, gen_chance(&g, 60) && at > INPUTS ? at - 3 : 0, at - 1);
  s->number = gen_chance(&g, 50) ? (double)gen_int(&g, 0, 3) : gen_double(&g, -2, 2);
  s->dtype = any_dtype(&g);
  for (int k = 0; k < 2; k++)
    s->gone[k] = gen_chance(&g, 40) ? (int)gen_int(&g, INPUTS, at) : -1;
  s->peek = gen_chance(&g, 4) ? (int)gen_below(&g, (uint64_t)at) : -1;
  s->keepdims = gen_chance(&g, 30);
  s->n_axes = gen_chance(&g, 60) ? (int32_t)gen_int(&g, 1, 2) : 0;
  s->axis[0] = (int32_t)gen_int(&g, -3, 2);
  s->axis[1] = gen_chance(&g, 70) ? s->axis[0] - 1 : (int32_t)gen_int(&g, -3, 2);
}

/* NULL when the operation refuses its operands: then in both ways. */
static hed_array *apply(const step *s, hed_array *const *v, bool *rounded)
{
  const hed_array *a = v[s->in[0]], *b = v[s->in[1]], *c = v[s->in[2]];
  *rounded = false;
  if (!a || !b || !c)
    return NULL;
  if (s->kind < 30)
    return unaries[(size_t)s->which % COUNT(unaries)](a);
  if (s->kind < 62)
    return binaries[(size_t)s->which % COUNT(binaries)](a, b);
  if (s->kind < 75)
    return scalars[(size_t)s->which % COUNT(scalars)](a, s->number);
  if (s->kind < 80)
    return hed_where(a, b, c);
  if (s->kind < 83)
    return hed_clip(a, -s->number, 2);
  if (s->kind < 90)
    return hed_astype(a, s->dtype);
  if (s->kind < 92)
    return hed_where_scalar(a, b, s->number);
  if (s->kind < 94)
    return hed_fma(a, b, c);
  if (s->kind < 95)
    return hed_nan_to_num(a, NULL);
  if (s->kind < 96)
    return hed_cumsum(a, NULL); /* not fused: what it reads is computed first */
  size_t which = (size_t)s->which % COUNT(reductions);
  *rounded = which < EXACT_FROM || which > EXACT_TO;
  const hed_axes axes = { s->n_axes, { s->axis[0], s->axis[1] } };
  return reductions[which](a, &(hed_reduce){ .axes = axes, .keepdims = s->keepdims });
}

static bool takes_a_zero(const step *s)
{
  const reduce_fn f = reductions[(size_t)s->which % COUNT(reductions)];
  return s->kind >= 96 && (f == hed_max || f == hed_min);
}

static void run(const step *program, hed_array **v, char **peeked, size_t *n_peeked)
{
  static const hed_array *released[VALUES];
  memset(released, 0, sizeof released);
  bool dead[VALUES] = { false };
  *n_peeked = 0;
  for (int k = 0; k < STEPS; k++) {
    const step *s = &program[k];
    step t = *s;
    for (int i = 0; i < 3; i++)
      if (dead[t.in[i]])
        t.in[i] = t.in[i] % INPUTS;
    bool rounded;
    hed_array *x = apply(&t, v, &rounded);
    if (x && rounded) { /* what is rounded otherwise does not go on */
      hed_array *y = hed_multiply_scalar(x, 0);
      hed_release(x);
      hed_array *z = hed_isnan(y);
      hed_release(y);
      x = z ? z : NULL;
    } else if (x && takes_a_zero(&t) && hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_FLOAT) {
      hed_array *y = hed_add_scalar(x, 0); /* which of 0 and -0 the largest is depends on the order */
      hed_release(x);
      x = y;
    }
    v[INPUTS + k] = x;
    if (s->peek >= 0 && !dead[s->peek] && v[s->peek] && *n_peeked < 8) {
      size_t bytes = hed_array_nbytes(v[s->peek]);
      char *p = malloc(bytes + 1);
      if (hed_to_host(v[s->peek], p, bytes) != HED_OK)
        fail("to_host: %s", hed_error_text());
      peeked[(*n_peeked)++] = p;
    }
    for (int i = 0; i < 2; i++)
      if (s->gone[i] >= INPUTS && s->gone[i] <= INPUTS + k && !dead[s->gone[i]]) {
        dead[s->gone[i]] = true;
        hed_release(v[s->gone[i]]);
        v[s->gone[i]] = NULL;
      }
    hed_error_clear();
  }
}

/* The same bits, NaN being NaN. */
static bool same(const hed_array *a, const hed_array *b)
{
  if (!a || !b)
    return a == b;
  size_t bytes = hed_array_nbytes(a);
  if (hed_array_dtype(a) != hed_array_dtype(b) || hed_array_nbytes(b) != bytes || hed_array_ndim(a) != hed_array_ndim(b))
    return false;
  char *p = malloc(2 * bytes + 1);
  bool good = hed_to_host(a, p, bytes) == HED_OK && hed_to_host(b, p + bytes, bytes) == HED_OK;
  if (good && memcmp(p, p + bytes, bytes) != 0) {
    hed_array *nx = hed_not_equal(a, a), *ny = hed_not_equal(b, b), *eq = hed_equal(a, b);
    hed_array *both = hed_logical_and(nx, ny), *either = hed_logical_or(eq, both), *every = hed_all(either, NULL);
    double yes = 0;
    good = hed_item(every, &yes) == HED_OK && yes == 1;
    if (good && hed_array_dtype(a) != HED_COMPLEX64 && hed_array_dtype(a) != HED_COMPLEX128 && nx) {
      hed_array *sa = hed_signbit(a), *sb = hed_signbit(b), *se = hed_equal(sa, sb), *ok_ = hed_logical_or(se, both);
      hed_array *e = hed_all(ok_, NULL);
      good = hed_item(e, &yes) == HED_OK && yes == 1;
      hed_array *const all[] = { sa, sb, se, ok_, e };
      for (size_t k = 0; k < COUNT(all); k++)
        hed_release(all[k]);
    }
    hed_array *const all[] = { nx, ny, eq, both, either, every };
    for (size_t k = 0; k < COUNT(all); k++)
      hed_release(all[k]);
  }
  free(p);
  return good;
}

static void one_round(int round)
{
  static const hed_shape shapes[] = {
    { 1, { 1000 } }, { 1, { 7 } },    { 2, { 3, 700 } }, { 2, { 40, 33 } }, { 3, { 5, 6, 7 } },
    { 0, { 0 } },    { 2, { 4, 1 } }, { 2, { 0, 5 } },   { 1, { 70001 } },  { 3, { 2, 3, 1100 } },
  };
  step program[STEPS];
  hed_array *plain[VALUES] = { NULL }, *fused[VALUES] = { NULL };
  char *peeked[2][8];
  size_t n_peeked[2];
  shape = shapes[gen_below(&g, COUNT(shapes))];
  for (int k = 0; k < INPUTS; k++)
    plain[k] = fused[k] = input[k] = make_input();
  for (int k = 0; k < STEPS; k++)
    make_step(&program[k], INPUTS + k);
  run(program, plain, peeked[0], &n_peeked[0]);
  bool pending = false;
  HED_FUSED {
    run(program, fused, peeked[1], &n_peeked[1]);
    for (int k = INPUTS; k < VALUES; k++)
      pending |= hed_array_is_pending(fused[k]);
  }
  bool good = n_peeked[0] == n_peeked[1];
  for (size_t k = 0; k < n_peeked[0]; k++)
    free(peeked[0][k]);
  for (size_t k = 0; k < n_peeked[1]; k++)
    free(peeked[1][k]);
  for (int k = INPUTS; k < VALUES && good; k++)
    if (!(good = same(plain[k], fused[k]) && !hed_array_is_pending(fused[k])))
      diag("round %d: step %d, kind %d, which %d, dtype %s, ndim %d", round, k - INPUTS, program[k - INPUTS].kind,
           program[k - INPUTS].which, plain[k] ? hed_dtype_name(hed_array_dtype(plain[k])) : "none", shape.ndim);
  if (!good)
    fail("round %d: one by one and fused differ%s", round, pending ? "" : " (nothing was pending)");
  for (int k = 0; k < VALUES; k++) {
    hed_release(plain[k]);
    if (k >= INPUTS)
      hed_release(fused[k]);
  }
}

int main(void)
{
  static const struct { const char *name, *spec; int rounds; } backends[] = {
    { "cpu", "cpu;threads=1", 150 },
    { "cpu", "cpu;threads=2", 150 },
    { "reference", "reference", 20 },
    { "faulty", "faulty;dtype=relaxed", 40 },
  };
  gen_seed(&g, tap_seed());
  for (size_t b = 0; b < COUNT(backends); b++) {
    const char *spec = backends[b].spec;
    if (hed_backend_require(backends[b].name) != HED_OK || hed_set_default_backend(spec) != HED_OK) {
      skip(1, "%s: %s", spec, hed_error_text());
      continue;
    }
    hed_stats before = { .struct_size = sizeof before }, after = before;
    hed_stats_get(&before);
    int failed = tap_failures(), rounds = scaled(backends[b].rounds);
    for (int k = 0; k < rounds && tap_failures() < failed + 5; k++)
      one_round(k);
    hed_stats_get(&after);
    ok(tap_failures() == failed, "%s: %d random programs, the same bits", spec, rounds);
    ok((after.fused_passes > before.fused_passes) == hed_backend_fuses(backends[b].name), "%s: %llu passes", spec,
       (unsigned long long)(after.fused_passes - before.fused_passes));
    is_int((int64_t)after.arrays_live, (int64_t)before.arrays_live, "%s: nothing left", spec);
  }
  return done();
}
