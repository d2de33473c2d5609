// SPDX-License-Identifier: BSD-3-Clause
/* SHA-256 of what comes in pieces: names and checks of files (cache.c). L1. */
#ifndef HED_DEVICE_SHA256_H
#define HED_DEVICE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct dev_sha256 {
  uint32_t h[8];
  uint64_t bytes;
  unsigned char held[64];
} dev_sha256;

void dev_sha256_begin(dev_sha256 *s);
void dev_sha256_add(dev_sha256 *s, const void *data, size_t n);
void dev_sha256_end(dev_sha256 *s, unsigned char out[32]);

#endif
