// SPDX-License-Identifier: BSD-3-Clause
/* The end of the names of a type: each.h. */
#undef T
#undef V
#undef M
#undef L
#undef K
#undef P
#undef U
#undef CMP
#undef AT_LEAST
#undef LOOK_UP
#undef FEW
#undef CLASS
#undef BITS
#undef NUMBERS
#undef MANTISSA
#undef LEAST
#undef NEAR
