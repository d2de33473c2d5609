// SPDX-License-Identifier: BSD-3-Clause
/* The bits of results, for tests/bits, which compares two builds: for each operation of cases.def and failing.def, type, and way
 * operands lie a line with a hash per length. Arguments are the names of operations: only these. L5.
 *
 * Lengths are those around vectors of any width and around a block. Operands have zeros of both signs, infinities, NaN and
 * subnormal numbers. In results NaN counts as the same whatever its bits are: of two NaN that are added either may be the result. */
#include "conform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_LENGTHS = 66, LENGTHS = SHORT_LENGTHS + 4, MOST_SQUARE = 65, MOST_LINE = 257 };

static int64_t length(int k)
{
  static const int64_t more[LENGTHS - SHORT_LENGTHS] = { 255, 256, 257, 4099 };
  return k < SHORT_LENGTHS ? k : more[k - SHORT_LENGTHS];
}

/* ---- failing.def, of operands of each length ---- */

static hed_array *line_of(run *r, int k, hed_dtype t)
{
  const int64_t n = run_shape(r).dim[2];
  return operand_of(r, k, t, HED_SHAPE(n < MOST_LINE ? n : MOST_LINE), r->c->low, r->c->high);
}

static hed_array *square_of(run *r, int k, hed_dtype t)
{
  const int64_t n = run_shape(r).dim[2], m = n < MOST_SQUARE ? n : MOST_SQUARE;
  return operand_of(r, k, t, HED_SHAPE(m, m), r->c->low, r->c->high);
}

static hed_dtype complex_of(hed_dtype t) { return t == HED_FLOAT64 || t == HED_COMPLEX128 ? HED_COMPLEX128 : HED_COMPLEX64; }

#define ROW_OPERANDS
#define X(k) of(r, k, r->dtype, HED_SHAPE(4, 5, 6))
#define M(k) square_of(r, k, r->dtype)
#define V(k) line_of(r, k, r->dtype)
#define Z(k) square_of(r, k, complex_of(r->dtype))
#define I(k) line_of(r, k, HED_INT32)
#include "rows.h"

static const conform_case cases[] = {
#define HED_CASE(name, job, low, high, ulps, flags, degree) { #name, job_##job, low, high, ulps, (flags) | SUBNORMAL },
#include "cases.def"
#define HED_ROW(name, low, high, ...) { #name, row_##name, low, high, 0, 0 },
#include "failing.def"
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- what jobs call ---- */

bool is_wanted_type(hed_dtype t)
{
  (void)t;
  return true;
}

double largest(const hed_array *x)
{
  (void)x;
  return 0;
}

static uint64_t sum; /* of the run's results so far; any order counts */
static bool sized;   /* did the run ask for an operand that is as long as it says? */

static void add_bytes(const void *p, size_t n)
{
  const unsigned char *c = p;
  for (size_t k = 0; k < n; k++)
    sum = (sum ^ c[k]) * UINT64_C(1099511628211); /* FNV-1a */
}

static bool is_nan(const char *p, size_t size, bool wide_half)
{
  uint16_t h;
  float f;
  double d;
  switch (size) {
  case 2: memcpy(&h, p, 2); return (h & 0x7fff) > (wide_half ? 0x7c00 : 0x7f80);
  case 4: memcpy(&f, p, 4); return isnan(f);
  default: memcpy(&d, p, 8); return isnan(d);
  }
}

void put_status(run *r, hed_status status, const hed_array *x)
{
  (void)r;
  add_bytes(&status, sizeof status);
  if (status != HED_OK || !x)
    return;
  const hed_dtype t = hed_array_dtype(x);
  const hed_kind kind = hed_dtype_kind(t);
  const size_t bytes = hed_array_nbytes(x), size = hed_dtype_size(t) / (kind == HED_KIND_COMPLEX ? 2 : 1);
  const hed_shape s = hed_array_shape(x);
  const int id = (int)hed_dtype_id_of(t);
  char *data = malloc(bytes + 1);
  status = hed_to_host(x, data, bytes);
  add_bytes(&status, sizeof status);
  add_bytes(&id, sizeof id);
  add_bytes(s.dim, (size_t)s.ndim * sizeof *s.dim);
  for (size_t k = 0; k < bytes && kind >= HED_KIND_FLOAT; k += size)
    if (is_nan(data + k, size, id == HED_ID_FLOAT16))
      memset(data + k, 0xff, size);
  if (status == HED_OK)
    add_bytes(data, bytes);
  free(data);
}

void put(run *r, const hed_array *x) { put_status(r, x ? HED_OK : hed_error(), x); }

void put_errors(run *r, const hed_array *x, double size)
{
  (void)size;
  put(r, x);
}

static hed_array *make(run *r, int k, hed_dtype t, hed_shape shape, double low, double high)
{
  for (int a = 0; a < shape.ndim; a++)
    sized |= shape.dim[a] == r->shape.dim[2] && r->shape.dim[2] > 0;
  return plain_operand(r, k, t, shape, low, high);
}

/* ---- the lines ---- */

/* Alone and in rows, as columns, transposed, from the end, repeated. */
static const struct { const char *name; layout layout; int64_t before, after; bool columns; } places[] = {
  { "contiguous", PLAIN, 1, 1, false }, { "rows", PLAIN, 2, 3, false }, { "columns", PLAIN, 2, 3, true },
  { "transposed", TRANSPOSED, 2, 3, false }, { "reversed", REVERSED, 3, 2, false }, { "broadcast", BROADCAST, 2, 3, false },
};
enum { PLACES = sizeof places / sizeof *places };

static uint64_t hash_of(run *r)
{
  sum = UINT64_C(14695981039346656037);
  HED_SCOPE r->c->job(r);
  hed_error_clear();
  return sum;
}

/* Of a case that makes its own shapes the first length says all. */
static void print_line(const conform_case *c, hed_dtype t, int place)
{
  run r = { .c = c, .op = hed_op_by_name(c->name), .dtype = t, .layout = places[place].layout, .extent = GIVEN, .seed = 1,
            .repeats = places[place].layout == BROADCAST, .make = make };
  sized = false;
  printf("%s %s %s", c->name, hed_dtype_name(t), places[place].name);
  for (int k = 1; k <= LENGTHS && (sized || k <= 2); k++) {
    const int64_t n = length(k % LENGTHS), near = n % 8;
    if (place > 0 && n > 9 && (n > MOST_LINE || (near > 1 && near < 7))) /* rows of part of the lengths */
      continue;
    r.shape = places[place].columns ? HED_SHAPE(n, 2, 3) : HED_SHAPE(places[place].before, places[place].after, n);
    printf(" %lld:%016llx", (long long)n, (unsigned long long)hash_of(&r));
  }
  putchar('\n');
}

static void print_pairs(const conform_case *c, hed_dtype t)
{
  run r = { .c = c, .op = hed_op_by_name(c->name), .dtype = t, .extent = PAIRS, .seed = 1 };
  if (takes_pairs(c, t))
    printf("%s %s special_values %016llx\n", c->name, hed_dtype_name(t), (unsigned long long)hash_of(&r));
}

int main(int argc, char **argv)
{
  int lines = 0;
  for (int k = 0; k < CASES; k++) {
    bool wanted = argc < 2;
    for (int i = 1; i < argc; i++)
      wanted |= strcmp(argv[i], cases[k].name) == 0;
    for (int id = 0; id < HED_ID_CONCRETE_COUNT_ && wanted; id++, lines++)
      HED_BACKEND_CONTEXT("cpu;threads=1") {
        for (int place = 0; place < PLACES; place++)
          print_line(&cases[k], hed_dtype_of(id), place);
        print_pairs(&cases[k], hed_dtype_of(id));
      }
  }
  if (lines == 0)
    fprintf(stderr, "hashes: no operation of these names has a case\n");
  return lines == 0;
}
