// SPDX-License-Identifier: BSD-3-Clause
/* SHA-256 of what comes in pieces: names and checks of files (cache.c). L1. */
#ifndef HED_DEVICE_SHA256_H
#define HED_DEVICE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct hed__sha256 {
  uint32_t h[8];
  uint64_t bytes;
  unsigned char held[64];
} hed__sha256;

void hed__sha256_begin(hed__sha256 *s);
void hed__sha256_add(hed__sha256 *s, const void *data, size_t n);
void hed__sha256_end(hed__sha256 *s, unsigned char out[32]);

#endif
