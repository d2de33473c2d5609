// SPDX-License-Identifier: BSD-3-Clause
/* get, set and accumulate against what NumPy makes of the same keys (tests/data/index.txt, gen_index.py), in several
 * layouts and element types; the sentences of their errors.
 */
#include "api.h"
#include "gen.h"
#include <math.h>
#include <stdio.h>

enum { MOST = 16 };

typedef struct expression {
  hed_shape shape, result, value;
  int n;
  bool refused;
  hed_key keys[MOST];
  hed_array *arrays[MOST];
  uint64_t get, set, add;
  char line[256];
} expression;

/* ---- the table ---- */

static hed_shape read_shape(const char **p)
{
  hed_shape s = { 0, { 0 } };
  while (**p >= '0' && **p <= '9') {
    char *end;
    s.dim[s.ndim++] = strtoll(*p, &end, 10);
    *p = end + (*end == 'x');
  }
  return s;
}

static int64_t count(const hed_shape *s) { return elements_of(*s); }

static int64_t read_bound(const char **p, int64_t missing)
{
  char *end;
  int64_t v = strtoll(*p, &end, 10);
  bool there = end != *p;
  *p = end + (*end == ':');
  return there ? v : missing;
}

static hed_array *read_array(const char **p, bool mask)
{
  static int64_t numbers[512];
  static bool truths[512];
  hed_shape s = read_shape(p);
  ++*p; /* = */
  for (int64_t k = 0; k < count(&s); k++)
    if (mask) {
      truths[k] = *(*p)++ == '1';
    } else {
      char *end;
      numbers[k] = strtoll(*p, &end, 10);
      *p = end + (*end == ',');
    }
  return mask ? hed_from_host(truths, s, HED_BOOL) : hed_from_host(numbers, s, HED_INT64);
}

static bool read_line(FILE *f, expression *e)
{
  memset(e, 0, sizeof *e);
  if (!fgets(e->line, sizeof e->line, f))
    return false;
  e->line[strcspn(e->line, "\n")] = 0;
  const char *p = e->line;
  e->shape = read_shape(&p);
  for (p++; *p != ';'; p += *p == ' ') {
    hed_key *k = &e->keys[e->n];
    switch (*p++) {
    case 'I': *k = HED_AT(read_bound(&p, 0)); break;
    case 'N': *k = HED_NEWAXIS; break;
    case 'E': *k = HED_ELLIPSIS; break;
    case 'A': *k = HED_IDX(e->arrays[e->n] = read_array(&p, false)); break;
    case 'M': *k = HED_MASK(e->arrays[e->n] = read_array(&p, true)); break;
    default: {
      int64_t start = read_bound(&p, HED_SLICE_BEGIN), stop = read_bound(&p, HED_SLICE_END);
      *k = HED_SLICE(start, stop, read_bound(&p, 1));
      if (k->range.step < 0 && k->range.start == HED_SLICE_BEGIN)
        k->range.start = HED_SLICE_END;
    }
    }
    e->n++;
  }
  p++;
  e->refused = *p == '!';
  if (e->refused)
    return true;
  e->result = read_shape(&p);
  char *end;
  e->get = strtoull(p + 1, &end, 16);
  p = end + 1;
  e->value = read_shape(&p);
  e->set = strtoull(p + 1, &end, 16);
  e->add = strtoull(end + 1, &end, 16);
  if (*end)
    bail("index.txt: %s", e->line);
  return true;
}

static void forget(expression *e)
{
  for (int k = 0; k < e->n; k++)
    hed_release(e->arrays[k]);
}

/* ---- arrays ---- */

/* first, first + step, ... in SHAPE, laid out by LAYOUT: C order, reversed axes, every axis backwards. */
static hed_array *sequence(hed_shape shape, int64_t first, int64_t step, hed_dtype t, int layout)
{
  static int64_t values[API_MAX];
  for (int64_t k = 0; k < count(&shape); k++)
    values[k] = first + step * k;
  hed_array *wide = hed_from_host(values, shape, HED_INT64), *x = hed_astype(wide, t), *y = x;
  if (layout == 1) {
    hed_array *a = hed_transpose(x, NULL), *b = hed_copy(a);
    y = hed_transpose(b, NULL);
    RELEASE(a, b, x);
  } else if (layout == 2) {
    hed_array *a = hed_flip(x, NULL), *b = hed_copy(a);
    y = hed_flip(b, NULL);
    RELEASE(a, b, x);
  }
  hed_release(wide);
  return y;
}

static uint64_t digest(const hed_array *x)
{
  static int64_t values[API_MAX];
  hed_array *wide = hed_astype(x, HED_INT64);
  int64_t n = hed_array_size(wide);
  uint64_t h = 0;
  if (hed_to_host(wide, values, (size_t)n * 8) != HED_OK)
    bail("to_host: %s", hed_error_text());
  for (int64_t k = 0; k < n; k++)
    h = h * 1099511628211u + (uint64_t)values[k];
  hed_release(wide);
  return h;
}

static bool same_shape(hed_shape a, hed_shape b)
{
  return a.ndim == b.ndim && memcmp(a.dim, b.dim, (size_t)a.ndim * sizeof a.dim[0]) == 0;
}

/* Everything of one line; what went wrong, or NULL. */
static const char *replay(const expression *e, hed_dtype t, int layout)
{
  const char *wrong = NULL;
  hed_array *x = sequence(e->shape, 0, 1, t, layout), *y = hed_get(x, e->n, e->keys);
  hed_array *v = sequence(e->value, 1000, 7, layout ? HED_INT32 : t, layout), *sum = hed_copy(x);
  if (e->refused) {
    hed_status status = hed_error();
    wrong = y ? "get was not refused" : status != HED_E_SHAPE && !hed_status_is(status, HED_E_INVAL) ? "status of get" : NULL;
    hed_array *one = hed_scalar_int(5);
    if (hed_set(sum, e->n, e->keys, one) == HED_OK || digest(sum) != digest(x))
      wrong = "set was not refused";
    hed_release(one);
    hed_error_clear();
  } else if (!y) {
    wrong = hed_error_text();
  } else if (!same_shape(hed_array_shape(y), e->result) || hed_array_dtype(y) != t || digest(y) != e->get) {
    wrong = "get";
  } else if (hed_set(x, e->n, e->keys, v) != HED_OK || hed_accumulate(sum, e->n, e->keys, v, HED_SCATTER_ADD) != HED_OK) {
    wrong = hed_error_text();
  } else {
    wrong = digest(x) != e->set ? "set" : digest(sum) != e->add ? "accumulate" : NULL;
  }
  RELEASE(x, y, v, sum);
  return wrong;
}

static void table(const char *backend)
{
  hed_dtype types[] = { HED_INT64, HED_FLOAT32, HED_INT16, HED_COMPLEX128 };
  const char *dir = getenv("HEDDLE_TEST_SRCDIR");
  char path[1024];
  snprintf(path, sizeof path, "%s/tests/data/index.txt", dir ? dir : ".");
  FILE *f = fopen(path, "r");
  if (!f)
    bail("no %s", path);
  expression e;
  int lines = 0, wrong = 0;
  for (; read_line(f, &e); lines++) {
    const char *what = replay(&e, types[lines % 4], lines / 4 % 3);
    if (what && wrong++ < 5)
      diag("%s: line %d: %s: %s", backend, lines + 1, e.line, what);
    forget(&e);
  }
  fclose(f);
  ok(lines == 468 && wrong == 0, "%s: %d expressions as NumPy, %d not", backend, lines, wrong);
}

/* A mask chooses nothing where an extent is 0, whatever that of x is. */
static void empty_masks(const char *backend)
{
  hed_array *x = api_iota(HED_SHAPE(3, 2), HED_FLOAT32), *one = hed_scalar(9);
  const hed_shape shapes[] = { HED_SHAPE(0), HED_SHAPE(0, 2), HED_SHAPE(3, 0), HED_SHAPE(0, 0) };
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    hed_array *m = hed_zeros(shapes[k], HED_BOOL), *got = HED_GET(x, HED_MASK(m)), *row = HED_GET(x, HED_AT(1), HED_MASK(m));
    ok(got && hed_array_ndim(got) == (k ? 1 : 2) && hed_array_size(got) == 0, "%s: a mask with extent 0: nothing", backend);
    ok(k ? row == NULL : row && hed_array_size(row) == 0, "%s: beside an integer, too", backend);
    is_int(HED_SET(x, one, HED_MASK(m)), HED_OK, "%s: nothing is written", backend);
    is_int(HED_ACCUMULATE(x, HED_SCATTER_ADD, one, HED_MASK(m)), HED_OK, "%s: nor added", backend);
    RELEASE(m, got, row);
  }
  api_is(x, HED_SHAPE(3, 2), HED_FLOAT32, API_LIST(0, 1, 2, 3, 4, 5), "x is as it was");
  hed_release(one);
}

static void errors(const char *backend)
{
  diag("errors on %s", backend);
  hed_array *x = api_iota(HED_SHAPE(2, 3), HED_FLOAT32), *y = hed_copy(x), *i = API_VECTOR(HED_INT32, 0, 3), *one = hed_scalar(9);
  hed_array *m = api_array(HED_SHAPE(3), HED_BOOL, API_LIST(1, 0, 1)), *u = hed_full_uint(HED_SHAPE(1), UINT64_MAX, HED_UINT64);
  hed_array *c = hed_astype(x, HED_COMPLEX64), *repeated = hed_broadcast_to(x, HED_SHAPE(4, 2, 3));
  API_NULL(HED_GET(x, HED_AT(2)), HED_E_INDEX, "get: index 2 is out of range for axis 0 of x with extent 2");
  API_NULL(HED_GET(x, HED_AT(0), HED_AT(-4)), HED_E_INDEX, "index -4 is out of range for axis 1 of x with extent 3");
  API_NULL(HED_GET(x, HED_WHOLE, HED_IDX(i)), HED_E_INDEX, "get: index 3 is out of range for axis 1 of x with extent 3");
  API_NULL(HED_GET(x, HED_IDX(u)), HED_E_INDEX, "index 18446744073709551615 is out of range for axis 0");
  API_NULL(HED_GET(x, HED_MASK(m)), HED_E_SHAPE, "a mask of shape (3,) stands for axes 0 to 0 of x of shape (2, 3)");
  API_NULL(HED_GET(x, HED_IDX(m)), HED_E_DTYPE, "an index array has dtype bool; a mask is given by HED_MASK");
  API_NULL(HED_GET(x, HED_MASK(i)), HED_E_DTYPE, "a mask has dtype int32; bool is needed");
  API_NULL(HED_GET(x, HED_IDX(x)), HED_E_DTYPE, "an index array has dtype float32; integers are needed");
  API_NULL(HED_GET(x, HED_AT(0), HED_AT(0), HED_WHOLE), HED_E_SHAPE, "the keys stand for 3 axes, x has 2");
  API_NULL(HED_GET(x, HED_ELLIPSIS, HED_ELLIPSIS), HED_E_INVAL, "2 ellipses");
  API_NULL(HED_GET(x, HED_SLICE(0, 1, 0)), HED_E_INVAL, "the step of axis 0 is 0");
  API_NULL(hed_get(x, 1, NULL), HED_E_INVAL, "keys is NULL");
  API_NULL(hed_get(x, -1, NULL), HED_E_INVAL, "-1 keys");
  API_NULL(hed_get(x, 1, &(hed_key){ 77, { 0, 0, 1 }, NULL }), HED_E_INVAL, "key 0 is of kind 77");
  API_NULL(HED_GET(x, HED_IDX(NULL)), HED_E_INVAL, "get: argument array of a key is NULL");
  hed_array *two = hed_zeros(HED_SHAPE(2), HED_INT64), *three = hed_zeros(HED_SHAPE(3), HED_INT64);
  API_NULL(HED_GET(x, HED_IDX(two), HED_IDX(three)), HED_E_SHAPE, "index arrays of shapes (2,) and (3,) do not broadcast");
  API_FAIL(HED_SET(x, three, HED_AT(0), HED_SLICE(0, 2, 1)), HED_E_SHAPE, "set: value of shape (3,) does not broadcast to (2,)");
  API_FAIL(HED_SET(x, one, HED_IDX(i)), HED_E_INDEX, "set: index 3 is out of range for axis 0 of x with extent 2");
  API_FAIL(HED_SET(repeated, one, HED_AT(0)), HED_E_INVAL, "set: x repeats its elements along axis 0");
  API_FAIL(HED_ACCUMULATE(c, HED_SCATTER_MAX, one, HED_AT(0)), HED_E_DTYPE, "accumulate: x has dtype complex64");
  API_FAIL(HED_ACCUMULATE(x, (hed_scatter_op)9, one, HED_AT(0)), HED_E_INVAL, "op is 9");
  hed_array *e = hed_equal(x, y);
  api_is(hed_all(e, NULL), HED_SHAPE0, HED_BOOL, API_LIST(1), "nothing was changed");
  API_NULL(hed_take_along_axis(x, i, 0), HED_E_SHAPE, "indices of shape (2,) do not fit x of shape (2, 3) along axis 0");
  API_NULL(hed_gather_nd(x, x), HED_E_DTYPE, "gather_nd: indices has dtype float32");
  API_NULL(hed_gather_nd(x, three), HED_E_SHAPE, "indices of shape (3,): the last axis holds 1 to 2 coordinates");
  API_NULL(hed_slice_tensor(x, HED_SHAPE(0, 2), HED_SHAPE(1, 2)), HED_E_SHAPE, "2 elements from 2 on axis 1 with extent 3");
  API_NULL(hed_masked_fill(x, repeated, 0), HED_E_SHAPE, "mask of shape (4, 2, 3) does not broadcast to (2, 3)");
  API_NULL(hed_extract(m, x), HED_E_SHAPE, "condition of shape (3,) and x of shape (2, 3) differ in size");
  API_FAIL(hed_place(x, m, x), HED_E_SHAPE, "place: mask has shape (3,), x (2, 3)");
  API_NULL(hed_choose(i, 2, (const hed_array *const[]){ two, two }), HED_E_INDEX, "index 3 is out of range for 2 arrays");
  API_FAIL(hed_put_along_axis(x, i, one, 0), HED_E_SHAPE, "put_along_axis: indices of shape (2,) do not fit x");
  RELEASE(e, two, three, x, y, i, one, m, u, c, repeated);
}

/* Named forms that have no table. */
static void forms(const char *backend)
{
  diag("named forms on %s", backend);
  hed_array *x = api_iota(HED_SHAPE(2, 3), HED_INT32), *i = api_array(HED_SHAPE(2, 1), HED_INT8, API_LIST(2, -3));
  hed_array *m = api_array(HED_SHAPE(2, 3), HED_BOOL, API_LIST(1, 0, 1, 0, 0, 1)), *y = hed_copy(x);
  hed_array *v = API_VECTOR(HED_INT32, 70, 80), *seven = hed_scalar_int(7);
  api_is(hed_take_along_axis(x, i, 1), HED_SHAPE(2, 1), HED_INT32, API_LIST(2, 3), "take_along_axis");
  is_int(hed_put_along_axis(y, i, seven, 1), HED_OK, "put_along_axis");
  api_is(y, HED_SHAPE(2, 3), HED_INT32, API_LIST(0, 1, 7, 7, 4, 5), "writes there");
  y = hed_copy(x);
  is_int(hed_place(y, m, v), HED_OK, "place");
  api_is(y, HED_SHAPE(2, 3), HED_INT32, API_LIST(70, 1, 80, 3, 4, 70), "uses values again");
  api_is(hed_compress(x, m), HED_SHAPE(3), HED_INT32, API_LIST(0, 2, 5), "compress");
  api_is(hed_extract(m, x), HED_SHAPE(3), HED_INT32, API_LIST(0, 2, 5), "extract");
  api_is(hed_masked_fill(x, m, -1), HED_SHAPE(2, 3), HED_INT32, API_LIST(-1, 1, -1, 3, 4, -1), "masked_fill");
  hed_array *rows = api_array(HED_SHAPE(2, 2), HED_INT64, API_LIST(1, 0, 1, 0));
  api_is(hed_gather_nd(x, rows), HED_SHAPE(2), HED_INT32, API_LIST(3, 3), "gather_nd");
  hed_array *self = api_array(HED_SHAPE(4), HED_INT64, API_LIST(1, 2, 3, 0)), *ones = hed_ones(HED_SHAPE(4), HED_INT64);
  is_int(HED_ACCUMULATE(self, HED_SCATTER_ADD, ones, HED_IDX(self)), HED_OK, "places that are the elements written");
  api_is(self, HED_SHAPE(4), HED_INT64, API_LIST(2, 3, 4, 1), "are read before");
  hed_release(ones);
  api_is(hed_scatter_nd(rows, v, HED_SHAPE(2, 2)), HED_SHAPE(2, 2), HED_INT32, API_LIST(0, 0, 150, 0), "scatter_nd adds up");
  api_is(hed_tensor_scatter_nd_update(x, rows, v), HED_SHAPE(2, 3), HED_INT32, API_LIST(0, 1, 2, 80, 4, 5),
         "tensor_scatter_nd_update keeps the last");
  hed_array *part = hed_slice_tensor(x, HED_SHAPE(0, -2), HED_SHAPE(-1, 1));
  api_is(hed_slice_update(x, HED_SHAPE(0, 2), part), HED_SHAPE(2, 3), HED_INT32, API_LIST(0, 1, 1, 3, 4, 4), "slice_update");
  api_is(part, HED_SHAPE(2, 1), HED_INT32, API_LIST(1, 4), "slice_tensor");
  hed_array *index = API_VECTOR(HED_INT8, 1, 0, 1), *less = hed_negative(x), *high = hed_greater_scalar(x, 3);
  api_is(hed_choose(index, 2, (const hed_array *const[]){ x, less }), HED_SHAPE(2, 3), HED_INT32,
         API_LIST(0, 1, -2, -3, 4, -5), "choose");
  api_is(hed_select(2, (const hed_array *const[]){ m, high }, (const hed_array *const[]){ x, less }, 9), HED_SHAPE(2, 3),
         HED_INT32, API_LIST(0, 9, 2, 9, -4, 5), "select takes the first");
  api_is(hed_flatnonzero(m), HED_SHAPE(3), HED_INT64, API_LIST(0, 2, 5), "flatnonzero");
  is_int(HED_SET(x, x, HED_SLICE(HED_SLICE_END, HED_SLICE_BEGIN, -1)), HED_OK, "set from itself");
  api_is(hed_copy(x), HED_SHAPE(2, 3), HED_INT32, API_LIST(3, 4, 5, 0, 1, 2), "as if the value were a copy");
  RELEASE(x, i, m, v, seven, rows, index, less, high);
}

int main(void)
{
  api_each_backend(table);
  api_each_backend(errors);
  api_each_backend(forms);
  api_each_backend(empty_masks);
  done_testing();
  return done();
}
