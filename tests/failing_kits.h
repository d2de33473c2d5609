// SPDX-License-Identifier: BSD-3-Clause
/* Failing operands of kits: rows that call functions x which operand failed x how far that has come. L5.
 *
 * Operands that are NULL, too. A failed operand is what a take with an index out of range gives, a number that says which operand it
 * is; the device finds that when the take's turn comes. Whatever is computed of it, arrays and numbers, has to tell of that take.
 * Whether a result depends on an operand is seen on the reference backend: other values of the operand, another result.
 */
#ifndef HED_TESTS_FAILING_KITS_H
#define HED_TESTS_FAILING_KITS_H
#include "arrays.h"
#include "memory.h"
#include "tap.h"
#include <heddle.h>
#include <heddle/kits/reflect.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct failing_row { const char *name, *part; void (*job)(void); } failing_row;

enum { OPERANDS = 12, RESULTS = 12, INDEX = 5000, SEEDS = 8, MOST_ROWS = 200 };
enum way { FLYING, KNOWN, OVER, FUSED, INTO, MIXED, WAYS };
static const char *const way_name[WAYS] = { "on its way", "known to have failed", "over, and nobody knows", "in a chain",
                                            "as what was written into", "to another backend" };

typedef struct result { hed_status status; bool silent; uint64_t hash; char text[160]; } result;

/* The run of the moment. */
static struct {
  enum { RECORD, FAIL, MISSING, UNMADE } mode; /* MISSING: the operand is NULL; UNMADE: and what was to make it has failed */
  enum way way;
  int which;         /* the operand that fails, or has other values; -1: none */
  uint64_t seed;     /* of values; with it and which, of the other ones       */
  uint32_t seen;     /* operands that the row asked for                       */
  int n, turn;
  result r[RESULTS];
} now;

static char spec[64], device[32];
static bool faulty;

/* ---- operands ---- */

static uint64_t mixed(uint64_t h, uint64_t x)
{
  h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

/* X by a take of all its rows; where WRONG is not 0 the last index is that, and the take fails when its turn comes. */
static hed_array *taken(const hed_array *x, int wrong)
{
  const hed_shape s = hed_array_shape(x);
  const hed_array *rows = s.ndim ? x : hed_reshape(x, HED_SHAPE(1));
  hed_array *index = hed_arange_int(0, hed_array_shape(rows).dim[0], 1, HED_INT32);
  if (wrong && hed_copy_into(hed_slice(index, 1, &HED_RANGE(hed_array_size(index) - 1, INT64_MAX, 1)),
                             hed_full(HED_SHAPE(1), wrong, HED_INT32)) != HED_OK)
    bail("no index: %s", hed_error_text());
  hed_array *y = hed_take(rows, index, 0);
  return s.ndim ? y : hed_reshape(y, s);
}

/* X as the way of the moment has it, failed. */
static hed_array *failed(const hed_array *x, int k)
{
  hed_array *bad = taken(x, INDEX + k), *base = now.way == INTO ? hed_copy(x) : NULL;
  if (now.way == KNOWN)
    (void)hed_wait(bad);
  else if (now.way == OVER)
    (void)hed_synchronize(device);
  if (base)
    (void)hed_copy_into(base, bad);
  return base ? base : bad;
}

/* Operand K, numbers in [LOW, HIGH), of integers below HIGH; LOW NAN: HIGH and NaN in turns, so that other
 * values begin with the other one. */
static hed_array *operand(int k, hed_dtype t, hed_shape s, double low, double high)
{
  double v[256];
  int64_t n = elements_of(s);
  now.seen |= UINT32_C(1) << k;
  if (now.mode == UNMADE && k == now.which)
    (void)hed_fail(HED_E_CANCELLED, "nothing made operand %d", k);
  if ((now.mode == MISSING || now.mode == UNMADE) && k == now.which)
    return NULL;
  const uint64_t values = now.seed + (now.mode == RECORD && k == now.which);
  uint64_t h = mixed(values, (uint64_t)k + 1);
  for (int64_t i = 0; i < n; i++) {
    h = mixed(h, (uint64_t)i + 7);
    v[i] = !isnan(low) ? low + (high - low) * (double)(h >> 11) * 0x1p-53 : (values + (uint64_t)i) % 2 ? NAN : high;
    v[i] = hed_dtype_kind(t) == HED_KIND_FLOAT ? v[i] : floor(v[i]);
  }
  hed_array *x = hed_from_doubles(v, s, t);
  if (now.mode == FAIL && k == now.which) {
    if (now.way == MIXED)
      HED_BACKEND_CONTEXT(spec) x = failed(hed_to(x, device), k);
    else
      x = failed(x, k);
    hed_error_clear();
  } else if (now.mode == FAIL && now.way != MIXED) { /* what does not fail may still be on its way */
    x = taken(x, 0);
  }
  if (!x)
    bail("operand %d: %s", k, hed_error_text());
  return x;
}

#define F(k, low, high, ...) operand(k, HED_FLOAT32, HED_SHAPE(__VA_ARGS__), low, high)
#define N(k, below, ...) operand(k, HED_INT64, HED_SHAPE(__VA_ARGS__), 0, below)
#define B(k, ...) operand(k, HED_BOOL, HED_SHAPE(__VA_ARGS__), 0, 2)
#define LIST(...) ((const hed_array *const[]){ __VA_ARGS__ })

/* ---- results ---- */

static result *next(hed_status status)
{
  if (now.n == RESULTS)
    bail("more than %d results", RESULTS);
  result *r = &now.r[now.n++];
  *r = (result){ .status = status };
  (void)snprintf(r->text, sizeof r->text, "%s", status == HED_OK ? "" : hed_error_text());
  return r;
}

static void put_of(hed_status status, const hed_array *x)
{
  char data[4096];
  result *r = next(status != HED_OK ? status : x ? HED_OK : hed_error());
  if (r->status != HED_OK)
    return;
  r->status = now.mode == FAIL && now.turn++ % 2 ? hed_wait(x) : hed_to_host(x, data, hed_array_nbytes(x));
  (void)snprintf(r->text, sizeof r->text, "%s", r->status == HED_OK ? "" : hed_error_text());
  for (size_t k = 0; now.mode == RECORD && k < hed_array_nbytes(x); k++)
    r->hash = mixed(r->hash, (unsigned char)data[k]);
}

static void put(const hed_array *x)
{
  const bool silent = !x && hed_error() == HED_OK;
  put_of(x ? HED_OK : hed_error(), x);
  now.r[now.n - 1].silent = silent;
}

static void put_list(hed_status status, int n, hed_array *const *x)
{
  for (int k = 0; k < n; k++)
    put_of(status, x[k]);
}

static void put_numbers(hed_status status, int n, const double *x)
{
  for (int k = 0; k < n; k++) {
    result *r = next(status);
    uint64_t bits;
    memcpy(&bits, &x[k], sizeof bits);
    r->hash = mixed(1, bits);
  }
}

/* ---- what depends on what ---- */

static const failing_row *rows;
static int n_rows;
static struct { int n; uint32_t operands, needs[RESULTS]; } known[MOST_ROWS];

static void carry_out(int row, const char *where, bool fused)
{
  now.n = 0;
  now.seen = 0;
  hed_error_clear();
  HED_BACKEND_CONTEXT_OR(where, bail("%s: %s", where, hed_error_text())) HED_SCOPE {
    if (fused)
      HED_FUSED rows[row].job();
    else
      rows[row].job();
  }
  hed_error_clear();
}

static void learn(int row)
{
  now.mode = RECORD;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    result first[RESULTS];
    now.seed = 1 + 16 * seed; /* the same in every run: what a sample of bits depends on is not seen with any */
    now.which = -1;
    carry_out(row, "reference", false);
    memcpy(first, now.r, sizeof first);
    known[row].n = now.n;
    known[row].operands = now.seen;
    for (int i = 0; i < now.n; i++)
      if (first[i].status != HED_OK)
        bail("%s (%s), result %d: %s", rows[row].name, rows[row].part, i, first[i].text);
    for (now.which = 0; now.which < OPERANDS; now.which++) {
      if (!(known[row].operands >> now.which & 1))
        continue;
      carry_out(row, "reference", false);
      for (int i = 0; i < now.n && now.n == known[row].n; i++)
        if (now.r[i].status == HED_OK && now.r[i].hash != first[i].hash)
          known[row].needs[i] |= UINT32_C(1) << now.which;
    }
  }
}

/* Every function of kit OF (NULL: of none) that takes arrays has a row, and every operand of a row a result that changes with it. */
static void complete(const char *of)
{
  int missing = 0, idle = 0;
  for (int k = 0; hed_kit_function_at(k); k++) {
    const hed_api_function *f = hed_kit_function_at(k);
    const char *kit = hed_kit_of_header(f->header);
    bool takes = false, has = false;
    for (int i = 0; i < f->n_arguments; i++)
      takes |= strncmp(f->arguments[i].kind, "array", 5) == 0 && strcmp(f->arguments[i].role, "out") != 0;
    if (!of || !kit || strcmp(kit, of) != 0 || !takes)
      continue;
    for (int row = 0; row < n_rows; row++)
      has |= strcmp(rows[row].name, f->symbol) == 0;
    missing += !has;
    if (!has)
      diag("no row for %s", f->symbol);
  }
  for (int row = 0; row < n_rows; row++) {
    uint32_t all = 0;
    for (int i = 0; i < known[row].n; i++)
      all |= known[row].needs[i];
    idle += all != known[row].operands;
    if (all != known[row].operands)
      diag("%s (%s): operands %#x, of which %#x make a difference", rows[row].name, rows[row].part, known[row].operands, all);
  }
  if (of)
    is_int(missing, 0, "every function of kit %s that takes arrays has a row", of);
  is_int(idle, 0, "every operand makes a difference");
}

/* ---- the matrix ---- */

/* Does R tell of the failure of operand K? */
static bool tells(const result *r, int k)
{
  char number[16];
  (void)snprintf(number, sizeof number, "index %d", INDEX + k);
  return r->status == HED_E_ASYNC && strstr(r->text, "'take'") && strstr(r->text, number);
}

/* Is ROW in this run? On devices that compile, one in many is. */
static bool in_turn(int row)
{
  enum { SHARES = 8 };
  const char *full = getenv("HEDDLE_TEST_FULL");
  return in_sample(row) && (faulty || (full && *full) || (uint64_t)row % SHARES == tap_seed() % SHARES);
}

static void matrix(const char *backend, enum way way)
{
  int checked = 0, bad = 0;
  now.mode = FAIL;
  now.way = way;
  now.seed = tap_seed();
  for (int row = 0; row < n_rows; row++)
    for (int k = 0; k < OPERANDS && in_turn(row); k++) {
      if (!(known[row].operands >> k & 1))
        continue;
      now.which = k;
      now.turn = row + k + (int)way;
      if (faulty)
        control(way == FLYING || way == FUSED ? "hold=1" : "hold=0");
      carry_out(row, way == MIXED ? "reference;mix=copy" : spec, way == FUSED);
      if (faulty)
        control("hold=0");
      for (int i = 0; i < now.n && i < known[row].n; i++) {
        if (!(known[row].needs[i] >> k & 1))
          continue;
        checked++;
        if (tells(&now.r[i], k) || bad++ >= 20)
          continue;
        diag("%s (%s), operand %d, result %d: %d, %s", rows[row].name, rows[row].part, k, i, (int)now.r[i].status,
             now.r[i].text[0] ? now.r[i].text : "numbers");
      }
    }
  ok(checked > 0 && bad == 0, "%s: an operand %s: %d results tell of it, %d do not", backend, way_name[way], checked - bad, bad);
}

/* A call without an operand, be it one that has to be there, gives something or says why not. */
static void missing_operands(void)
{
  int checked = 0, silent = 0;
  now.mode = MISSING;
  now.seed = tap_seed();
  for (int row = 0; row < n_rows; row++)
    for (now.which = 0; now.which < OPERANDS; now.which++) {
      if (!(known[row].operands >> now.which & 1))
        continue;
      carry_out(row, "reference", false);
      for (int i = 0; i < now.n; i++) {
        checked++;
        silent += now.r[i].silent;
        if (now.r[i].silent)
          diag("%s (%s) without operand %d: NULL, and no error", rows[row].name, rows[row].part, now.which);
      }
    }
  ok(checked > 0 && silent == 0, "an operand is NULL: %d results are there, or an error is", checked);
}

/* The error of what was to make an operand is not replaced by one that says that it is NULL. Not for KITs whose parameters have
 * names: one that is not made is not there. */
static void unmade_operands(void)
{
  int checked = 0, replaced = 0;
  now.mode = UNMADE;
  now.seed = tap_seed();
  for (int row = 0; row < n_rows; row++)
    for (now.which = 0; now.which < OPERANDS; now.which++) {
      if (!(known[row].operands >> now.which & 1))
        continue;
      hed_error_clear();
      carry_out(row, "reference", false);
      for (int i = 0; i < now.n; i++) {
        const bool good = now.r[i].status == HED_OK || strstr(now.r[i].text, "nothing made operand");
        checked += now.r[i].status != HED_OK;
        replaced += !good;
        if (!good)
          diag("%s (%s) without operand %d: %s", rows[row].name, rows[row].part, now.which, now.r[i].text);
      }
    }
  ok(checked > 0 && replaced == 0, "an operand could not be made: %d results say why", checked);
}

static int failing_main(const char *kit, int n, const failing_row *list, const char *backend)
{
  rows = list;
  n_rows = n;
  if (n > MOST_ROWS)
    bail("%d rows", n);
  faulty = strcmp(backend, "faulty") == 0;
  if (hed_backend_require(backend) != HED_OK)
    skip_all("no %s backend: %s", backend, hed_error_text());
  (void)snprintf(spec, sizeof spec, "%s%s", backend, hed_device_supports(backend, "float64") == 1 ? "" : ";dtype=relaxed");
  (void)snprintf(device, sizeof device, "%s:0", backend);
  if (faulty)
    control("delay_us=0;jitter_us=0");
  for (int row = 0; row < n_rows; row++)
    learn(row);
  complete(kit);
  missing_operands();
  if (!kit)
    unmade_operands();
  for (int way = 0; way < WAYS; way++)
    matrix(backend, (enum way)way);
  if (faulty)
    is_int(query("fates"), 0, "the device keeps no failure that nobody can ask for");
  return done();
}

#endif
