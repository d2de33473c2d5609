// SPDX-License-Identifier: BSD-3-Clause
/* Random specs, made of pieces of good ones: never a crash, a leak or a change of the stack; what is refused has a
 * sentence. Runs for about two seconds. L5.
 */
#include "gen.h"
#include "scenario.h"

static const char *const pieces[] = {
  "reference", "cpu", "faulty", "nosuch", ":", ":0", ":1", ":99", ";", ";;", "=", "threads", "threads=", "threads=2",
  "real=float64", "real=", "complex=complex128", "index=int32", "dtype=relaxed", "dtype=", "mix=copy", "mix=strict",
  "fallback=error", "memory=1M", "memory=", "seed=7", "seed=-1", "18446744073709551616", "0x10", " ", "\t", "\n", "%s%n",
  "\xff\xfe", "K", "M", "-", "+", ".", "#", "a", "reference;threads=1",
};

static size_t make(gen *g, char *spec, size_t cap)
{
  size_t n = 0;
  for (int k = (int)gen_below(g, 9); k > 0; k--) {
    const char *p = pieces[gen_below(g, sizeof pieces / sizeof pieces[0])];
    size_t len = strlen(p);
    if (n + len >= cap)
      break;
    memcpy(spec + n, p, len);
    n += len;
    if (gen_chance(g, 40) && n + 1 < cap)
      spec[n++] = ';';
  }
  spec[n] = '\0';
  for (int k = gen_chance(g, 30) ? (int)gen_below(g, 4) : 0; k > 0 && n > 0; k--) {
    size_t at = (size_t)gen_below(g, n);
    spec[at] = (char)(1 + gen_below(g, 255));
  }
  return strlen(spec);
}

int main(void)
{
  gen g;
  char spec[600];
  int good = 0, refused = 0, silent = 0, unbalanced = 0, total = 0;
  gen_seed(&g, tap_seed());
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  int before = hed_backend_list(NULL, 0);
  hed_context *c = NULL;
  static const char *const first[] = { "reference;threads=2", "cpu", "cpu:1", "faulty", "faulty:1" };
  for (size_t k = 0; k < sizeof first / sizeof first[0]; k++) { /* loads what can be loaded */
    if (hed_context_derive(NULL, first[k], &c) == HED_OK)
      hed_context_release(c);
    else
      diag("%s: %s", first[k], hed_error_text());
  }
  int64_t live = hed_test_alloc_live();
  for (double end = seconds() + 2 * (double)scaled(100) / 100; seconds() < end; total++) {
    make(&g, spec, sizeof spec);
    hed_error_clear();
    hed_status s = hed_context_derive(NULL, spec, &c);
    if (s == HED_OK) {
      good++;
      hed_context_info info = { .struct_size = sizeof info };
      silent += hed_context_query(c, &info) != HED_OK || !info.name[0];
      hed_context_release(c);
    } else {
      refused++;
      silent += hed_error() != s || !hed_error_text()[0] || c;
    }
    if (total % 4 == 0) {
      hed_frame f;
      if (hed_backend_context_push(spec, &f) == HED_OK)
        unbalanced += hed_context_pop(f) != HED_OK;
      else
        unbalanced += s == HED_OK;
      unbalanced += hed_context_depth() != 0;
    }
  }
  ok(good > 0 && refused > 0, "%d specs: %d good, %d refused", total, good, refused);
  is_int(silent, 0, "each that is refused has a sentence, each that is taken a name");
  is_int(unbalanced, 0, "the stack is as it was");
  if (hed_thread_detach() != HED_OK)
    fail("detach");
  ok(hed_test_alloc_live() <= live, "nothing stays of them (%d blocks)", (int)(hed_test_alloc_live() - live));
  ok(hed_backend_list(NULL, 0) == before, "no backend was invented");
  return done();
}
