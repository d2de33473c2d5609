// SPDX-License-Identifier: BSD-3-Clause
/* BODY for elements of 1, 2, 4, 8 and 16 BYTES, whatever they are: T is bytes_1 and so on, N(name) a function for them. L1. */
#define T CPU_JOIN(bytes_, BYTES)
#define N(name) CPU_JOIN(name##_, BYTES)
#define BYTES 1
#include BODY
#undef BYTES
#define BYTES 2
#include BODY
#undef BYTES
#define BYTES 4
#include BODY
#undef BYTES
#define BYTES 8
#include BODY
#undef BYTES
#define BYTES 16
#include BODY
#undef BYTES
#undef N
#undef T
#undef BODY
