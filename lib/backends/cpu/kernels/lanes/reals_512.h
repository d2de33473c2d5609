// SPDX-License-Identifier: BSD-3-Clause
/* Vectors of reals with AVX-512, whose masks have registers of their own; a body of lanes.h. L1. */
INLINE V N(get)(const T *p) { return X86(loadu)(p); }
INLINE void N(put)(T *p, V a) { X86(storeu)(p, a); }
/* N elements, fewer than a vector has, and 0 behind them. */
INLINE V N(get_some)(const T *p, int64_t n) { return X86(maskz_loadu)((M)((1u << n) - 1), p); }
/* N elements, fewer than a vector has, and lanes of A behind them. */
INLINE V N(get_over)(V a, const T *p, int64_t n) { return X86(mask_loadu)(a, (M)((1u << n) - 1), p); }
INLINE V N(each)(T a) { return X86(set1)(a); }
INLINE V N(magnitude)(V a) { return X86(abs)(a); }
/* A where the two are equal, or one is NaN. */
INLINE V N(most)(V b, V a) { return X86(max)(b, a); }
INLINE V N(least)(V b, V a) { return X86(min)(b, a); }
INLINE T N(most_of)(V a) { return X86(reduce_max)(a); }
INLINE T N(least_of)(V a) { return X86(reduce_min)(a); }
/* A where neither is NaN, else 0. */
INLINE V N(if_numbers)(V a, V b) { return X86(maskz_mov)(CPU_JOIN(X86(cmp), _mask)(a, b, _CMP_ORD_Q), a); }
/* Neighbours exchanged. */
INLINE V N(exchanged)(V a) { return SHUFFLE(V, a, (WORDS)CPU_JOIN(LANES_, PS) ^ 1); }

/* Lanes in which something is so. */
INLINE M N(same)(V a, V b) { return CPU_JOIN(X86(cmp), _mask)(a, b, _CMP_EQ_OQ); }
INLINE M N(unlike)(V a) { return CPU_JOIN(X86(cmp), _mask)(a, a, _CMP_UNORD_Q); }
INLINE M N(either)(M a, M b) { return (M)(a | b); }
INLINE uint64_t N(bits)(M k) { return k; }
INLINE bool N(is_any)(M k) { return k != 0; }

/* Where a NaN has come by, kept the other way round: a comparison takes the lanes without on, at no cost. */
INLINE M N(no_nan)(void) { return (M)~0u; }
INLINE M N(note_nan)(M k, V a, V b) { return CPU_JOIN(X86(mask_cmp), _mask)(k, a, b, _CMP_ORD_Q); }
INLINE bool N(has_nan)(M k) { return k != (M)~0u; }
INLINE V N(spoil)(V a, M k) { return X86(mask_blend)(k, X86(set1)((T)NAN), a); }
