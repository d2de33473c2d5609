// SPDX-License-Identifier: BSD-3-Clause
/*
 * Steps on tiles of one type; chain.c includes this once per type with T (the element), I (an integer as large), S (its
 * suffix) and SUFFIX (of the intrinsics) defined. L1.
 *
 * Eight vectors as arguments are eight registers, by the calling sequence of every processor that has so many. A call in
 * the last position is a jump.
 * Every instruction set that has vectors; fused chains of contiguous operands, chosen by fuse/fuse_chain.c.
 */
#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)
#define V F(vector)
#define M F(mask)
#define STEP F(step_fn)

typedef T V __attribute__((vector_size(CPU_VECTOR)));
typedef I M __attribute__((vector_size(CPU_VECTOR)));
typedef T F(elements) __attribute__((vector_size(CPU_VECTOR), aligned(sizeof(T)), may_alias));
typedef void (*STEP)(const cpu_chain_step *s, int64_t at, V, V, V, V, V, V, V, V);

enum { F(WIDTH) = CPU_VECTOR / sizeof(T) };

static ALWAYS V F(choose)(M which, V a, V b) { return (V)((which & (M)a) | (~which & (M)b)); }
static ALWAYS V F(all)(double number) { return (T)number - (V){ 0 }; } /* a sum would lose -0 */
static ALWAYS V F(operand)(const cpu_chain_step *s, int k, int64_t at)
{
  return *(const F(elements) *)(const void *)(s->memory[k] + at);
}
static ALWAYS V F(one)(const cpu_chain_step *s, int k) { return F(all)(*(const T *)(const void *)s->memory[k]); }

#ifdef BYTES
/* Booleans, a byte each. */
static ALWAYS V F(condition)(const cpu_chain_step *s, int64_t at)
{
  const char *p = s->memory[0] + (uint64_t)at / sizeof(T);
  int16_t two;
  int32_t four;
  __m128i bytes;
  if (F(WIDTH) == 2) {
    memcpy(&two, p, sizeof two);
    bytes = _mm_cvtsi32_si128(two);
  } else if (F(WIDTH) == 4) {
    memcpy(&four, p, sizeof four);
    bytes = _mm_cvtsi32_si128(four);
  } else if (F(WIDTH) == 8) {
    bytes = _mm_loadl_epi64((const __m128i_u *)(const void *)p);
  } else {
    bytes = _mm_loadu_si128((const __m128i_u *)(const void *)p);
  }
  return (V)((M)BYTES(bytes) != 0);
}

static ALWAYS void F(tell)(char *to, M which)
{
#if CPU_VECTOR == 64
  const __m128i bytes = ONES(which);
#else
#if CPU_VECTOR == 32
  const __m256i all = (__m256i)which;
  __m128i bytes = _mm_packs_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
#else
  __m128i bytes = _mm_packs_epi32((__m128i)which, (__m128i)which);
#endif
  bytes = _mm_packs_epi16(bytes, bytes);
  if (sizeof(T) == 8) /* two of each */
    bytes = _mm_packs_epi16(bytes, bytes);
  bytes = _mm_and_si128(bytes, _mm_set1_epi8(1));
#endif
  memcpy(to, &bytes, F(WIDTH));
}
#endif

/* Turns the value's vectors, x each, into VALUE, which may read a vector P and Q. */
#define EACH(P_, Q_, VALUE)                                                                                             \
  ONE(0, a, P_, Q_, VALUE) ONE(1, b, P_, Q_, VALUE) ONE(2, c, P_, Q_, VALUE) ONE(3, d, P_, Q_, VALUE)                   \
  ONE(4, e, P_, Q_, VALUE) ONE(5, f, P_, Q_, VALUE) ONE(6, g, P_, Q_, VALUE) ONE(7, h, P_, Q_, VALUE)
#define ONE(i, name, P_, Q_, VALUE)                                                                                     \
  {                                                                                                                     \
    const V x = name, P = P_(0, i), Q = Q_(1, i);                                                                       \
    (void)x, (void)P, (void)Q;                                                                                          \
    name = VALUE;                                                                                                       \
  }
#define MEMORY(k, i) F(operand)(s, k, at + i * CPU_VECTOR)
#define NUMBER(k, i) F(one)(s, k)
#define NOTHING(k, i) (V){ 0 }
#define CONDITION(k, i) F(condition)(s, at + i * CPU_VECTOR)
#define DEFINE_AS(name, P_, Q_, VALUE)                                                                                  \
  static void F(name)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)                      \
  {                                                                                                                     \
    EACH(P_, Q_, VALUE)                                                                                                 \
    ((STEP)s[1].fn)(s + 1, at, a, b, c, d, e, f, g, h);                                                                 \
  }
/* By how many operands come from memory. */
#define DEFINE0(name, VALUE) DEFINE_AS(name, NOTHING, NOTHING, VALUE)
#define DEFINE1(name, VALUE) DEFINE_AS(name, MEMORY, NOTHING, VALUE) DEFINE_AS(name##_1, NUMBER, NOTHING, VALUE)
#define DEFINE2(name, VALUE)                                                                                            \
  DEFINE_AS(name, MEMORY, MEMORY, VALUE) DEFINE_AS(name##_1, NUMBER, MEMORY, VALUE)                                     \
  DEFINE_AS(name##_2, MEMORY, NUMBER, VALUE) DEFINE_AS(name##_3, NUMBER, NUMBER, VALUE)

DEFINE1(load, P)
DEFINE0(negative, -x)
DEFINE0(abs, (V)((M)x & ~(M)F(all)(-0.0)))
DEFINE0(square, x * x)
DEFINE0(reciprocal, F(all)(1) / x)
DEFINE0(relu, F(choose)((x > 0) | (x != x), x, (V){ 0 }))
DEFINE1(add, x + P)
DEFINE0(twice, x + x)
DEFINE1(subtract, x - P)
DEFINE1(subtract_from, P - x)
DEFINE1(multiply, x * P)
DEFINE1(multiply_nonzero, F(choose)(x != (V){ 0 }, x * P, (V){ 0 }))
DEFINE1(multiply_nonzero_by, F(choose)(P != (V){ 0 }, P * x, (V){ 0 }))
DEFINE1(divide, x / P)
DEFINE1(divide_into, P / x)
DEFINE1(maximum, F(choose)((x >= P) | (x != x), x, P))
DEFINE1(maximum_of, F(choose)((P >= x) | (P != P), P, x))
DEFINE1(minimum, F(choose)((x <= P) | (x != x), x, P))
DEFINE1(minimum_of, F(choose)((P <= x) | (P != P), P, x))

/* The smaller and the larger of two by the processor is the second where the two are equal, or one is no number. */
static ALWAYS V F(limited)(V x, V low, V high)
{
#ifdef SIMD
  return (V)SIMD(CPU_JOIN(min_, SUFFIX))(high, SIMD(CPU_JOIN(max_, SUFFIX))(low, x));
#else
  x = F(choose)(x < low, low, x);
  return F(choose)(x > high, high, x);
#endif
}
DEFINE0(clip, F(limited)(x, F(all)(s->number[0]), F(all)(s->number[1])))

static ALWAYS V F(pulled)(V x, V q, V number) { return q * (x - q * number); }
DEFINE_AS(huber, NUMBER, NOTHING, F(pulled)(x, F(limited)(x, F(all)(s->number[0]), F(all)(s->number[1])), P))

#ifdef BYTES
DEFINE_AS(where, CONDITION, MEMORY, F(choose)((M)P, x, Q))
DEFINE_AS(where_2, CONDITION, NUMBER, F(choose)((M)P, x, Q))
DEFINE_AS(where_not, CONDITION, MEMORY, F(choose)((M)P, Q, x))
DEFINE_AS(where_not_2, CONDITION, NUMBER, F(choose)((M)P, Q, x))
#define DEFINE_TELL(name, P_, IS)                                                                                       \
  static void F(name)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)                      \
  {                                                                                                                     \
    char *const to = s->memory[1] + (uint64_t)at / sizeof(T);                                                           \
    const V one = F(one)(s, 0);                                                                                         \
    (void)one;                                                                                                          \
    TELL(0, a IS P_(0, 0)) TELL(1, b IS P_(0, 1)) TELL(2, c IS P_(0, 2)) TELL(3, d IS P_(0, 3))                         \
    TELL(4, e IS P_(0, 4)) TELL(5, f IS P_(0, 5)) TELL(6, g IS P_(0, 6)) TELL(7, h IS P_(0, 7))                         \
    ((STEP)s[1].fn)(s + 1, at, a, b, c, d, e, f, g, h);                                                                 \
  }
#define TELL(i, WHICH) F(tell)(to + i * F(WIDTH), WHICH);
#define KNOWN(k, i) one
#define DEFINE_TELLS(name, IS) DEFINE_TELL(name, MEMORY, IS) DEFINE_TELL(name##_1, KNOWN, IS)
DEFINE_TELLS(equal, ==)
DEFINE_TELLS(not_equal, !=)
DEFINE_TELLS(less, <)
DEFINE_TELLS(less_equal, <=)
DEFINE_TELLS(greater, >)
DEFINE_TELLS(greater_equal, >=)
#undef TELL
#undef KNOWN
#undef DEFINE_TELL
#undef DEFINE_TELLS
#define COMPARISON(name, turned) { WITH1(name), WITH1(turned) }
#define WHERE { [CPU_CHAIN_SECOND] = WITH_SECOND(where), [CPU_CHAIN_THIRD] = WITH_SECOND(where_not) }
#else
#define WHERE { { NULL } }
#define COMPARISON(name, turned) { { NULL } }
#endif
#ifdef SIMD
DEFINE0(sqrt, (V)SIMD(CPU_JOIN(sqrt_, SUFFIX))(x))
#define SQRT { WITH0(sqrt) }
#else
#define SQRT { { NULL } }
#endif
#if CPU_VECTOR > 16
DEFINE0(floor, (V)SIMD(CPU_JOIN(floor_, SUFFIX))(x))
DEFINE0(ceil, (V)SIMD(CPU_JOIN(ceil_, SUFFIX))(x))
#define FLOOR { WITH0(floor) }
#define CEIL { WITH0(ceil) }
#else
#define FLOOR { { NULL } }
#define CEIL { { NULL } }
#endif
#if defined SIMD && defined __FMA__
DEFINE2(fma, (V)SIMD(CPU_JOIN(fmadd_, SUFFIX))(x, P, Q))
DEFINE2(fma_to, (V)SIMD(CPU_JOIN(fmadd_, SUFFIX))(P, Q, x))
#define FMA { WITH2(fma), WITH2(fma), WITH2(fma_to) }
#else
#define FMA { { NULL } }
#endif

static ALWAYS void F(put_all)(char *to, V a, V b, V c, V d, V e, V f, V g, V h)
{
  F(elements) *o = (F(elements) *)(void *)to;
  o[0] = a;
  o[1] = b;
  o[2] = c;
  o[3] = d;
  o[4] = e;
  o[5] = f;
  o[6] = g;
  o[7] = h;
}

static void F(store)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)
{
  F(put_all)(s->memory[0] + at, a, b, c, d, e, f, g, h);
  ((STEP)s[1].fn)(s + 1, at, a, b, c, d, e, f, g, h);
}

static void F(stream)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)
{
#ifdef SIMD
  T *o = (T *)(void *)(s->memory[0] + at);
  if ((uintptr_t)o % 64 == 0) {
#define STREAM_VECTOR(i, name) SIMD(CPU_JOIN(stream_, SUFFIX))(o + i * F(WIDTH), name);
    STREAM_VECTOR(0, a) STREAM_VECTOR(1, b) STREAM_VECTOR(2, c) STREAM_VECTOR(3, d)
    STREAM_VECTOR(4, e) STREAM_VECTOR(5, f) STREAM_VECTOR(6, g) STREAM_VECTOR(7, h)
#undef STREAM_VECTOR
  } else
#endif
    F(put_all)(s->memory[0] + at, a, b, c, d, e, f, g, h);
  ((STEP)s[1].fn)(s + 1, at, a, b, c, d, e, f, g, h);
}

#ifdef NEGATIVE
/* The step's loop on a tile. */
static void F(loop)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)
{
  char *const p[2] = { s->memory[0], s->memory[0] };
  static const int64_t stride[2] = { sizeof(T), sizeof(T) };
  F(put_all)(s->memory[0], a, b, c, d, e, f, g, h);
  s->loop(8 * F(WIDTH), p, stride, s->params);
  const F(elements) *o = (const F(elements) *)(const void *)s->memory[0];
  ((STEP)s[1].fn)(s + 1, at, o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]);
}

/* Functions: their formulas for what is within LIMITS; a tile that has anything else goes to the function's loop, of which all
 * values are. FAR of elements' bits U is below 0 for those. */
#define EACH_BY(name, FORMULA)                                                                                          \
  static ALWAYS V F(name##_of)(V x)                                                                                     \
  {                                                                                                                     \
    T t[F(WIDTH)];                                                                                                      \
    *(F(elements) *)t = x;                                                                                              \
    IVDEP for (int i = 0; i < (int)F(WIDTH); i++)                                                                       \
      t[i] = FORMULA(t[i]);                                                                                             \
    return *(F(elements) *)t;                                                                                           \
  }
#define DEFINE_NEAR(name, FORMULA, FAR) EACH_BY(name, FORMULA) DEFINE_FAR(name, FAR)
#define DEFINE_FAR(name, FAR)                                                                                           \
  static ALWAYS M F(name##_far)(V x)                                                                                    \
  {                                                                                                                     \
    const M u = (M)x, sign = (M)F(all)(-0.0);                                                                           \
    (void)sign;                                                                                                         \
    return FAR;                                                                                                         \
  }                                                                                                                     \
  static void F(name)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)                      \
  {                                                                                                                     \
    const M far = (F(name##_far)(a) | F(name##_far)(b) | F(name##_far)(c) | F(name##_far)(d)) |                         \
                  (F(name##_far)(e) | F(name##_far)(f) | F(name##_far)(g) | F(name##_far)(h));                          \
    if (__builtin_expect(NEGATIVE(far) != 0, 0)) {                                                                      \
      F(loop)(s, at, a, b, c, d, e, f, g, h);                                                                           \
      return;                                                                                                           \
    }                                                                                                                   \
    EACH(NOTHING, NOTHING, F(name##_of)(x))                                                                             \
    ((STEP)s[1].fn)(s + 1, at, a, b, c, d, e, f, g, h);                                                                 \
  }
#define NEAR(name) NAME__(name##_near, LETTER)
#define OFF_SIGN (u & ~sign)
#define BEYOND(LIMIT) (M)F(all)(LIMIT) - OFF_SIGN
DEFINE_NEAR(exp, NEAR(exp), BEYOND(LIMITS(86, 700)))
DEFINE_NEAR(sigmoid, NEAR(sigmoid), BEYOND(LIMITS(80, 700)))
DEFINE_NEAR(silu, NEAR(silu), BEYOND(LIMITS(80, 700)))
EACH_BY(tanh, NAME__(tanh, LETTER))
DEFINE0(tanh, F(tanh_of)(x))
#define NOT_WITHIN(LOW, HIGH) u | (OFF_SIGN - (M)F(all)(LOW)) | ((M)F(all)(HIGH)-OFF_SIGN)
#ifdef __AVX512F__
static ALWAYS V F(log_of)(V x)
{
  return (V)NAME__(log_lanes, LETTER)(&NAME__(log_e, LETTER), (LIMITS(__m512, __m512d))x, false);
}
DEFINE_FAR(log, NOT_WITHIN(LIMITS(FLT_MIN, DBL_MIN), LIMITS(0x1.fffffep124f, 0x1.fffffffffffffp1020)))
#else
DEFINE_NEAR(log, NEAR(log), NOT_WITHIN(LIMITS(FLT_MIN, DBL_MIN), LIMITS(FLT_MAX, DBL_MAX)))
#endif
#define LOG { WITH0(log) }
#undef NOT_WITHIN
#undef DEFINE_FAR
#undef EACH_BY
#undef DEFINE_NEAR
#undef NEAR
#undef BEYOND
#undef OFF_SIGN
#define FUNCTION(name) { WITH0(name) }
#else
#define LOG { { NULL } }
#define FUNCTION(name) { { NULL } }
#endif

#ifdef LOWER
typedef double F(sums) __attribute__((vector_size(CPU_VECTOR)));
#define sums F(sums)
static void F(sum)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)
{
  cpu_chain_kept *to = (cpu_chain_kept *)(void *)s->memory[0];
  sums t;
  memcpy(&t, to->sum, sizeof t);
#ifdef UPPER
#define SUM(x) ADD(LOWER(x), UPPER(x))
#else
#define SUM(x) ((sums)LOWER(x))
#endif
  t = ADD(ADD(ADD(ADD(SUM(a), SUM(b)), ADD(SUM(c), SUM(d))), ADD(ADD(SUM(e), SUM(f)), ADD(SUM(g), SUM(h)))), t);
#undef SUM
  memcpy(to->sum, &t, sizeof t);
  ((STEP)s[1].fn)(s + 1, at, a, b, c, d, e, f, g, h);
}

static void F(moments)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)
{
  cpu_chain_kept *to = (cpu_chain_kept *)(void *)s->memory[0];
  if (to->count == 0)
    to->about = (double)a[0];
  const sums about = to->about - (sums){ 0 };
  sums t, q, t0 = { 0 }, t1 = t0, t2 = t0, t3 = t0, q0 = t0, q1 = t0, q2 = t0, q3 = t0;
#define DISTANCE(k, x)                                                                                                  \
  {                                                                                                                     \
    const sums y = (sums)(x) - about;                                                                                   \
    t##k += y;                                                                                                          \
    q##k = ADD_SQUARE(y, q##k);                                                                                         \
  }
#ifdef UPPER
#define DISTANCES(k, l, x) DISTANCE(k, LOWER(x)) DISTANCE(l, UPPER(x))
#else
#define DISTANCES(k, l, x) DISTANCE(k, x)
#endif
  DISTANCES(0, 1, a) DISTANCES(1, 2, b) DISTANCES(2, 3, c) DISTANCES(3, 0, d)
  DISTANCES(0, 1, e) DISTANCES(1, 2, f) DISTANCES(2, 3, g) DISTANCES(3, 0, h)
#undef DISTANCE
#undef DISTANCES
  memcpy(&t, to->sum, sizeof t);
  memcpy(&q, to->square, sizeof q);
  t += (t0 + t1) + (t2 + t3);
  q += (q0 + q1) + (q2 + q3);
  memcpy(to->sum, &t, sizeof t);
  memcpy(to->square, &q, sizeof q);
  ((STEP)s[1].fn)(s + 1, at, a, b, c, d, e, f, g, h);
}
#undef sums

/* Extremes and the tiles that they are in: the largest where TOP, a constant, else the smallest. */
static ALWAYS V F(further)(const bool top, V x, V y)
{
  return top ? (V)SIMD(CPU_JOIN(max_, SUFFIX))(x, y) : (V)SIMD(CPU_JOIN(min_, SUFFIX))(x, y);
}

static ALWAYS void F(keep_extreme)(const bool top, const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)
{
  cpu_chain_kept *k = (cpu_chain_kept *)(void *)s->memory[0];
  const int64_t number = k->first + at / (8 * CPU_VECTOR);
  const M all = (I)number - (M){ 0 };
  V best = F(all)(top ? -(double)INFINITY : (double)INFINITY);
  M tile = all;
  if (k->count != 0) {
    memcpy(&best, k->best, sizeof best);
    memcpy(&tile, k->tile, sizeof tile);
  }
  const V left = F(further)(top, F(further)(top, a, b), F(further)(top, c, d));
  const V here = F(further)(top, left, F(further)(top, F(further)(top, e, f), F(further)(top, g, h)));
  const M better = top ? (M)(here > best) : (M)(here < best);
  best = F(choose)(better, here, best);
  tile = (better & all) | (~better & tile);
  memcpy(k->best, &best, sizeof best);
  memcpy(k->tile, &tile, sizeof tile);
  if ((UNORDERED(a, b) | UNORDERED(c, d) | UNORDERED(e, f) | UNORDERED(g, h)) && !k->not_number)
    k->not_number = number + 1;
  k->count = 1;
}

static ALWAYS void F(keep_some)(const bool top, cpu_chain_kept *k, int64_t n, const void *x, int64_t number)
{
  const T *v = x;
  V best = F(all)(top ? -(double)INFINITY : (double)INFINITY);
  M tile = (I)number - (M){ 0 };
  if (k->count != 0) {
    memcpy(&best, k->best, sizeof best);
    memcpy(&tile, k->tile, sizeof tile);
  }
  for (int64_t i = 0; i < n; i++) {
    if (top ? v[i] > best[0] : v[i] < best[0]) {
      best[0] = v[i];
      tile[0] = (I)number;
    }
    if (v[i] != v[i] && !k->not_number)
      k->not_number = number + 1;
  }
  memcpy(k->best, &best, sizeof best);
  memcpy(k->tile, &tile, sizeof tile);
  k->count = 1;
}

static ALWAYS int64_t F(kept_tile)(const bool top, const cpu_chain_kept *k)
{
  V best;
  M tile;
  if (k->not_number)
    return k->not_number - 1;
  memcpy(&best, k->best, sizeof best);
  memcpy(&tile, k->tile, sizeof tile);
  int first = 0;
  for (int i = 1; i < (int)F(WIDTH); i++)
    if ((top ? best[i] > best[first] : best[i] < best[first]) || (best[i] == best[first] && tile[i] < tile[first]))
      first = i;
  return tile[first];
}

static void F(top)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)
{
  F(keep_extreme)(true, s, at, a, b, c, d, e, f, g, h);
  ((STEP)s[1].fn)(s + 1, at, a, b, c, d, e, f, g, h);
}

static void F(low)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)
{
  F(keep_extreme)(false, s, at, a, b, c, d, e, f, g, h);
  ((STEP)s[1].fn)(s + 1, at, a, b, c, d, e, f, g, h);
}

static void F(top_some)(cpu_chain_kept *k, int64_t n, const void *x, int64_t number) { F(keep_some)(true, k, n, x, number); }
static void F(low_some)(cpu_chain_kept *k, int64_t n, const void *x, int64_t number) { F(keep_some)(false, k, n, x, number); }
static int64_t F(top_tile)(const cpu_chain_kept *k) { return F(kept_tile)(true, k); }
static int64_t F(low_tile)(const cpu_chain_kept *k) { return F(kept_tile)(false, k); }
#endif

/* Tiles of the operands at memory[0] and memory[1], which may be the same, some ahead: a load that meets one operand after the
 * other is no pattern to a processor. */
static void F(ahead)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)
{
  enum { ahead = LINE }; /* the next line alone: the hardware prefetcher takes the rest from there */
  for (int64_t i = 0; i < 8 * CPU_VECTOR; i += LINE)
    __builtin_prefetch(s->memory[0] + at + ahead + i);
  for (int64_t i = 0; i < 8 * CPU_VECTOR && s->memory[1] != s->memory[0]; i += LINE)
    __builtin_prefetch(s->memory[1] + at + ahead + i);
  ((STEP)s[1].fn)(s + 1, at, a, b, c, d, e, f, g, h);
}

static void F(end)(const cpu_chain_step *s, int64_t at, V a, V b, V c, V d, V e, V f, V g, V h)
{
  (void)s, (void)at, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
}

static void F(run)(const cpu_chain_step *s, int64_t first, int64_t n)
{
  const V none = { 0 };
  for (int64_t i = first; i < first + n; i++)
    ((STEP)s[0].fn)(s, i * 8 * CPU_VECTOR, none, none, none, none, none, none, none, none);
}

static cpu_chain_fn F(step)(int op, cpu_chain_form form, unsigned repeated)
{
#define WITH0(name) { (cpu_chain_fn)F(name) }
#define WITH1(name) { (cpu_chain_fn)F(name), (cpu_chain_fn)F(name##_1) }
#define WITH2(name)                                                                                                     \
  { (cpu_chain_fn)F(name), (cpu_chain_fn)F(name##_1), (cpu_chain_fn)F(name##_2), (cpu_chain_fn)F(name##_3) }
#define WITH_SECOND(name) { [0] = (cpu_chain_fn)F(name), [2] = (cpu_chain_fn)F(name##_2) }
  static const cpu_chain_fn steps[HED_OP_COUNT_][CPU_CHAIN_FORMS][1 << CPU_CHAIN_MEMORY] = {
    [HED_OP_NEGATIVE] = { WITH0(negative) },
    [HED_OP_ABS] = { WITH0(abs) },
    [HED_OP_SQUARE] = { WITH0(square) },
    [HED_OP_SQRT] = SQRT,
    [HED_OP_RECIPROCAL] = { WITH0(reciprocal) },
    [HED_OP_EXP] = FUNCTION(exp),
    [HED_OP_SIGMOID] = FUNCTION(sigmoid),
    [HED_OP_SILU] = FUNCTION(silu),
    [HED_OP_TANH] = FUNCTION(tanh),
    [HED_OP_LOG] = LOG,
    [HED_OP_FLOOR] = FLOOR,
    [HED_OP_CEIL] = CEIL,
    [HED_OP_RELU] = { WITH0(relu) },
    [HED_OP_CLIP] = { WITH0(clip) },
    [HED_OP_ADD] = { WITH1(add), WITH1(add), [CPU_CHAIN_BOTH] = WITH0(twice) },
    [HED_OP_SUBTRACT] = { WITH1(subtract), WITH1(subtract_from) },
    [HED_OP_MULTIPLY] = { WITH1(multiply), WITH1(multiply), [CPU_CHAIN_BOTH] = WITH0(square) },
    [HED_OP_MULTIPLY_NONZERO] = { WITH1(multiply_nonzero), WITH1(multiply_nonzero_by), [CPU_CHAIN_BOTH] = WITH0(square) },
    [HED_OP_DIVIDE] = { WITH1(divide), WITH1(divide_into) },
    [HED_OP_MAXIMUM] = { WITH1(maximum), WITH1(maximum_of) },
    [HED_OP_MINIMUM] = { WITH1(minimum), WITH1(minimum_of) },
    [HED_OP_FMA] = FMA,
    [HED_OP_WHERE] = WHERE,
    [HED_OP_EQUAL] = COMPARISON(equal, equal),
    [HED_OP_NOT_EQUAL] = COMPARISON(not_equal, not_equal),
    [HED_OP_LESS] = COMPARISON(less, greater),
    [HED_OP_LESS_EQUAL] = COMPARISON(less_equal, greater_equal),
    [HED_OP_GREATER] = COMPARISON(greater, less),
    [HED_OP_GREATER_EQUAL] = COMPARISON(greater_equal, less_equal),
  };
#undef WITH0
#undef WITH1
#undef WITH2
#undef WITH_SECOND
  return steps[op][form][repeated];
}

#ifndef LOOPS
#define LOOPS(S)                                                                                                        \
  { step_##S, { (cpu_chain_fn)load_##S, (cpu_chain_fn)load_1_##S }, (cpu_chain_fn)store_##S, (cpu_chain_fn)stream_##S,  \
    (cpu_chain_fn)ahead_##S, (cpu_chain_fn)huber_##S, KEPT_OF(S), (cpu_chain_fn)end_##S, run_##S, 8 * CPU_VECTOR }
#endif

#undef BYTES
#undef NEGATIVE
#undef LETTER
#undef LIMITS
#undef LOG
#undef FUNCTION
#undef ONES
#undef COMPARISON
#undef UNORDERED
#undef LOWER
#undef UPPER
#undef WHERE
#undef SQRT
#undef FLOOR
#undef CEIL
#undef FMA
#undef DEFINE0
#undef DEFINE1
#undef DEFINE2
#undef DEFINE_AS
#undef CONDITION
#undef NOTHING
#undef NUMBER
#undef MEMORY
#undef ONE
#undef EACH
#undef V
#undef M
#undef STEP
#undef F
#undef NAME_
#undef NAME__
#undef T
#undef I
#undef S
#undef SUFFIX
