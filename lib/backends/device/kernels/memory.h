// SPDX-License-Identifier: BSD-3-Clause
/* Where texts of lib/base find what they are given pointers to. L1. */
#define HED__MEMORY GLOBAL
