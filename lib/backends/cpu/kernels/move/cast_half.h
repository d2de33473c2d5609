// SPDX-License-Identifier: BSD-3-Clause
/*
 * Integers to float16 by way of float32; a body, included by cast.c for each type. What that rounds is at least 2^24, which float16
 * does not reach: it is infinite both ways. So numbers are brought to LIMIT first, which is beyond too, and are converted from 32
 * bits.
 */
static void N(to_f16)(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)
{
  enum { LIMIT = (1 << 17) + 1 };
  const bool is_signed = (T)-1 < 1, within = sizeof(T) < 4 || (sizeof(T) == 4 && is_signed);
  if (ds != 2 || ss != (int64_t)sizeof(T)) {
    plain(N(HED_ID), HED_ID_FLOAT16)(n, dst, ds, src, ss);
    return;
  }
  for (int64_t i = 0; i < n; i += CAST_BLOCK) {
    const int64_t m = n - i < CAST_BLOCK ? n - i : CAST_BLOCK;
    const T *v = (const T *)(const void *)src + i;
    float block[CAST_BLOCK];
    IVDEP for (int64_t j = 0; j < m; j++) {
      const T x = v[j];
      block[j] = (float)(int32_t)(within ? x : is_signed && x < (T)-LIMIT ? (T)-LIMIT : x > (T)LIMIT ? (T)LIMIT : x);
    }
    to_half(m, dst + 2 * i, block);
  }
}
