// SPDX-License-Identifier: BSD-3-Clause
/* Vectors of reals with AVX or SSE2, whose masks are vectors; a body of lanes.h. L1. */
#if defined __AVX__
#define COMPARE(how, imm, a, b) X86(cmp)(a, b, imm)
#else
#define COMPARE(how, imm, a, b) X86(cmp##how)(a, b)
#endif
INLINE V N(get)(const T *p) { return X86(loadu)(p); }
INLINE void N(put)(T *p, V a) { X86(storeu)(p, a); }
INLINE V N(each)(T a) { return X86(set1)(a); }
INLINE V N(magnitude)(V a) { return X86(andnot)(X86(set1)((T)-0.0), a); }
/* A where the two are equal, or one is NaN. */
INLINE V N(most)(V b, V a) { return X86(max)(b, a); }
INLINE V N(least)(V b, V a) { return X86(min)(b, a); }

/* Lanes in which something is so. */
INLINE M N(same)(V a, V b) { return COMPARE(eq, _CMP_EQ_OQ, a, b); }
INLINE M N(unlike)(V a) { return COMPARE(unord, _CMP_UNORD_Q, a, a); }
INLINE M N(either)(M a, M b) { return X86(or)(a, b); }
INLINE uint64_t N(bits)(M k) { return (unsigned)X86(movemask)(k); }
INLINE bool N(is_any)(M k) { return X86(movemask)(k) != 0; }

/* Where a NaN has come by. */
INLINE M N(no_nan)(void) { return (M){ 0 }; }
INLINE M N(note_nan)(M k, V a, V b) { return X86(or)(k, COMPARE(unord, _CMP_UNORD_Q, a, b)); }
INLINE bool N(has_nan)(M k) { return N(is_any)(k); }
INLINE V N(spoil)(V a, M k) { return X86(or)(a, k); }
#undef COMPARE
#include "backends/cpu/kernels/lanes/reals_halves.h"
