// SPDX-License-Identifier: BSD-3-Clause
/*
 * What files have in common that are compiled once per instruction set: the build says which with CPU_VARIANT (base, avx2,
 * avx512) and the compiler's flags. L1.
 */
#ifndef HED_BACKENDS_CPU_VARIANT_H
#define HED_BACKENDS_CPU_VARIANT_H

#ifndef CPU_VARIANT
#define CPU_VARIANT base
#endif
#define CPU_JOIN_(a, b) a##b
#define CPU_JOIN(a, b) CPU_JOIN_(a, b)
/* A name of this set: CPU_OF_SET(cpu_kernels_) is cpu_kernels_avx2. */
#define CPU_OF_SET(prefix) CPU_JOIN(prefix, CPU_VARIANT)

/* Bytes of its widest vectors of floats. */
#if defined __AVX512F__
#define CPU_VECTOR 64
#elif defined __AVX__
#define CPU_VECTOR 32
#else
#define CPU_VECTOR 16
#endif

/* Elements of the loop that follows do not depend on each other. */
#define IVDEP _Pragma("GCC ivdep")

/* The loop that follows is unrolled: its count is a constant of at most 16. */
#if defined __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* A vector V of the lanes AT of FROM. */
#if defined __clang__
#define SHUFFLE(V, from, at)                              \
  __extension__({                                         \
    V to_;                                                \
    for (unsigned k_ = 0; k_ < sizeof(V) / sizeof to_[0]; k_++) \
      to_[k_] = (from)[(at)[k_]];                         \
    to_;                                                  \
  })
#else
#define SHUFFLE(V, from, at) __builtin_shuffle(from, at)
#endif

/* Functions that return long vectors are inlined, or have the vector ABI's own calling sequence: no caller sees another. */
#pragma GCC diagnostic ignored "-Wpsabi"

#endif
