// SPDX-License-Identifier: BSD-3-Clause
/* Large operations on the cpu backend: their results' bytes as one number, and how many threads there are then. For
 * tests/cpu/openmp.t. L5. */
#include "arrays.h"
#include "scenario.h"

static uint64_t sum_of(hed_array *x)
{
  uint64_t h = 14695981039346656037u; /* FNV-1a */
  size_t n = hed_array_nbytes(x);
  const unsigned char *p = hed_array_data(x);
  if (!p)
    bail("%s", hed_error_text());
  for (size_t k = 0; k < n; k++)
    h = (h ^ p[k]) * 1099511628211u;
  hed_release(x);
  return h;
}

int main(void)
{
  uint64_t sum = 0;
  if (hed_set_default_backend("cpu") != HED_OK || hed_backend_require("cpu") != HED_OK) {
    printf("%s\n", hed_error_text());
    return 4;
  }
  hed_array *x = hed_random_uniform(HED_SHAPE(512, 2048), HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true });
  hed_array *square = hed_slice(x, 2, (hed_slice_range[]){ HED_ALL, HED_RANGE(0, 512, 1) });
  sum += sum_of(hed_exp(x));
  sum += 3 * sum_of(hed_sum(x, &(hed_reduce){ .axes = HED_AXES(0) }));
  sum += 5 * sum_of(hed_cumsum(x, &(hed_scan){ .axis = HED_AXES(1) }));
  sum += 7 * sum_of(hed_sort(x, NULL));
  sum += 11 * sum_of(hed_rfftn(x, NULL));
  sum += 13 * sum_of(hed_matmul(square, square));
  sum += 17 * sum_of(hed_softmax(x, -1));
  RELEASE(square, x);
  printf("%016llx\n", (unsigned long long)sum);
  fprintf(stderr, "%d\n", count_threads());
  return 0;
}
