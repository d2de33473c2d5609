// SPDX-License-Identifier: BSD-3-Clause
/* What the background alone would score, and scores without it.
 *
 * Layer: L4, match kit.
 */
#include "kits/given.h"
#include "kits/match/run/job.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* |G| with the phases of a real random array's spectrum, which are those of a real result; frequency 0 stays as it is. */
static hed_array *random_phases(hed_array *g, uint64_t seed)
{
  const hed_shape s = hed_array_shape(g);
  const hed_random random = { .seeded = true, .seed = seed };
  const hed_fft back = { .s = s };
  hed_array *noise = hed_random_normal(s, HED_FLOAT32, &random);
  hed_array *from = noise ? hed_rfftn(g, NULL) : NULL, *phase = from ? hed_rfftn(noise, NULL) : NULL;
  if (!phase)
    return NULL;
  float *a = hed_array_data(from), *b = hed_array_data(phase);
  for (int64_t i = 1; i < hed_array_size(from); i++) {
    const double size = hypot((double)a[2 * i], (double)a[2 * i + 1]), length = hypot((double)b[2 * i], (double)b[2 * i + 1]);
    a[2 * i] = (float)(length > 0 ? size * (double)b[2 * i] / length : size);
    a[2 * i + 1] = (float)(length > 0 ? size * (double)b[2 * i + 1] / length : 0);
  }
  return hed_irfftn(from, &back);
}

hed_array *hed_match_background(const hed_array *tmpl, uint64_t seed)
{
  static const char op[] = "hed_match_background";
  hed_frame frame = { 0, 0, 0, 0 };
  hed_scope scope = { 0, NULL };
  hed_array *out = NULL;
  if (!hed__operand_given(op, "the template", tmpl))
    return NULL;
  /* one backend, so that a seed means the same everywhere */
  if (hed_backend_context_push("reference", &frame) == HED_OK && hed_scope_begin(&scope) == HED_OK) {
    hed_array *g = hed__checked(op, "template", tmpl);
    out = g ? hed_keep(random_phases(g, seed)) : NULL;
    hed_release(g);
    hed_scope_end(&scope);
  }
  if (frame.cookie)
    (void)hed_context_unwind(frame);
  return out;
}

hed_status hed_match_correct(hed_match_result *r, const hed_match_result *background)
{
  static const char op[] = "hed_match_correct";
  double sum = 0, n = 0;
  if (!r || !background || !r->scores || !r->rotations || !background->scores || !background->rotations)
    return hed_fail(HED_E_INVAL, "%s: a result is NULL or empty", op);
  const hed_shape s = hed_array_shape(r->scores), t = hed_array_shape(background->scores);
  for (int i = 0; i < s.ndim || i < t.ndim; i++)
    if (s.ndim != t.ndim || s.dim[i] != t.dim[i])
      return hed_fail(HED_E_SHAPE, "%s: the scores have %d dimensions, %lld along axis %d, the background's %d, %lld", op, (int)s.ndim,
                      (long long)s.dim[i], i, (int)t.ndim, (long long)t.dim[i]);
  float *v = hed_array_data(r->scores);
  const float *b = hed_array_data(background->scores);
  const int32_t *found = hed_array_data(r->rotations), *there = hed_array_data(background->rotations);
  for (int64_t i = 0; i < hed_array_size(r->scores); i++)
    if (there[i] >= 0) {
      sum += fmax((double)b[i], 0);
      n++;
    }
  for (int64_t i = 0; i < hed_array_size(r->scores); i++)
    if (found[i] >= 0 && there[i] >= 0)
      v[i] = (float)((double)v[i] - (fmax((double)b[i], 0) - sum / n));
  return HED_OK;
}
