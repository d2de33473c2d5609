// SPDX-License-Identifier: BSD-3-Clause
/* Types of programs by the numbers of dtypes.def: what is stored, what is computed with, and conversions between all pairs. L1.
 *
 *   T, R                       compute type of the program (HED_COMPUTE), its real component; 16-bit floats compute in float
 *   STORED(id), COMPUTED(id)   type in memory, and as a value
 *   GIVEN(id, s)               the value of what is stored
 *   CONVERT(from, to, v)       value V of type FROM as type TO is stored: the rules of base/cast.h
 *   KIND(id)                   letter: B bool, I, U integers, H 16-bit floats, F floats, C complex
 */

/* ---- complex numbers ---- */

typedef struct ALIGNED(8) complex64 {
  float re, im;
} complex64;

#ifdef NO_FLOAT64
typedef complex64 complex128;
#else
typedef struct ALIGNED(16) complex128 {
  double re, im;
} complex128;
#endif

FN complex64 complex64_of(float re, float im)
{
  complex64 z;
  z.re = re;
  z.im = im;
  return z;
}

FN complex128 complex128_of(double re, double im)
{
  complex128 z;
  z.re = re;
  z.im = im;
  return z;
}

/* ---- by number ---- */

#define STORED_0 uint8_t
#define STORED_1 int8_t
#define STORED_2 int16_t
#define STORED_3 int32_t
#define STORED_4 int64_t
#define STORED_5 uint8_t
#define STORED_6 uint16_t
#define STORED_7 uint32_t
#define STORED_8 uint64_t
#define STORED_9 uint16_t
#define STORED_10 uint16_t
#define STORED_11 float
#define STORED_12 double
#define STORED_13 complex64
#define STORED_14 complex128

#define COMPUTED_0 bool
#define COMPUTED_1 int8_t
#define COMPUTED_2 int16_t
#define COMPUTED_3 int32_t
#define COMPUTED_4 int64_t
#define COMPUTED_5 uint8_t
#define COMPUTED_6 uint16_t
#define COMPUTED_7 uint32_t
#define COMPUTED_8 uint64_t
#define COMPUTED_9 float
#define COMPUTED_10 float
#define COMPUTED_11 float
#define COMPUTED_12 double
#define COMPUTED_13 complex64
#define COMPUTED_14 complex128

#define KIND_0 B
#define KIND_1 I
#define KIND_2 I
#define KIND_3 I
#define KIND_4 I
#define KIND_5 U
#define KIND_6 U
#define KIND_7 U
#define KIND_8 U
#define KIND_9 H
#define KIND_10 H
#define KIND_11 F
#define KIND_12 F
#define KIND_13 C
#define KIND_14 C

/* Log of the bytes. */
#define WIDTH_0 0
#define WIDTH_1 0
#define WIDTH_2 1
#define WIDTH_3 2
#define WIDTH_4 3
#define WIDTH_5 0
#define WIDTH_6 1
#define WIDTH_7 2
#define WIDTH_8 3
#define WIDTH_9 1
#define WIDTH_10 1
#define WIDTH_11 2
#define WIDTH_12 3
#define WIDTH_13 3
#define WIDTH_14 4

/* Real component. */
#define REAL_0 0
#define REAL_1 1
#define REAL_2 2
#define REAL_3 3
#define REAL_4 4
#define REAL_5 5
#define REAL_6 6
#define REAL_7 7
#define REAL_8 8
#define REAL_9 9
#define REAL_10 10
#define REAL_11 11
#define REAL_12 12
#define REAL_13 11
#define REAL_14 12

#define STORED(id) JOIN2(STORED_, id)
#define COMPUTED(id) JOIN2(COMPUTED_, id)
#define KIND(id) JOIN2(KIND_, id)
#define REAL(id) JOIN2(REAL_, id)

#define HED_REAL REAL(HED_COMPUTE)
typedef COMPUTED(HED_COMPUTE) T;
typedef COMPUTED(HED_REAL) R;

/* For #if. */
#define IS_B 0
#define IS_I 1
#define IS_U 2
#define IS_H 3
#define IS_F 4
#define IS_C 5
#define IS(id) JOIN2(IS_, KIND(id))
#define COMPUTES IS(HED_COMPUTE)

/* ---- what is stored, as a value ---- */

#define GIVEN_B(id, s) ((s) != 0)
#define GIVEN_I(id, s) (s)
#define GIVEN_U(id, s) (s)
#define GIVEN_H(id, s) JOIN2(GIVEN_HALF_, id)(s)
#define GIVEN_F(id, s) (s)
#define GIVEN_C(id, s) (s)
#define GIVEN_HALF_9(s) hed__half_to_float(s)
#define GIVEN_HALF_10(s) hed__bfloat_to_float(s)
#define GIVEN(id, s) JOIN2(GIVEN_, KIND(id))(id, s)

/* ---- conversions ---- */

#define CONVERT(from, to, v) JOIN3(CONVERT_, KIND(from), KIND(to))(from, to, v)

#define CONVERT_BB(from, to, v) ((uint8_t)(v))
#define CONVERT_IB(from, to, v) ((uint8_t)((v) != 0))
#define CONVERT_UB CONVERT_IB
#define CONVERT_HB CONVERT_IB
#define CONVERT_FB CONVERT_IB
#define CONVERT_CB(from, to, v) ((uint8_t)((v).re != 0 || (v).im != 0))

#define CONVERT_AS_IS(from, to, v) ((STORED(to))(v))
#define CONVERT_BI CONVERT_AS_IS
#define CONVERT_II CONVERT_AS_IS
#define CONVERT_UI CONVERT_AS_IS
#define CONVERT_BU CONVERT_AS_IS
#define CONVERT_IU CONVERT_AS_IS
#define CONVERT_UU CONVERT_AS_IS
#define CONVERT_BF CONVERT_AS_IS
#define CONVERT_IF CONVERT_AS_IS
#define CONVERT_UF CONVERT_AS_IS
#define CONVERT_HF CONVERT_AS_IS
#define CONVERT_FF CONVERT_AS_IS

#define WHOLE_1 to_int64
#define WHOLE_2 to_int64
#define WHOLE_3 to_int64
#define WHOLE_4 to_int64
#define WHOLE_5 to_int64
#define WHOLE_6 to_int64
#define WHOLE_7 to_int64
#define WHOLE_8 to_uint64
#define CONVERT_FI(from, to, v) ((STORED(to))JOIN2(WHOLE_, to)((double)(v)))
#define CONVERT_FU CONVERT_FI
#define CONVERT_HI CONVERT_FI
#define CONVERT_HU CONVERT_FI

/* Integers to 24 bits with the last bit set when something was cut off, so exact in float. */
FN float word_to_odd_float(uint64_t w)
{
  const int32_t over = w >> 32 ? 64 - CLZ32((uint32_t)(w >> 32)) : 32 - (w ? CLZ32((uint32_t)w) : 32);
  if (over <= 24)
    return (float)(uint32_t)w;
  const uint64_t kept = w >> (over - 24), lost = kept << (over - 24) != w;
  return (float)((kept | lost) << (over - 24));
}

FN float long_to_odd_float(int64_t v)
{
  return v < 0 ? -word_to_odd_float(0 - (uint64_t)v) : word_to_odd_float((uint64_t)v);
}

#ifdef NO_FLOAT64
#define SHORTEN_12(v) (v)
#else
#define SHORTEN_12(v) to_odd(v)
#endif
#define SHORTEN_9(v) (v)
#define SHORTEN_10(v) (v)
#define SHORTEN_11(v) (v)
#define HALF_9(v) hed__float_to_half(v)
#define HALF_10(v) hed__float_to_bfloat(v)
#define CONVERT_BH(from, to, v) JOIN2(HALF_, to)((float)(v))
#define CONVERT_IH(from, to, v) JOIN2(HALF_, to)(long_to_odd_float(v))
#define CONVERT_UH(from, to, v) JOIN2(HALF_, to)(word_to_odd_float(v))
#define CONVERT_HH(from, to, v) JOIN2(HALF_, to)(v)
#define CONVERT_FH(from, to, v) JOIN2(HALF_, to)(JOIN2(SHORTEN_, from)(v))

#define CONVERT_CI(from, to, v) CONVERT_FI(from, to, (v).re)
#define CONVERT_CU(from, to, v) CONVERT_FI(from, to, (v).re)
#define CONVERT_CF(from, to, v) ((STORED(to))(v).re)
#define CONVERT_CH(from, to, v) JOIN2(HALF_, to)(JOIN2(SHORTEN_, REAL(from))((v).re))
#define COMPLEX_OF(to) JOIN2(STORED(to), _of)
#define CONVERT_RC(from, to, v) COMPLEX_OF(to)((STORED(REAL(to)))(v), 0)
#define CONVERT_BC CONVERT_RC
#define CONVERT_IC CONVERT_RC
#define CONVERT_UC CONVERT_RC
#define CONVERT_HC CONVERT_RC
#define CONVERT_FC CONVERT_RC
#define CONVERT_CC(from, to, v) COMPLEX_OF(to)((STORED(REAL(to)))(v).re, (STORED(REAL(to)))(v).im)

/* ---- elements of an argument: its bits, low word first ---- */

#define BITS_0(a, b) ((uint8_t)(a))
#define BITS_1(a, b) ((int8_t)(a))
#define BITS_2(a, b) ((int16_t)(a))
#define BITS_3(a, b) ((int32_t)(a))
#define BITS_4(a, b) ((int64_t)(a))
#define BITS_5(a, b) ((uint8_t)(a))
#define BITS_6(a, b) ((uint16_t)(a))
#define BITS_7(a, b) ((uint32_t)(a))
#define BITS_8(a, b) (a)
#define BITS_9(a, b) ((uint16_t)(a))
#define BITS_10(a, b) ((uint16_t)(a))
#define BITS_11(a, b) hed__number32((uint32_t)(a))
#define BITS_12(a, b) hed__number64(a)
#define BITS_13(a, b) complex64_of(hed__number32((uint32_t)(a)), hed__number32((uint32_t)((a) >> 32)))
#define BITS_14(a, b) complex128_of(hed__number64(a), hed__number64(b))
#define BITS(id, a, b) JOIN2(BITS_, id)(a, b)

/* ---- aligned accesses of four elements, in pieces of at most 16 bytes ---- */

#define FOUR_(id, bytes) \
  typedef struct ALIGNED(bytes) four_##id { \
    STORED_##id v[4]; \
  } four_##id;
FOUR_(0, 4)
FOUR_(1, 4)
FOUR_(2, 8)
FOUR_(3, 16)
FOUR_(4, 16)
FOUR_(5, 4)
FOUR_(6, 8)
FOUR_(7, 16)
FOUR_(8, 16)
FOUR_(9, 8)
FOUR_(10, 8)
FOUR_(11, 16)
FOUR_(12, 16)
FOUR_(13, 16)
FOUR_(14, 16)
#undef FOUR_
#define FOUR(id) JOIN2(four_, id)
