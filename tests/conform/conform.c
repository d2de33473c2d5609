// SPDX-License-Identifier: BSD-3-Clause
/* Conformance: every operation of cases.def on every usable backend gives what the reference backend gives.
 *
 * The reference works on contiguous operands; the backend under test gets the same values in several layouts, and with no
 * elements, in no dimensions, and in large arrays. The reference backend is tested in that way too. One test point per
 * operation and backend; a failure names dtype, layout, result and element.
 */
#include "conform.h"
#include "rows.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const conform_case cases[] = {
#define HED_CASE(name, job, low, high, ulps, flags, degree) { #name, job_##job, low, high, ulps, flags },
#include "cases.def"
};
enum { CASES = sizeof cases / sizeof *cases };

static const char *const layout_name[] = { "contiguous", "transposed", "reversed", "broadcast" };
static const char *const extent_name[] = { "", ", no elements", ", no dimensions", ", large", ", special values" };

/* ---- results ---- */

void put_status(run *r, hed_status status, const hed_array *x)
{
  if (r->n == MAX_RESULTS)
    bail("%s has more than %d results", r->c->name, MAX_RESULTS);
  result *out = &r->results[r->n++];
  *out = (result){ .status = status };
  if (status != HED_OK || !x)
    return;
  size_t bytes = hed_array_nbytes(x);
  out->dtype = (int)hed_dtype_id_of(hed_array_dtype(x));
  out->shape = hed_array_shape(x);
  out->data = malloc(bytes + 1);
  out->status = hed_to_host(x, out->data, bytes);
}

void put(run *r, const hed_array *x) { put_status(r, x ? HED_OK : hed_error(), x); }

void put_errors(run *r, const hed_array *x, double size)
{
  put(r, x);
  r->results[r->n - 1].size = size;
}

void forget(run *r)
{
  for (int k = 0; k < r->n; k++)
    free(r->results[k].data);
  r->n = 0;
}

bool execute(run *r, const char *spec)
{
  bool ran = false;
  HED_BACKEND_CONTEXT(spec)
  {
    HED_SCOPE
    {
      r->c->job(r);
      ran = true;
    }
  }
  return ran;
}

/* ---- comparison ---- */

static double half_value(uint16_t h)
{
  int exponent = h >> 10 & 31, bits = h & 1023;
  double m = exponent == 31 ? (bits ? NAN : INFINITY)
                            : exponent ? ldexp(1024 + bits, exponent - 25) : ldexp(bits, -24);
  return h & 0x8000 ? -m : m;
}

static double bfloat_value(uint16_t h)
{
  uint32_t b = (uint32_t)h << 16;
  float f;
  memcpy(&f, &b, 4);
  return (double)f;
}

/* The element as two numbers, and the bits of precision of its type. */
static int read_element(int dtype, const char *p, double out[2])
{
  float f[2];
  uint16_t h;
  out[1] = 0;
  switch (dtype) {
  case HED_ID_FLOAT16: memcpy(&h, p, 2); out[0] = half_value(h); return 11;
  case HED_ID_BFLOAT16: memcpy(&h, p, 2); out[0] = bfloat_value(h); return 8;
  case HED_ID_FLOAT32: memcpy(f, p, 4); out[0] = (double)f[0]; return 24;
  case HED_ID_FLOAT64: memcpy(out, p, 8); return 53;
  case HED_ID_COMPLEX64: memcpy(f, p, 8); out[0] = (double)f[0]; out[1] = (double)f[1]; return 24;
  default: memcpy(out, p, 16); return 53;
  }
}

double largest(const hed_array *x)
{
  char v[64 * 16];
  double most = 0, number[2];
  hed_array *a = x ? hed_astype(hed_abs(x), HED_FLOAT64) : NULL;
  if (!x)
    return 0;
  if (hed_to_host(a, v, hed_array_nbytes(a)) != HED_OK)
    bail("the largest element: %s", hed_error_text());
  for (int64_t k = 0; k < hed_array_size(x); k++) {
    read_element((int)hed_dtype_id_of(hed_array_dtype(a)), v + k * (int64_t)hed_dtype_size(hed_array_dtype(a)), number);
    most = fmax(most, number[0]); /* of numbers, not NaN */
  }
  return most;
}

/* What rounding leaves of numbers of type DTYPE that cancel: at most 16 units of SIZE, the largest of them. */
static double left_of(double size, int dtype)
{
  double number[2];
  const char none[16] = { 0 };
  const int bits = read_element(dtype, none, number);
  return ldexp(size, 4 - (bits < 24 ? 24 : bits));
}

/* The spread of equal values is what rounding of their mean leaves: in var its square. */
static double left_of_mean(const conform_case *c, int dtype)
{
  const double left = left_of(fmax(fabs(c->low), fabs(c->high)), dtype);
  return !(c->flags & SPREAD) ? 0 : strstr(c->name, "var") ? left * left : left;
}

/* Does a device that gave GOT lack float64, which the reference gave? */
static bool is_narrowed(int want, int got)
{
  return (want == HED_ID_FLOAT64 && got == HED_ID_FLOAT32) || (want == HED_ID_COMPLEX128 && got == HED_ID_COMPLEX64);
}

/* A type with fewer than 24 bits is computed in float32 and rounded: the last place may tip over. Less than LEFT counts as none.
 * SIGNS says of each part what its sign has to be like where it is 0 or infinite, and else. */
static bool close_enough(int want, const char *a, int dtype, const char *b, int ulps, double left, const sign_rule signs[2])
{
  double x[2], y[2], size;
  int bits = read_element(dtype, b, y), least = bits < 24 ? -24 : bits == 24 ? -149 : -1074;
  read_element(want, a, x);
  for (int k = 0; k < 2 && dtype != want; k++)
    x[k] = (double)(float)x[k];
  size = hypot(x[0], x[1]);
  for (int k = 0; k < 2; k++) {
    int exponent;
    if (signs[k] == SIGN_COUNTS && x[k] == 0 && y[k] == 0 && !signbit(x[k]) != !signbit(y[k]))
      return false;
    if (signs[k] == SIGN_OPEN && isinf(x[k]) && isinf(y[k]))
      continue;
    if (x[k] == y[k] || (isnan(x[k]) && isnan(y[k])) || fabs(x[k] - y[k]) <= left)
      continue;
    if (!isfinite(x[k]) || !isfinite(y[k]))
      return false;
    frexp(isfinite(size) ? size : x[k], &exponent);
    double unit = ldexp(1, exponent - bits < least ? least : exponent - bits);
    if (fabs(x[k] - y[k]) > unit * (bits < 24 && ulps > 0 ? (ulps >> (24 - bits)) + 1 : ulps))
      return false;
  }
  return true;
}

/* What is left of N numbers that are computed in float32, and in float64 by the reference: differences of neighbours that are
 * a hundredth of them are among these. */
static double left_of_narrowing(const result *want, const result *got, int64_t n)
{
  double most = 0, number[2];
  const int64_t size = (int64_t)hed_dtype_size(hed_dtype_of(want->dtype));
  for (int64_t i = 0; want->dtype != got->dtype && i < n; i++) {
    read_element(want->dtype, (char *)want->data + i * size, number);
    most = fmax(most, isfinite(number[0]) ? fabs(number[0]) : 0);
  }
  return 4 * left_of(most, got->dtype);
}

/* Is the backend under test a device, each call of which is handed to a thread of its driver? */
static bool on_device;

/* Units that a device without float64 may be off by on top of others: it rounds once more on the way. */
static int more_units;

/* Is element I of a result of R, at B, what the reference has at A? */
static bool agrees(const run *r, int64_t i, int want, const char *a, int got, const char *b, double left)
{
  sign_rule signs[2] = { SIGN_OF_NUMBERS, SIGN_OF_NUMBERS };
  if (r->extent == PAIRS) {
    double x[2], y[2];
    read_element(want, a, x);
    read_element(got, b, y);
    if (pairs_open(r, i, x, y))
      return true;
    pairs_signs(r, i, x, signs);
  }
  return close_enough(want, a, got, b, r->c->ulps + more_units, left, signs);
}

/* The first element of a result of R that differs, -1 when none does. */
static int64_t differs(const result *want, const result *got, const run *r)
{
  hed_dtype t = hed_dtype_of(want->dtype);
  int64_t n = 1, size = (int64_t)hed_dtype_size(t), got_size = (int64_t)hed_dtype_size(hed_dtype_of(got->dtype));
  bool exact = hed_dtype_kind(t) < HED_KIND_FLOAT;
  for (int k = 0; k < want->shape.ndim; k++)
    n *= want->shape.dim[k];
  const double cancels = r->extent == PAIRS && r->c->flags & CANCELS ? 1 : 0;
  const double left = exact ? 0 : left_of_mean(r->c, got->dtype) + left_of(fmax(want->size, cancels), got->dtype) +
                                  left_of_narrowing(want, got, n);
  for (int64_t i = 0; i < n; i++) {
    const char *a = (char *)want->data + i * size, *b = (char *)got->data + i * got_size;
    if ((size != got_size || memcmp(a, b, (size_t)size) != 0) && (exact || !agrees(r, i, want->dtype, a, got->dtype, b, left)))
      return i;
  }
  return -1;
}

static void show(const char *what, const result *r, int64_t i)
{
  hed_dtype t = hed_dtype_of(r->dtype);
  const char *p = (char *)r->data + i * (int64_t)hed_dtype_size(t);
  uint64_t bits = 0;
  double v[2];
  if (hed_dtype_kind(t) < HED_KIND_FLOAT) {
    memcpy(&bits, p, hed_dtype_size(t));
    diag("  %s: %#llx", what, (unsigned long long)bits);
  } else {
    read_element(r->dtype, p, v);
    diag("  %s: %.17g %+.17gi", what, v[0], v[1]);
  }
}

bool same_results(const run *want, const run *got)
{
  const char *name = hed_dtype_name(want->dtype);
  if (want->n != got->n) {
    diag("%s, %s: %d results, reference %d", name, layout_name[got->layout], got->n, want->n);
    return false;
  }
  for (int k = 0; k < want->n; k++) {
    const result *w = &want->results[k], *g = &got->results[k];
    int64_t at = -1;
    if (w->status != HED_OK && (w->status == g->status || (hed_status_is(w->status, HED_E_INVAL) && g->status == HED_E_ASYNC)))
      continue; /* a device finds some of it later */
    bool alike = w->status == g->status && (w->dtype == g->dtype || is_narrowed(w->dtype, g->dtype)) &&
                 w->shape.ndim == g->shape.ndim &&
                 memcmp(w->shape.dim, g->shape.dim, (size_t)w->shape.ndim * sizeof w->shape.dim[0]) == 0;
    if (alike && (!w->data || (at = differs(w, g, got)) < 0))
      continue;
    diag("%s of %s, %s%s, result %d: status %d, reference %d; dtype %s, reference %s", got->c->name, name,
         layout_name[got->layout], extent_name[got->extent], k, g->status, w->status,
         hed_dtype_name(hed_dtype_of(g->dtype)), hed_dtype_name(hed_dtype_of(w->dtype)));
    if (at >= 0) {
      diag("  element %lld of %d dimensions", (long long)at, w->shape.ndim);
      show("got", g, at);
      show("reference", w, at);
      if (want->extent == PAIRS)
        pairs_show(want, at);
    }
    return false;
  }
  return true;
}

/* ---- the test ---- */

/* "no", "thread" or "address,undefined": what the build was made with. */
static const char *sanitizers(void)
{
  const char *s = getenv("HEDDLE_TEST_SANITIZERS");
  return s && *s ? s : "no";
}

/* A few types and layouts stand for all: with HEDDLE_TEST_FEW, for a device that compiles programs of its own for each, as it runs;
 * on faulty, which computes with the reference's kernels, for two cases of three. */
static bool case_has_few;

static bool few(void)
{
  const char *s = getenv("HEDDLE_TEST_FEW");
  return case_has_few || (s && *s);
}

bool is_wanted_type(hed_dtype t)
{
  return !few() || t == HED_BOOL || t == HED_INT32 || t == HED_FLOAT32 || t == HED_FLOAT64 || t == HED_COMPLEX64;
}

/* Operands of case K: where they are few, float32 or what comes nearest, and a third of the cases another type, all of them in the
 * course of twelve seeds; every other case has a second layout. */
static bool is_wanted_operand(int k, hed_dtype t)
{
  const hed_dtype other[] = { HED_INT32, HED_FLOAT64, HED_COMPLEX64, HED_BOOL };
  hed_op_info info = { .struct_size = sizeof info };
  hed_op_query(hed_op_by_name(cases[k].name), &info);
  return !few() || t == (strchr(info.domain, 'f') ? HED_FLOAT32 : HED_INT32) ||
         (share(k, 3) && t == other[((uint64_t)k + tap_seed()) / 3 % 4]);
}

static bool wanted(const conform_case *c, layout l, extent e, hed_dtype t)
{
  if (e == PAIRS) /* whole vectors, and elements by themselves */
    return l == PLAIN || (l == TRANSPOSED && !on_device && strcmp(sanitizers(), "no") == 0);
  if (few() && (l > TRANSPOSED || (l == TRANSPOSED && (c - cases) % 2 == 0) || (e == LARGE && t != HED_FLOAT32)))
    return false;
  if (e == NORMAL) /* small arrays take one thread, however they lie; handing over takes long where all is watched */
    return l == PLAIN || strcmp(sanitizers(), "no") == 0 ||
           (strcmp(sanitizers(), "thread") != 0 && (!on_device || l == TRANSPOSED));
  if (!(c->flags & SIZES) || l == BROADCAST || l == REVERSED)
    return false;
  /* large arrays for the types that have loops of their own everywhere; fewer where everything takes ten times as long */
  if (e == LARGE && strcmp(sanitizers(), "no") != 0)
    return t == HED_FLOAT32 || t == HED_COMPLEX64;
  return e == LARGE ? t == HED_FLOAT32 || t == HED_FLOAT64 || t == HED_COMPLEX64 || t == HED_INT32 || t == HED_BOOL
                    : l == PLAIN;
}

/* The first result of a case is there for types of the operation's domain, and refused for others. */
static bool in_domain(const run *r)
{
  static const char letter[] = {
    [HED_KIND_BOOL] = 'b', [HED_KIND_UINT] = 'i', [HED_KIND_INT] = 'i', [HED_KIND_FLOAT] = 'f', [HED_KIND_COMPLEX] = 'c',
  };
  hed_op_info info = { .struct_size = sizeof info };
  hed_op_query(r->op, &info);
  int status = r->results[0].status;
  int expected = strchr(info.domain, letter[hed_dtype_kind(r->dtype)]) ? HED_OK : HED_E_DTYPE;
  if (r->extent != NORMAL || status == expected)
    return true;
  diag("%s of %s: status %d, its domain is \"%s\"", r->c->name, hed_dtype_name(r->dtype), status, info.domain);
  return false;
}

/* The wanted layouts of one dtype and extent against the plain one on the reference backend, which is run once for
 * those whose operands repeat values and once for the others. */
static void compare(const conform_case *c, const char *spec, hed_dtype t, extent e, int *trials, int *bad)
{
  for (int repeats = 0; repeats < 2; repeats++) {
    run want = { .c = c, .op = hed_op_by_name(c->name), .dtype = t, .extent = e, .seed = tap_seed(), .repeats = repeats };
    bool made = false, good = false;
    for (int l = 0; l < LAYOUTS; l++) {
      if ((l == BROADCAST) != repeats || !wanted(c, (layout)l, e, t) || *bad >= 5)
        continue;
      if (!made)
        good = execute(&want, "reference") && in_domain(&want);
      made = true;
      run got = want;
      got.layout = (layout)l;
      got.n = 0;
      ++*trials;
      *bad += !(good && execute(&got, spec) && same_results(&want, &got));
      forget(&got);
    }
    forget(&want);
  }
}

/* Is NAME among those asked for? ONLY ends with NULL; an empty list asks for all. */
static bool asked_for(char *const *only, const char *name)
{
  bool found = !*only;
  for (; *only && !found; only++)
    found = strcmp(*only, name) == 0;
  return found;
}

/* Special values of type T: where operands are few, types but float32 in their turn, one in twelve. */
static void conform_pairs(const conform_case *c, const char *name, const char *spec, hed_dtype t)
{
  int trials = 0, bad = 0;
  const uint64_t turn = (uint64_t)(c - cases) + (uint64_t)hed_dtype_id_of(t) + tap_seed();
  if (!takes_pairs(c, t) || !hed_device_supports(name, hed_dtype_name(t)) || (few() && t != HED_FLOAT32 && turn % 12 != 0))
    return;
  compare(c, spec, t, PAIRS, &trials, &bad);
  ok(trials > 0 && bad == 0, "%s: %s of special values, %s", name, c->name, hed_dtype_name(t));
}

/* What a host backend does with the rows of failing.def: that its stack is enough is all there is to see. */
static void conform_rows(const char *spec)
{
  static const conform_case rows[] = {
#define HED_ROW(name, low, high, ...) { #name, row_##name, low, high, 0, 0 },
#include "failing.def"
#undef HED_ROW
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    run got = { .c = &rows[k], .dtype = HED_FLOAT32, .seed = tap_seed() };
    ok(execute(&got, spec) && got.n > 0 && got.results[0].status == HED_OK, "%s: %s of small operands", spec, rows[k].name);
    forget(&got);
  }
}

/* A chain with reductions at its end, which is one pass. */
static void conform_pass(const char *spec)
{
  enum { N = 100000 };
  double total[2] = { 0, 0 };
  HED_BACKEND_CONTEXT(spec)
  {
    HED_SCOPE
    {
      hed_array *x = hed_arange(0, N, 1, HED_FLOAT64), *sum = NULL, *most = NULL;
      HED_FUSED
      {
        hed_array *y = hed_sqrt(hed_multiply(x, x));
        sum = hed_sum(y, NULL);
        most = hed_max(y, NULL);
      }
      hed_item(sum, &total[0]);
      hed_item(most, &total[1]);
    }
  }
  ok(total[0] == 0.5 * N * (N - 1.0) && total[1] == N - 1, "%s: a pass of several operations", spec);
}

typedef struct what {
  const char *name;
  char *const *only;
} what;

static void *conform(void *arg)
{
  const char *name = ((what *)arg)->name;
  char *const *only = ((what *)arg)->only;
  char spec[64];
  const bool narrow = !hed_device_supports(name, "float64");
  snprintf(spec, sizeof spec, "%s%s", name, narrow ? ";dtype=relaxed" : "");
  more_units = narrow ? 2 : 0;
  for (int k = 0; k < CASES; k++) {
    if (!asked_for(only, cases[k].name))
      continue;
    int trials = 0, bad = 0;
    case_has_few = strcmp(name, "faulty") == 0 && !share(k, 3);
    for (int id = 0; id < HED_ID_CONCRETE_COUNT_; id++) {
      const hed_dtype t = hed_dtype_of(id);
      for (int e = 0; e < EXTENTS && is_wanted_operand(k, t) && hed_device_supports(name, hed_dtype_name(t)); e++)
        compare(&cases[k], spec, t, (extent)e, &trials, &bad);
    }
    ok(trials > 0 && bad == 0, "%s: %s", name, cases[k].name);
    for (int id = HED_ID_FLOAT16; id < HED_ID_CONCRETE_COUNT_; id++)
      if (strcmp(name, "reference") == 0)
        conform_truth(&cases[k], hed_dtype_of(id));
      else
        conform_pairs(&cases[k], name, spec, hed_dtype_of(id));
  }
  case_has_few = false;
  if (!on_device && !*only) {
    conform_pass(spec);
    conform_rows(spec);
  }
  return NULL;
}

/* In a thread whose stack is as small as programs of many threads make it; what a device's driver or a sanitizer wants is its own. */
static void conform_in_thread(what w)
{
  const bool small = !on_device && strcmp(sanitizers(), "no") == 0;
  pthread_attr_t attr;
  pthread_t t;
  pthread_attr_init(&attr);
  if (small)
    pthread_attr_setstacksize(&attr, 64 << 10);
  if (pthread_create(&t, &attr, conform, &w) != 0)
    bail("no thread");
  pthread_join(t, NULL);
  pthread_attr_destroy(&attr);
}

/* Every row of ops.def but the views has a case, and every case a row. */
static void complete(void)
{
  static const char *const listed[] = {
#define HED_CASE(name, job, low, high, ulps, flags, degree) #name,
#define HED_CASE_ELSEWHERE(name, degree) #name,
#include "cases.def"
  };
  int missing = 0;
  for (int op = 0; op < hed_op_count(); op++) {
    hed_op_info info = { .struct_size = sizeof info };
    size_t k = 0;
    hed_op_query(op, &info);
    while (k < sizeof listed / sizeof *listed && strcmp(listed[k], info.name) != 0)
      k++;
    if (k == sizeof listed / sizeof *listed && strcmp(info.impl, "VIEW") != 0) {
      missing++;
      diag("%s has no case", info.name);
    }
  }
  is_int(missing, 0, "every operation has a case");
  for (size_t k = 0; k < sizeof listed / sizeof *listed; k++)
    if (hed_op_by_name(listed[k]) < 0)
      fail("%s is no operation", listed[k]);
}

/* Compares the backend NAME, or a device of it as in cuda:1, or says why it cannot: HEDDLE_TEST_REQUIRE names a backend that must be
 * there. */
static void conform_usable(const char *name, char *const *only)
{
  hed_backend_info info = { .struct_size = sizeof info };
  const char *required = getenv("HEDDLE_TEST_REQUIRE");
  const hed_status usable = hed_backend_require(name);
  char backend[64];
  snprintf(backend, sizeof backend, "%.*s", (int)strcspn(name, ":"), name);
  if (hed_backend_query(backend, &info) != HED_OK || (usable != HED_OK && required && strcmp(required, backend) == 0)) {
    fail("%s: %s", name, info.reason[0] ? info.reason : hed_error_text());
  } else if (usable != HED_OK) {
    skip(1, "%s: %s", name, info.reason);
  } else {
    on_device = !info.host_memory;
    conform_in_thread((what){ name, only });
    if (strcmp(name, "reference") == 0 && !*only)
      conform_annex_g();
  }
}

/* Arguments are the names of operations: only these. HEDDLE_TEST_BACKEND names one backend, or a device
 * of one; else all are compared. */
int main(int argc, char **argv)
{
  const char *names[64], *one = getenv("HEDDLE_TEST_BACKEND");
  char *const *only = argv + (argc > 0);
  tap_seed();
  complete();
  int n = one ? 1 : hed_backend_list(names, 64);
  if (one)
    names[0] = one;
  for (int k = 0; k < n && k < 64; k++)
    /* The reference backend has one thread: ThreadSanitizer, with which all takes ten times as long, learns nothing. */
    if (strcmp(names[k], "reference") != 0 || strcmp(sanitizers(), "thread") != 0)
      conform_usable(names[k], only);
  is_int(operands_written_beside(), 0, "nobody wrote beside an operand or a result");
  return done();
}
