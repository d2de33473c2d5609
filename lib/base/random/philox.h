// SPDX-License-Identifier: BSD-3-Clause
/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC 2011), one block at a time. L0;
 * header only, also a text of the kernels of devices. */
#ifndef HED_BASE_PHILOX_H
#define HED_BASE_PHILOX_H

#include <stdint.h>

/* Multipliers and key increments of Philox4x32 (table 2 and section 3.3). */
#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u
#define PHILOX_ROUNDS 10

/* The counter C becomes what the keys make of it. */
static inline void hed__philox_rounds(uint32_t c[4], uint32_t k0, uint32_t k1)
{
  for (int r = 0; r < PHILOX_ROUNDS; r++) {
    const uint64_t p0 = (uint64_t)PHILOX_M0 * c[0], p1 = (uint64_t)PHILOX_M1 * c[2];
    c[0] = (uint32_t)(p1 >> 32) ^ c[1] ^ k0;
    c[2] = (uint32_t)(p0 >> 32) ^ c[3] ^ k1;
    c[1] = (uint32_t)p1;
    c[3] = (uint32_t)p0;
    k0 += PHILOX_W0;
    k1 += PHILOX_W1;
  }
}

/* Block BLOCK of (KEY, DRAW): base/random/random.h. */
static inline void hed__philox_block(uint64_t key, uint64_t draw, uint64_t block, uint32_t out[4])
{
  out[0] = (uint32_t)block;
  out[1] = (uint32_t)(block >> 32);
  out[2] = (uint32_t)draw;
  out[3] = (uint32_t)(draw >> 32);
  hed__philox_rounds(out, (uint32_t)key, (uint32_t)(key >> 32));
}

#endif
