// SPDX-License-Identifier: BSD-3-Clause
/* Arrays as text: whole texts written out by hand, numbers that come back from their digits, shortened arrays, options out
 * of range.
 */
#include "api.h"
#include "gen.h"
#include <locale.h>
#include <math.h>
#include <stdlib.h>

static void text_is(hed_array *x, const hed_text_options *opt, const char *want, const char *what)
{
  char *got = hed_to_text(x, opt);
  is_str(got, want, "%s", what);
  free(got);
  hed_release(x);
}

static void by_hand(void)
{
  const double v[6] = { 1, -2.5, 3.25, 0, 100, -0.0625 };
  text_is(api_array(HED_SHAPE(2, 3), HED_FLOAT64, v), NULL,
          "[[  1.0000,  -2.5000,   3.2500],\n [  0.0000, 100.0000,  -0.0625]]", "columns are aligned");
  text_is(api_array(HED_SHAPE(6), HED_FLOAT32, v), &(hed_text_options){ .precision = 2 },
          "[  1.00,  -2.50,   3.25,   0.00, 100.00,  -0.06]", "fewer digits");
  text_is(api_array(HED_SHAPE(3), HED_FLOAT16, v), NULL, "[ 1.00, -2.50,  3.25]", "float16");
  text_is(api_array(HED_SHAPE(3), HED_INT8, v), NULL, "[ 1, -2,  3]", "integers");
  text_is(api_array(HED_SHAPE0, HED_FLOAT64, v), NULL, "1.0", "no axis");
  text_is(hed_zeros(HED_SHAPE(0), HED_FLOAT64), NULL, "[]", "no element");
  text_is(hed_full(HED_SHAPE(2), 1, HED_BOOL), NULL, "[true, true]", "truth values");
  text_is(hed_full_complex(HED_SHAPE(1), 1, -0.5, HED_COMPLEX128), NULL, "[1.0-0.5j]", "complex numbers");
  const double odd[4] = { NAN, INFINITY, -INFINITY, 1 };
  text_is(api_array(HED_SHAPE(4), HED_FLOAT32, odd), NULL, "[ nan,  inf, -inf,  1.0]", "numbers that are none");
  const double wide[2] = { 1e8, 0.5 }, small[2] = { 0.00005, 1 }, tenth[1] = { 0.1 };
  text_is(api_array(HED_SHAPE(2), HED_FLOAT64, wide), NULL, "[1.0e+08, 5.0e-01]", "large ones in exponential form");
  text_is(api_array(HED_SHAPE(2), HED_FLOAT64, small), NULL, "[5.0e-05, 1.0e+00]", "small ones too");
  text_is(api_array(HED_SHAPE(1), HED_FLOAT32, tenth), &(hed_text_options){ .precision = 17 }, "[0.1]",
          "no digit that the type does not have");
  const double turn[6] = { 1, 2, 3, 4, 5, 6 };
  hed_array *x = api_array(HED_SHAPE(2, 3), HED_INT32, turn);
  text_is(hed_transpose(x, NULL), NULL, "[[1, 4],\n [2, 5],\n [3, 6]]", "a view");
  text_is(hed_reshape(x, HED_SHAPE(2, 1, 3)), NULL, "[[[1, 2, 3]],\n\n [[4, 5, 6]]]", "blocks are set apart");
  text_is(hed_flip(x, NULL), &(hed_text_options){ .line_width = 7 },
          "[[6, 5,\n  4],\n [3, 2,\n  1]]", "long rows are broken");
  hed_release(x);
}

static void shortened(void)
{
  text_is(hed_arange(0, 2000, 1, HED_INT32), NULL, "[   0,    1,    2, ... 1997, 1998, 1999]", "one axis");
  text_is(hed_arange(0, 8, 1, HED_INT32), &(hed_text_options){ .threshold = 7, .edge_items = 1 }, "[0, ... 7]", "two ends");
  text_is(hed_arange(0, 8, 1, HED_INT32), &(hed_text_options){ .threshold = 8, .edge_items = 1 }, "[0, 1, 2, 3, 4, 5, 6, 7]",
          "as many as may be shown");
  text_is(hed_arange(0, 7, 1, HED_INT32), &(hed_text_options){ .threshold = 6 }, "[0, 1, 2, 3, 4, 5, 6]",
          "nothing is gained by leaving one out");
  hed_array *flat = hed_arange(0, 40 * 50, 1, HED_INT16), *x = hed_reshape(flat, HED_SHAPE(40, 50));
  text_is(hed_retain(x), &(hed_text_options){ .edge_items = 1 },
          "[[   0, ...   49],\n ...,\n [1950, ... 1999]]", "two axes");
  char *all = hed_to_text(x, &(hed_text_options){ .threshold = -1 });
  ok(all && !strstr(all, "..."), "never shortened");
  int found = 0;
  for (const char *p = all; p && *p; p++)
    found += *p == ',';
  is_int(found, 40 * 50 - 1, "every element is there");
  free(all);
  RELEASE(x, flat);
}

/* Text of enough digits gives the element back, for random elements of random size. */
static void back(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  for (int k = 0; k < 50; k++) {
    double v = ldexp(gen_unit(&g) - 0.5, (int)(gen_unit(&g) * 20));
    float f = (float)v;
    hed_array *x = hed_from_host(&f, HED_SHAPE(1), HED_FLOAT32), *y = hed_from_host(&v, HED_SHAPE(1), HED_FLOAT64);
    const hed_text_options all = { .precision = 17 };
    char *a = hed_to_text(x, &all), *b = hed_to_text(y, &all);
    ok(a && strtof(a + 1, NULL) == f, "%s is the float32", a);
    ok(b && fabs(strtod(b + 1, NULL) - v) <= 1e-17 * fmax(1, fabs(v) * 16), "%s is the float64", b);
    free(a);
    free(b);
    RELEASE(x, y);
  }
}

static void printed(void)
{
  char *at = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&at, &size);
  hed_array *x = hed_ones(HED_SHAPE(1, 2), HED_UINT8);
  is_int(hed_print(x, f), HED_OK, "printed");
  fclose(f);
  is_str(at, "uint8 (1, 2), host\n[[1, 1]]\n", "with its dtype, shape and space");
  free(at);
  FILE *full = fopen("/dev/full", "w");
  if (full) {
    setvbuf(full, NULL, _IONBF, 0);
    is_int(hed_print(x, full), HED_E_IO, "no room");
    fclose(full);
  } else {
    skip(1, "no /dev/full");
  }
  hed_release(x);
}

static void refused(void)
{
  hed_array *x = hed_ones(HED_SHAPE(2), HED_FLOAT32);
  const struct { hed_text_options opt; const char *says; } bad[] = {
    { { .precision = 18 }, "to_text: precision is 18, 1 to 17 digits can be shown" },
    { { .precision = -1 }, "precision is -1" },
    { { .edge_items = -2 }, "edge_items is -2" },
    { { .line_width = -3 }, "line_width is -3" },
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    ok(!hed_to_text(x, &bad[k].opt) && hed_error() == HED_E_INVAL && strstr(hed_error_text(), bad[k].says), "%s",
       bad[k].says);
    hed_error_clear();
  }
  ok(!hed_to_text(NULL, NULL), "no array");
  hed_error_clear();
  hed_release(x);
}

int main(void)
{
  by_hand();
  shortened();
  back();
  printed();
  refused();
  if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8"))
    by_hand();
  return done();
}
