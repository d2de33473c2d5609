// SPDX-License-Identifier: BSD-3-Clause
/* Operands of the conformance test that hold special values: all pairs of zeros, infinities, NaN, the ends of the range, halves,
 * next to 1 and to whole numbers that end being exact; as parts of complex numbers too. */
#include "conform.h"

#include <math.h>
#include <string.h>

enum { REALS = 32, PARTS = 8 };

/* Special value K of the type of floats that is T or T's parts. */
static double special(int k, hed_dtype t)
{
  static const double same[] = { 0.0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1.5, 2.5, -2.5, 0.3, INFINITY, -INFINITY, NAN, -NAN };
  enum { SAME = sizeof same / sizeof *same };
  static const struct { int bits, most, least; } form[] = {
    { 11, 16, -14 }, { 8, 128, -126 }, { 24, 128, -126 }, { 53, 1024, -1022 },
  };
  const int id = hed_dtype_id_of(t);
  const int at = id == HED_ID_FLOAT16 ? 0 : id == HED_ID_BFLOAT16 ? 1 : id == HED_ID_FLOAT32 || id == HED_ID_COMPLEX64 ? 2 : 3;
  const int bits = form[at].bits;
  const double normal = ldexp(1, form[at].least), subnormal = ldexp(normal, 1 - bits), step = ldexp(1, 1 - bits);
  const double largest = ldexp(1 - step / 2, form[at].most), odd = ldexp(1, bits) - 1;
  const double half_turn = rint(3.14159265358979323846 / step / 2) * step * 2;
  const double own[REALS - SAME] = {
    subnormal, -subnormal, normal, -normal, largest, -largest, odd, -odd, half_turn, -half_turn, half_turn / 2, 1 - step / 2,
    -1 - step, ldexp(1, form[at].most / 2) /* its square overflows */,
  };
  return k < SAME ? same[k] : own[k - SAME];
}

/* Products of complex numbers: what more than two have in common with infinities and zeros depends on their grouping, what one
 * has with infinities on whether it is taken times 1, and what two do beyond the largest number on whether a product is rounded
 * before it is added. */
static bool is_product(const run *r)
{
  return hed_dtype_kind(r->dtype) == HED_KIND_COMPLEX &&
         (r->op == HED_OP_PROD || r->op == HED_OP_CUMPROD || r->op == HED_OP_NANPROD);
}

static bool is_spread(const run *r) { return r->c->flags & SPREAD; }

static bool is_number(const double z[2]) { return isfinite(z[0]) && isfinite(z[1]); }

/* Powers of complex numbers to infinite exponents, or of infinite numbers, which C leaves open; products that are not finite. */
bool pairs_open(const run *r, int64_t index, const double want[2], const double got[2])
{
  double a[2], b[2];
  if (is_product(r) && !is_number(want))
    return !is_number(got);
  if (r->op != HED_OP_POWER || hed_dtype_kind(r->dtype) != HED_KIND_COMPLEX)
    return false;
  pairs_value(r, 0, r->dtype, pairs_shape(r), index, a);
  pairs_value(r, 1, r->dtype, pairs_shape(r), index, b);
  return isinf(a[0]) || isinf(a[1]) || isinf(b[0]) || isinf(b[1]);
}

/* A part of complex value K. */
static double special_part(const run *r, int k, hed_dtype t)
{
  static const int which[PARTS] = { 0, 1, 2, 12, 22, 14, 15, 16 }; /* 0, -0, 1, -2.5, largest, infinities, NaN */
  const bool moderate = is_product(r) || is_spread(r) || r->op == HED_OP_POWER;
  return special(moderate && k == 4 ? 13 : which[k], t);
}

static const char elementwise[HED_OP_COUNT_] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) [HED_OP_##ID] = 1,
#include <heddle/ops.def>
};

/* Elements are found, or go elsewhere, whatever they are: jobs with a shape of their own. */
static bool moves(const conform_case *c)
{
  return c->job == job_get || c->job == job_set || c->job == job_along || c->job == job_repeat || c->job == job_take ||
         c->job == job_arrange || c->job == job_places;
}

bool takes_pairs(const conform_case *c, hed_dtype t)
{
  hed_op_info info = { .struct_size = sizeof info };
  const int op = hed_op_by_name(c->name);
  const char letter = hed_dtype_kind(t) == HED_KIND_FLOAT ? 'f' : hed_dtype_kind(t) == HED_KIND_COMPLEX ? 'c' : '-';
  hed_op_query(op, &info);
  return strchr(info.domain, letter) && ((c->flags & SPECIAL && !moves(c)) || elementwise[op] || strcmp(info.family, "reduce") == 0 ||
                                         c->job == job_scan || c->job == job_statistic);
}

/* One operand of an elementwise operation, several of one, slices; slices of two alone where more make another result in another
 * order. */
enum { ONE, SEVERAL, SLICES, TWO };

int pairs_arrangement(const run *r)
{
  hed_op_info info = { .struct_size = sizeof info };
  hed_op_query(r->op, &info);
  const char *first = strstr(info.args, ":array");
  return !elementwise[r->op] ? is_product(r) || is_spread(r) ? TWO : SLICES : first && strstr(first + 1, ":array") ? SEVERAL : ONE;
}

static int64_t count(const run *r)
{
  return hed_dtype_kind(r->dtype) == HED_KIND_COMPLEX && pairs_arrangement(r) != ONE ? PARTS * PARTS : REALS;
}

hed_shape pairs_shape(const run *r)
{
  const int64_t n = count(r);
  const int arrangement = pairs_arrangement(r);
  return arrangement < SLICES ? HED_SHAPE(n, n) : arrangement == SLICES ? HED_SHAPE(n, n, 2) : HED_SHAPE(n * n, 1, 2);
}

void pairs_value(const run *r, int k, hed_dtype t, hed_shape shape, int64_t index, double out[2])
{
  const hed_shape whole = pairs_shape(r);
  const int64_t n = count(r), slices = pairs_arrangement(r) >= SLICES ? 2 : 1, row = index / slices / n, column = index / slices % n;
  int64_t at = k == 0 ? row : k == 1 ? column : (3 * row + 5 * column + k) % n;
  if (shape.ndim != whole.ndim || memcmp(shape.dim, whole.dim, (size_t)shape.ndim * sizeof *shape.dim) != 0)
    at = (index + k) * 5 % n;
  else if (slices == 2)
    at = (index % 2 ? column + k : row) % n;
  else if (pairs_arrangement(r) == ONE) { /* real: in each row again */
    out[0] = special((int)(hed_dtype_kind(t) == HED_KIND_COMPLEX ? row : column), t);
    out[1] = special((int)column, t);
    return;
  }
  out[0] = n == REALS ? special((int)at, t) : special_part(r, (int)at / PARTS, t);
  out[1] = n == REALS ? 0 : special_part(r, (int)at % PARTS, t);
}

/* C's Annex G leaves open the signs beside NaN, and of some zeros and infinities where both parts of the operand are infinite or
 * NaN. ZEROS are of quotients and products of complex numbers, or of operations on reals alone that pick one of several equal
 * elements. */
void pairs_signs(const run *r, int64_t index, const double want[2], sign_rule out[2])
{
  hed_op_info info = { .struct_size = sizeof info };
  hed_op_query(r->op, &info);
  const bool is_complex = hed_dtype_kind(r->dtype) == HED_KIND_COMPLEX;
  double z[2] = { 0, 0 };
  if (pairs_arrangement(r) == ONE)
    pairs_value(r, 0, r->dtype, pairs_shape(r), index, z);
  for (int k = 0; k < 2; k++) {
    out[k] = r->c->flags & ZEROS && (is_complex || !strchr(info.domain, 'c')) ? SIGN_OF_NUMBERS : SIGN_COUNTS;
    if (is_complex && (isnan(want[1 - k]) || (!isfinite(z[0]) && !isfinite(z[1]))))
      out[k] = SIGN_OPEN;
  }
}

void pairs_show(const run *r, int64_t index)
{
  for (int k = 0; k < 2 && pairs_arrangement(r) < SLICES; k++) {
    double x[2];
    pairs_value(r, k, r->dtype, pairs_shape(r), index, x);
    diag("  operand %d: %.17g %+.17gi", k, x[0], x[1]);
  }
}
