// SPDX-License-Identifier: BSD-3-Clause
/* Indexing of arrays that are large enough for several threads: the same bits as the reference backend gives, whatever the
 * number of threads.
 */
#include "api.h"

enum { RESULTS = 13 };

static void put(hed_array **out, int *n, hed_array *x)
{
  if (!x)
    bail("result %d: %s", *n, hed_error_text());
  out[(*n)++] = x;
}

static void put_after(hed_array **out, int *n, hed_status status, hed_array *x)
{
  if (status != HED_OK)
    bail("result %d: %s", *n, hed_error_text());
  put(out, n, x);
}

static int run(hed_array **out)
{
  int n = 0;
  hed_random opt = { .seed = 7, .seeded = true };
  HED_SCOPE
  {
    hed_array *x = hed_random_normal(HED_SHAPE(300, 1001), HED_FLOAT32, &opt), *positive = hed_greater_scalar(x, 0.5);
    hed_array *flat = hed_ravel(x), *t = hed_transpose(x, NULL), *y = hed_zeros(HED_SHAPE(1001), HED_FLOAT32);
    hed_array *i = hed_random_integers(HED_SHAPE(300300), 0, 1001, HED_INT32, &opt);
    hed_array *rows = hed_random_integers(HED_SHAPE(2000), 0, 300, HED_INT64, &opt), *z = hed_copy(x);
    put(out, &n, hed_keep(hed_nonzero(positive)));
    put(out, &n, hed_keep(hed_flatnonzero(t)));
    put(out, &n, hed_keep(hed_compress(x, positive)));
    put(out, &n, hed_keep(hed_compress(t, hed_transpose(positive, NULL))));
    put(out, &n, hed_keep(hed_take(flat, hed_multiply(i, hed_scalar_int(3)), 0)));
    put(out, &n, hed_keep(HED_GET(t, HED_WHOLE, HED_IDX(rows))));
    put_after(out, &n, HED_ACCUMULATE(y, HED_SCATTER_ADD, flat, HED_IDX(i)), hed_keep(y));
    put_after(out, &n, HED_SET(z, hed_take(x, hed_flip(rows, NULL), 0), HED_IDX(rows)), hed_keep(z));
    put(out, &n, hed_keep(hed_repeat(x, 2, NULL)));
    put(out, &n, hed_keep(hed_repeat_each(flat, hed_mod(i, hed_scalar_int(5)), NULL)));
    put(out, &n, hed_keep(hed_take_along_axis(x, hed_argsort(x, NULL), -1)));
    put(out, &n, hed_keep(hed_arange(-3, 70000, 0.25, HED_FLOAT32)));
    put(out, &n, hed_keep(hed_arange_int(-3, 700000, 2, HED_INT16)));
  }
  return n;
}

int main(void)
{
  hed_array *want[RESULTS], *got[RESULTS];
  int n = 0;
  HED_BACKEND_CONTEXT("reference")
    n = run(want);
  static const char *const specs[] = { "cpu;threads=1", "cpu;threads=3", "cpu;threads=8" };
  if (hed_backend_require("cpu") != HED_OK)
    skip_all("%s", hed_error_text());
  for (int s = 0; s < 3; s++)
    HED_BACKEND_CONTEXT(specs[s]) {
      int m = run(got);
      is_int(m, n, "%s: results", specs[s]);
      for (int k = 0; k < m; k++) {
        size_t bytes = hed_array_nbytes(want[k]);
        void *a = malloc(bytes + 1), *b = malloc(bytes + 1);
        ok(hed_array_nbytes(got[k]) == bytes && hed_to_host(want[k], a, bytes) == HED_OK &&
           hed_to_host(got[k], b, bytes) == HED_OK && memcmp(a, b, bytes) == 0, "%s: result %d", specs[s], k);
        free(a);
        free(b);
        hed_release(got[k]);
      }
    }
  for (int k = 0; k < n; k++)
    hed_release(want[k]);
  done_testing();
  return done();
}
