// SPDX-License-Identifier: BSD-3-Clause
/* Status texts and the error state of threads. L5. */
#include "scenario.h"

static void *own_state(void *arg)
{
  is_int(hed_error(), HED_OK, "a new thread has no error, whatever its creator's");
  is_str(hed_error_text(), "", "and no sentence");
  is_int(hed_fail(HED_E_IO, "%s of mine", "a failure"), HED_E_IO, "it fails by itself");
  return arg;
}

int main(void)
{
  static const struct { int number; const char *name, *text; } list[] = {
#define HED_STATUS(name, number, text) { number, #name, text },
#include <heddle/status.def>
#undef HED_STATUS
  };
  int n = (int)(sizeof list / sizeof list[0]), clashes = 0, wrong = 0;
  for (int i = 0; i < n; i++) {
    wrong += strcmp(hed_status_text(list[i].number), list[i].text) != 0 || !list[i].text[0];
    for (int j = 0; j < i; j++)
      clashes += list[i].number == list[j].number || strcmp(list[i].text, list[j].text) == 0;
  }
  is_int(wrong, 0, "each of %d statuses has its text", n);
  is_int(clashes, 0, "no two share a number or a text");
  static const int unknown[] = { 1, -98, 12345, INT32_MIN, INT32_MAX };
  for (size_t k = 0; k < sizeof unknown / sizeof unknown[0]; k++)
    is_str(hed_status_text(unknown[k]), "unknown status", "%d has none", unknown[k]);

  is_int(hed_error(), HED_OK, "no error at the start");
  is_str(hed_error_text(), "", "no sentence either");
  is_int(hed_fail(HED_E_SHAPE, "%d and %s", 3, "four"), HED_E_SHAPE, "hed_fail returns its status");
  is_int(hed_error(), HED_E_SHAPE, "which stands");
  is_str(hed_error_text(), "3 and four", "with the sentence");
  in_thread(own_state, NULL);
  is_str(hed_error_text(), "3 and four", "another thread's failure is its own");
  is_int(hed_fail(HED_E_IO, "again: %s", hed_error_text()), HED_E_IO, "a sentence may be made of the one before");
  is_str(hed_error_text(), "again: 3 and four", "whole");

  char longer[2000];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  hed_fail(HED_E_INVAL, "%s", longer);
  is_uint(strlen(hed_error_text()), 511, "a sentence is cut at 511 bytes");
  is_int(hed_backend_context_pop(), HED_E_UNDERFLOW, "a new failure");
  is_int(hed_error(), HED_E_UNDERFLOW, "replaces the one before");
  is_int(hed_backend_context_push("reference", NULL), HED_OK, "a success");
  is_int(hed_error(), HED_E_UNDERFLOW, "does not");
  is_int(hed_backend_context_pop(), HED_OK, "(popped)");
  hed_error_clear();
  is_int(hed_error(), HED_OK, "cleared");
  is_str(hed_error_text(), "", "with its sentence");

  hed_test_fail_alloc_at(1);
  hed_context *c = NULL;
  hed_status s = hed_context_derive(NULL, "reference;threads=3", &c);
  hed_test_fail_alloc_at(0);
  is_int(s, HED_E_NOMEM, "out of memory is reported");
  ok(!c && hed_error() == HED_E_NOMEM && hed_error_text()[0], "without allocating");
  return done();
}
