// SPDX-License-Identifier: BSD-3-Clause
/* The text of select.h for complex numbers: differences and tolerances are met in double. */
INLINE bool N(is_finite)(T z) { return (z.re - z.re == 0) & (z.im - z.im == 0); }
INLINE bool N(is_nan)(T z) { return (z.re != z.re) | (z.im != z.im); }
INLINE bool N(is_close)(T a, T b, const double rtol, const double atol)
{
  return hypot_d((double)a.re - (double)b.re, (double)a.im - (double)b.im) <= atol + rtol * hypot_d((double)b.re, (double)b.im);
}
BLOCKED2_WITH(N(isclose), uint8_t, hed_isclose_params, q->rtol, q->atol, q->equal_nan,
              ((a.re == b.re) & (a.im == b.im)) | (N(is_nan)(a) & N(is_nan)(b) & (w != 0))
                | (N(is_finite)(a) & N(is_finite)(b) & N(is_close)(a, b, u, v)))
