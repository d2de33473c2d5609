// SPDX-License-Identifier: BSD-3-Clause
/* Numbers as powers of a random vector of phases.
 *
 * Layer: L4, vsa kit. Spectra are in spectra.c, the way back in decode.c.
 *
 * array[0]: phases times bandwidths, (mixture, K); the others are those of decode.c.
 */
#include "kits/vsa/encode.h"

static hed_array *encode(const hed_vsa_encoder *e, const hed_array *x)
{
  hed_array *u = hed_expand_dims(hed__vsa_units(e, x), -1);
  return hed__vsa_of_spectra(e->v, hed__vsa_power_spectra(e, u));
}

static const hed__vsa_encoding scalar = { encode, hed__vsa_decode_scalar, "numbers", 0 };

hed_status hed_vsa_encoder_scalar(const hed_vsa *v, const hed_vsa_scalar_options *options, hed_vsa_encoder **out)
{
  static const char *const op = "hed_vsa_encoder_scalar";
  const hed_vsa_scalar_options none = { .mixture = 0 };
  hed_vsa_scalar_options o = options ? *options : none;
  hed_vsa_encoder *e = hed__vsa_encoder_new(op, v, &scalar, out);
  if (!e)
    return hed_error();
  hed_status status = hed__vsa_range_check(op, &o.range);
  if (status == HED_OK)
    status = hed__vsa_phases_check(op, v, &o);
  e->range = o.range;
  e->mixture = o.mixture;
  for (int32_t k = 0; k < o.mixture && status == HED_OK; k++) {
    e->bandwidths[k] = o.bandwidths[k];
    e->weights[k] = o.weights[k];
  }
  if (o.mixture == 0) {
    e->bandwidths[0] = o.bandwidth > 0 ? o.bandwidth : 1;
    e->weights[0] = 1;
  }
  HED_SCOPE_OR(return hed__vsa_encoder_done(e, hed_error(), out)) {
    if (status == HED_OK) {
      const int32_t rows = o.mixture ? o.mixture : 1;
      hed_array *made = hed_multiply(hed_from_doubles(e->bandwidths, HED_SHAPE(rows, 1), v->real), hed__vsa_phases(v, &o, 1));
      status = hed__vsa_encoder_keep(e, 0, made);
    }
    if (status == HED_OK)
      status = hed__vsa_prepare_decode(e, o.phases);
    status = hed__vsa_encoder_done(e, status, out);
  }
  return status;
}
