// SPDX-License-Identifier: BSD-3-Clause
/* A train from few elements of a function.
 *
 * Layer: L4, tensor kit.
 *
 * Bond k (between cores k and k + 1) has two lists of indices: LEFT[k], of axes 0 .. k, and RIGHT[k], of axes k + 1 .. d - 1. Both
 * cores of bond k are found from the function at all combinations of LEFT[k - 1], the axes k and k + 1, and RIGHT[k + 1]; the rows (on
 * the way to the last core) or columns (on the way back) of the largest volume of its singular vectors make the new list. On the way
 * back core k + 1 interpolates: it has unit matrices at the columns that were chosen.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/train/cross.h"
#include "kits/tensor/sweeps.h"
#include "kits/tensor/train/train.h"
#include <heddle/kits/tensor_train_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* N rows of WIDTH indices, and EXTRA random ones, at which the function is looked at, too, but which no core goes by. */
typedef struct list {
  int64_t n, extra, *index;
  int width;
} list;

typedef struct cross {
  const char *op;
  hed_tt_function f;
  void *arg;
  hed_shape s;
  double eps;
  int64_t max_rank, kick, n_test, *test;
  double *truth;
  uint64_t evaluations;
  hed__seen seen;    /* what the function has been asked for */
  int exponent;      /* of the function's unit: that of the first values that are not all zero */
  bool sized;
  hed_generator random;
  list left[HED_MAX_NDIM + 1], right[HED_MAX_NDIM + 1]; /* LEFT[k + 1] is that of bond k, so that LEFT[0] is empty */
  hed_tt t; /* kept */
} cross;

static hed_status no_memory(const cross *c) { return hed_fail(HED_E_NOMEM, "%s: no memory for lists of indices", c->op); }

/* N x D numbers below the extents of SHAPE's axes FIRST .. FIRST + WIDTH - 1. */
static hed_status draw(cross *c, int64_t n, int first, int width, int64_t *out)
{
  uint64_t *bits = malloc((size_t)(n * width + 1) * sizeof *bits);
  hed_status status = bits ? HED_OK : no_memory(c);
  if (status == HED_OK && n * width > 0) {
    hed_array *r = hed_keep(hed_random_bits(HED_SHAPE(n * width), HED_UINT64, &(hed_random){ .generator = &c->random }));
    status = r ? hed_to_host(r, bits, (size_t)(n * width) * sizeof *bits) : hed_error();
    hed_release(r);
  }
  for (int64_t i = 0; status == HED_OK && i < n * width; i++)
    out[i] = (int64_t)(bits[i] % (uint64_t)c->s.dim[first + i % width]);
  free(bits);
  return status;
}

/* The function at N new points. */
static hed_status ask(cross *c, int64_t n, const int64_t *indices, double *values)
{
  const hed_status status = c->f(c->arg, n, indices, values);
  c->evaluations += (uint64_t)n;
  if (status != HED_OK)
    return status;
  for (int64_t i = 0; i < n; i++)
    if (!isfinite(values[i])) {
      hed_shape at = { .ndim = c->s.ndim };
      char text[160];
      memcpy(at.dim, indices + i * c->s.ndim, (size_t)c->s.ndim * sizeof *indices);
      return hed_fail(HED_E_INVAL, "%s: the function is not finite at %s", c->op, hed__shape_words(at, text));
    }
  double most = 0;
  for (int64_t i = 0; i < n && !c->sized; i++)
    most = fmax(most, fabs(values[i]));
  if (most > 0) {
    (void)frexp(most, &c->exponent);
    c->sized = true;
  }
  for (int64_t i = 0; i < n; i++)
    values[i] = ldexp(values[i], -c->exponent);
  return HED_OK;
}

/* The function at N points, of which it is asked for those that it has not been asked for. */
static hed_status look_up(cross *c, int64_t n, const int64_t *indices, double *values)
{
  int64_t *slot = malloc((size_t)n * sizeof *slot);
  const int64_t before = c->seen.n;
  hed_status status = slot ? HED_OK : no_memory(c);
  for (int64_t i = 0; i < n && status == HED_OK; i++)
    if ((slot[i] = hed__seen_find(&c->seen, c->s.ndim, indices + i * c->s.ndim)) < 0)
      status = no_memory(c);
  if (status == HED_OK && c->seen.n > before)
    status = ask(c, c->seen.n - before, c->seen.index + before * c->s.ndim, c->seen.value + before);
  for (int64_t i = 0; i < n && status == HED_OK; i++)
    values[i] = c->seen.value[slot[i]];
  free(slot);
  return status;
}

/* The function at LEFT[k] x axes k, k + 1 x RIGHT[k + 2]: (rows, columns), in the caller's scope. On the way back the columns are
 * those of a core. */
static hed_array *superblock(cross *c, int k, bool forward)
{
  const int d = c->s.ndim;
  const list *l = &c->left[k], *r = &c->right[k + 2];
  const int64_t ends = r->n + (forward ? r->extra : 0), rows = (l->n + l->extra) * c->s.dim[k], columns = c->s.dim[k + 1] * ends;
  int64_t *indices = malloc((size_t)(rows * columns * d) * sizeof *indices), *at = indices;
  double *values = malloc((size_t)(rows * columns) * sizeof *values);
  hed_array *out = NULL;
  for (int64_t i = 0; indices && i < rows; i++)
    for (int64_t j = 0; j < columns; j++, at += d) {
      memcpy(at, l->index + i / c->s.dim[k] * l->width, (size_t)l->width * sizeof *at);
      at[k] = i % c->s.dim[k];
      at[k + 1] = j / ends;
      memcpy(at + k + 2, r->index + j % ends * r->width, (size_t)r->width * sizeof *at);
    }
  if (!indices || !values)
    (void)no_memory(c);
  else if (look_up(c, rows * columns, indices, values) == HED_OK)
    out = hed_from_doubles(values, HED_SHAPE(rows, columns), hed__tensor_wide(HED_FLOAT64));
  free(indices);
  free(values);
  return out;
}

/* The list of N rows: row i is I's of OUTER (width w) and its own number, in one order or the other, then KICK random ones. */
static hed_status select_rows(cross *c, list *to, const list *outer, int axis, bool forward, int64_t n, const int64_t *rows)
{
  const int w = outer->width + 1;
  const int64_t extent = c->s.dim[axis];
  int64_t *index = malloc((size_t)((n + c->kick) * w) * sizeof *index);
  if (!index)
    return no_memory(c);
  for (int64_t i = 0; i < n; i++) {
    const int64_t own = forward ? rows[i] % extent : rows[i] / outer->n, from = forward ? rows[i] / extent : rows[i] % outer->n;
    memcpy(index + i * w + !forward, outer->index + from * outer->width, (size_t)outer->width * sizeof *index);
    index[i * w + (forward ? w - 1 : 0)] = own;
  }
  const hed_status status = draw(c, c->kick, forward ? 0 : axis, w, index + n * w);
  free(to->index);
  *to = (list){ .n = n, .extra = c->kick, .index = index, .width = w };
  return status;
}

/* Rows of the largest volume of the columns Q (n, r), of the scope; INTERPOLATION (n, r) in terms of them. */
static hed_status choose(cross *c, const hed_array *q, int64_t *rows, hed_array **interpolation)
{
  const hed_shape s = hed_array_shape(q);
  double *b = malloc((size_t)(s.dim[0] * s.dim[1]) * sizeof *b);
  hed_status status = b ? hed_tolist(q, b, s.dim[0] * s.dim[1]) : no_memory(c);
  if (status == HED_OK)
    status = hed__maxvol(s.dim[0], s.dim[1], b, rows);
  if (status == HED_OK && !(*interpolation = hed_from_doubles(b, s, hed__tensor_wide(HED_FLOAT64))))
    status = hed_error();
  free(b);
  return status;
}

static void put_core(cross *c, int k, hed_array *core)
{
  hed_release(c->t.core[k]);
  c->t.core[k] = hed_keep(core);
}

/* Bond K on the way to the last core, or on the way back. */
static hed_status bond(cross *c, int k, bool forward)
{
  HED_SCOPE_OR(return hed_error()) {
    hed_array *q = NULL, *rest = NULL, *inverse = NULL, *block = superblock(c, k, forward);
    double squares = 0;
    hed_status status = block ? hed__tensor_squares(c->op, "the function", block, &squares) : hed_error();
    if (status != HED_OK)
      return status;
    /* a fifth of the error is for the singular values that are dropped, the rest for what interpolation makes of it */
    hed__cut cut = { .most = c->max_rank, .squares = 0.04 * c->eps * c->eps * squares / c->s.ndim };
    status = hed__tt_split(forward ? block : hed_matrix_transpose(block), squares, &cut, &q, &rest);
    const int64_t rank = status == HED_OK ? hed_array_shape(q).dim[1] : 0;
    int64_t *rows = status == HED_OK ? malloc((size_t)rank * sizeof *rows) : NULL;
    if (status == HED_OK && !rows)
      status = no_memory(c);
    if (status == HED_OK)
      status = choose(c, q, rows, &inverse);
    if (status == HED_OK && forward)
      status = select_rows(c, &c->left[k + 1], &c->left[k], k, true, rank, rows);
    if (status == HED_OK && !forward) {
      const list *outer = &c->right[k + 2];
      const int64_t n = c->s.dim[k + 1];
      hed_array *core = hed_reshape(hed_matrix_transpose(inverse), HED_SHAPE(rank, n, outer->n));
      put_core(c, k + 1, core);
      if (k == 0) {
        hed_array *list_of = hed_from_host(rows, HED_SHAPE(rank), HED_INT64);
        put_core(c, 0, hed_reshape(hed_take(block, list_of, 1), HED_SHAPE(1, c->s.dim[0], rank)));
      }
      status = c->t.core[k + 1] && (k || c->t.core[0]) ? HED_OK : hed_error();
      if (status == HED_OK)
        status = select_rows(c, &c->right[k + 1], outer, k + 1, false, rank, rows);
    }
    free(rows);
    return status;
  }
  return hed_error();
}

/* Lists of one random row at every bond, and the entries at which the error is taken. */
static hed_status prepare(cross *c)
{
  const int d = c->s.ndim;
  static int64_t nothing[1]; /* the lists beyond both ends: one row without indices */
  hed_status status = HED_OK;
  c->test = malloc((size_t)(c->n_test * d) * sizeof *c->test);
  c->truth = malloc((size_t)c->n_test * sizeof *c->truth);
  if (!c->test || !c->truth)
    return no_memory(c);
  status = draw(c, c->n_test, 0, d, c->test);
  if (status == HED_OK)
    status = look_up(c, c->n_test, c->test, c->truth);
  c->left[0] = (list){ .n = 1, .index = nothing };
  c->right[d] = (list){ .n = 1, .index = nothing };
  for (int k = 1; status == HED_OK && k < d; k++) {
    const int64_t n = 1 + c->kick;
    c->right[k] = (list){ .n = 1, .extra = c->kick, .width = d - k, .index = malloc((size_t)(n * (d - k)) * sizeof(int64_t)) };
    status = c->right[k].index ? draw(c, n, k, d - k, c->right[k].index) : no_memory(c);
  }
  c->t.order = d;
  return status;
}

/* Root of the mean square error at the test entries, over that of the function there. */
static hed_status test_error(const cross *c, double *error)
{
  double squares = 0, all = 0;
  double *values = malloc((size_t)c->n_test * sizeof *values);
  hed_status status = values ? HED_OK : no_memory(c);
  HED_SCOPE {
    hed_array *where = status == HED_OK ? hed_from_host(c->test, HED_SHAPE(c->n_test, c->s.ndim), HED_INT64) : NULL;
    hed_array *got = where ? hed_tt_entries(&c->t, where) : NULL;
    if (status == HED_OK)
      status = got ? hed_tolist(got, values, c->n_test) : hed_error();
  }
  for (int64_t i = 0; status == HED_OK && i < c->n_test; i++) {
    squares += (values[i] - c->truth[i]) * (values[i] - c->truth[i]);
    all += c->truth[i] * c->truth[i];
  }
  free(values);
  *error = all > 0 ? sqrt(squares / all) : squares > 0 ? INFINITY : 0;
  return status;
}

/* A function of one axis is asked everywhere. */
static hed_status single(cross *c)
{
  const int64_t n = c->s.dim[0];
  int64_t *indices = malloc((size_t)n * sizeof *indices);
  double *values = malloc((size_t)n * sizeof *values);
  hed_status status = indices && values ? HED_OK : no_memory(c);
  for (int64_t i = 0; status == HED_OK && i < n; i++)
    indices[i] = i;
  if (status == HED_OK)
    status = look_up(c, n, indices, values);
  if (status == HED_OK) {
    c->t.core[0] = hed_keep(hed_from_doubles(values, HED_SHAPE(1, n, 1), hed__tensor_wide(HED_FLOAT64)));
    status = c->t.core[0] ? HED_OK : hed_error();
  }
  free(indices);
  free(values);
  return status;
}

static hed_status sweeps(cross *c, hed__run *run)
{
  hed_status status = HED_OK;
  double error = 0;
  while (status == HED_OK && hed__run_goes_on(run)) {
    for (int k = 0; status == HED_OK && k + 2 < c->s.ndim; k++)
      status = bond(c, k, true);
    for (int k = c->s.ndim - 1; status == HED_OK && k-- > 0;)
      status = bond(c, k, false);
    if (status == HED_OK)
      status = test_error(c, &error);
    if (status == HED_OK)
      status = hed__run_swept(run, error);
    if (status == HED_OK && error <= c->eps && !run->over) {
      run->over = true;
      run->fit.stopped = HED_STOP_TOLERANCE;
    }
  }
  return status;
}

static hed_status check(const cross *c, const hed_tt_cross_options *opt)
{
  if (c->s.ndim < 1 || c->s.ndim > HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "%s: the shape has %d axes; 1 to 16 are expected", c->op, (int)c->s.ndim);
  for (int k = 0; k < c->s.ndim; k++)
    if (c->s.dim[k] < 1)
      return hed_fail(HED_E_SHAPE, "%s: axis %d has %lld elements", c->op, k, (long long)c->s.dim[k]);
  if (!(opt->eps >= 0 && opt->eps < 1) || opt->max_rank < 0 || opt->test < 0 || opt->test > 1 << 24 || opt->kick > 64)
    return hed_fail(HED_E_INVAL, "%s: eps %g, max_rank %lld, test %lld, kick %lld; in [0, 1), 0 or more, 0 to 2^24, at most 64",
                    c->op, opt->eps, (long long)opt->max_rank, (long long)opt->test, (long long)opt->kick);
  return HED_OK;
}

static hed_status run_cross(const char *op, hed_tt_function f, void *arg, hed_shape shape, const hed_tt_cross_options *opt,
                            hed_tt *out,
                            hed_fit *fit, uint64_t *evaluations)
{
  static const hed_tt_cross_options defaults;
  const hed_tt_cross_options *o = opt ? opt : &defaults;
  cross c = { .op = op, .f = f, .arg = arg, .s = shape, .eps = o->eps > 0 ? o->eps : 1e-8, .max_rank = o->max_rank ? o->max_rank : 64,
              .kick = o->kick < 0 ? 0 : o->kick ? o->kick : 2, .n_test = o->test ? o->test : 1000 };
  hed__run run;
  hed_status status = hed__run_begin(&run, op, &o->sweeps, 20, -1);
  if (status == HED_OK)
    status = !out || !f ? hed_fail(HED_E_INVAL, "%s: %s is NULL", op, out ? "f" : "out") : check(&c, o);
  if (out)
    *out = (hed_tt){ 0 };
  if (status == HED_OK)
    status = hed_check_random_state(&o->random, &c.random);
  if (status == HED_OK)
    status = prepare(&c);
  if (status == HED_OK)
    status = c.s.ndim == 1 ? single(&c) : sweeps(&c, &run);
  if (status == HED_OK && c.t.order > 0)
    status = hed__tensor_rescale(&c.t.core[0], c.exponent);
  status = hed__run_end(&run, status, fit);
  if (evaluations)
    *evaluations = c.evaluations;
  for (int k = 1; k < HED_MAX_NDIM; k++) {
    free(k < c.s.ndim ? c.right[k].index : NULL);
    free(c.left[k].index);
  }
  hed__seen_clear(&c.seen);
  free(c.test);
  free(c.truth);
  if (status != HED_OK)
    hed_tt_clear(&c.t);
  else
    *out = c.t;
  return status;
}

hed_status hed_tt_cross(hed_tt_function f, void *arg, hed_shape shape, const hed_tt_cross_options *opt, hed_tt *out, hed_fit *fit,
                        uint64_t *evaluations)
{
  return run_cross("hed_tt_cross", f, arg, shape, opt, out, fit, evaluations);
}

/* The array's elements, by their numbers in C order. */
static hed_status elements_of(void *arg, int64_t n, const int64_t *indices, double *values)
{
  const hed_array *x = arg;
  const int d = hed_array_ndim(x);
  HED_SCOPE_OR(return hed_error()) {
    hed_array *rows = hed_from_host(indices, HED_SHAPE(n, d), HED_INT64);
    hed_array *got = rows ? hed_gather_nd(x, rows) : NULL;
    return got ? hed_tolist(got, values, n) : hed_error();
  }
  return hed_error();
}

hed_status hed_tt_cross_array(const hed_array *x, const hed_tt_cross_options *opt, hed_tt *out, hed_fit *fit, uint64_t *evaluations)
{
  static const char op[] = "hed_tt_cross_array";
  if (out)
    *out = (hed_tt){ 0 };
  if (!x || hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX)
    return hed_fail(x ? HED_E_DTYPE : HED_E_INVAL, "%s: x is %s", op, x ? hed_dtype_name(hed_array_dtype(x)) : "NULL");
  return run_cross(op, elements_of, (void *)(uintptr_t)x, hed_array_shape(x), opt, out, fit, evaluations);
}
