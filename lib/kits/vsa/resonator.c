// SPDX-License-Identifier: BSD-3-Clause
/* The factors of bound vectors.
 *
 * Layer: L4, vsa kit. All vectors whose search goes on are rows of the same arrays. After each step those that repeat
 * an earlier state are read out and leave; what has not converged comes back in the next round, from a random start
 * that depends on its number alone.
 */
#include "kits/vsa/items.h"
#include "kits/member.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, HISTORY = 5 }; /* factors; states looked at: the new one and four before it */

/* What is known of one vector. */
typedef struct outcome {
  int64_t index[MOST];
  double similarity[MOST], confidence[MOST], fit;
  int64_t iterations, starts;
  bool converged, settled; /* settled: and its product fits */
} outcome;

typedef struct search {
  const hed_vsa *v, *from;      /* the model searched in, and that of the arguments             */
  const char *op;
  hed_vsa_resonator_options o;
  int n;
  bool packed;                  /* V's vectors are words, one value as frequent as the other    */
  hed_vsa *twin;                /* V, where it is not FROM                                      */
  const hed_array *codebook[MOST];
  hed_array *converted[MOST];   /* those of them that were made here                            */
  hed_array *numbers[MOST];     /* hed__vsa_numbers() of each, where they are not packed        */
  hed_array *start[MOST];       /* (Q, ..): states of the first round                           */
  hed_array *vectors;           /* (Q, ..)                                                      */
  uint64_t base;                /* of random starts                                             */
  int64_t total, ended;
  outcome *out;
  /* Of a round: */
  int64_t m, *row;              /* how many go on, and which                                    */
  hed_array *at;                /* (m, ..): their vectors                                       */
  hed_array *x[HISTORY][MOST];  /* (m, ..): states, the newest first; NULL: not so many yet     */
} search;

/* ---- one step ---- */

/* What the other factors leave of the vectors. */
static hed_array *rest_of(const search *s, int f, hed_array *const *x)
{
  hed_array *u = s->at, *left = x[0];
  for (int g = s->n - 1; u && g > f; g--)
    u = s->v->ops->unbind(s->v, u, x[g]);
  for (int g = 1; left && g < f; g++)
    left = s->v->ops->bind(s->v, left, x[g]);
  if (f == 0 || !u)
    return u;
  return (s->v->ops->unbind_left ? s->v->ops->unbind_left : s->v->ops->unbind)(s->v, u, left);
}

static int64_t fewer(int64_t a, int64_t b) { return a < b ? a : b; }

/* X: signed similarities, times UNIT. */
static hed_array *activated(const search *s, hed_array *x, double unit)
{
  hed_array *value, *at, *out;
  switch (s->o.activation) {
  case HED_VSA_SOFTMAX:
    return hed_softmax(hed_multiply_scalar(hed_astype(x, s->v->real), (s->o.beta != 0 ? s->o.beta : 250) / unit), -1);
  case HED_VSA_RELU:
    return hed_maximum_scalar(x, 0);
  case HED_VSA_TOP_K:
    if (!x || hed_topk(x, fewer(s->o.top_k, hed_array_shape(x).dim[1]), NULL, &value, &at) != HED_OK)
      return NULL;
    out = hed_zeros_like(x);
    return hed_put_along_axis(out, at, value, -1) == HED_OK ? out : NULL;
  case HED_VSA_THRESHOLD:
    return hed_where_scalar(hed_greater_scalar(x, s->packed ? floor(fmax(-2, fmin(2, s->o.threshold)) * unit) : s->o.threshold), x, 0);
  default:
    return x;
  }
}

/* Whole numbers of what SCALE makes large. */
static hed_array *scaled(const hed_array *x, double scale)
{
  return hed_astype(hed_round(hed_multiply_scalar(x, scale)), HED_INT32);
}

/* What WEIGHTS (m, items) make of codebook F: of packed ones exactly, so weights are whole numbers there. */
static hed_array *mixed(const search *s, const hed_array *weights, int f)
{
  if (!s->packed)
    return hed__vsa_mixed(s->v, weights, s->numbers[f]);
  return hed_weighted_majority_bits(s->codebook[f], weights, hed__vsa_tie_of(s->v, &(hed__vsa_sum){ .x = s->codebook[f] }));
}

/* The next state of factor F where U is left for it. Of D bits D - 2 h agree beyond chance where h differ. */
static hed_array *next_of(const search *s, const hed_array *u, int f)
{
  const double d = (double)s->v->o.dim;
  if (!s->packed)
    return mixed(s, activated(s, hed__vsa_signed(s->v, hed_vsa_similarity_matrix(s->v, u, s->codebook[f])), 1), f);
  hed_array *differ = hed_hamming_matrix(u, s->codebook[f]);
  hed_array *weights = activated(s, hed_subtract(hed_subtract(hed_full(HED_SHAPE0, d, HED_INT32), differ), differ), d);
  return mixed(s, s->o.activation == HED_VSA_SOFTMAX ? scaled(weights, 1 << 24) : hed_astype(weights, HED_INT32), f);
}

/* The next state from X, to be kept, in NEXT. */
static hed_status step(const search *s, hed_array *const *x, hed_array **next)
{
  hed_array *now[MOST];
  memcpy(now, x, sizeof now);
  for (int f = 0; f < s->n; f++) {
    HED_SCOPE {
      hed_array *u = rest_of(s, f, s->o.synchronous ? x : now);
      next[f] = u ? hed_keep(next_of(s, u, f)) : NULL;
    }
    if (!(now[f] = next[f]))
      return hed_error();
  }
  return HED_OK;
}

/* ---- states ---- */

static void drop(hed_array **x, int n)
{
  for (int f = 0; f < n; f++) {
    hed_release(x[f]);
    x[f] = NULL;
  }
}

/* Which rows are the same in the newest state and that of AGE steps ago; NULL when there is none. */
static hed_array *repeats(const search *s, int age)
{
  const hed_kind kind = hed_dtype_kind(s->v->dtype);
  const bool exact = kind != HED_KIND_FLOAT && kind != HED_KIND_COMPLEX;
  hed_array *all = NULL;
  for (int f = 0; s->x[age][0] && f < s->n; f++) {
    hed_array *a = hed__vsa_rows_of(s->x[0][f], s->v->shape.ndim), *b = hed__vsa_rows_of(s->x[age][f], s->v->shape.ndim);
    hed_array *same = exact ? hed_equal(a, b) : hed_less_scalar(hed_abs(hed_subtract(a, b)), 1e-5);
    same = hed_all(same, &(hed_reduce){ .axes = HED_AXES(-1) });
    all = f == 0 ? same : hed_logical_and(all, same);
  }
  return all;
}

/* What has become of each row in DONE: 0 it goes on, 1 it has converged, 2 it goes round in circles. */
static hed_status judge(const search *s, uint8_t *done)
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *code = hed_zeros(HED_SHAPE(s->m), HED_UINT8);
    for (int age = HISTORY - 1; code && age > 0; age--) {
      hed_array *same = repeats(s, age);
      if (same)
        code = hed_where(same, hed_full(HED_SHAPE0, age == 1 ? 1 : 2, HED_UINT8), code);
      else if (s->x[age][0])
        code = NULL;
    }
    status = code ? hed_to_host(code, done, (size_t)s->m) : hed_error();
  }
  return status;
}

/* X by rows KEEP, in place of itself. */
static hed_status taken(hed_array **x, const hed_array *keep)
{
  hed_array *y = hed_keep(hed_take(*x, keep, 0));
  if (!y)
    return hed_error();
  hed_release(*x);
  *x = y;
  return HED_OK;
}

/* Only the rows go on whose code in DONE is 0. */
static hed_status compress(search *s, const uint8_t *done)
{
  hed_status status = HED_OK;
  int64_t m = 0, *keep = malloc((size_t)s->m * sizeof *keep);
  if (!keep)
    return hed_fail(HED_E_NOMEM, "%s: no memory", s->op);
  for (int64_t i = 0; i < s->m; i++)
    if (!done[i]) {
      keep[m] = i;
      s->row[m++] = s->row[i];
    }
  HED_SCOPE_OR(status = hed_error()) {
    hed_array *which = hed_from_host(keep, HED_SHAPE(m), HED_INT64);
    status = which ? taken(&s->at, which) : hed_error();
    for (int h = 0; h < HISTORY && s->x[h][0]; h++)
      for (int f = 0; status == HED_OK && f < s->n; f++)
        status = taken(&s->x[h][f], which);
  }
  s->m = m;
  free(keep);
  return status;
}

/* ---- reading out ---- */

/* X (m), of the model's real dtype, to the host. */
static hed_status doubles(const search *s, const hed_array *x, double *out)
{
  if (s->v->real == HED_FLOAT64)
    return hed_to_host(x, out, (size_t)s->m * sizeof *out);
  hed_status status = hed_to_host(x, out, (size_t)s->m * sizeof(float));
  for (int64_t i = s->m; status == HED_OK && i-- > 0;) { /* from the end: a double takes two floats' place */
    float f;
    memcpy(&f, (const char *)out + (size_t)i * sizeof f, sizeof f);
    out[i] = (double)f;
  }
  return status;
}

/* The best item of factor F for all rows, its similarity and how far the second is behind; the item's vectors in *ITEM. */
static hed_status best_items(const search *s, int f, int64_t *index, double *similarity, double *confidence, hed_array **item)
{
  const bool negated = s->v->model == HED_VSA_MAP || s->v->model == HED_VSA_BSC;
  hed_array *sims = hed_vsa_similarity_matrix(s->v, s->x[0][f], s->codebook[f]), *value, *at;
  if (negated)
    sims = hed_abs(hed__vsa_signed(s->v, sims));
  const int64_t k = sims && hed_array_shape(sims).dim[1] > 1 ? 2 : 1;
  if (!sims || hed_topk(sims, k, NULL, &value, &at) != HED_OK)
    return hed_error();
  hed_array *first = hed_index(value, 1, 0), *place = hed_index(at, 1, 0);
  hed_array *ahead = k == 2 ? hed_subtract(first, hed_index(value, 1, 1)) : hed_copy(first);
  *item = hed_take(s->codebook[f], place, 0);
  hed_status status = hed_to_host(place, index, (size_t)s->m * sizeof *index);
  if (status == HED_OK)
    status = doubles(s, first, similarity);
  return status == HED_OK ? doubles(s, ahead, confidence) : status;
}

/* The rows with DONE (all, when FINAL) as outcomes; a better one of an earlier round stays. */
static hed_status read_out(search *s, const uint8_t *done, bool final)
{
  const size_t m = (size_t)s->m, n = (size_t)s->n;
  int64_t *index = malloc(m * n * sizeof *index);
  double *value = malloc(m * (2 * n + 1) * sizeof *value), *confidence = value + m * n, *fit = value + 2 * m * n;
  hed_status status = index && value ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory", s->op);
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *product = NULL;
      for (int f = 0; status == HED_OK && f < s->n; f++) {
        hed_array *item = NULL;
        status = best_items(s, f, index + (size_t)f * m, value + (size_t)f * m, confidence + (size_t)f * m, &item);
        product = f == 0 || status != HED_OK ? item : s->v->ops->bind(s->v, product, item);
      }
      if (status == HED_OK)
        status = doubles(s, hed_vsa_similarity(s->v, s->at, product), fit);
    }
  for (size_t i = 0; status == HED_OK && i < m; i++) {
    outcome *o = &s->out[s->row[i]];
    const bool converged = done[i] == 1, settled = converged && fit[i] >= s->o.least_fit;
    if ((!done[i] && !final) || (!settled && o->starts > 1 && o->fit >= fit[i]))
      continue;
    s->ended += settled;
    for (size_t f = 0; f < n; f++) {
      o->index[f] = index[f * m + i];
      o->similarity[f] = value[f * m + i];
      o->confidence[f] = confidence[f * m + i];
    }
    o->fit = fit[i];
    o->converged = converged;
    o->settled = settled;
  }
  free(index);
  free(value);
  return status;
}

/* ---- rounds ---- */

static hed_status polled(const search *s)
{
  if (s->o.cancel && __atomic_load_n(s->o.cancel, __ATOMIC_RELAXED))
    return hed_fail(HED_E_CANCELLED, "%s: cancelled", s->op);
  if (s->o.progress && s->o.progress(s->o.progress_arg, s->ended, s->total) != 0)
    return hed_fail(HED_E_CANCELLED, "%s: stopped by progress", s->op);
  return HED_OK;
}

/* Codebook F with normal weights, for each row others, that depend on its number and the round. */
static hed_array *random_start(const search *s, int f, int64_t round)
{
  const int64_t n = hed_array_shape(s->codebook[f]).dim[0];
  hed_array *weights = hed_empty(HED_SHAPE(s->m, n), s->v->real);
  for (int64_t i = 0; weights && i < s->m; i++) {
    const uint64_t key = hed_fold_key(hed_fold_key(hed_fold_key(s->base, (uint64_t)s->row[i]), (uint64_t)round), (uint64_t)f);
    if (hed_random_normal_into(hed_index(weights, 0, i), &(hed_random){ .seed = key, .seeded = true }) != HED_OK)
      return NULL;
  }
  return weights ? mixed(s, s->packed ? scaled(weights, 4096) : weights, f) : NULL;
}

/* States of round ROUND for the rows that go on: as given, or at random. */
static hed_status begin(search *s, int64_t round)
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *which = hed_from_host(s->row, HED_SHAPE(s->m), HED_INT64);
    s->at = hed_keep(hed_take(s->vectors, which, 0));
    for (int f = 0; f < s->n; f++) {
      s->x[0][f] = hed_keep(round == 0 ? hed_take(s->start[f], which, 0) : random_start(s, f, round));
      status = s->at && s->x[0][f] && status == HED_OK ? HED_OK : hed_error();
    }
  }
  return status;
}

static hed_status one_round(search *s, int64_t round, uint8_t *done)
{
  hed_status status = begin(s, round);
  for (int64_t i = 0; i < s->m; i++)
    s->out[s->row[i]].starts++;
  for (int64_t k = 0; status == HED_OK && s->m > 0 && k < s->o.max_iterations; k++) {
    hed_array *next[MOST] = { NULL };
    HED_PROFILE_RANGE("iteration")
      if ((status = polled(s)) == HED_OK)
        status = step(s, s->x[0], next);
    drop(s->x[HISTORY - 1], s->n);
    memmove(s->x[1], s->x[0], sizeof s->x[0] * (HISTORY - 1));
    memcpy(s->x[0], next, sizeof next);
    if (status == HED_OK)
      status = judge(s, done);
    bool some = false;
    for (int64_t i = 0; status == HED_OK && i < s->m; i++) {
      s->out[s->row[i]].iterations++;
      some |= done[i] != 0;
    }
    if (status == HED_OK && some && (status = read_out(s, done, false)) == HED_OK)
      status = compress(s, done);
  }
  if (status == HED_OK && s->m > 0) {
    memset(done, 0, (size_t)s->m);
    status = read_out(s, done, true);
  }
  hed_release(s->at);
  s->at = NULL;
  for (int h = 0; h < HISTORY; h++)
    drop(s->x[h], s->n);
  return status;
}

static hed_status rounds(search *s)
{
  hed_status status = HED_OK;
  uint8_t *done = malloc((size_t)s->total + 1);
  s->row = malloc(((size_t)s->total + 1) * sizeof *s->row);
  if (!done || !s->row)
    status = hed_fail(HED_E_NOMEM, "%s: no memory", s->op);
  for (int64_t r = 0; status == HED_OK && r <= s->o.restarts; r++) {
    s->m = 0;
    for (int64_t i = 0; i < s->total; i++)
      if (!s->out[i].settled)
        s->row[s->m++] = i;
    if (s->m == 0)
      break;
    HED_PROFILE_RANGE("round")
      status = one_round(s, r, done);
  }
  free(done);
  free(s->row);
  return status;
}

/* ---- in and out ---- */

static hed_status check(const search *s, const hed_array *const *codebooks)
{
  const hed_vsa_resonator_options *o = &s->o;
  if (hed__expect_member(s->op, "activation", o->activation, HED_VSA_LINEAR, HED_VSA_THRESHOLD, "hed_vsa_activation") != HED_OK)
    return hed_error();
  if (o->top_k < 0 || o->max_iterations < 0 || o->restarts < 0 || !isfinite(o->least_fit) || !isfinite(o->beta) || o->beta < 0 ||
      isnan(o->threshold))
    return hed_fail(HED_E_INVAL, "%s: top_k %lld, max_iterations %lld, restarts %lld, beta %g, threshold %g, least_fit %g; the first "
                    "four may not be negative, and the last three are numbers", s->op, (long long)o->top_k,
                    (long long)o->max_iterations, (long long)o->restarts, o->beta, o->threshold, o->least_fit);
  if (s->v->o.variant == HED_VSA_CDT || s->v->o.variant == HED_VSA_SHIFT || s->v->model == HED_VSA_VTB_SHIFT)
    return hed_fail(HED_E_UNSUPPORTED, "%s: what is bound in %s (variant %d) cannot be unbound from both sides", s->op,
                    s->v->name, (int)s->v->o.variant);
  for (int f = 0; f < s->n; f++) {
    char name[24];
    (void)snprintf(name, sizeof name, "codebook %d", f);
    if (!hed__vsa_fits(s->v, s->op, name, codebooks[f]) || hed__vsa_valid(s->v, s->op, name, codebooks[f]) != HED_OK)
      return hed_error();
    if (hed__vsa_batch(s->v, codebooks[f]) != 1 || hed_array_shape(codebooks[f]).dim[0] < 1)
      return hed_fail(HED_E_SHAPE, "%s: %s has %d axes before its vectors and %lld vectors; it wants one, and some", s->op, name,
                      (int)hed__vsa_batch(s->v, codebooks[f]), (long long)hed__vsa_count(hed__vsa_batch_shape(s->v, codebooks[f])));
  }
  return HED_OK;
}

/* Plain vectors of two values are searched as packed ones, which have the same outcomes. */
static hed_status choose_layout(search *s)
{
  const hed_vsa *v = s->from;
  hed_vsa_options o = v->o;
  s->packed = v->model == HED_VSA_BSC || (v->model == HED_VSA_MAP && v->ops != &hed__vsa_map_real);
  if (!s->packed || o.layout == HED_VSA_PACKED)
    return HED_OK;
  o.layout = HED_VSA_PACKED;
  const hed_status status = hed_vsa_create(v->model, &o, &s->twin);
  if (status == HED_OK)
    s->v = s->twin;
  return status;
}

/* X, of the arguments' model, as one of the model searched in. */
static const hed_array *as_searched(const search *s, const hed_array *x)
{
  return s->v == s->from ? x : hed_vsa_convert(s->from, x, s->v);
}

/* One that is given twice stays one. */
static hed_status take_codebook(search *s, const hed_array *const *codebooks, int f)
{
  for (int g = 0; g < f; g++)
    if (codebooks[g] == codebooks[f]) {
      s->codebook[f] = s->codebook[g];
      return HED_OK;
    }
  s->codebook[f] = as_searched(s, codebooks[f]);
  if (s->codebook[f] && s->codebook[f] != codebooks[f])
    s->codebook[f] = s->converted[f] = hed_keep((hed_array *)s->codebook[f]);
  return s->codebook[f] ? HED_OK : hed_error();
}

/* What all rounds share. */
static hed_status prepare(search *s, const hed_array *vectors, const hed_array *const *codebooks, hed_shape batch)
{
  const hed_shape rows = hed__vsa_joined(HED_SHAPE(s->total), s->v->shape), all = hed__vsa_joined(batch, s->v->shape);
  hed_status status = hed__vsa_base(&s->o.random, HED__VSA_INIT, &s->base);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    s->vectors = hed_keep(hed_reshape(as_searched(s, vectors), rows));
    for (int f = 0; f < s->n; f++) {
      if (take_codebook(s, codebooks, f) != HED_OK)
        return hed_error();
      const hed_array *given = s->o.initial ? s->o.initial[f] : NULL;
      if (given && !hed__vsa_fits(s->from, s->op, "initial", given))
        return hed_error();
      given = given ? as_searched(s, given) : hed_vsa_bundle(s->v, s->codebook[f], 0, NULL);
      s->start[f] = hed_keep(hed_reshape(hed_broadcast_to(given, all), rows));
      s->numbers[f] = s->packed ? NULL : hed_keep(hed__vsa_numbers(s->v, s->codebook[f]));
      if (!s->start[f] || (!s->packed && !s->numbers[f]))
        return hed_error();
    }
  }
  return s->vectors ? HED_OK : hed_error();
}

/* Of one codebook for all factors the order means nothing. */
static void sort_factors(const search *s)
{
  bool same = (s->v->flags & HED_VSA_COMMUTATIVE) != 0;
  for (int f = 1; f < s->n; f++)
    same &= s->codebook[f] == s->codebook[0];
  for (int64_t i = 0; same && i < s->total; i++) {
    outcome *o = &s->out[i];
    for (int f = 1; f < s->n; f++)
      for (int g = f; g > 0 && o->index[g] < o->index[g - 1]; g--) {
        const int64_t k = o->index[g];
        const double a = o->similarity[g], b = o->confidence[g];
        o->index[g] = o->index[g - 1], o->similarity[g] = o->similarity[g - 1], o->confidence[g] = o->confidence[g - 1];
        o->index[g - 1] = k, o->similarity[g - 1] = a, o->confidence[g - 1] = b;
      }
  }
}

/* What is at AT within each outcome, SIZE bytes, PER factor as many, as an array of T, or of doubles where that is a float. */
static hed_array *gathered(const search *s, hed_shape batch, hed_dtype t, size_t at, size_t size, bool per)
{
  const size_t n = per ? (size_t)s->n : 1, total = (size_t)s->total;
  char *host = malloc(total * n * size + 1);
  if (!host) {
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for results", s->op);
    return NULL;
  }
  for (size_t i = 0; i < total; i++)
    memcpy(host + i * n * size, (const char *)&s->out[i] + at, n * size);
  if (per)
    batch.dim[batch.ndim++] = s->n;
  const bool real = hed_dtype_kind(t) == HED_KIND_FLOAT;
  hed_array *out = hed_keep(real ? hed_from_doubles((const double *)(const void *)host, batch, t) : hed_from_host(host, batch, t));
  free(host);
  return out;
}

static hed_status report(const search *s, hed_shape batch, hed_vsa_factors *out)
{
  const hed_dtype real = s->v->real;
#define OUT(field, type, per) \
  (out->field = gathered(s, batch, type, offsetof(outcome, field), per ? sizeof(double) : sizeof s->out->field, per))
  const bool whole = OUT(index, HED_INT64, true) && OUT(similarity, real, true) && OUT(confidence, real, true) &&
                     OUT(fit, real, false) && OUT(iterations, HED_INT64, false) && OUT(starts, HED_INT64, false) &&
                     OUT(converged, HED_BOOL, false);
#undef OUT
  return whole ? HED_OK : hed_error();
}

hed_status hed_vsa_resonate(const hed_vsa *v, const hed_array *s, int n, const hed_array *const *codebooks,
                            const hed_vsa_resonator_options *opt, hed_vsa_factors *out)
{
  search r = { .v = v, .from = v, .op = "hed_vsa_resonate", .n = n };
  if (!out || !codebooks || n < 2 || n > MOST)
    return hed_fail(HED_E_INVAL, "hed_vsa_resonate: out is %s, codebooks %s, n %d, not in [2, %d]", out ? "given" : "NULL",
                    codebooks ? "given" : "NULL", n, MOST);
  *out = (hed_vsa_factors){ 0 };
  if (!hed__vsa_fits(v, r.op, "s", s))
    return hed_error();
  if (opt)
    r.o = *opt;
  hed_status status = check(&r, codebooks);
  if (status == HED_OK)
    status = hed__vsa_valid(v, r.op, "s", s);
  if (status != HED_OK)
    return status;
  r.o.max_iterations = r.o.max_iterations ? r.o.max_iterations : 200;
  r.o.top_k = r.o.top_k ? r.o.top_k : 1;
  const hed_shape batch = hed__vsa_batch_shape(v, s);
  r.total = hed__vsa_count(batch);
  r.out = calloc((size_t)r.total + 1, sizeof *r.out);
  status = r.out ? choose_layout(&r) : hed_fail(HED_E_NOMEM, "%s: no memory", r.op);
  if (status == HED_OK)
    status = prepare(&r, s, codebooks, batch);
  if (status == HED_OK)
    status = rounds(&r);
  if (status == HED_OK && (status = polled(&r)) == HED_OK) {
    sort_factors(&r);
    status = report(&r, batch, out);
  }
  drop(r.start, MOST);
  drop(r.numbers, MOST);
  drop(r.converted, MOST);
  hed_vsa_release(r.twin);
  hed_release(r.vectors);
  free(r.out);
  if (status != HED_OK)
    hed_vsa_factors_clear(out);
  return status;
}

void hed_vsa_factors_clear(hed_vsa_factors *f)
{
  if (!f)
    return;
  hed_release(f->index);
  hed_release(f->similarity);
  hed_release(f->confidence);
  hed_release(f->fit);
  hed_release(f->iterations);
  hed_release(f->starts);
  hed_release(f->converged);
  *f = (hed_vsa_factors){ 0 };
}
