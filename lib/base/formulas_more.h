// SPDX-License-Identifier: BSD-3-Clause
/* Template for formulas_each.h: loops of where, clip and norm_scores, for one compute type. L0. */

static void FN(WHERE)(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  (void)params;
  for (int64_t i = 0; i < n; i++)
    *(T *)(p[0] + i * s[0]) =
        *(const uint8_t *)(p[1] + i * s[1]) ? LOAD(p[2] + i * s[2]) : LOAD(p[3] + i * s[3]);
}

#define CLIP(low_, high_)                                                                         \
  static void FN(CLIP)(int64_t n, char *const *p, const int64_t *s, const void *params)           \
  {                                                                                               \
    const hed_clip_params *c = params;                                                            \
    const T low = (T)(low_), high = (T)(high_);                                                   \
    for (int64_t i = 0; i < n; i++) {                                                             \
      T x = LOAD(p[1] + i * s[1]);                                                                \
      x = x < low ? low : x;                                                                      \
      *(T *)(p[0] + i * s[0]) = x > high ? high : x;                                              \
    }                                                                                             \
  }
KEEP(BOOL, CLIP(bound_word(ceil(c->low), 0, 1), bound_word(floor(c->high), 1, 1)))
KEEP(INT, CLIP(bound_int(ceil(c->low), -MOST_INT - 1, MOST_INT), bound_int(floor(c->high), MOST_INT, MOST_INT)))
KEEP(UINT, CLIP(bound_word(ceil(c->low), 0, MOST_WORD), bound_word(floor(c->high), MOST_WORD, MOST_WORD)))
KEEP(FLOAT, CLIP(c->low, c->high))
#undef CLIP

#define NORM_SCORES                                                                               \
  static void FN(NORM_SCORES)(int64_t n, char *const *p, const int64_t *s, const void *params)    \
  {                                                                                               \
    const hed_norm_params *o = params;                                                            \
    const T count = (T)o->n_obs, eps = (T)o->eps;                                                 \
    for (int64_t i = 0; i < n; i++) {                                                             \
      const T x = LOAD(p[1] + i * s[1]), mean = LOAD(p[3] + i * s[3]) / count;                    \
      const T variance = LOAD(p[2] + i * s[2]) / count - mean * mean;                             \
      const T sigma = sqrt(variance > 0 ? variance : 0);                                          \
      *(T *)(p[0] + i * s[0]) = !(sigma < eps) ? x / (sigma * count) : o->unit_low ? x / count : 0;\
    }                                                                                             \
  }
KEEP(FLOAT, NORM_SCORES)
#undef NORM_SCORES
