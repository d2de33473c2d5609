// SPDX-License-Identifier: BSD-3-Clause
/* Operations on a device that takes scalars from host memory, checks indices and fuses: they give what they give in host memory,
 * and what is found wrong there arrives where somebody waits, with the operation, the index and the extent. L5. */
#include "arrays.h"
#include "gen.h"
#include "memory.h"
#include <heddle/fuse.h>
#include <math.h>

static gen g;

typedef struct counters { int64_t in, out, allocations, submissions; } counters;

static counters count(void)
{
  return (counters){ query("bytes_in"), query("bytes_out"), query("allocations"), query("submissions") };
}

static void moved(const counters *before, int64_t in, int64_t from, const char *what)
{
  is_int(query("bytes_in") - before->in, in, "%s: bytes in", what);
  is_int(query("bytes_out") - before->out, from, "%s: bytes out", what);
}

/* Random whole numbers from LOW to HIGH as type T. */
static hed_array *whole(hed_shape s, hed_dtype t, int64_t low, int64_t high)
{
  int64_t v[4096], n = elements_of(s);
  for (int64_t k = 0; k < n; k++)
    v[k] = gen_int(&g, low, high);
  hed_array *x = hed_from_host(v, s, HED_INT64);
  return t == HED_INT64 ? x : hed_astype(x, t);
}

/* X, wherever it is, and Y have the same shape, type and elements; floats to EPS of them. */
static bool same(const hed_array *x, const hed_array *y, double eps)
{
  static char p[1 << 16], q[1 << 16];
  const size_t n = x ? hed_array_nbytes(x) : 0;
  hed_shape a, b;
  if (!x || !y || n != hed_array_nbytes(y) || n > sizeof p || hed_array_dtype(x) != hed_array_dtype(y))
    return false;
  a = hed_array_shape(x);
  b = hed_array_shape(y);
  if (a.ndim != b.ndim || memcmp(a.dim, b.dim, (size_t)a.ndim * sizeof *a.dim) != 0 || hed_to_host(x, p, n) != HED_OK ||
      hed_to_host(y, q, n) != HED_OK)
    return false;
  for (size_t k = 0; hed_array_dtype(x) == HED_FLOAT32 && k < n / 4; k++) {
    const float u = ((float *)(void *)p)[k], v = ((float *)(void *)q)[k];
    if (u != v && !(isnan(u) && isnan(v)) && !(fabs((double)u - (double)v) <= eps * fmax(1, fabs((double)v))))
      return false;
  }
  return hed_array_dtype(x) == HED_FLOAT32 || memcmp(p, q, n) == 0;
}

/* ---- the same elements as in host memory ---- */

enum { RESULTS = 4 };
typedef struct operands { hed_array *x, *y, *i, *j, *m, *flat, *counts; } operands;

static hed_array *there(const hed_array *x) { return x ? hed_to(x, "faulty") : NULL; }

#define OK(status, result) ((status) == HED_OK ? (result) : NULL)

static void op_take(const operands *o, hed_array **r)
{
  r[0] = hed_take(o->x, o->i, 0);
  r[1] = hed_take_along_axis(o->x, hed_expand_dims(o->j, 0), 1);
  r[2] = hed_gather_nd(o->x, hed_stack(2, (const hed_array *const[]){ o->i, o->j }, 1));
}

static void op_get(const operands *o, hed_array **r)
{
  r[0] = HED_GET(o->x, HED_IDX(o->i), HED_IDX(o->j));
  r[1] = HED_GET(o->x, HED_IDX(hed_expand_dims(o->i, 1)), HED_IDX(o->j));
  r[2] = HED_GET(o->x, HED_MASK(o->m));
  r[3] = HED_GET(hed_expand_dims(o->x, 2), HED_MASK(o->m), HED_AT(0));
}

static void op_set(const operands *o, hed_array **r)
{
  for (int k = 0; k < RESULTS; k++)
    r[k] = hed_copy(o->x);
  r[0] = OK(HED_SET(r[0], hed_scalar(3), HED_IDX(o->i), HED_IDX(o->j)), r[0]);
  r[1] = OK(HED_SET(r[1], hed_get(o->y, 1, &HED_IDX(o->i)), HED_IDX(o->i)), r[1]);
  r[2] = OK(HED_ACCUMULATE(r[2], HED_SCATTER_ADD, hed_scalar(1), HED_MASK(o->m)), r[2]);
  r[3] = OK(hed_put_along_axis(r[3], hed_expand_dims(o->j, 0), hed_scalar(7), 1), r[3]);
}

static void op_places(const operands *o, hed_array **r)
{
  hed_array *axes[2] = { NULL, NULL };
  r[0] = OK(hed_unravel_index(o->flat, hed_array_shape(o->x), axes), axes[0]);
  r[1] = axes[1];
  r[2] = hed_ravel_multi_index(2, (const hed_array *const[]){ o->i, o->j }, hed_array_shape(o->x));
  r[3] = hed_scatter_nd(hed_stack(2, (const hed_array *const[]){ o->i, o->j }, 1), hed_index(o->y, 0, 0), hed_array_shape(o->x));
}

static void op_repeat(const operands *o, hed_array **r)
{
  r[0] = hed_repeat_each(o->x, o->counts, &HED_AXES(0));
  r[1] = hed_repeat_each(o->x, hed_slice(o->counts, 1, &HED_RANGE(0, 1, 1)), &HED_AXES(1));
  r[2] = hed_repeat(o->x, 3, NULL);
}

static void op_sets(const operands *o, hed_array **r)
{
  (void)hed_unique(hed_round(hed_multiply_scalar(o->x, 0.4)), &HED_AXES(1), &r[0], &r[1], &r[2], &r[3]);
}

static void op_nan_sets(const operands *o, hed_array **r)
{
  hed_array *x = hed_where(o->m, hed_scalar((double)NAN), hed_round(hed_multiply_scalar(o->x, 0.2)));
  (void)hed_unique(x, &HED_AXES(0), &r[0], &r[1], &r[2], &r[3]);
}

static void op_bins(const operands *o, hed_array **r)
{
  hed_array *edges = hed_sort(hed_index(o->y, 0, 0), NULL);
  r[0] = hed_digitize(o->x, edges, false);
  r[1] = hed_digitize(o->x, hed_flip(edges, NULL), true);
  (void)hed_histogram(o->x, &(hed_histogram_options){ .edges = edges }, &r[2], NULL);
}

static void op_peaks(const operands *o, hed_array **r)
{
  hed_array *x = hed_floor(hed_multiply_scalar(o->x, 0.3));
  r[0] = hed_max_filter_coordinates(x, 3, &(hed_peaks){ .exclude_plateaus = true });
  r[1] = hed_max_filter_coordinates(x, 1, &(hed_peaks){ .exclude_plateaus = true });
  r[2] = hed_max_filter_coordinates(hed_zeros_like(o->x), 3, &(hed_peaks){ .exclude_plateaus = true });
}

static void op_moments(const operands *o, hed_array **r)
{
  r[0] = hed_astype(hed_center_of_mass(o->x, 2), HED_FLOAT32);
  r[1] = hed_astype(hed_center_of_mass(o->x, -INFINITY), HED_FLOAT32);
  r[2] = hed_astype(hed_center_of_mass(o->x, 1000), HED_FLOAT32);
}

static void op_segments(const operands *o, hed_array **r)
{
  r[0] = hed_scatter_max(o->x, hed_abs(hed_astype(o->counts, HED_INT32)), 9, 0);
  r[1] = hed_scatter_min(hed_astype(o->x, HED_INT32), o->counts, 9, 0);
  r[2] = hed_real(hed_hilbert(o->x, NULL));
  r[3] = hed_imag(hed_hilbert(o->y, NULL));
}

static void op_loss(const operands *o, hed_array **r)
{
  r[0] = hed_sparse_categorical_crossentropy(o->x, hed_minimum(o->counts, hed_scalar_int(hed_array_shape(o->x).dim[1] - 1)),
                                             &(hed_loss){ .from_logits = true });
}

static void op_triangles(const operands *o, hed_array **r)
{
  const hed_shape s = hed_array_shape(o->x);
  (void)hed_tril_indices(s.dim[0], 1, s.dim[1], &r[0], &r[1]);
  (void)hed_triu_indices(s.dim[0], -1, s.dim[1], &r[2], &r[3]);
}

static void equal_everywhere(const char *what, double eps, void (*fn)(const operands *, hed_array **))
{
  int bad = 0;
  for (int round = 0; round < 12 && bad < 3; round++)
    HED_SCOPE {
      const hed_dtype t[] = { HED_INT64, HED_INT32, HED_INT8, HED_INT16 };
      const int64_t a = gen_int(&g, 1, 9), b = gen_int(&g, 1, 9), n = gen_int(&g, 1, 9);
      operands o = { NULL }, d;
      hed_array *want[RESULTS] = { NULL }, *got[RESULTS] = { NULL };
      HED_BACKEND_CONTEXT("reference") {
        o.x = whole(HED_SHAPE(a, b), HED_FLOAT32, -9, 9);
        o.y = whole(HED_SHAPE(a, n), HED_FLOAT32, -9, 9);
        if (fn == op_set || fn == op_segments)
          o.y = whole(HED_SHAPE(a, b), HED_FLOAT32, -9, 9);
        o.i = whole(HED_SHAPE(n), t[gen_below(&g, 4)], -a, a - 1);
        o.j = whole(HED_SHAPE(n), t[gen_below(&g, 4)], -b, b - 1);
        o.flat = whole(HED_SHAPE(n), HED_INT64, -a * b, a * b - 1);
        o.m = whole(HED_SHAPE(a, b), HED_BOOL, 0, 1);
        o.counts = whole(HED_SHAPE(a), t[gen_below(&g, 4)], 0, 3);
        fn(&o, want);
      }
      hed_error_clear();
      HED_BACKEND_CONTEXT("faulty") {
        d = (operands){ there(o.x), there(o.y), there(o.i), there(o.j), there(o.m), there(o.flat), there(o.counts) };
        fn(&d, got);
        for (int k = 0; k < RESULTS; k++)
          if (want[k] ? !same(got[k], want[k], eps) || strcmp(hed_array_space(got[k]), "faulty:0") != 0 : got[k] != NULL) {
            bad++;
            diag("round %d, result %d: shape %d x %d, %d indices: %s", round, k, (int)a, (int)b, (int)n, hed_error_text());
          }
      }
      hed_error_clear();
    }
  ok(bad == 0, "%s: as in host memory", what);
}

/* ---- scalars ---- */

static void scalars(void)
{
  HED_BACKEND_CONTEXT("faulty") HED_SCOPE {
    float v[4] = { 1, 2, 3, 4 };
    hed_array *x = hed_from_host(v, HED_SHAPE(4), HED_FLOAT32), *warm = hed_multiply_scalar(x, 5), *r;
    hed_release(warm); /* a block to have again */
    (void)hed_wait(x);
    for (int k = 0; k < 4; k++) {
      static const char *const names[] = { "a scalar form", "a scalar as an array", "one in the middle", "both of a clip" };
      counters before = count();
      r = k == 0 ? hed_multiply_scalar(x, 2) : k == 1 ? hed_multiply(x, hed_scalar(2))
          : k == 2 ? hed_where(hed_greater_scalar(x, 2), x, hed_scalar(0)) : hed_clip_array(x, hed_scalar(2), hed_scalar(3));
      static const float want[][4] = { { 2, 4, 6, 8 }, { 2, 4, 6, 8 }, { 0, 0, 3, 4 }, { 2, 2, 3, 3 } };
      moved(&before, 0, 0, names[k]);
      is_int(query("submissions") - before.submissions, k == 2 ? 2 : 1, "%s: one submission each", names[k]);
      ok(r && hed_to_host(r, v, sizeof v) == HED_OK && memcmp(v, want[k], sizeof v) == 0, "%s: the value counts", names[k]);
    }
    r = hed_astype(hed_scalar(3), HED_FLOAT32);
    is_str(hed_array_space(r), "faulty:0", "a scalar as an array of its own is on the device");
    double number = 0;
    is_int(hed_item(r, &number), HED_OK, "and can be read");
    ok(number == 3, "as what it was");
    r = hed_sum(hed_scalar(3), NULL);
    is_str(hed_array_space(r), "faulty:0", "so is what is made of one alone");
  }
}

/* ---- what is found wrong on the device ---- */

static void arrives(const hed_array *x, const char *op, const char *index, const char *extent, const char *what)
{
  if (!ok(x != NULL, "%s: the call gives an array", what))
    return;
  is_int(hed_wait(x), HED_E_ASYNC, "%s: waiting for it fails", what);
  has_str(hed_error_text(), op, "%s: with the operation", what);
  has_str(hed_error_text(), index, "the index");
  has_str(hed_error_text(), extent, "and the extent");
  hed_error_clear();
}

static void errors(void)
{
  HED_BACKEND_CONTEXT("faulty") HED_SCOPE {
    int64_t bad[3] = { 0, 7, 1 }, good[3] = { 0, 1, 2 }, below[3] = { 0, -4, 1 };
    hed_array *x = hed_ones(HED_SHAPE(5, 3), HED_FLOAT32), *i = hed_from_host(bad, HED_SHAPE(3), HED_INT64), *out[2];
    hed_array *j = hed_from_host(good, HED_SHAPE(3), HED_INT64), *k = hed_from_host(below, HED_SHAPE(3), HED_INT64);
    arrives(hed_take(x, i, 0), "'take'", "index 7", "extent 5", "take");
    arrives(hed_take(x, k, 1), "'take'", "index -4", "extent 3", "take, from the end");
    arrives(hed_take(x, hed_astype(i, HED_UINT64), 0), "'take'", "index 7", "extent 5", "take, without a sign");
    arrives(hed_take_along_axis(x, hed_expand_dims(i, 0), 0), "'take_along_axis'", "index 7", "extent 5", "take_along_axis");
    arrives(HED_GET(x, HED_IDX(j), HED_IDX(k)), "'take'", "index -4", "extent 3", "get, the second of two");
    arrives(hed_gather_nd(x, hed_stack(2, (const hed_array *const[]){ i, j }, 1)), "'take'", "index 7", "extent 5", "gather_nd");
    arrives(HED_GET(x, HED_IDX(i)), "'gather_nd'", "7", "5", "get");
    is_int(hed_unravel_index(i, HED_SHAPE(5), out), HED_OK, "unravel_index: the call gives arrays");
    arrives(out[0], "'take'", "index 7", "extent 5", "unravel_index");
    arrives(hed_sparse_categorical_crossentropy(hed_ones(HED_SHAPE(3, 5), HED_FLOAT32), i, NULL), "'take_along_axis'", "index 7",
            "extent 5", "a label");
    arrives(hed_sparse_categorical_crossentropy(hed_ones(HED_SHAPE(3, 5), HED_FLOAT32), k, NULL), "'take_along_axis'", "index -4 ",
            "extent 5", "a negative label");
    is_int(HED_SET(x, hed_scalar(2), HED_IDX(i)), HED_OK, "set: the call does not fail");
    arrives(x, "'scatter_nd'", "7", "5", "set");

    /* known at once */
    hed_array *none = hed_zeros(HED_SHAPE(0, 3), HED_FLOAT32);
    ok(!hed_take(none, i, 0) && hed_error() == HED_E_INDEX, "an axis without elements: at once");
    has_str(hed_error_text(), "extent 0", "with its extent");
    ok(!hed_repeat_each(j, hed_add(k, hed_scalar_int(3)), &HED_AXES(0)) && hed_error() == HED_E_INVAL,
       "negative repeats, few: at once: %s", hed_error_text());
    ok(!hed_repeat_each(j, k, &HED_AXES(0)) && hed_error() == HED_E_INVAL, "negative repeats: at once");
    has_str(hed_error_text(), "count -4 of element 1", "with the first of them");
    hed_array *mixed = hed_from_host(bad, HED_SHAPE(3), HED_INT64);
    ok(!hed_digitize(j, mixed, false) && hed_error() == HED_E_INVAL, "edges in no order: at once");
    hed_error_clear();
  }
}

/* The device leaves the call to the host, whose kernels look at no index: what it would have checked is checked before. */
static void left_to_the_host(void)
{
  HED_BACKEND_CONTEXT("faulty") HED_SCOPE {
    float v[4] = { 1, 2, 3, 4 }, got[2];
    const int64_t far[2] = { 1, (int64_t)1 << 40 }, below[2] = { -1, -4 };
    hed_array *x = hed_from_host(v, HED_SHAPE(4), HED_FLOAT32), *y, *seven = hed_full(HED_SHAPE(2), 7, HED_FLOAT32);
    hed_array *i = hed_from_host(far, HED_SHAPE(2), HED_INT64), *k = hed_from_host(below, HED_SHAPE(2), HED_INT64);
    (void)hed_wait(seven);
    control("refuse=1");
    y = hed_take(x, k, 0);
    ok(y && hed_to_host(y, got, sizeof got) == HED_OK && got[0] == 4 && got[1] == 1, "take: from the end");
    control("refuse=1");
    ok(!hed_take(x, i, 0) && hed_error() == HED_E_INDEX, "take: out of range");
    has_str(hed_error_text(), "index 1099511627776 is out of range for axis 0 of x with extent 4", "in these words");
    y = hed_take(x, hed_full_uint(HED_SHAPE(2), UINT64_MAX, HED_UINT64), 0);
    ok(y && hed_wait(y) != HED_OK, "take on the device: beyond int64");
    has_str(hed_error_text(), "index 9223372036854775807 or more is out of range", "which is what a device sees of it");
    control("refuse=1");
    ok(!hed_take_along_axis(x, i, 0) && hed_error() == HED_E_INDEX, "take_along_axis");
    control("refuse=1");
    ok(!HED_GET(x, HED_IDX(i)) && hed_error() == HED_E_INDEX, "get");
    has_str(hed_error_text(), "flat index 1099511627776 is out of range for 4 elements", "in these words");
    control("refuse=1");
    is_int(HED_SET(x, seven, HED_IDX(i)), HED_E_INDEX, "set");
    control("refuse=1");
    is_int(HED_SET(x, seven, HED_IDX(k)), HED_OK, "set, from the end");
    control("refuse=0");
    ok(hed_to_host(x, v, sizeof v) == HED_OK && v[0] == 7 && v[1] == 2 && v[2] == 3 && v[3] == 7, "is what was asked for");
    hed_error_clear();
  }
}

/* ---- fused passes ---- */

static void passes(void)
{
  for (int refused = 0; refused < 2; refused++)
    HED_BACKEND_CONTEXT("faulty") HED_SCOPE {
      float v[3] = { 1, 2, 3 };
      hed_array *x = hed_from_host(v, HED_SHAPE(3), HED_FLOAT32), *y = hed_full(HED_SHAPE(3), 2, HED_FLOAT32), *a = NULL, *s = NULL;
      (void)hed_wait(y);
      counters before = count();
      const int64_t fusions = query("fusions");
      control(refused ? "refuse=1" : "refuse=0");
      HED_FUSED {
        a = hed_multiply(hed_add(x, y), hed_scalar(10));
        s = hed_sum(a, NULL);
        (void)hed_subtract_into(y, a, x);
        ok(hed_array_is_pending(a) && hed_array_is_pending(s) && hed_array_is_pending(y), "in a scope they are pending");
      }
      moved(&before, refused ? 4 : 0, 0, refused ? "one by one" : "a pass");
      is_int(query("fusions") - fusions, !refused, refused ? "the device has left it to the host" : "one pass");
      is_int(query("submissions") - before.submissions, refused ? 5 : 1, "in so many submissions, one the value's copy");
      ok(hed_to_host(a, v, sizeof v) == HED_OK && v[0] == 30 && v[1] == 40 && v[2] == 50, "a value");
      ok(hed_to_host(y, v, sizeof v) == HED_OK && v[0] == 29 && v[1] == 38 && v[2] == 47, "what is written");
      double sum = 0;
      ok(hed_item(s, &sum) == HED_OK && sum == 120, "a reduction");
    }
  HED_BACKEND_CONTEXT("faulty") HED_SCOPE {
    int64_t bad[2] = { 0, 9 };
    hed_array *x = hed_take(hed_ones(HED_SHAPE(4), HED_FLOAT32), hed_from_host(bad, HED_SHAPE(2), HED_INT64), 0), *y = NULL;
    (void)hed_wait(x);
    const int64_t fusions = query("fusions");
    HED_FUSED {
      y = hed_exp(x);
      ok(hed_fuse_eval(y) == HED_OK && hed_wait(y) == HED_E_ASYNC, "of what is known to have failed nothing is computed");
      hed_release(y); /* the scope need not try again */
    }
    is_int(query("fusions"), fusions, "nor submitted");
    hed_error_clear();
  }
}

/* check=sync: the call itself says what the device found, and what it submitted is over when it returns. */
static void synchronous(void)
{
  HED_BACKEND_CONTEXT("faulty;check=sync") HED_SCOPE {
    float v[4] = { 1, 2, 3, 4 };
    const int64_t bad[2] = { 1, 9 };
    hed_array *x = hed_from_host(v, HED_SHAPE(4), HED_FLOAT32), *i = hed_from_host(bad, HED_SHAPE(2), HED_INT64), *y = NULL;
    ok(!hed_take(x, i, 0) && hed_error() == HED_E_INDEX, "check=sync: the call fails: %s", hed_error_text());
    has_str(hed_error_text(), "index 9 is out of range for axis 0 of x with extent 4", "in these words");
    hed_error_clear();
    const int64_t copied = query("bytes_out"), waits = query("waits");
    double sum = 0;
    y = hed_square(x);
    is_int(query("waits"), waits + 1, "a call waits");
    HED_FUSED y = hed_sum(hed_square(x), NULL);
    is_int(query("waits"), waits + 2, "so does a pass");
    is_int(query("bytes_out"), copied, "though nothing comes back");
    ok(y && hed_item(y, &sum) == HED_OK && sum == 30, "what is right is there");
    HED_BACKEND_CONTEXT(";check=async") y = hed_take(x, i, 0);
    ok(y && hed_wait(y) == HED_E_ASYNC, "check=async within: whoever waits is told");
    hed_error_clear();
  }
}

/* Which of several index arrays was wrong. */
static void test_axes(void)
{
  HED_BACKEND_CONTEXT("faulty") HED_SCOPE {
    float v[2];
    const int64_t good[2] = { 0, 1 }, bad[2] = { 2, -6 };
    hed_array *x = hed_ones(HED_SHAPE(4, 5), HED_FLOAT32), *i = hed_from_host(good, HED_SHAPE(2), HED_INT64);
    hed_array *j = hed_from_host(bad, HED_SHAPE(2), HED_INT64), *y = HED_GET(x, HED_IDX(i), HED_IDX(j));
    is_int(hed_to_host(y, v, sizeof v), HED_E_ASYNC, "places on two axes, one of them out of range");
    has_str(hed_error_text(), "index -6 is out of range for axis 1 of x with extent 5", "which it says");
    y = hed_ravel_multi_index(2, (const hed_array *const[]){ i, j }, HED_SHAPE(2, 3));
    is_int(hed_wait(y), HED_E_ASYNC, "coordinates");
    has_str(hed_error_text(), "index -6 is out of range for axis 1 of x with extent 3", "as well");
    hed_error_clear();
  }
}

/* A distribution that is made in float64, which the device lacks. */
static void test_truncated(void)
{
  float v[2][40];
  static const char *const specs[2] = { "reference", "faulty;mix=strict" };
  for (int k = 0; k < 2; k++)
    HED_BACKEND_CONTEXT(specs[k]) HED_SCOPE {
      hed_generator from = { .key = 7 };
      hed_array *x = hed_random_truncated_normal(HED_SHAPE(5, 8), -1, 3, HED_FLOAT32,
                                                 &(hed_random){ .mean = 1, .std = 2, .generator = &from });
      is_int(hed_to_host(x, v[k], sizeof v[k]), HED_OK, "truncated normal on %s: %s", specs[k], hed_error_text());
      is_str(hed_array_space(x), k ? "faulty:0" : "host", "is there");
      is_uint(from.draw, 1, "and takes one draw");
    }
  ok(memcmp(v[0], v[1], sizeof v[0]) == 0, "it is the same bit by bit");
  HED_BACKEND_CONTEXT("faulty")
    ok(!hed_random_truncated_normal(HED_SHAPE(4), -1, 3, HED_FLOAT64, NULL) && hed_error() == HED_E_DTYPE, "float64 is not there: %s",
       hed_error_text());
}

int main(void)
{
  setenv("HEDDLE_TEST_FAULTY", "delay_us=0;jitter_us=50;streams=1;roam=1", 1);
  gen_seed(&g, tap_seed());
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("faulty: %s", hed_error_text());
  test_truncated();
  test_axes();
  equal_everywhere("take", 0, op_take);
  equal_everywhere("get", 0, op_get);
  equal_everywhere("set", 0, op_set);
  equal_everywhere("places", 0, op_places);
  equal_everywhere("repeat", 0, op_repeat);
  equal_everywhere("distinct slices", 0, op_sets);
  equal_everywhere("distinct slices with NaN", 0, op_nan_sets);
  equal_everywhere("bins", 0, op_bins);
  equal_everywhere("plateaus", 0, op_peaks);
  equal_everywhere("centre of mass", 1e-6, op_moments);
  equal_everywhere("segments, analytic signal", 1e-5, op_segments);
  equal_everywhere("labels", 1e-6, op_loss);
  equal_everywhere("triangles", 0, op_triangles);
  scalars();
  errors();
  left_to_the_host();
  synchronous();
  passes();
  is_int(query("violations"), 0, "the device found nothing out of order");
  return done();
}
