// SPDX-License-Identifier: BSD-3-Clause
/* The context stack: default, push and pop, blocks, derived contexts, and what an error says.
 *
 *   cc 01_contexts.c -o contexts $(pkg-config --cflags --libs heddle)
 */
#include <heddle.h>

#include <stdio.h>

static void show(const char *when)
{
  printf("%-28s %-10s depth %u\n", when, hed_get_backend(), (unsigned)hed_context_depth());
}

/* A library function that pins its own scope; its caller's choice is back when it returns. */
static double norm(const hed_array *x)
{
  double value = 0;
  HED_BACKEND_CONTEXT("reference") {
    HED_SCOPE {
      show("inside the library");
      hed_item(hed_sqrt(hed_sum(hed_square(x), NULL)), &value);
    }
  }
  return value;
}

int main(void)
{
  const double data[] = { 3, 4 };
  hed_frame outer, inner;
  hed_context *c = NULL;
  hed_array *x;

  if (hed_set_default_backend("reference;real=float64") != HED_OK)
    goto failed;
  show("the process root");

  if (hed_backend_context_push("reference;threads=1", &outer) != HED_OK ||
      hed_context_derive(NULL, ";mix=strict", &c) != HED_OK ||
      hed_context_push(c, &inner) != HED_OK)
    goto failed;
  show("two frames");

  if (hed_context_pop(outer) == HED_E_ORDER) /* the inner one is still there */
    printf("out of order: %s\n", hed_error_text());
  hed_error_clear();

  x = hed_from_host(data, HED_SHAPE(2), HED_REAL); /* REAL: float64, as the root says */
  printf("norm %g of %s\n", norm(x), hed_dtype_name(hed_array_dtype(x)));
  hed_release(x);

  if (hed_context_unwind(outer) != HED_OK) /* both */
    goto failed;
  show("unwound");
  if (hed_backend_context_pop() == HED_E_UNDERFLOW)
    printf("one too many: %s\n", hed_error_text());
  hed_context_release(c);
  return 0;

failed:
  fprintf(stderr, "%s\n", hed_error_text());
  hed_context_release(c);
  return 1;
}
