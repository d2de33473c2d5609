// SPDX-License-Identifier: BSD-3-Clause
/* Deterministic input for tests: numbers, shapes, strides, and buffers that fault when a kernel
 * leaves them.  Same seed, same sequence on every machine.  Depends on libc only.
 *
 * The generator is xoshiro256** 1.0 seeded through splitmix64 (D. Blackman, S. Vigna, "Scrambled
 * Linear Pseudorandom Number Generators", ACM TOMS 47(4), 2021).
 */
#ifndef HED_TESTS_GEN_H
#define HED_TESTS_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GEN_MAX_NDIM = 16 };

typedef struct gen { uint64_t s[4]; } gen;

void     gen_seed(gen *g, uint64_t seed);
uint64_t gen_u64(gen *g);
uint64_t gen_below(gen *g, uint64_t n);                     /* 0 … n-1, unbiased; n > 0 */
int64_t  gen_int(gen *g, int64_t low, int64_t high);        /* low … high, both included */
bool     gen_chance(gen *g, unsigned percent);
double   gen_unit(gen *g);                                  /* [0, 1), 53 bits */
double   gen_double(gen *g, double low, double high);
double   gen_normal(gen *g);                                /* mean 0, deviation 1 (Box-Muller) */
void     gen_bytes(gen *g, void *out, size_t n);
void     gen_permutation(gen *g, int n, int *out);

/* A shape of at most max_ndim dimensions of at most max_dim, whose element count stays below
 * max_count; with `zeros`, about one shape in ten has a dimension of 0.  Returns ndim. */
int gen_shape(gen *g, int max_ndim, int64_t max_dim, int64_t max_count, bool zeros, int64_t *dim);

/* How an array lies in memory. */
typedef struct gen_layout {
  int64_t stride[GEN_MAX_NDIM];   /* bytes, may be negative or padded, axes in any order */
  int64_t offset;                 /* bytes from the start of the buffer to element [0, 0, …] */
  size_t bytes;                   /* size of the buffer that holds every element */
} gen_layout;

/* C order without gaps. */
void gen_layout_c(int ndim, const int64_t *dim, size_t itemsize, gen_layout *out);

/* Random axis order; with `pad` some gaps, with `flip` some negative strides. */
void gen_layout_any(gen *g, int ndim, const int64_t *dim, size_t itemsize, bool pad, bool flip,
                    gen_layout *out);

/* Byte offset of the k-th element in C order. */
int64_t gen_layout_at(const gen_layout *l, int ndim, const int64_t *dim, int64_t k);

/* n bytes between two unreadable pages.  The buffer ends at the upper page, or up to align-1
 * bytes before it when n is not a multiple of align (a power of two); that slack and the space
 * below hold a pattern, which guard_free checks.  Never NULL: ends the run when out of memory. */
void *guard_alloc(size_t n, size_t align);

/* false when a byte next to the buffer had been written.  NULL is fine. */
bool  guard_free(void *p);

#ifdef __cplusplus
}
#endif
#endif
