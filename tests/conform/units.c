// SPDX-License-Identifier: BSD-3-Clause
/* Units of data: operands in a unit 2^k times as small give results 2^(d k) times as large, d the degree in cases.def, and scaling by
 * powers of two rounds nothing: the same bits in float64, on every backend of the host. */
#include "calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RESULTS = 4, FORMS = 5 };
static const int powers[FORMS] = { 0, -20, 20, 60, -60 };

static const struct { const char *name, *degree; } degrees[] = {
#define HED_CASE(name, job, low, high, ulps, flags, degree) { #name, degree },
#define HED_CASE_ELSEWHERE(name, degree) { #name, degree },
#include "cases.def"
};

static const char *degree_of(const char *name)
{
  for (size_t k = 0; k < sizeof degrees / sizeof *degrees; k++)
    if (strcmp(degrees[k].name, name) == 0)
      return degrees[k].degree;
  return NULL;
}

/* ---- results, as numbers ---- */

typedef struct values {
  hed_status status;
  int64_t n;
  double *at; /* complex values as two */
} values;

static values taken(const hed_array *a)
{
  values r = { a ? HED_OK : hed_error(), 0, NULL };
  if (!a)
    return r;
  const bool pairs = hed_dtype_kind(hed_array_dtype(a)) == HED_KIND_COMPLEX;
  hed_array *wide = hed_astype(a, pairs ? HED_COMPLEX128 : HED_FLOAT64);
  r.n = hed_array_size(a) * (pairs ? 2 : 1);
  r.at = malloc((size_t)r.n * sizeof *r.at + 1);
  r.status = wide ? hed_to_host(wide, r.at, (size_t)r.n * sizeof *r.at) : hed_error();
  hed_release(wide);
  return r;
}

/* Where OTHER is not FULL 2^POWER, by at most TOLERANCE of the largest; -1: nowhere. */
static int64_t differs(const values *full, const values *other, int power, double tolerance)
{
  double most = 0;
  if (full->status != other->status || full->n != other->n)
    return 0;
  for (int64_t k = 0; k < full->n; k++)
    most = isfinite(full->at[k]) ? fmax(most, fabs(full->at[k])) : most;
  for (int64_t k = 0; k < full->n; k++) {
    const double got = ldexp(other->at[k], -power), want = full->at[k];
    if (!(got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= tolerance * most))
      return k;
  }
  return -1;
}

/* ---- a call ---- */

/* Results of call number CALL with operands in the unit in force; of several, those that it leaves in OUT. */
static void run(int call, int count, values results[RESULTS])
{
  HED_SCOPE
  {
    memset(out, 0, sizeof out);
    hed_set_seed(1);
    const hed_array *a = calls[call].fn();
    for (int k = 0; k < count; k++)
      results[k] = taken(count == 1 ? a : out[k]);
  }
}

/* The degrees that TEXT names, as fractions; "-" becomes none/0. */
static int parse(const char *text, int degree[RESULTS], int of[RESULTS], double *tolerance)
{
  int count = 0, read = 0;
  *tolerance = *text == '~' ? 1e-10 : 0;
  for (text += *text == '~'; *text && count < RESULTS; text += read + (text[read] == ' '), count++) {
    of[count] = 1;
    if (sscanf(text, "%d/%d%n", &degree[count], &of[count], &read) == 2 || sscanf(text, "%d%n", &degree[count], &read) == 1)
      continue;
    of[count] = 0;
    read = 1;
  }
  return count;
}

static values want[CALLS][RESULTS];

static int check(const char *backend, int call, int form)
{
  int degree[RESULTS] = { 0 }, of[RESULTS] = { 0 }, wrong = 0;
  double tolerance;
  const int count = parse(degree_of(calls[call].name), degree, of, &tolerance), power = powers[form];
  values got[RESULTS];
  run(call, count, form ? got : want[call]);
  for (int k = 0; k < count && form; k++) {
    const bool known = of[k] && degree[k] * power % of[k] == 0;
    const int64_t at = known ? differs(&want[call][k], &got[k], degree[k] * power / of[k], tolerance) : -1;
    if (at >= 0) {
      wrong++;
      diag("%s: %s, result %d, data times 2^%d: status %d and %lld numbers, else %d and %lld; number %lld is %.17g, else %.17g",
           backend, calls[call].name, k, power, got[k].status, (long long)got[k].n, want[call][k].status, (long long)want[call][k].n,
           (long long)at, got[k].n > at ? got[k].at[at] : (double)NAN, want[call][k].n > at ? want[call][k].at[at] : (double)NAN);
    }
    free(got[k].at);
  }
  return wrong;
}

static bool is_tried(int call)
{
  const char *degree = degree_of(calls[call].name);
  return !*calls[call].form && degree && strcmp(degree, "-") != 0;
}

static void units(const char *backend)
{
  static int wrong[CALLS];
  memset(wrong, 0, sizeof wrong);
  HED_BACKEND_CONTEXT(backend)
  {
    for (int form = 0; form < FORMS; form++)
      HED_SCOPE
      {
        make_operands(HED_FLOAT64, ldexp(1, powers[form]));
        for (int call = 0; call < CALLS; call++)
          wrong[call] += is_tried(call) ? check(backend, call, form) : 0;
      }
  }
  for (int call = 0; call < CALLS; call++)
    if (is_tried(call)) {
      ok(wrong[call] == 0, "%s: %s of data in other units", backend, calls[call].name);
      for (int k = 0; k < RESULTS; k++) {
        free(want[call][k].at);
        want[call][k] = (values){ HED_OK, 0, NULL };
      }
    }
}

/* Every operation but the views has a degree, and a call. */
static void complete(void)
{
  for (int op = 0; op < hed_op_count(); op++) {
    hed_op_info info = { .struct_size = sizeof info };
    int call = 0;
    hed_op_query(op, &info);
    while (call < CALLS && (*calls[call].form || strcmp(calls[call].name, info.name) != 0))
      call++;
    if (strcmp(info.impl, "VIEW") != 0 && (call == CALLS || !degree_of(info.name) || !*degree_of(info.name)))
      fail("%s has no degree, or no call", info.name);
  }
}

int main(void)
{
  complete();
  units("cpu");
  units("reference");
  return done();
}
