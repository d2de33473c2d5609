// SPDX-License-Identifier: BSD-3-Clause
/*
 * The vsa and ultrasound kits leave no operation on arrays to the host where the backend is opencl.
 */
#include "vsa.h"
#include <heddle/kits/ultrasound.h>
#include <heddle/kits/vsa_memory.h>

enum { SMALL = 64 /* elements: numbers that a function looks at */ };

typedef struct seen { int calls, strange; char name[64]; } seen;

static void look(void *arg, const hed_trace_event *e)
{
  seen *s = arg;
  s->calls++;
  if (e->elements <= SMALL || e->native || !*e->by)
    return;
  s->strange++;
  (void)snprintf(s->name, sizeof s->name, "%s by %s", hed_op_name(e->op), e->by);
}

static bool made(const char *what, const hed_array *x)
{
  if (!x)
    diag("%s: %s", what, hed_error_text());
  return x != NULL;
}

static bool vectors(const char *spec)
{
  hed_vsa *v = vsa_model(spec);
  hed_array *x = vsa_some(v, 5, 1), *y = vsa_some(v, 5, 2);
  const bool fine = made("matrix", hed_vsa_similarity_matrix(v, hed_vsa_unbind(v, hed_vsa_bind(v, x, y), y), x)) &&
                    made("permute", hed_vsa_permute(v, hed_vsa_bundle(v, x, 0, NULL), 7)) &&
                    made("similarity", hed_vsa_similarity(v, x, y)) &&
                    made("quantise", hed_vsa_quantise(v, hed_vsa_numbers(v, x)));
  hed_vsa_release(v);
  return fine;
}

static bool channels(const char *spec)
{
  (void)spec;
  const hed_random r = vsa_seed(3);
  hed_array *x = hed_random_complex_normal(HED_SHAPE(16, 40, 30), HED_COMPLEX64, &r);
  return made("coherence", hed_us_coherence_factor(x, NULL)) && made("sign", hed_us_sign_coherence_factor(x, NULL)) &&
         made("phase", hed_us_phase_coherence_factor(x, NULL));
}

int main(void)
{
  static const struct { const char *what, *spec; bool (*run)(const char *); } jobs[] = {
    { "vectors", "map;dim=5000", vectors }, { "vectors", "bsc;dim=5000;layout=packed", vectors },
    { "vectors", "fhrr;dim=5000", vectors }, { "vectors", "hrr;dim=5000", vectors }, { "vectors", "ghrr;dim=200", vectors },
    { "coherence", "of channels", channels },
  };
  if (hed_backend_require("opencl") != HED_OK)
    return skip(1, "opencl: %s", hed_error_text()), done();
  HED_BACKEND_CONTEXT_OR("opencl", bail("opencl: %s", hed_error_text()))
    for (size_t k = 0; k < sizeof jobs / sizeof jobs[0]; k++) {
      seen s = { 0 };
      (void)hed_trace(look, &s);
      bool fine = false;
      HED_SCOPE fine = jobs[k].run(jobs[k].spec);
      (void)hed_trace(NULL, NULL);
      ok(fine && s.calls > 3 && s.strange == 0, "%s, %s: %d operations, %d left to the host: %s", jobs[k].what, jobs[k].spec, s.calls,
         s.strange, s.name);
    }
  return done();
}
