// SPDX-License-Identifier: BSD-3-Clause
/* Host memory: aligned, overflow-checked, counted, and made to fail on request by tests. L0.
 *
 * All memory of the library comes from here, so a test can let the n-th allocation fail (hed__alloc_countdown) and
 * statistics can be exact. Thread-safe.
 */
#ifndef HED_BASE_ALLOC_H
#define HED_BASE_ALLOC_H

#include <heddle/export.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HED__ALIGN = 64 }; /* cache line; also what FFTW's and SIMD code want */

void *hed__malloc(size_t bytes);                 /* for records; NULL when out of memory */
void *hed__calloc(size_t n, size_t bytes);       /* zeroed, n * bytes checked */
void *hed__realloc(void *p, size_t bytes);
void hed__free(void *p);                         /* NULL is fine */
char *hed__strdup(const char *s);
void *hed__alloc_aligned(size_t bytes, size_t align); /* for elements; released by hed__free; at least 1 byte */

/* For an allocator above this one: may an allocation go ahead (false for the one that was chosen to fail), and memory that
 * is neither counted nor made to fail. */
extern atomic_uint_fast64_t hed__alloc_countdown; /* allocations until one fails; 0 = never */
bool hed__alloc_count_down(void);
static inline bool hed__alloc_permit(void)
{
  return __builtin_expect(!atomic_load_explicit(&hed__alloc_countdown, memory_order_relaxed), 1) || hed__alloc_count_down();
}
void *hed__alloc_plain(size_t bytes, size_t align);
void hed__free_plain(void *p);
/* MORE adds its own allocations to the two counts below. */
void hed__alloc_counts(void (*more)(uint64_t *allocated, int64_t *live));

/* a * b and a + b into *out; false on overflow. */
bool hed__mul_size(size_t a, size_t b, size_t *out);
bool hed__add_size(size_t a, size_t b, size_t *out);

/* Tests: the N-th allocation from now fails (1 = the next), 0 = none; process-wide. Exported under a private name. */
HED_API void hed_test_fail_alloc_at(uint64_t n);
HED_API uint64_t hed_test_alloc_count(void); /* allocations since the start */
HED_API int64_t hed_test_alloc_live(void);   /* blocks not yet freed */

#endif
