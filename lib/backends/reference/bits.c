// SPDX-License-Identifier: BSD-3-Clause
/* Words of packed bits: one bit after the other. L1. */
#include "backends/reference/number.h"

enum { WORD = 64 };

static uint64_t *word(char *row, const hed_view *v, int64_t k)
{
  return (uint64_t *)(void *)(row + k * v->stride[v->ndim - 1]);
}

static bool bit(char *row, const hed_view *v, int64_t i) { return *word(row, v, i / WORD) >> i % WORD & 1; }

REF_KERNEL(pack_bits)
{
  const hed_view *views[2] = { call->in[0], call->out[0] };
  const int32_t last = views[0]->ndim - 1;
  const int64_t n = views[0]->dim[last], step = views[0]->stride[last];
  const hed__cast_fn read = hed__cast(views[0]->dtype, HED_ID_BOOL);
  ref_walk w;
  (void)state;
  for (ref_walk_init(&w, 2, views, 1u << last); w.left > 0; ref_walk_next(&w))
    for (int64_t i = 0; i < n; i += WORD) {
      const int64_t m = n - i < WORD ? n - i : WORD;
      unsigned char one[WORD];
      uint64_t bits = 0;
      read(m, (char *)one, 1, w.ptr[0] + i * step, step);
      for (int64_t k = 0; k < m; k++)
        bits |= (uint64_t)(one[k] != 0) << k;
      *word(w.ptr[1], views[1], i / WORD) = bits;
    }
  return HED_OK;
}

REF_KERNEL(unpack_bits)
{
  const hed_view *views[2] = { call->out[0], call->in[0] };
  const int32_t last = views[0]->ndim - 1;
  ref_walk w;
  (void)state;
  for (ref_walk_init(&w, 2, views, 1u << last); w.left > 0; ref_walk_next(&w))
    for (int64_t i = 0; i < views[0]->dim[last]; i++)
      w.ptr[0][i * views[0]->stride[last]] = bit(w.ptr[1], views[1], i);
  return HED_OK;
}

REF_KERNEL(hamming_matrix)
{
  const hed_view *a = call->in[0], *b = call->in[1], *out = call->out[0];
  (void)state;
  for (int64_t i = 0; i < a->dim[0]; i++)
    for (int64_t j = 0; j < b->dim[0]; j++) {
      int32_t differ = 0;
      for (int64_t k = 0; k < WORD * a->dim[1]; k++)
        differ += bit((char *)a->data + i * a->stride[0], a, k) != bit((char *)b->data + j * b->stride[0], b, k);
      *(int32_t *)(void *)((char *)out->data + i * out->stride[0] + j * out->stride[1]) = differ;
    }
  return HED_OK;
}

REF_KERNEL(majority_bits)
{
  const hed_view *x = call->in[0], *views[3] = { call->out[0], x, call->n_in > 1 ? call->in[1] : NULL };
  const int32_t rows = x->ndim - 2, last = x->ndim - 1;
  const int64_t n = x->dim[rows];
  ref_walk w;
  (void)state;
  for (ref_walk_init(&w, 3, views, 3u << rows); w.left > 0; ref_walk_next(&w))
    for (int64_t k = 0; k < x->dim[last]; k++) {
      uint64_t bits = 0;
      for (int64_t i = WORD * k; i < WORD * (k + 1); i++) {
        int64_t ones = 0;
        for (int64_t r = 0; r < n; r++)
          ones += bit(w.ptr[1] + r * x->stride[rows], x, i);
        const bool tie = views[2] && bit(w.ptr[2], views[2], i);
        bits |= (uint64_t)(2 * ones > n || (2 * ones == n && tie)) << i % WORD;
      }
      *word(w.ptr[0], views[0], k) = bits;
    }
  return HED_OK;
}

REF_KERNEL(weighted_majority_bits)
{
  const hed_view *x = call->in[0], *weights = call->in[1], *ties = call->n_in > 2 ? call->in[2] : NULL, *out = call->out[0];
  (void)state;
  for (int64_t q = 0; q < out->dim[0]; q++)
    for (int64_t k = 0; k < x->dim[1]; k++) {
      uint64_t bits = 0;
      for (int64_t i = WORD * k; i < WORD * (k + 1); i++) {
        int64_t more = 0;
        for (int64_t r = 0; r < x->dim[0]; r++) {
          const int64_t w = *(int32_t *)(void *)((char *)weights->data + q * weights->stride[0] + r * weights->stride[1]);
          more += bit((char *)x->data + r * x->stride[0], x, i) ? w : -w;
        }
        const bool tie = ties && bit((char *)ties->data + q * ties->stride[0], ties, i);
        bits |= (uint64_t)(more > 0 || (more == 0 && tie)) << i % WORD;
      }
      *word((char *)out->data + q * out->stride[0], out, k) = bits;
    }
  return HED_OK;
}
