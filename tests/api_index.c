// SPDX-License-Identifier: BSD-3-Clause
/*
 * get, set and accumulate against what NumPy makes of the same keys (tests/data/index.txt, gen_index.py), in several
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

static int64_t count(const hed_shape *s)
{
  int64_t n = 1;
  for (int k = 0; k < s->ndim; k++)
    n *= s->dim[k];
  return n;
}

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
    hed_release(a);
    hed_release(b);
    hed_release(x);
  } else if (layout == 2) {
    hed_array *a = hed_flip(x, NULL), *b = hed_copy(a);
    y = hed_flip(b, NULL);
    hed_release(a);
    hed_release(b);
    hed_release(x);
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
    wrong = y ? "get was not refused" : status != HED_E_SHAPE && status != HED_E_INVAL ? "status of get" : NULL;
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
  hed_release(x);
  hed_release(y);
  hed_release(v);
  hed_release(sum);
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
  ok(lines > 2000 && wrong == 0, "%s: %d expressions as NumPy, %d not", backend, lines, wrong);
}

int main(void)
{
  api_each_backend(table);
  done_testing();
  return done();
}
