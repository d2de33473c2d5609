// SPDX-License-Identifier: BSD-3-Clause
/* Rows of two operands over strides, by way of blocks on the stack; a body of math.h, for every type. */
typedef void N(row2)(int64_t n, T *o, const T *x, const T *y);

/* Operands that are contiguous stay where they are; a repeated element fills its block once. ROW makes elements of BYTES bytes, at
 * most those of T. */
INLINE void N(blocks2_of)(int64_t n, char *const *p, const int64_t *s, const int64_t bytes, const void *with,
                          void (*row)(int64_t n, void *o, const T *x, const T *y, const void *with))
{
  const int64_t size = sizeof(T), most = n < MATH_BLOCK ? n : MATH_BLOCK;
  _Alignas(CPU_VECTOR) T block[2][MATH_BLOCK], out[MATH_BLOCK];
  for (int k = 0; k < 2; k++)
    if (s[1 + k] == 0 && n > 0) {
      const T one = *(const T *)(const void *)p[1 + k]; /* p may lie anywhere, for all GCC knows */
      for (int64_t j = 0; j < most; j++)
        block[k][j] = one;
    }
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    const T *in[2];
    for (int k = 0; k < 2; k++) {
      const char *from = p[1 + k] + i * s[1 + k];
      in[k] = s[1 + k] == size ? (const T *)(const void *)from : block[k];
      for (int64_t j = 0; j < m && s[1 + k] != size && s[1 + k] != 0; j++)
        block[k][j] = *(const T *)(const void *)(from + j * s[1 + k]);
    }
    char *const at = p[0] + i * s[0];
    row(m, s[0] == bytes ? (void *)at : out, in[0], in[1], with);
    for (int64_t j = 0; j < m && s[0] != bytes; j++)
      memcpy(at + j * s[0], (const char *)out + j * bytes, (size_t)bytes);
  }
}

INLINE void N(call_row)(int64_t n, void *o, const T *x, const T *y, const void *with) { (*(N(row2) *const *)with)(n, o, x, y); }
APART N(blocks2)(int64_t n, char *const *p, const int64_t *s, N(row2) *row)
{
  N(blocks2_of)(n, p, s, sizeof(T), &row, N(call_row));
}

INLINE void N(strided2)(int64_t n, char *const *p, const int64_t *s, N(row2) *row)
{
  const int64_t size = sizeof(T);
  if (s[0] == size && s[1] == size && s[2] == size)
    row(n, (T *)(void *)p[0], (const T *)(const void *)p[1], (const T *)(const void *)p[2]);
  else
    N(blocks2)(n, p, s, row);
}
