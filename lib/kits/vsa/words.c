// SPDX-License-Identifier: BSD-3-Clause
/* Elements as bits of words.
 *
 * Layer: L4, vsa kit. Bits behind the last element are 0.
 */
#include "kits/vsa/internal.h"

static int64_t words_of(const hed_vsa *v)
{
  return (v->o.dim + 63) / 64;
}

hed_array *hed__vsa_bits_of(const hed_vsa *v, const hed_array *plain)
{
  return v->model == HED_VSA_MAP ? hed_less_scalar(plain, 0) : hed_not_equal_scalar(plain, 0);
}

hed_array *hed__vsa_from_bits(const hed_vsa *v, const hed_array *bits)
{
  if (v->o.layout == HED_VSA_PACKED)
    return hed_pack_bits(bits);
  return hed_astype(v->model == HED_VSA_MAP ? hed_scalars_where(bits, -1, 1) : bits, v->dtype);
}

hed_array *hed__vsa_unpacked(const hed_vsa *v, const hed_array *packed)
{
  return hed_unpack_bits(packed, v->o.dim);
}

static hed_array *make_tail(const hed_vsa *v)
{
  const int64_t n = words_of(v);
  hed_array *out = hed_full_uint(HED_SHAPE(n), UINT64_MAX, HED_UINT64);
  if (v->o.dim % 64 && hed_fill_uint(hed_slice(out, 1, &HED_RANGE(n - 1, n, 1)), UINT64_MAX >> (64 - v->o.dim % 64)) != HED_OK)
    return NULL;
  return out;
}

/* Words with ones where there are elements. */
const hed_array *hed__vsa_tail(const hed_vsa *v, const hed_array *x)
{
  return hed__vsa_constant_of(v, HED__VSA_TAIL, hed_array_space(x), make_tail);
}

hed_array *hed__vsa_cut(const hed_vsa *v, hed_array *words)
{
  return v->o.dim % 64 ? hed_bitwise_and(words, hed__vsa_tail(v, words)) : words;
}

static hed_array *random_words(const hed_vsa *v, uint64_t key)
{
  return hed_random_bits(HED_SHAPE(words_of(v)), HED_UINT64, &(hed_random){ .seed = key, .seeded = true });
}

hed_array *hed__vsa_random_words(const hed_vsa *v, int64_t n, const uint64_t *keys)
{
  hed_array *words = hed__vsa_stack(v, n, keys, random_words);
  return words ? hed__vsa_cut(v, words) : NULL;
}
