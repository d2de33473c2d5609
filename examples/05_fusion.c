// SPDX-License-Identifier: BSD-3-Clause
/* Several operations in one pass over memory: the energy of particles on springs, one by one and fused, with the memory and the
 * time that each takes. The same call sequence serves both; whether it is fused is the caller's matter.
 *
 *   cc 05_fusion.c -o fusion $(pkg-config --cflags --libs heddle) -lm
 *   ./fusion 10000000
 */
#include <heddle.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* sum of m v^2 / 2 + k x^2 / 2 where x is within reach, else m v^2 / 2 */
static hed_array *energy(const hed_array *m, const hed_array *v, const hed_array *x)
{
  hed_array *total = NULL;
  HED_SCOPE {
    hed_array *kinetic = hed_multiply_scalar(hed_multiply(m, hed_square(v)), 0.5);
    hed_array *spring = hed_multiply_scalar(hed_square(x), 0.5 * 3);
    hed_array *near = hed_less_scalar(hed_abs(x), 2);
    total = hed_keep(hed_sum(hed_add(kinetic, hed_where_scalar(near, spring, 0)), NULL));
  }
  return total;
}

static double measure(const char *name, bool fused, const hed_array *m, const hed_array *v, const hed_array *x)
{
  struct timespec start, end;
  hed_array *total = NULL;
  double value = NAN;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (fused)
    HED_FUSED { total = energy(m, v, x); }
  else
    total = energy(m, v, x);
  hed_item(total, &value);
  clock_gettime(CLOCK_MONOTONIC, &end);
  hed_release(total);
  printf("%-10s  %.9g  in %.2f ms\n", name, value,
         1e3 * (double)(end.tv_sec - start.tv_sec) + 1e-6 * (double)(end.tv_nsec - start.tv_nsec));
  return value;
}

int main(int argc, char **argv)
{
  double one_by_one = 0, fused = 1;
  HED_SCOPE {
    hed_shape n = HED_SHAPE(argc > 1 ? atoll(argv[1]) : 100000);
    hed_array *m = hed_random_uniform(n, HED_FLOAT32, NULL), *v = hed_random_normal(n, HED_FLOAT32, NULL);
    hed_array *x = hed_random_normal(n, HED_FLOAT32, NULL);
    for (int k = 0; k < 3; k++) {
      one_by_one = measure("one by one", false, m, v, x);
      fused = measure("fused", true, m, v, x);
    }
  }
  if (hed_error() != HED_OK)
    fprintf(stderr, "%s\n", hed_error_text());
  return fabs(fused - one_by_one) <= 1e-6 * fabs(one_by_one) ? 0 : 1;
}
