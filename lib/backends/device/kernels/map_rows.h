// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise rows that kernels say otherwise than the host does: beside those of base/formulas/formulas.def. L1. */

HED_MAPC(WHERE, ALL, T, 3, void, a ? b : c)
HED_MAPC(DIVIDE_WHERE, FLOAT, T, 3, hed_divide_params, a ? b / c : (T)q->fill)

/* LOW, then HIGH, as if they were compared one after the other. */
#define within_low(x, low) ((x) < (low) ? (low) : (x))
#define within(x, low, high) (within_low(x, low) > (high) ? (high) : within_low(x, low))
#define MOST_INT ((int64_t)(UINT64_MAX >> (65 - 8 * sizeof(T))))
#define MOST_WORD (UINT64_MAX >> (64 - 8 * sizeof(T)))
HED_MAPP(CLIP, BOOL, T, 1, hed_clip_params,
         within(a, (T)hed__bound_word(ceil(q->low), 0, 1), (T)hed__bound_word(floor(q->high), 1, 1)))
HED_MAPP(CLIP, INT, T, 1, hed_clip_params, within(a, (T)hed__bound_int(ceil(q->low), -MOST_INT - 1, MOST_INT),
                                                  (T)hed__bound_int(floor(q->high), MOST_INT, MOST_INT)))
HED_MAPP(CLIP, UINT, T, 1, hed_clip_params, within(a, (T)hed__bound_word(ceil(q->low), 0, MOST_WORD),
                                                   (T)hed__bound_word(floor(q->high), MOST_WORD, MOST_WORD)))
HED_MAPP(CLIP, FLOAT, T, 1, hed_clip_params, within(a, (T)q->low, (T)q->high))
