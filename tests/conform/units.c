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

/* Where G is not W 2^POWER, by at most TOLERANCE of the largest; -1: nowhere. */
static int64_t differs(const values *w, const values *g, int power, double tolerance)
{
  double most = 0;
  if (w->status != g->status || w->n != g->n)
    return 0;
  for (int64_t k = 0; k < w->n; k++)
    most = isfinite(w->at[k]) ? fmax(most, fabs(w->at[k])) : most;
  for (int64_t k = 0; k < w->n; k++) {
    const double got = ldexp(g->at[k], -power), want = w->at[k];
    if (!(got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= tolerance * most))
      return k;
  }
  return -1;
}

/* ---- a call ---- */

/* Results of call C with operands in the unit in force; of several, those that it leaves in OUT. */
static void run(int c, int count, values results[RESULTS])
{
  HED_SCOPE
  {
    memset(out, 0, sizeof out);
    const hed_array *a = calls[c].fn();
    for (int k = 0; k < count; k++)
      results[k] = taken(count == 1 ? a : out[k]);
  }
}

/* The degrees that TEXT names, as fractions; "-" becomes none/0. */
static int parse(const char *text, int degree[RESULTS], int of[RESULTS], double *tolerance)
{
  int count = 0, read = 0;
  *tolerance = *text == '~' ? 1e-12 : 0;
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

static int check(const char *backend, int c, int form)
{
  int degree[RESULTS] = { 0 }, of[RESULTS] = { 0 }, wrong = 0;
  double tolerance;
  const int count = parse(degree_of(calls[c].name), degree, of, &tolerance), power = powers[form];
  values got[RESULTS];
  run(c, count, form ? got : want[c]);
  for (int k = 0; k < count && form; k++) {
    const bool known = of[k] && degree[k] * power % of[k] == 0;
    const int64_t at = known ? differs(&want[c][k], &got[k], degree[k] * power / of[k], tolerance) : -1;
    if (at >= 0) {
      wrong++;
      diag("%s: %s, result %d, data times 2^%d: status %d and %lld numbers, else %d and %lld; number %lld is %.17g, else %.17g",
           backend, calls[c].name, k, power, got[k].status, (long long)got[k].n, want[c][k].status, (long long)want[c][k].n,
           (long long)at, got[k].n > at ? got[k].at[at] : (double)NAN, want[c][k].n > at ? want[c][k].at[at] : (double)NAN);
    }
    free(got[k].at);
  }
  return wrong;
}

static bool is_tried(int c) { return !*calls[c].form && degree_of(calls[c].name) && strcmp(degree_of(calls[c].name), "-") != 0; }

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
        for (int c = 0; c < CALLS; c++)
          wrong[c] += is_tried(c) ? check(backend, c, form) : 0;
      }
  }
  for (int c = 0; c < CALLS; c++)
    if (is_tried(c)) {
      ok(wrong[c] == 0, "%s: %s of data in other units", backend, calls[c].name);
      for (int k = 0; k < RESULTS; k++) {
        free(want[c][k].at);
        want[c][k] = (values){ HED_OK, 0, NULL };
      }
    }
}

/* Every operation but the views has a degree, and a call. */
static void complete(void)
{
  for (int op = 0; op < hed_op_count(); op++) {
    hed_op_info info = { .struct_size = sizeof info };
    int c = 0;
    hed_op_query(op, &info);
    while (c < CALLS && (*calls[c].form || strcmp(calls[c].name, info.name) != 0))
      c++;
    if (strcmp(info.impl, "VIEW") != 0 && (c == CALLS || !degree_of(info.name) || !*degree_of(info.name)))
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
