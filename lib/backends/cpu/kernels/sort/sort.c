// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of sorting kernels (sort.h), compiled once per instruction set with CPU_VARIANT naming it. L1.
 *
 * With AVX-512, words are sorted by the vectorised quicksort of quicksort.h, else by radix sort.
 */
#include "backends/cpu/kernels/sort/sort.h"
#include "backends/cpu/sort/sort.h"
#include "backends/cpu/kernels/lanes/lanes.h"
#include "base/dtype.h"
#include <string.h>

/* ---- keys ---- */

/* What is above is not a number; what such a key becomes. */
#define INFINITE_f16 0x7c00
#define NAN_f16 0x7e00
#define INFINITE_bf16 0x7f80
#define NAN_bf16 0x7fc0
#define INFINITE_f32 0x7f800000
#define NAN_f32 0x7fc00000
#define INFINITE_f64 0x7ff0000000000000
#define NAN_f64 0x7ff8000000000000
#define SIGN_8 0x80
#define SIGN_16 0x8000
#define SIGN_32 0x80000000
#define SIGN_64 0x8000000000000000

typedef uint32_t key_of_u8, key_of_u16, key_of_u32;
typedef uint64_t key_of_u64;
#define BODY "backends/cpu/kernels/sort/keys.h"
#include "backends/cpu/kernels/lanes/for_words.h"

/* Floats of 16 bits, as words of 32. */
INLINE void half_keys(int64_t n, const uint16_t *x, uint32_t *key, uint32_t invert, uint32_t merge, const uint32_t infinite)
{
  IVDEP for (int64_t i = 0; i < n; i++) {
    const uint32_t b = x[i], negative = 0 - (b >> 15);
    uint32_t k = (b ^ (negative | 0x8000)) & 0xffff;
    k += (uint32_t)(k == 0x7fff) & merge;
    key[i] = (b & 0x7fff) > infinite ? ~(uint32_t)0 : k ^ invert;
  }
}

INLINE void half_values(int64_t n, const uint32_t *key, uint16_t *out, uint32_t invert, const uint32_t nan)
{
  IVDEP for (int64_t i = 0; i < n; i++) {
    const uint32_t k = key[i] ^ invert, negative = (k >> 15 & 1) - 1;
    out[i] = (uint16_t)(key[i] == ~(uint32_t)0 ? nan : k ^ (negative | 0x8000));
  }
}

static void keys(int type, int64_t n, const void *x, void *key, bool descending, bool merge)
{
  const uint32_t invert = descending ? UINT32_MAX : 0;
  const uint64_t invert_64 = descending ? UINT64_MAX : 0;
  switch (type) {
  case HED_ID_FLOAT32: float_keys_u32(n, x, key, invert, merge, INFINITE_f32); break;
  case HED_ID_FLOAT64: float_keys_u64(n, x, key, invert_64, merge, INFINITE_f64); break;
  case HED_ID_FLOAT16: half_keys(n, x, key, invert, merge, INFINITE_f16); break;
  case HED_ID_BFLOAT16: half_keys(n, x, key, invert, merge, INFINITE_bf16); break;
  case HED_ID_INT8: whole_keys_u8(n, x, key, invert ^ SIGN_8); break;
  case HED_ID_INT16: whole_keys_u16(n, x, key, invert ^ SIGN_16); break;
  case HED_ID_INT32: whole_keys_u32(n, x, key, invert ^ SIGN_32); break;
  case HED_ID_INT64: whole_keys_u64(n, x, key, invert_64 ^ SIGN_64); break;
  case HED_ID_UINT16: whole_keys_u16(n, x, key, invert); break;
  case HED_ID_UINT32: whole_keys_u32(n, x, key, invert); break;
  case HED_ID_UINT64: whole_keys_u64(n, x, key, invert_64); break;
  default: whole_keys_u8(n, x, key, invert);
  }
}

static void values(int type, int64_t n, const void *key, void *out, bool descending)
{
  const uint32_t invert = descending ? UINT32_MAX : 0;
  const uint64_t invert_64 = descending ? UINT64_MAX : 0;
  switch (type) {
  case HED_ID_FLOAT32: float_values_u32(n, key, out, invert, NAN_f32); break;
  case HED_ID_FLOAT64: float_values_u64(n, key, out, invert_64, NAN_f64); break;
  case HED_ID_FLOAT16: half_values(n, key, out, invert, NAN_f16); break;
  case HED_ID_BFLOAT16: half_values(n, key, out, invert, NAN_bf16); break;
  case HED_ID_INT8: whole_values_u8(n, key, out, invert ^ SIGN_8); break;
  case HED_ID_INT16: whole_values_u16(n, key, out, invert ^ SIGN_16); break;
  case HED_ID_INT32: whole_values_u32(n, key, out, invert ^ SIGN_32); break;
  case HED_ID_INT64: whole_values_u64(n, key, out, invert_64 ^ SIGN_64); break;
  case HED_ID_UINT16: whole_values_u16(n, key, out, invert); break;
  case HED_ID_UINT32: whole_values_u32(n, key, out, invert); break;
  case HED_ID_UINT64: whole_values_u64(n, key, out, invert_64); break;
  default: whole_values_u8(n, key, out, invert);
  }
}

/* Integers are their own keys, in place, and have the same way back. False: of another type. */
static bool turned(int type, int64_t n, void *x, bool descending)
{
  const uint64_t invert = descending ? UINT64_MAX : 0;
  switch (type) {
  case HED_ID_BOOL: case HED_ID_UINT8: turn_u8(n, x, (uint8_t)invert); return true;
  case HED_ID_INT8: turn_u8(n, x, (uint8_t)(invert ^ SIGN_8)); return true;
  case HED_ID_UINT16: turn_u16(n, x, (uint16_t)invert); return true;
  case HED_ID_INT16: turn_u16(n, x, (uint16_t)(invert ^ SIGN_16)); return true;
  case HED_ID_UINT32: turn_u32(n, x, (uint32_t)invert); return true;
  case HED_ID_INT32: turn_u32(n, x, (uint32_t)(invert ^ SIGN_32)); return true;
  case HED_ID_UINT64: turn_u64(n, x, invert); return true;
  case HED_ID_INT64: turn_u64(n, x, invert ^ SIGN_64); return true;
  default: return false;
  }
}

static bool own_keys(int type, int64_t n, void *x, bool descending, bool merge)
{
  const uint64_t invert = descending ? UINT64_MAX : 0;
  if (turned(type, n, x, descending))
    return false;
  switch (type) {
  case HED_ID_FLOAT16: return float_keys_u16(n, x, x, (uint16_t)invert, merge, INFINITE_f16);
  case HED_ID_BFLOAT16: return float_keys_u16(n, x, x, (uint16_t)invert, merge, INFINITE_bf16);
  case HED_ID_FLOAT32: return float_keys_u32(n, x, x, (uint32_t)invert, merge, INFINITE_f32);
  default: return float_keys_u64(n, x, x, invert, merge, INFINITE_f64);
  }
}

static void own_values(int type, int64_t n, void *key, bool descending)
{
  const uint16_t invert = descending ? UINT16_MAX : 0;
  if (turned(type, n, key, descending))
    return;
  if (type == HED_ID_FLOAT16)
    float_values_u16(n, key, key, invert, NAN_f16);
  else if (type == HED_ID_BFLOAT16)
    float_values_u16(n, key, key, invert, NAN_bf16);
  else
    values(type, n, key, key, descending);
}

/* ---- sorting and selection ---- */

#if defined __AVX512F__
#include "backends/cpu/kernels/sort/quicksort_512.h"
#elif defined __AVX2__
#include "backends/cpu/kernels/sort/quicksort_256.h"
#else
#define sort_first_u64(n, first, list, spare) sort_u64(n, list, spare)
enum { LEAF_u32 = 48, LEAF_u64 = 48 };
#define BODY "backends/cpu/kernels/sort/divide.h"
#define NO_NARROW
#include "backends/cpu/kernels/lanes/for_words.h"
#endif

#include "backends/cpu/kernels/sort/apart.h"
enum { APART_BETWEEN, APART_WORDS, APART_INDICES };
#define BODY "backends/cpu/kernels/sort/partition3.h"
#define NO_NARROW
#include "backends/cpu/kernels/lanes/for_words.h"
#define BODY "backends/cpu/kernels/sort/rank.h"
#define NO_NARROW
#include "backends/cpu/kernels/lanes/for_words.h"

#ifdef __AVX2__
#define BODY "backends/cpu/kernels/sort/search.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
#define BODY "backends/cpu/kernels/sort/search.h"
#define NO_NARROW
#define NO_UNSIGNED
#include "backends/cpu/kernels/lanes/for_wholes.h"
#endif

/* ---- indices in order ---- */

enum { SHORT = 4096 };
#define BODY "backends/cpu/kernels/sort/argsort.h"
#define NO_NARROW
#include "backends/cpu/kernels/lanes/for_words.h"

/* ---- lanes side by side ---- */

#define BODY "backends/cpu/kernels/sort/network.h"
#include "backends/cpu/kernels/lanes/for_words.h"

/* ---- bins ---- */

static int64_t even_bins(int64_t n, const double *x, double low, double scale, double bins, double half, int64_t *bin)
{
  int64_t unsure = 0;
  for (int64_t k = 0; k < n; k++) {
    double g = (x[k] - low) * scale;
    g = g > 0 ? g : 0;
    g = g < bins ? g : bins;
    const int32_t i = (int32_t)g;
    const double off = g - (double)i - 0.5;
    const int64_t sure = (off < half) & (off > -half);
    bin[k] = (i | (sure - 1));
    unsure += 1 - sure;
  }
  return unsure;
}

const cpu_sort_kernels CPU_OF_SET(cpu_sort_kernels_) = {
  .keys = keys,
  .values = values,
  .sort_u32 = sort_u32,
  .sort_u64 = sort_u64,
  .divide_u32 = divide_u32,
  .divide_u64 = divide_u64,
  .select_u32 = select_u32,
  .select_u64 = select_u64,
  .below_u32 = below_u32,
  .below_u64 = below_u64,
  .between_u32 = between_u32,
  .between_u64 = between_u64,
  .partition3_u32 = partition3_u32,
  .partition3_u64 = partition3_u64,
  .partition3_indices_u32 = partition3_indices_u32,
  .partition3_indices_u64 = partition3_indices_u64,
#ifdef __AVX2__
  .search_f32 = search_f32,
  .search_f64 = search_f64,
  .search_i32 = search_i32,
  .search_i64 = search_i64,
#endif
  .argsort_u32 = argsort_u32,
  .argsort_u64 = argsort_u64,
  .own_keys = own_keys,
  .own_values = own_values,
  .network = { network_u8, network_u16, network_u32, network_u64 },
  .network_indices = { network_of_halves_u16, network_of_halves_u32, network_of_halves_u64, network_of_pairs_u64 },
#if defined(__AVX512F__)
  .network_most = { 512, 512, 112, 48 },
  .network_indices_most = { 256, 128, 64, 44 },
#elif defined(__AVX2__)
  .network_most = { 512, 512, 112, 256 },
  .network_indices_most = { 256, 256, 48, 32 },
#else
  .network_most = { 512, 512, 512, 512 },
  .network_indices_most = { 256, 256, 256, 32 },
#endif
  .even_bins = even_bins,
  .split = &CPU_OF_SET(cpu_split_loops_),
};
