// SPDX-License-Identifier: BSD-3-Clause
/*
 * png.c: a small PNG writer, so that a picture needs no image library.
 *
 * Layer: L4, match kit. PNG as in ISO/IEC 15948 (W3C Recommendation, 2nd edition), zlib and
 * deflate as in RFC 1950 and 1951: one block with the fixed Huffman codes and matches at
 * distance 1 only (runs). A row that equals the one above is filtered to zeros, so enlarged
 * pictures, whose rows and pixels repeat, become small.
 */
#include "kits/match/png.h"
#include "kits/match/fileio.h"
#include <stdlib.h>
#include <string.h>

/* Bytes in the making, with the bit buffer of deflate. */
typedef struct sink {
  uint8_t *p;
  size_t n, room;
  uint64_t bits;
  int held;
  bool failed;
} sink;

static void put_byte(sink *s, uint8_t b) {
  if (s->n == s->room) {
    size_t more = s->room ? 2 * s->room : 4096;
    uint8_t *grown = s->failed ? NULL : realloc(s->p, more);
    if (!grown) {
      s->failed = true;
      return;
    }
    s->p = grown;
    s->room = more;
  }
  s->p[s->n++] = b;
}

static void put_bits(sink *s, uint32_t value, int n) {
  s->bits |= (uint64_t)value << s->held;
  for (s->held += n; s->held >= 8; s->held -= 8) {
    put_byte(s, (uint8_t)s->bits);
    s->bits >>= 8;
  }
}

/* Huffman codes go out with their first bit first, everything else with its lowest. */
static void put_code(sink *s, uint32_t code, int n) {
  uint32_t turned = 0;
  for (int i = 0; i < n; i++)
    turned |= (code >> i & 1) << (n - 1 - i);
  put_bits(s, turned, n);
}

/* The fixed code of a literal, the end (256) or a length. RFC 1951, 3.2.6. */
static void put_symbol(sink *s, uint32_t v) {
  if (v < 144)
    put_code(s, 0x30 + v, 8);
  else if (v < 256)
    put_code(s, 0x190 + v - 144, 9);
  else if (v < 280)
    put_code(s, v - 256, 7);
  else
    put_code(s, 0xc0 + v - 280, 8);
}

/* The last byte again, length (3..258) times. RFC 1951, 3.2.5. */
static void put_run(sink *s, int length) {
  static const uint16_t base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,
                                    15, 17, 19, 23, 27, 31, 35, 43, 51,  59,
                                    67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint8_t extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  int k = 28;
  while (base[k] > length)
    k--;
  put_symbol(s, 257 + (uint32_t)k);
  put_bits(s, (uint32_t)(length - base[k]), extra[k]);
  put_code(s, 0, 5);
}

typedef struct packer {
  sink out;
  uint32_t a, b; /* Adler-32 */
  int last, run; /* last byte, and how many times it is to be repeated */
} packer;

static void flush_run(packer *p) {
  while (p->run > 0) {
    int n = p->run > 258 ? 258 : p->run;
    if (n < 3) {
      put_symbol(&p->out, (uint32_t)p->last);
      n = 1;
    } else {
      put_run(&p->out, n);
    }
    p->run -= n;
  }
}

static void pack(packer *p, uint8_t v) {
  p->a = (p->a + v) % 65521;
  p->b = (p->b + p->a) % 65521;
  if (v == p->last) {
    p->run++;
    return;
  }
  flush_run(p);
  put_symbol(&p->out, v);
  p->last = v;
}

static void put_be32(sink *s, uint32_t v) {
  for (int i = 24; i >= 0; i -= 8)
    put_byte(s, (uint8_t)(v >> i));
}

static void compress_rows(packer *p, uint32_t width, uint32_t height, const uint8_t *px) {
  p->a = 1;
  p->last = -1;
  put_byte(&p->out, 0x78); /* deflate, window of 32 KiB */
  put_byte(&p->out, 0x01);
  put_bits(&p->out, 3, 3); /* last block, fixed codes */
  for (uint32_t y = 0; y < height; y++) {
    const uint8_t *row = px + (size_t)y * width;
    bool same = y > 0 && memcmp(row, row - width, width) == 0;
    pack(p, same ? 2 : 0);
    for (uint32_t x = 0; x < width; x++)
      pack(p, same ? 0 : row[x]);
  }
  flush_run(p);
  put_symbol(&p->out, 256);
  if (p->out.held > 0)
    put_bits(&p->out, 0, 8 - p->out.held);
  put_be32(&p->out, p->b << 16 | p->a);
}

static uint32_t crc(uint32_t c, const uint8_t *p, size_t n) {
  for (size_t i = 0; i < n; i++) {
    c ^= p[i];
    for (int k = 0; k < 8; k++)
      c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
  }
  return c;
}

static void put_chunk(hed__outfile *f, const char *type, const uint8_t *data, size_t n) {
  uint8_t head[8], tail[4];
  for (int i = 0; i < 4; i++) {
    head[i] = (uint8_t)(n >> (24 - 8 * i));
    head[4 + i] = (uint8_t)type[i];
  }
  uint32_t c = ~crc(crc(~0u, head + 4, 4), data, n);
  for (int i = 0; i < 4; i++)
    tail[i] = (uint8_t)(c >> (24 - 8 * i));
  hed__outfile_write(f, head, 8);
  hed__outfile_write(f, data, n);
  hed__outfile_write(f, tail, 4);
}

hed_status hed__png_write(const char *op, const char *path, uint32_t width, uint32_t height,
                          const uint8_t palette[256][3], const uint8_t *pixels) {
  static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  uint8_t head[13] = {[8] = 8, [9] = 3}; /* 8 bits, palette */
  hed__outfile file;
  hed_status status;
  packer p = {.last = -1};

  compress_rows(&p, width, height, pixels);
  if (p.out.failed || p.out.n > INT32_MAX) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory to compress '%s'", op, path);
    goto done;
  }
  if ((status = hed__outfile_open(&file, op, path)) != HED_OK)
    goto done;
  for (int i = 0; i < 4; i++) {
    head[i] = (uint8_t)(width >> (24 - 8 * i));
    head[4 + i] = (uint8_t)(height >> (24 - 8 * i));
  }
  hed__outfile_write(&file, magic, sizeof magic);
  put_chunk(&file, "IHDR", head, sizeof head);
  put_chunk(&file, "PLTE", palette[0], 768);
  put_chunk(&file, "IDAT", p.out.p, p.out.n);
  put_chunk(&file, "IEND", head, 0);
  status = hed__outfile_commit(&file, op);
  hed__outfile_close(&file);
done:
  free(p.out.p);
  return status;
}
