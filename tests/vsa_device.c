// SPDX-License-Identifier: BSD-3-Clause
/*
 * Which operations of the vsa and ultrasound kits opencl leaves to the host: of arrays, those that are named here and no others.
 */
#include "vsa.h"
#include <heddle/kits/ultrasound.h>
#include <heddle/kits/vsa_encode.h>

/* What devices have no kernel for. */
static const char *const host_list[] = { "pack_bits", "unpack_bits", "hamming_matrix", "majority_bits", "weighted_majority_bits",
                                         "phasor", "isotonic", "polar_unitary" };
enum { SMALL = 64 /* elements: numbers that a function looks at */ };

typedef struct seen { int calls, strange; char name[64]; } seen;

static void look(void *arg, const hed_trace_event *e)
{
  seen *s = arg;
  bool named = false;
  for (size_t k = 0; k < sizeof host_list / sizeof host_list[0]; k++)
    named |= strcmp(hed_op_name(e->op), host_list[k]) == 0;
  s->calls++;
  if (named || e->elements <= SMALL || e->native || !*e->by)
    return;
  s->strange++;
  (void)snprintf(s->name, sizeof s->name, "%s by %s", hed_op_name(e->op), e->by);
}

static void vectors(const char *spec)
{
  hed_vsa *v = vsa_model(spec);
  hed_array *x = vsa_some(v, 5, 1), *y = vsa_some(v, 5, 2);
  (void)hed_vsa_similarity_matrix(v, hed_vsa_unbind(v, hed_vsa_bind(v, x, y), y), x);
  (void)hed_vsa_permute(v, hed_vsa_bundle(v, x, 0, NULL), 7);
  hed_vsa_release(v);
}

static void channels(const char *spec)
{
  (void)spec;
  const hed_random r = vsa_seed(3);
  hed_array *x = hed_random_complex_normal(HED_SHAPE(16, 40, 30), HED_COMPLEX64, &r);
  (void)hed_us_coherence_factor(x, NULL);
  (void)hed_us_sign_coherence_factor(x, NULL);
  (void)hed_us_phase_coherence_factor(x, NULL);
}

int main(void)
{
  static const struct { void (*run)(const char *); const char *spec; } jobs[] = {
    { vectors, "map;dim=5000" }, { vectors, "bsc;dim=5000;layout=packed" }, { vectors, "fhrr;dim=5000" }, { vectors, "hrr;dim=5000" },
    { channels, "channel data" },
  };
  if (hed_backend_require("opencl") != HED_OK)
    return skip(1, "opencl: %s", hed_error_text()), done();
  HED_BACKEND_CONTEXT_OR("opencl", bail("opencl: %s", hed_error_text()))
    for (size_t k = 0; k < sizeof jobs / sizeof jobs[0]; k++) {
      seen s = { 0 };
      (void)hed_trace(look, &s);
      HED_SCOPE jobs[k].run(jobs[k].spec);
      (void)hed_trace(NULL, NULL);
      ok(s.calls > 3 && s.strange == 0, "%s: %d operations, %d left to the host: %s", jobs[k].spec, s.calls, s.strange, s.name);
    }
  return done();
}
