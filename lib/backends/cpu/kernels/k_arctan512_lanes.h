// SPDX-License-Identifier: BSD-3-Clause
/* arctan of a vector of either type: k_arctan512.h, which includes this by k_each512.h. */

INLINE V L(arctan_lanes)(V x)
{
  enum { TERMS = sizeof L(arctan_fit) / sizeof *L(arctan_fit), STEPS = MANTISSA / 28 };
  const V one = P(set1)(1), eighths = P(set1)(WHOLE / 8), a = P(min)(P(set1)(0x1p60f), P(abs)(x)); /* NaN stays */
  const V p = P(min)(one, a), q = P(max)(one, a);
  const V place = P(add)(P(mul)(p, P(rcp14)(q)), eighths), c = P(sub)(place, eighths);
  const V above = P(fnmadd)(c, q, p), below = P(fmadd)(c, p, q);
  V inverse = P(rcp14)(below);
  for (int k = 0; k < STEPS; k++) /* of 14 bits more */
    inverse = P(fmadd)(P(fnmadd)(below, inverse, one), inverse, inverse);
  V t = P(mul)(above, inverse);
  t = P(fmadd)(P(fnmadd)(below, t, above), inverse, t);
  const V square = P(mul)(t, t);
  V r = P(set1)(L(arctan_fit)[0]);
  _Pragma("GCC unroll 8") for (int k = 1; k < TERMS; k++)
    r = P(fmadd)(r, square, P(set1)(L(arctan_fit)[k]));
  V y = P(add)(LOOK_UP(L(arctan_of), BITS(place)), P(fmadd)(P(mul)(square, t), r, t));
  y = P(mask_sub)(y, CMP(a, one, _CMP_GT_OQ), P(set1)((T)0x1.921fb54442d18p0), y);
  return SIGNED_AS(y, x);
}

NEAR_ROW(K(arctan), L(arctan_lanes)(x), 0, L(arctan_lanes)(x))
