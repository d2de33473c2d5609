// SPDX-License-Identifier: BSD-3-Clause
/* Copies between two devices, which the host does not wait for: peer.t reads the driver's calls between the two lines that this
 * prints. Values are read afterwards; what is written after a copy was submitted does not reach it. */
#include "tap.h"
#include <heddle.h>
#include <math.h>

enum { ROWS = 300, COLUMNS = 100 };

/* Do all elements equal WANT? */
static bool all_are(const hed_array *x, double want)
{
  double least = NAN, most = NAN;
  HED_BACKEND_CONTEXT(hed_array_space(x))
  HED_SCOPE
  {
    (void)hed_item(hed_min(x, NULL), &least);
    (void)hed_item(hed_max(x, NULL), &most);
  }
  return least == want && most == want;
}

/* X plus V on the device where it is, into OUT, or a new array. */
static hed_array *plus(const char *device, hed_array *out, const hed_array *x, double v)
{
  hed_array *y = NULL;
  HED_BACKEND_CONTEXT(device)
  HED_SCOPE
  {
    hed_array *number = hed_full(HED_SHAPE(ROWS, COLUMNS), v, HED_FLOAT32);
    if (out)
      y = number && hed_add_into(out, x, number) == HED_OK ? out : NULL;
    else
      y = hed_keep(hed_add(x, number));
  }
  return y;
}

static void copies(void)
{
  hed_array *x = NULL;
  HED_BACKEND_CONTEXT("cuda:0") x = hed_full(HED_SHAPE(ROWS, COLUMNS), 1, HED_FLOAT32);
  hed_array *first = plus("cuda:0", NULL, x, 1), *warm = first ? hed_to(first, "cuda:1") : NULL;
  hed_array *seen = warm ? plus("cuda:1", NULL, warm, 1) : NULL; /* kernels are there from now on */
  hed_array *twice = plus("cuda:0", NULL, x, 2), *there, *back, *more;
  ok(seen && twice && hed_wait(seen) == HED_OK && hed_wait(twice) == HED_OK, "before: %s", hed_error_text());
  (void)plus("cuda:0", twice, x, 4);
  fprintf(stderr, "copies begin\n");
  there = hed_to(twice, "cuda:1");
  (void)plus("cuda:0", twice, x, 8); /* comes after the copy */
  more = there ? plus("cuda:1", NULL, there, 1) : NULL;
  back = more ? hed_to(more, "cuda:0") : NULL;
  fprintf(stderr, "copies end\n");
  ok(there && all_are(there, 5), "what was there before the next writer");
  ok(back && all_are(back, 6), "and there and back");
  ok(all_are(twice, 9), "the next writer's");
  hed_array *const all[] = { x, first, warm, seen, twice, there, back, more };
  for (int k = 0; k < 8; k++)
    hed_release(all[k]);
}

/* A failure that is known late is the copy's, too. */
static void failures(void)
{
  hed_array *y = NULL, *x = NULL;
  const int64_t wrong[] = { 0, 99 };
  HED_BACKEND_CONTEXT("cuda:0")
  HED_SCOPE
  {
    x = hed_zeros(HED_SHAPE(4), HED_FLOAT32);
    hed_array *index = hed_from_host(wrong, HED_SHAPE(2), HED_INT64), *taken = hed_take(x, index, 0);
    y = taken ? hed_to(taken, "cuda:1") : NULL;
    if (y && hed_wait(y) != HED_OK) {
      hed_release(y);
      y = NULL;
    }
  }
  ok(!y && hed_error() != HED_OK, "a copy of what failed fails: %s", hed_error_text());
}

int main(void)
{
  if (hed_backend_require("cuda:1") != HED_OK)
    skip_all("%s", hed_error_text());
  copies();
  failures();
  return done();
}
