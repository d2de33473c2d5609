// SPDX-License-Identifier: BSD-3-Clause
/* Words of the texts that fuse.c writes. L1. */

/* Value S of dtype FROM as an operand of type TO. */
#define VALUE(from, to, s) GIVEN(to, CONVERT(from, to, GIVEN(from, s)))

/* Operands that a row does not have. */
#define NONE_B(id) ((COMPUTED(id))0)
#define NONE_I NONE_B
#define NONE_U NONE_B
#define NONE_H NONE_B
#define NONE_F NONE_B
#define NONE_C(id) COMPLEX_OF(id)(0, 0)
#define NONE(id) JOIN2(NONE_, KIND(id))(id)
