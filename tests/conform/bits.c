// SPDX-License-Identifier: BSD-3-Clause
/* Jobs of the conformance test: phases, packed bits and isotonic sequences. */
#include "conform.h"

static hed_array *of(run *r, int k, hed_shape s) { return operand_of(r, k, r->dtype, s, r->c->low, r->c->high); }

/* Words are uint64, whatever integer type the run has. */
static hed_array *words(run *r, int k, hed_shape s)
{
  const hed_kind kind = hed_dtype_kind(r->dtype);
  return operand_of(r, k, kind == HED_KIND_INT || kind == HED_KIND_UINT ? HED_UINT64 : r->dtype, s, 0, 0);
}

void job_phasor(run *r)
{
  put(r, hed_phasor(operand(r, 0), NULL));
  put(r, hed_phasor(of(r, 0, HED_SHAPE(7, 1)), of(r, 1, HED_SHAPE(300))));
  put(r, hed_phasor(of(r, 2, HED_SHAPE(2, 3, 5)), of(r, 3, HED_SHAPE(3, 1))));
  put(r, hed_phasor(of(r, 4, HED_SHAPE(40)), hed_scalar(0.5)));
}

void job_pack_bits(run *r)
{
  static const int64_t lengths[] = { 0, 1, 63, 64, 65, 1003 };
  put(r, hed_pack_bits(operand(r, 0)));
  for (int k = 0; k < 6; k++)
    put(r, hed_pack_bits(of(r, k, HED_SHAPE(3, lengths[k]))));
}

void job_unpack_bits(run *r)
{
  put(r, hed_unpack_bits(words(r, 0, HED_SHAPE(5)), 320));
  put(r, hed_unpack_bits(words(r, 0, HED_SHAPE(2, 3, 18)), 1100));
  put(r, hed_unpack_bits(words(r, 0, HED_SHAPE(4, 2)), 1));
  put(r, hed_unpack_bits(words(r, 0, HED_SHAPE(4, 2)), 0));
  put(r, hed_unpack_bits(words(r, 0, HED_SHAPE(1)), 65));
}

void job_hamming_matrix(run *r)
{
  static const int64_t shapes[][3] = { { 1, 9, 1 }, { 3, 4, 8 }, { 4, 1, 13 }, { 9, 30, 17 }, { 2, 3, 0 }, { 0, 3, 5 } };
  for (int k = 0; k < 6; k++)
    put(r, hed_hamming_matrix(words(r, 0, HED_SHAPE(shapes[k][0], shapes[k][2])), words(r, 1, HED_SHAPE(shapes[k][1], shapes[k][2]))));
}

void job_majority_bits(run *r)
{
  static const int64_t rows[] = { 1, 2, 3, 7, 8, 9, 16, 40 };
  for (int k = 0; k < 8; k++) {
    put(r, hed_majority_bits(words(r, k, HED_SHAPE(rows[k], 19)), words(r, 9, HED_SHAPE(19))));
    put(r, hed_majority_bits(words(r, k, HED_SHAPE(3, rows[k], 5)), k % 2 ? words(r, 10, HED_SHAPE(3, 1)) : NULL));
  }
}

void job_weighted_majority_bits(run *r)
{
  static const int64_t shapes[][3] = { { 1, 1, 1 }, { 3, 4, 8 }, { 2, 100, 19 }, { 5, 17, 33 }, { 2, 0, 3 }, { 0, 3, 5 } };
  for (int k = 0; k < 6; k++)
    for (int64_t most = 1; most < 1 << 28; most *= 3000) {
      hed_array *weights = operand_of(r, 20 + k, HED_INT32, HED_SHAPE(shapes[k][0], shapes[k][1]), -(double)most, (double)most);
      hed_array *x = words(r, k, HED_SHAPE(shapes[k][1], shapes[k][2]));
      put(r, hed_weighted_majority_bits(x, weights, k % 2 ? words(r, 9, HED_SHAPE(shapes[k][2])) : NULL));
    }
}

void job_isotonic(run *r)
{
  hed_array *x = operand(r, 0);
  for (int32_t axis = 0; axis < hed_array_ndim(x); axis++)
    put(r, hed_isotonic(x, NULL, axis, axis % 2));
  put(r, hed_isotonic(of(r, 1, HED_SHAPE(50)), operand_of(r, 2, HED_FLOAT32, HED_SHAPE(50), 0, 3), -1, false));
  put(r, hed_isotonic(of(r, 1, HED_SHAPE(4, 30)), operand_of(r, 2, HED_FLOAT32, HED_SHAPE(4, 1), 1, 3), 0, true));
}
