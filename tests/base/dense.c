// SPDX-License-Identifier: BSD-3-Clause
/* Order of eigenvalues and phase of vectors (base/dense.h): rounding in what is equal must not change the choice. */
#include "base/dense.h"
#include "tap.h"
#include <heddle/dtype.h>
#include <math.h>

static void order(void)
{
  /* two pairs and a real value, whose real parts differ by rounding only */
  static const double w[12] = { 3e-16, -2, -1e-16, 2, 0, 1, 2e-16, -1, 1e-16, 0, -5, 0 };
  static const int64_t want[6] = { 5, 0, 3, 4, 2, 1 };
  int64_t got[6];
  hed__order_eigenvalues(6, w, 0x1p-52, got);
  is_mem(got, want, sizeof want, "real parts that agree to rounding go by imaginary parts");
  static const double apart[6] = { 1e-3, -2, 0, 2, -1e-3, 1 };
  static const int64_t by_real[3] = { 2, 1, 0 };
  hed__order_eigenvalues(3, apart, 0x1p-52, got);
  is_mem(got, by_real, sizeof by_real, "others by real parts");
}

static void phase(void)
{
  double x[3] = { 0.5, -0.70710678, 0.70710679 }, f[2];
  is_int(hed__phase(HED_ID_FLOAT64, 3, x, 8, f), 1, "of equal components the first leads");
  hed__rotate_phase(HED_ID_FLOAT64, 3, x, 8, f, 0, 1);
  ok(x[0] == -0.5 && x[1] > 0 && x[2] < 0, "and becomes positive");
  double near[2] = { 0.998, -1 };
  is_int(hed__phase(HED_ID_FLOAT64, 2, near, 8, f), 1, "one below 0.999 of the largest does not lead");
  float z[4] = { 0, 0, 3, 4 };
  is_int(hed__phase(HED_ID_COMPLEX64, 2, z, 8, f), 1, "a complex one");
  hed__rotate_phase(HED_ID_COMPLEX64, 2, z, 8, f, 0, 1);
  ok(fabsf(z[2] - 5) < 1e-6F && z[3] == 0, "becomes exactly real");
  double zero[2] = { 0, 0 };
  is_int(hed__phase(HED_ID_COMPLEX128, 1, zero, 16, f), -1, "zeros have no leading component");
  ok(f[0] == 1 && f[1] == 0, "and stay");
  char text[HED__MATRIX_TEXT];
  is_str(hed__matrix_text(3, 1, text), "matrix 3 of the batch", "in a batch");
  is_str(hed__matrix_text(0, 0, text), "the matrix", "alone");
}

int main(void)
{
  order();
  phase();
  return done();
}
