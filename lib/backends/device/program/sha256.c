// SPDX-License-Identifier: BSD-3-Clause
/* SHA-256, as FIPS 180-4 says. L1. */
#include "backends/device/program/sha256.h"
#include <string.h>

static const uint32_t K[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void block(dev_sha256 *s, const unsigned char *p)
{
  uint32_t w[64], v[8];
  for (int t = 0; t < 16; t++)
    w[t] = (uint32_t)p[4 * t] << 24 | (uint32_t)p[4 * t + 1] << 16 | (uint32_t)p[4 * t + 2] << 8 | p[4 * t + 3];
  for (int t = 16; t < 64; t++) {
    const uint32_t a = w[t - 15], b = w[t - 2];
    w[t] = (turn(b, 17) ^ turn(b, 19) ^ b >> 10) + w[t - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[t - 16];
  }
  memcpy(v, s->h, sizeof v);
  for (int t = 0; t < 64; t++) {
    const uint32_t e = v[4], a = v[0];
    const uint32_t first = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + K[t] + w[t];
    const uint32_t second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += first;
    v[0] = first + second;
  }
  for (int k = 0; k < 8; k++)
    s->h[k] += v[k];
}

void dev_sha256_begin(dev_sha256 *s)
{
  *s = (dev_sha256){ .h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void dev_sha256_add(dev_sha256 *s, const void *data, size_t n)
{
  const unsigned char *p = data;
  size_t held = (size_t)(s->bytes % 64);
  s->bytes += n;
  if (held) {
    const size_t take = n < 64 - held ? n : 64 - held;
    memcpy(s->held + held, p, take);
    p += take;
    n -= take;
    if (held + take < 64)
      return;
    block(s, s->held);
  }
  for (; n >= 64; p += 64, n -= 64)
    block(s, p);
  memcpy(s->held, p, n);
}

void dev_sha256_end(dev_sha256 *s, unsigned char out[32])
{
  const uint64_t bits = s->bytes * 8;
  const unsigned char one = 0x80, zero = 0;
  unsigned char length[8];
  dev_sha256_add(s, &one, 1);
  while (s->bytes % 64 != 56)
    dev_sha256_add(s, &zero, 1);
  for (int k = 0; k < 8; k++)
    length[k] = (unsigned char)(bits >> (56 - 8 * k));
  dev_sha256_add(s, length, 8);
  for (int k = 0; k < 32; k++)
    out[k] = (unsigned char)(s->h[k / 4] >> (24 - 8 * (k % 4)));
}
