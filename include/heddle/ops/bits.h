// SPDX-License-Identifier: BSD-3-Clause
/* Phases, and bits packed into words. Conventions: <heddle/ops.h>.
 *
 * Packed bits are uint64 words along the last axis: bit i of a row is bit i % 64 of word i / 64, the lowest first, and
 * bits behind the last are 0. In memory of little-endian machines that is what NumPy's packbits(.., bitorder="little") gives,
 * filled up to whole words. Bitwise operations and hed_count_ones take words as they are.
 */
#ifndef HEDDLE_OPS_BITS_H
#define HEDDLE_OPS_BITS_H

#include <heddle/array.h>

HED_BEGIN_DECLS

/* cos(x rate) + i sin(x rate) of real X and RATE, which broadcast; RATE NULL: of X. The product is rounded to the operands'
 * type before; complex64 of float32 and narrower floats, complex128 of float64, integers by the context's REAL. NaN and
 * infinities give NaN in both parts. */
HED_NEW hed_array *hed_phasor(const hed_array *x, const hed_array *rate);

/* X (.., n) of bool or integers as words (.., ceil(n / 64)): a bit is 1 where the element is not 0. */
HED_NEW hed_array *hed_pack_bits(const hed_array *x);
/* The first N bits of WORDS (.., w), uint64, as bool (.., N); N from 0 to 64 w, else HED_E_INVAL. */
HED_NEW hed_array *hed_unpack_bits(const hed_array *words, int64_t n);

/* Element (i, j), int32, is the number of bits in which row i of A (q, w) and row j of B (n, w) differ, both uint64.
 * Rows of 2^31 bits or more are HED_E_SHAPE. */
HED_NEW hed_array *hed_hamming_matrix(const hed_array *a, const hed_array *b);

/* X (.., n, w) of uint64, n at least 1: bit by bit what more than half of the n rows have, (.., w). Where exactly half of
 * them are 1, the bit of TIES, uint64, which broadcast to (.., w); NULL: 0. */
HED_NEW hed_array *hed_majority_bits(const hed_array *x, const hed_array *ties);
/* Bit by bit of X (n, w) of uint64, for each row of WEIGHTS (q, n), int32: is the sum of the weights of rows with a 1 more than
 * that of rows with a 0? (q, w). Sums are exact, weights may be negative. Where both are the same, the bit of TIES, uint64,
 * which broadcast to (q, w); NULL: 0. */
HED_NEW hed_array *hed_weighted_majority_bits(const hed_array *x, const hed_array *weights, const hed_array *ties);

HED_END_DECLS

#endif
