// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of the match kit, and small bridges between arrays and the host.
 *
 * Layer: L4, match kit. What comes in may have any real dtype, layout and memory space; what goes on is finite,
 * contiguous float32 in the current context's space.
 */
#include "kits/given.h"
#include "kits/match/run/job.h"
#include "kits/shapes.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double hed__now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *hed__to_malloc(const hed_array *x)
{
  size_t bytes = hed_array_nbytes(x);
  void *p = malloc(bytes ? bytes : 1);
  if (!p) {
    (void)hed_fail(HED_E_NOMEM, "match: no memory for %zu bytes of results", bytes);
    return NULL;
  }
  if (hed_to_host(x, p, bytes) != HED_OK) {
    free(p);
    return NULL;
  }
  return p;
}

hed_array *hed__host_empty(hed_shape shape, hed_dtype t)
{
  hed_frame frame = { 0, 0, 0, 0 };
  if (hed_backend_context_push("reference", &frame) != HED_OK)
    return NULL;
  hed_array *out = hed_keep(hed_empty(shape, t));
  (void)hed_context_unwind(frame);
  return out;
}

hed_array *hed__on_host(const hed_array *x)
{
  return hed_keep(hed_to(x, "reference"));
}

hed_array *hed__converted(const hed_array *x, hed_dtype t)
{
  return x && hed_array_dtype(x) == t ? hed_copy(x) : hed_astype(x, t);
}

hed_array *hed__own(const hed_array *x, hed_array *y)
{
  return y == x ? y : hed_keep(y);
}

static hed_status reduced(const hed_array *r, double *out)
{
  return r ? hed_item(r, out) : hed_error();
}

hed_status hed__total(const hed_array *x, double *out)
{
  hed_array *r = hed_keep(hed_sum(x, NULL));
  hed_status status = reduced(r, out);
  hed_release(r);
  return status;
}

hed_status hed__least(const hed_array *x, double *out)
{
  hed_array *r = hed_keep(hed_min(x, NULL));
  hed_status status = reduced(r, out);
  hed_release(r);
  return status;
}

/* HED_OK, or a sentence with the number of values that are not finite. */
static hed_status all_finite(const char *op, const char *what, const hed_array *x)
{
  hed_array *good = hed_keep(hed_isfinite(x));
  hed_array *count = hed_keep(hed_count_nonzero(good, NULL));
  int64_t n = 0, size = hed_array_size(x);
  hed_status status = count ? hed_item_int(count, &n) : hed_error();
  hed_release(good);
  hed_release(count);
  if (status == HED_OK && n != size)
    return hed_fail(HED_E_INVAL, "%s: %lld of %lld values of the %s are not finite as float32", op,
                    (long long)(size - n), (long long)size, what);
  return status;
}

static void shape_text(hed_shape s, char *text, size_t room)
{
  size_t n = 0;
  *text = '\0';
  for (int i = 0; i < s.ndim && n < room; i++)
    n += (size_t)snprintf(text + n, room - n, "%s%lld", i ? " x " : "", (long long)s.dim[i]);
}

hed_status hed__expect_shape(const char *op, const char *what, hed_shape shape, const char *whose, hed_shape wanted)
{
  char is[200], should[200];
  if (hed__same_shape(shape, wanted))
    return HED_OK;
  shape_text(shape, is, sizeof is);
  shape_text(wanted, should, sizeof should);
  return hed_fail(HED_E_SHAPE, "%s: %s is %d-D, %s, %s %d-D, %s", op, what, (int)shape.ndim, is, whose, (int)wanted.ndim, should);
}

hed_array *hed__checked(const char *op, const char *what, const hed_array *x)
{
  if (!hed__operand_given(op, what, x))
    return NULL;
  if (hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX) {
    (void)hed_fail(HED_E_DTYPE, "%s: the %s is %s; only real dtypes can be matched", op, what,
                   hed_dtype_name(hed_array_dtype(x)));
    return NULL;
  }
  hed_array *here = hed__own(x, hed_to(x, hed_get_backend()));
  hed_array *single = hed__own(here, hed_astype(here, HED_FLOAT32));
  hed_array *out = hed_array_is_contiguous(single) ? hed_retain(single) : hed_keep(hed_copy(single));
  hed_release(here);
  hed_release(single);
  if (out && all_finite(op, what, out) != HED_OK) {
    hed_release(out);
    return NULL;
  }
  return out;
}

/* R is a rotation when R R^T is 1 to single precision and its determinant is positive. */
static bool is_rotation(int d, const double *r)
{
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double dot = 0;
      for (int k = 0; k < d; k++)
        dot += r[i * d + k] * r[j * d + k];
      if (!(fabs(dot - (i == j)) < 1e-4))
        return false;
    }
  double det = d == 2 ? r[0] * r[3] - r[1] * r[2]
                      : r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                            r[2] * (r[3] * r[7] - r[4] * r[6]);
  return det > 0;
}

hed_status hed__rotations_valid(const char *op, int ndim, size_t n, const double *rotations)
{
  if (!rotations || n == 0 || n > INT32_MAX)
    return hed_fail(HED_E_INVAL, "%s: %s", op,
                    !rotations ? "rotations is NULL" : n ? "more than 2^31 - 1 rotations" : "no rotations");
  for (size_t i = 0; i < n; i++)
    if (!is_rotation(ndim, rotations + i * (size_t)(ndim * ndim)))
      return hed_fail(HED_E_INVAL, "%s: matrix %zu of %zu is not a rotation", op, i, n);
  return HED_OK;
}
