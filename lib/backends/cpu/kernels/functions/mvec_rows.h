// SPDX-License-Identifier: BSD-3-Clause
/* Rows by vector routines; a body of mvec.h. The rest of a row is filled up with PAD, at which no function is special. */
enum { N(MVEC_LANES) = MVEC_BYTES / sizeof(T) };

INLINE void N(mvec1)(int64_t n, T *o, const T *x, OF(mvec) (*fn)(OF(mvec)), T pad)
{
  int64_t i = 0;
  OF(mvec) v;
  for (; i + N(MVEC_LANES) <= n; i += N(MVEC_LANES)) {
    memcpy(&v, x + i, sizeof v);
    v = fn(v);
    memcpy(o + i, &v, sizeof v);
  }
  if (i < n) {
    v = (OF(mvec)){ 0 } + pad;
    memcpy(&v, x + i, (size_t)(n - i) * sizeof(T));
    v = fn(v);
    memcpy(o + i, &v, (size_t)(n - i) * sizeof(T));
  }
}

INLINE void N(mvec2)(int64_t n, T *o, const T *x, const T *y, OF(mvec) (*fn)(OF(mvec), OF(mvec)))
{
  int64_t i = 0;
  OF(mvec) v, w;
  for (; i + N(MVEC_LANES) <= n; i += N(MVEC_LANES)) {
    memcpy(&v, x + i, sizeof v);
    memcpy(&w, y + i, sizeof w);
    v = fn(v, w);
    memcpy(o + i, &v, sizeof v);
  }
  if (i < n) {
    v = w = (OF(mvec)){ 0 } + (T)0.5;
    memcpy(&v, x + i, (size_t)(n - i) * sizeof(T));
    memcpy(&w, y + i, (size_t)(n - i) * sizeof(T));
    v = fn(v, w);
    memcpy(o + i, &v, (size_t)(n - i) * sizeof(T));
  }
}
