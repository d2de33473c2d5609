// SPDX-License-Identifier: BSD-3-Clause
/* Elements that are moved as bits: HED_BYTES of them, 1, 2, 4, 8 or 16. L1. */
#if HED_BYTES == 1
typedef uint8_t element;
#elif HED_BYTES == 2
typedef uint16_t element;
#elif HED_BYTES == 4
typedef uint32_t element;
#elif HED_BYTES == 8
typedef uint64_t element;
#else
typedef struct ALIGNED(16) element {
  uint64_t word[2];
} element;
#endif
